// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import StyledText

extension Command {
  /// All commands, in the order of `/help`.
  package static let table: [Command] = sections.flatMap(\.commands)

  /// All commands by subject, as in the manual.
  static let sections: [(heading: SafeText, commands: [Command])] = [
    (say("Messages"), messages), (say("Reading messages"), list),
    (say("Conversations"), conversations + navigation + server),
    (say("Names from IRC programs"), secondNames),
    (say("You and the shell"), you),
  ]

  private static let messages: [Command] = [
    Command(
      "/edit [N]", "change your newest message, or message N (-2: your second newest)", .number
    ) { try MessageCommands(context: $0).edit($1, $2) },
    Command(
      "/cancel",
      "leave edit mode; outside it, take back your newest message, if nobody has received it yet"
    ) { try MessageCommands(context: $0).takeBack($2) },
    Command("/delete [N]", "delete your newest message, or message N", .number) {
      try MessageCommands(context: $0).delete($1, $2)
    },
    Command(
      "/retry [N|all]", "send failed messages again: all here, message N, or all everywhere",
      .failedNumber
    ) { try MessageCommands(context: $0).retry($1, $2) },
    Command("/react N EMOJI", "set, change or remove your reaction to message N", .anyNumber) {
      try Reactions(context: $0).react($1, $2)
    },
    Command(
      "/reply N TEXT", "answer message N, quoting its first line", .anyNumber, takesNewlines: true
    ) { try MessageCommands(context: $0).reply($1, $2) },
    Command(
      "/attach [PATH]", "attach a file to your next message, or list the attached files", .file
    ) {
      try FileCommands(context: $0).attach($1, $2)
    },
    Command("/detach N|all", "remove an attached file, or all of them", .waitingFile) {
      context, argument, _ in try FileCommands(context: context).detach(argument)
    },
    Command(
      "/save N [PATH]",
      "save the files of message N in the folder where you started hobnob, or in PATH",
      .numberWithFile
    ) { try FileCommands(context: $0).save($1, $2) },
    Command("/me TEXT", "say what you are doing", takesNewlines: true) {
      context, argument, _ in try MessageCommands(context: context).sendAction(argument)
    },
  ]

  private static let conversations: [Command] = [
    Command(
      "/join ROOM [--password WORD]", "enter or create a room, or several (a,b)",
      .room
    ) { try ConversationCommands(context: $0).join($1, $2) },
    Command("/leave [ROOM]", "leave this room, or another", .room) {
      try ConversationCommands(context: $0).leave($1, $2)
    },
    Command(
      "/msg NAME [TEXT]", "open a direct chat, or send TEXT there and stay here", .person,
      takesNewlines: true
    ) { try ConversationCommands(context: $0).message($1, $2) },
    Command(
      "/notice WHOM TEXT", "send a person or a room a message that does not ring",
      .roomOrPerson, takesNewlines: true
    ) { try ConversationCommands(context: $0).sendNotice($1, $2) },
    Command(
      "/switch CONVERSATION", "go to a conversation, by name or number in /list; - goes back",
      .conversation
    ) { try ConversationCommands(context: $0).switchTo($1, $2) },
    Command("/list", "list your conversations with unread counts, then the other rooms") {
      try ListCommands(context: $0).list($2)
    },
    Command("/who", "show who is here, who is looking at this conversation and who is typing") {
      try ListCommands(context: $0).who($2)
    },
    Command("/names", "show who is here, as /who does") {
      try ListCommands(context: $0).who($2)
    },
    Command("/drafts [clear]", "list your drafts, or delete them", .words("clear")) {
      try ListCommands(context: $0).listDrafts($1, $2)
    },
    Command("/export [FILE]", "write this conversation to a new file, as hobnob export does", .file)
    { try FileCommands(context: $0).export($1, $2) },
  ]

  /// What people type who know irssi or WeeChat.
  private static let secondNames: [Command] = [
    Command("/j ROOM [--password WORD]", "enter a room, as /join does", .room, isSecondName: true) {
      try ConversationCommands(context: $0).join($1, $2)
    },
    Command(
      "/part [ROOM [REASON]]", "leave a room, as /leave does; on a network, others see the REASON",
      .room,
      isSecondName: true
    ) { try ConversationCommands(context: $0).part($1, $2) },
    Command(
      "/query NAME [TEXT]", "open a direct chat, and send TEXT there", .person, takesNewlines: true,
      isSecondName: true
    ) { try ConversationCommands(context: $0).query($1, $2) },
    Command("/win N", "go to conversation N of /list", isSecondName: true) {
      try ConversationCommands(context: $0).goToNumber($1, $2)
    },
    Command("/lastlog [QUERY]", "find messages, as /search does", .search, isSecondName: true) {
      try Search(context: $0).run($1, $2)
    },
  ]

