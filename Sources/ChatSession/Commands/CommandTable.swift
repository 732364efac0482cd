// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText

/// What stands behind a command's name, for completion and for the usage.
enum ArgumentKind: Sendable {
  case room, person, conversation, number, command, setting, text, drafts, file, waitingFile, theme,
    function, alias, anyNumber, openable, numberWithFile, failedNumber, search, onOff, account,
    contact, roomVerb, roomOrPerson, muted, ignored
}

/// A command of the shell: one line of the table from which `/help`, completion, the dispatcher
/// and the check of the manual are made (rule 10).
public struct Command: Sendable {
  public let name: String
  public let usage: String
  public let help: SafeText
  /// What `/help NAME` adds.
  let more: [SafeText]
  let argument: ArgumentKind?
  /// A text with newlines may follow (rule 1.11).
  public let takesNewlines: Bool
  let run: @MainActor @Sendable (Session, String) throws -> Void

  init(
    _ usage: String, _ help: SafeText, _ argument: ArgumentKind? = nil,
    takesNewlines: Bool = false, more: [SafeText] = [],
    run: @escaping @MainActor @Sendable (Session, String) throws -> Void
  ) {
    name = String(usage.dropFirst().prefix { $0 != " " })
    self.usage = usage
    self.help = help
    self.more = more
    self.argument = argument
    self.takesNewlines = takesNewlines
    self.run = run
  }

  /// All commands, in the order of `/help`.
  public static let table: [Command] = sections.flatMap(\.commands)

  /// The same by what they are about, as the manual has them.
  static let sections: [(heading: SafeText, commands: [Command])] = [
    (say("Messages"), messages), (say("Reading messages"), list),
    (say("Conversations"), conversations + places), (say("You and the shell"), you),
  ]

  private static let messages: [Command] = [
    Command(
      "/edit [N]", "change your newest message, or message N (-2: your second newest)", .number
    ) {
      try $0.editing.begin($1)
    },
    Command(
      "/cancel",
      "leave edit mode; outside it, take back the newest of your messages that nobody has received"
    ) {
      try MessageCommands(session: $0).takeBack($1)
    },
    Command("/delete [N]", "delete your newest message, or message N", .number) {
      try MessageCommands(session: $0).delete($1)
    },
    Command(
      "/retry [N|all]", "send failed messages again: all here, message N, or all everywhere",
      .failedNumber
    ) {
      try MessageCommands(session: $0).retry($1)
    },
    Command("/react N EMOJI", "set, change or remove your reaction to message N", .anyNumber) {
      try $0.reactions.react($1)
    },
    Command(
      "/reply N TEXT", "answer message N, quoting its first line", .anyNumber, takesNewlines: true
    ) { try MessageCommands(session: $0).reply($1) },
    Command("/attach [PATH]", "add a file to your next message, or list the added files", .file) {
      try FileCommands(session: $0).attach($1)
    },
    Command("/detach N|all", "remove an added file, or all of them", .waitingFile) {
      try FileCommands(session: $0).detach($1)
    },
    Command(
      "/save N [PATH]", "save the files of message N in the folder you are in, or in PATH",
      .numberWithFile
    ) { try FileCommands(session: $0).save($1) },
    Command("/me TEXT", "say what you are doing", .text, takesNewlines: true) {
      try MessageCommands(session: $0).act($1)
    },
  ]

  private static let conversations: [Command] = [
    Command(
      "/join ROOM [--password WORD]", "enter or create a room, or several (a,b)",
      .room
    ) {
      try ConversationCommands(session: $0).join($1)
    },
    Command("/leave [ROOM]", "leave this room, or another", .room) {
      try ConversationCommands(session: $0).leave($1)
    },
    Command(
      "/msg NAME [TEXT]", "open a direct chat, and send TEXT if there is one", .person,
      takesNewlines: true
    ) { try ConversationCommands(session: $0).message($1) },
    Command(
      "/switch CONVERSATION", "go to a conversation, by name or number in /list; - goes back",
      .conversation
    ) {
      try ConversationCommands(session: $0).switchTo($1)
    },
    Command("/list", "list your conversations with unread counts, then the other rooms") {
      try ConversationCommands(session: $0).list($1)
    },
    Command("/who", "show who is here, who is watching and who is typing") {
      try ConversationCommands(session: $0).who($1)
    },
    Command("/drafts [clear]", "list your drafts, or delete them", .drafts) {
      try ConversationCommands(session: $0).drafts($1)
    },
    Command("/export [FILE]", "write this conversation to a new file, as hobnob export does", .file)
    { try FileCommands(session: $0).export($1) },
  ]

