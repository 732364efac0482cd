// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Names of commands in irssi, WeeChat and profanity (rule 1.11). They are not commands of hobnob,
/// which has one name for each; you can define aliases.
enum OtherClientsCommands {
  /// The hobnob command to use instead, if there is one; continues `There is no /NAME; `.
  static func counterpart(of name: String) -> SafeText? { sentences[name.lowercased()] }

  private static let sentences = Dictionary(
    uniqueKeysWithValues: table.flatMap { names, sentence in names.map { ($0, sentence) } })

  private static let table: [(names: [String], sentence: SafeText)] = [
    (["query"], say("/msg NAME opens a direct chat.")),
    (["notice"], say("/msg NAME TEXT writes to one person.")),
    (["part", "close"], say("/leave leaves the room.")),
    (["exit", "bye"], say("/quit leaves hobnob.")),
    (
      ["window", "win", "buffer"], say("/switch NAME goes to a conversation, and /list lists them.")
    ),
    (["windows", "wins", "buffers"], say("/list lists your conversations.")),
    (["names", "whois"], say("/who shows who is here.")),
    (["roster"], say("/list lists your conversations, and /who shows who is here.")),
    (["lastlog", "grep"], say("/search WORD finds messages.")),
    (["hilight", "highlight"], say("/set highlight WORD marks messages with that word.")),
    (["correct"], say("/edit changes your newest message.")),
    (["sendfile", "upload"], say("/attach PATH adds a file to the next message.")),
    (["prefs"], say("/set shows the settings.")),
    (["time"], say("/set timestamps changes how times are shown.")),
    (["ping"], say("/info N shows the delivery of message N.")),
    (["titlebar"], say("hobnob has a status line instead.")),
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
    if let counterpart = OtherClientsCommands.counterpart(of: name) {
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