  private static let you: [Command] = [
    Command("/nick NAME", "change the name that others see") { context, argument, _ in
      try PersonCommands(context: context).nick(argument)
    },
    Command("/away [TEXT]", "tell others that you are away, with a text if you like") {
      context, argument, _ in try PersonCommands(context: context).goAway(argument)
    },
    Command("/back", "tell others that you are back") { context, _, _ in
      PersonCommands(context: context).comeBack()
    },
    Command(
      "/typing [on|off]", "show or change whether others see that you are typing",
      .words("on", "off")
    ) {
      context, argument, _ in try PersonCommands(context: context).switchTyping(argument)
    },
    Command(
      "/account [add|set|remove|list ...]",
      "list, add, change or remove your accounts on other networks", .account,
      more: AccountCommands.help
    ) { try AccountCommands(context: $0).account($1, $2) },
    Command(
      "/connect [ADDRESS]", "connect or reconnect an account, asking for its password if necessary",
      .ownAccount
    ) { try AccountCommands(context: $0).connectAccount($1, $2) },
    Command(
      "/contact [add|accept|remove|block|unblock [ADDRESS]]",
      "list your contacts, or add, accept, remove, block or unblock one", .contact
    ) { try NetworkCommands(context: $0).manageContacts($1, $2) },
    Command("/block [ADDRESS]", "block somebody on a network, or list whom you blocked", .person) {
      try NetworkCommands(context: $0).manageContacts("block " + $1, $2)
    },
    Command(
      "/requests [clear]", "list requests from strangers, or decline all of them", .words("clear")
    ) { try RequestsCommand(context: $0).run($1, $2) },
    Command("/disconnect [ADDRESS]", "disconnect an account until /connect", .ownAccount) {
      context, argument, _ in try AccountCommands(context: context).disconnect(argument)
    },
    Command("/help [COMMAND]", "list the commands, or explain one", .command) {
      context, argument, _ in
      try HelpCommand(context: context, sections: sections).run(argument)
    },
    Command(
      "/tutorial [next|stop]", "show what hobnob can do, one step at a time",
      .words("next", "stop")
    ) { try TutorialCommand(context: $0).run($1, $2) },
    Command("/set [NAME [VALUE]]", "show the settings, or change one", .setting) {
      try SettingsCommand(context: $0, reserved: names).run($1, $2)
    },
    Command("/theme [NAME]", "list the themes, or apply one", .theme) { context, argument, _ in
      try PreferenceCommands(context: context, reserved: names).theme(argument)
    },
    Command(
      "/alias [NAME [COMMAND]]", "list the aliases, or make /NAME short for a command", .alias
    ) { context, argument, _ in
      try PreferenceCommands(context: context, reserved: names).alias(argument)
    },
    Command(
      "/keys [FUNCTION|PROGRAM]",
      "list keys; for irssi, weechat, profanity: equivalents",
      .function
    ) { context, argument, _ in try KeysCommand(context: context).run(argument) },
    Command("/bind LINE", "bind a key until you quit; write it as a line of ~/.inputrc") {
      context, argument, _ in
      try PreferenceCommands(context: context, reserved: names).bind(argument)
    },
    Command("/source FILE", "apply the settings in a file", .file) { context, argument, _ in
      try PreferenceCommands(context: context, reserved: names).readFile(argument)
    },
    Command("/clear", "clear the screen, as C-l does; the line stays") { context, _, _ in
      ShellCommands(context: context).clear()
    },
    Command("/status", "print what the status line shows: delivery, waiting and unread messages") {
      try ShellCommands(context: $0).showStatus($2)
    },
    Command("/quit", "leave hobnob, as C-d on an empty line does") { context, _, _ in
      ShellCommands(context: context).quit()
    },
  ]

  /// The names that cannot be aliases.
  package static let names = Set(ownNames)

  fileprivate static let ownNames = table.filter { !$0.isSecondName }.map(\.name)

  package static func named(_ name: String) -> Command? { table.first { $0.name == name } }

  /// The text that a command line sends to others, for the counter (rule 1.7); nil if it sends
  /// none.
  package static func message(in line: String) -> String? {
    guard LineRules.isCommand(line) else { return nil }
    var rest = line.dropFirst()
    func word() -> Substring {
      let word = rest.prefix { !$0.isWhitespace }
      rest = rest.dropFirst(word.count).drop { $0.isWhitespace }
      return word
    }
    guard let command = named(String(word())), command.takesNewlines else { return nil }
    // Skip the recipient or the number.
    if command.arguments != nil { _ = word() }
    return String(rest)
  }
}

extension Command {
  /// The message for an unknown command name.
  package static func unknown(_ name: String) -> Refusal { unknown(name, among: ownNames) }
}

extension Arguments {
  fileprivate static let command = first { _, _ in
    Command.table.map { Candidate($0.name, hint: $0.help.string) }
  }
}

extension Settings {
  /// How to read a typed line.
  package var lineRules: LineRules {
    LineRules(
      messageLimit: messageLimit, slashGuard: slashGuard,
      takesNewlines: { Command.named($0)?.takesNewlines == true })
  }
}
