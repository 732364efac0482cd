// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import StyledText

/// Keys and commands that people know from irssi, WeeChat and profanity, and what hobnob has
/// instead. hobnob has one name for each; you can define aliases. `/keys irssi` lists them, and the
/// error for an unknown command (rule 1.11) names the counterpart.
package struct OtherClientHint {
  package enum Program: String, CaseIterable { case irssi, weechat, profanity }

  /// What each program calls it; nothing if it has no name there.
  private let names: [Program: String]
  /// Other names, from scripts, earlier versions or guesses; only the error answers them.
  private let others: String
  let sentence: SafeText

  private init(
    _ irssi: String, _ weechat: String, _ profanity: String, _ sentence: SafeText,
    others: String = ""
  ) {
    names = [.irssi: irssi, .weechat: weechat, .profanity: profanity]
    self.sentence = sentence
    self.others = others
  }

  /// The rows for one program: its names, and what to do here.
  static func rows(for program: Program) -> [[StyledLine]] {
    table.compactMap { habit in
      let name = habit.names[program] ?? ""
      return name.isEmpty
        ? nil : [StyledLine(SafeText(line: name), .bold), StyledLine(habit.sentence)]
    }
  }

  /// What to do instead of a command; continues `There is no /NAME; `.
  static func counterpart(of command: String) -> SafeText? {
    let wanted = "/" + command.lowercased()
    return table.first { habit in
      let names = habit.names.values + [habit.others]
      return names.contains { $0.split(separator: ", ").contains(wanted[...]) }
    }?.sentence
  }

  static let table: [OtherClientHint] = [
    // Going around.
    OtherClientHint(
      "Alt-1..9", "Alt-1..9", "Alt-1..9, F1..F10",
      say(
        "/switch 1 goes to number 1 of /list; you can bind keys to the functions conversation-1, conversation-2 and so on."
      )),
    OtherClientHint(
      "Alt-a", "Alt-a", "Alt-a",
      say("M-a, or /next, goes to the next conversation with unread messages.")),
    OtherClientHint(
      "Ctrl-n, Ctrl-p", "F6, F5", "Alt-Right, Alt-Left",
      say("C-x C-n and C-x C-p go to the next and the previous conversation of /list.")),
    OtherClientHint(
      "/window last", "Alt-/", "", say("C-x C-l, or /switch -, goes back to the last conversation.")
    ),
    OtherClientHint(
      "/window, /win", "/buffer", "/win",
      say("/switch NAME and /win N go to a conversation of /list.")),
    OtherClientHint(
      "/window list, /wl", "/buffer list", "/wins", say("/list lists your conversations."),
      others: "/windows, /buffers"),
    OtherClientHint(
      "/window split", "/window, F7, F8", "",
      say("Each shell shows one conversation; to see two, open another shell beside it.")),
    OtherClientHint(
      "/query, /msg", "/query, /msg", "/msg",
      say("/msg NAME opens a direct chat; /msg NAME TEXT only sends, and /query does both."),
      others: "/q"),
    OtherClientHint(
      "/part, /wc", "/part, /close", "/close",
      say("/leave leaves the room; /part ROOM REASON says why.")),
    OtherClientHint("/j", "/j", "", say("/j ROOM and /join ROOM enter a room.")),
    // Reading.
    OtherClientHint(
      "PageUp", "PageUp", "PageUp",
      say(
        "To read older output, scroll back in your terminal; on the Linux console, PageUp opens the history in a pager."
      )),
    OtherClientHint(
      "/lastlog", "", "", say("/lastlog and /search find messages."), others: "/grep"),
    OtherClientHint(
      "Ctrl-l, /clear", "Ctrl-l, /buffer clear", "/clear",
      say("C-l, or /clear, clears the screen.")),
    OtherClientHint("", "", "/who", say("/who shows who is here.")),
    OtherClientHint(
      "/hilight", "/buffer set highlight_words", "",
      say("/set highlight WORD marks messages with that word."), others: "/highlight"),
    OtherClientHint("", "/filter", "", say("/set events off hides who joins and leaves.")),
    OtherClientHint(
      "/ignore", "/ignore", "/blocked",
      say("/ignore NAME hides messages; /block ADDRESS blocks somebody on a network.")),
    OtherClientHint("", "", "/time", say("/set timestamps changes how times are shown.")),
    OtherClientHint("", "", "/notify", say("/set notify selects which messages ring.")),
    OtherClientHint(
      "", "", "/url",
      say("/open N opens the link or file in message N, and /save N saves its files.")),
    OtherClientHint(
      "/ping, /ver", "/ping, /version", "/ping",
      say(
        "/ctcp NAME PING or VERSION asks somebody's program; /info N shows the delivery of message N."
      ), others: "/version"),
    // Writing.
    OtherClientHint(
      "Tab", "Tab", "Tab",
      say(
        "TAB completes people, rooms, commands and emoji names such as :tada:, and a second TAB opens a menu."
      )),
    OtherClientHint(
      "Up", "Up, Ctrl-r", "Up", say("Up recalls what you typed, and C-r searches it.")),
    OtherClientHint("", "Alt-Enter", "Alt-Enter", say("M-Return begins a new line.")),
    OtherClientHint("", "", "/correct", say("/edit changes your newest message.")),
    OtherClientHint(
      "/dcc", "/dcc, /xfer", "",
      say("hobnob has no DCC; /attach PATH sends a file where the network takes files.")),
    OtherClientHint(
      "", "", "/sendfile", say("/attach PATH adds a file to the next message."), others: "/upload"),
    OtherClientHint("", "", "/subject", say("/topic TEXT changes the topic.")),
    // The network and the program.
    OtherClientHint(
      "/server, /network", "/server", "",
      say("/account add irc:NICK@SERVER adds an account on IRC; /account lists yours.")),
    OtherClientHint(
      "/cycle", "/cycle", "", say("/leave leaves the room, and /join enters it again."),
      others: "/hop"),
    OtherClientHint(
      "/quote, /raw", "/quote", "",
      say("/irc WORDS sends a line of IRC; /quote N quotes message N."),
      others: "/rawquote, /motd, /links, /whowas"),
    OtherClientHint(
      "/ns, /cs", "", "", say("/msg NickServ TEXT writes to the service."),
      others: "/nickserv, /chanserv"),
    OtherClientHint(
      "", "", "/roster, /sub",
      say("/contact lists your contacts, and /contact add sends a contact request.")),
    OtherClientHint(
      "/away", "/away", "/status set",
      say("/away and /back set your status; there are no other statuses."),
      others: "/online, /dnd, /xa, /chat"),
    OtherClientHint("", "/key", "", say("/bind binds a key, and /keys lists the keys.")),
    OtherClientHint("", "", "/prefs", say("/set shows the settings.")),
    OtherClientHint(
      "/save", "/save", "/save", say("To keep a setting, put it in hobnobrc; /save saves files.")),
    OtherClientHint("/exit, /bye", "/exit, /bye", "", say("/quit leaves hobnob.")),
    OtherClientHint(
      "/join ...", "/join ...", "/join ...",
      say("/join, /me, /nick, /invite, /alias, /connect and /help work the way you are used to.")),
    OtherClientHint(
      "/names, /whois, /notice, /ctcp", "/names, /whois, /notice, /ctcp", "",
      say("/names, /whois, /notice and /ctcp work the way you are used to.")),
    OtherClientHint("/n", "", "", say("/names shows who is here.")),
    OtherClientHint(
      "/wii", "/wii", "", say("/whois NAME also shows how long somebody has been idle."),
      others: "/wi"),
    OtherClientHint(
      "/kick, /ban, /op, /mode", "/kick, /ban, /op, /mode", "",
      say("On IRC, /kick, /ban, /unban, /op, /deop and /mode act on the open room.")),
    OtherClientHint(
      "/kickban, /kb", "/kickban", "",
      say("/ban NAME keeps somebody out, and /kick NAME removes them.")),
    OtherClientHint(
      "/voice, /devoice", "/voice, /devoice", "", say("/mode +v NAME gives somebody a voice.")),
    OtherClientHint(
      "", "", "/omemo, /pgp, /otr",
      say("/encrypt on encrypts what you send from end to end, where hobnob can.")),
    // hobnob has no counterpart for these.
    OtherClientHint("", "", "/kick, /ban", say("hobnob does not moderate rooms on XMPP yet.")),
    OtherClientHint(
      "/script, /exec", "/script, /exec", "/plugins",
      say(
        "hobnob loads no scripts, but scripts of your own can run hobnob send and hobnob log --follow."
      )),
    OtherClientHint("", "", "/titlebar", say("/set title changes the title of the window.")),
  ]
}

extension Command {
  /// The message for an unknown command name, with the likely or a similar one (rule 1.11).
  static func unknown(_ name: String, among names: [String]) -> Refusal {
    let shown = SafeText(line: name)
    if name.contains("/") {
      return Refusal(
        say("/%1 is not a command. To send a text that begins with /, begin it with //.", shown))
    }
    if name.isEmpty {
      return Refusal(say("Type the name of a command after /. /help lists them."))
    }
    if let counterpart = OtherClientHint.counterpart(of: name) {
      return Refusal(say("There is no /%1; %2", shown, counterpart))
    }
    if let near = Spelling.nearest(to: name, among: names) {
      return Refusal(
        say(
          "/%1 is not a command. Did you mean /%2? /help lists them.", shown,
          SafeText(line: near)))
    }
    return Refusal(
      say("/%1 is not a command. /help lists them; to send the line, begin it with //.", shown))
  }
}