  private static let you: [Command] = [
    Command("/nick NAME", "change the name that others see") {
      try PersonCommands(session: $0).nick($1)
    },
    Command("/away [TEXT]", "tell others that you are away, with a text if you like", .text) {
      try PersonCommands(session: $0).goAway($1)
    },
    Command("/back", "tell others that you are back") {
      try PersonCommands(session: $0).comeBack($1)
    },
    Command("/typing [on|off]", "show or change whether others see that you are typing", .onOff) {
      try PersonCommands(session: $0).typing($1)
    },
    Command(
      "/account [add|set|remove|list ...]",
      "list, add, change or remove your accounts on other networks", .account,
      more: AccountCommands.help
    ) { try AccountCommands(session: $0).account($1) },
    Command(
      "/connect [ADDRESS]", "connect or reconnect an account, asking for its password if necessary",
      .account
    ) { try AccountCommands(session: $0).connect($1) },
    Command(
      "/contact [add|accept|remove|block|unblock [ADDRESS]]",
      "list your contacts; or ask for one, accept, remove, block or unblock one", .contact
    ) { try NetworkCommands(session: $0).contact($1) },
    Command("/block [ADDRESS]", "block somebody on a network, or list whom you blocked", .person) {
      try NetworkCommands(session: $0).contact("block " + $1)
    },
    Command(
      "/requests [clear]", "list requests from strangers, or decline all of them", .drafts
    ) { try RequestsCommand(session: $0).run($1) },
    Command("/disconnect [ADDRESS]", "disconnect an account until /connect", .account) {
      try AccountCommands(session: $0).disconnect($1)
    },
    Command("/help [COMMAND]", "list the commands, or explain one", .command) {
      try ShellCommands(session: $0).help($1)
    },
    Command("/set [NAME [VALUE]]", "show the settings, or change one", .setting) {
      try ShellCommands(session: $0).set($1)
    },
    Command("/theme [NAME]", "list the themes, or apply one", .theme) {
      try PreferenceCommands(session: $0).theme($1)
    },
    Command(
      "/alias [NAME [COMMAND]]", "list the aliases, or make /NAME short for a command", .alias
    ) {
      try PreferenceCommands(session: $0).alias($1)
    },
    Command("/keys [FUNCTION]", "list the functions that keys are bound to", .function) {
      try KeysCommand(session: $0).run($1)
    },
    Command("/bind LINE", "bind a key until you leave: a line as in ~/.inputrc") {
      try PreferenceCommands(session: $0).bind($1)
    },
    Command("/source FILE", "apply the settings in a file", .file) {
      try PreferenceCommands(session: $0).source($1)
    },
    Command("/clear", "clear the screen, as C-l does; the line stays") {
      try ShellCommands(session: $0).clear($1)
    },
    Command("/status", "print what the status line shows: delivery, waiting and unread messages") {
      try ShellCommands(session: $0).status($1)
    },
    Command("/quit", "leave hobnob, as C-d on an empty line does") {
      try ShellCommands(session: $0).quit($1)
    },
  ]

  static func named(_ name: String) -> Command? { table.first { $0.name == name } }

  /// What a command line says to others, for the counter (rule 1.7); nil where it says nothing.
  package static func message(in line: String) -> String? {
    guard LineRules.isCommand(line) else { return nil }
    var rest = line.dropFirst()
    func word() -> Substring {
      let word = rest.prefix { !$0.isWhitespace }
      rest = rest.dropFirst(word.count).drop { $0.isWhitespace }
      return word
    }
    guard let command = named(String(word())), command.takesNewlines else { return nil }
    // Behind whom or what it is for.
    if command.argument != .text { _ = word() }
    return String(rest)
  }

  /// The command whose name is the fewest changes away, if it is near enough to be meant.
  static func nearest(to name: String) -> Command? {
    nearest(to: name, among: table.map(\.name)).flatMap(named)
  }

  /// The first name that begins so, else the one that is the fewest changes away, if it is near
  /// enough to be meant.
  static func nearest(to name: String, among names: [String]) -> String? {
    let begun = name.lowercased()
    if begun.count > 1, let whole = names.first(where: { $0.hasPrefix(begun) }) { return whole }
    let candidates = names.map { ($0, distance($0, begun)) }
    guard let best = candidates.min(by: { $0.1 < $1.1 }), best.1 <= max(1, name.count / 3) else {
      return nil
    }
    return best.0
  }

  /// How many letters were left out, put in, changed or swapped with their neighbour (optimal
  /// string alignment).
  package static func distance(_ one: String, _ other: String) -> Int {
    let one = Array(one)
    let other = Array(other)
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var best = min(
          rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    return rows[one.count][other.count]
  }
}
