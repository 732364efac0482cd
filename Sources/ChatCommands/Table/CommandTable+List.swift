// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The commands about messages and about conversations (rules 7 and 10).
extension Command {
  static let list: [Command] = [
    Command(
      "/info N", "show everything about message N: sender, delivery, earlier versions", .anyNumber
    ) { try MessageInfo(context: $0).info($1, $2) },
    Command("/quote N", "put the text of message N on the line, as a quote", .anyNumber) {
      try QuoteCopyOpenCommands(context: $0).quote($1, $2)
    },
    Command("/copy N", "copy the text of message N to the terminal's clipboard", .anyNumber) {
      try QuoteCopyOpenCommands(context: $0).copy($1, $2)
    },
    Command(
      "/open N [M]", "open the link or file in message N; M selects one of several", .openable
    ) { try QuoteCopyOpenCommands(context: $0).open($1, $2) },
    Command(
      "/history [COUNT|A-B]",
      "print the last messages (by default 20), or those from A to B, with later edits and deletions applied"
    ) { try HistoryCommand(context: $0).printHistory($1, $2) },
    Command(
      "/search [QUERY]",
      "find messages: words, from:NAME in:ROOM since:7d; without QUERY: older matches",
      .search
    ) { try Search(context: $0).run($1, $2) },
    Command("/pause", "pause the output; the status line counts new messages") {
      context, _, _ in try ShellCommands(context: context).pause()
    },
    Command("/bottom", "print the messages that arrived during a pause, and resume the output") {
      context, _, _ in ShellCommands(context: context).bottom()
    },
    Command("/outbox", "list your unsent messages, and why any of them failed") {
      try UnreadCommands(context: $0).outbox($2)
    },
  ]

  static let navigation: [Command] = [
    Command("/next", "go to the next conversation with unread messages, mentions first") {
      try UnreadCommands(context: $0).next($2)
    },
    Command("/unread", "list the conversations with unread messages") {
      try UnreadCommands(context: $0).listUnread($2)
    },
    Command("/topic [TEXT]", "show or change the room's topic (-: remove it)") {
      try RoomCommands(context: $0).topic($1, $2)
    },
    Command("/invite NAME", "add somebody to this room", .person) {
      try RoomCommands(context: $0).invitePerson($1, $2)
    },
    Command("/can", "list what this conversation can and cannot do: edits, reactions, files") {
      try CanCommand(context: $0).run($2)
    },
    Command(
      "/encrypt [on|off]", "show or change whether what you send here is encrypted from end to end",
      .words("on", "off")
    ) { try EncryptCommand(context: $0).run($1, $2) },
    Command(
      "/verify [NAME] [DEVICE] [yes|no]",
      "show the fingerprints of devices, compare one, or decide about a device",
      .person
    ) { try DeviceCommands(context: $0).verify($1, $2) },
    Command(
      "/device [name N NAME|remove N]", "list your devices that encrypt; name or remove one",
      .words("name", "remove")
    ) { context, argument, _ in try DeviceCommands(context: context).manage(argument) },
    Command(
      "/room rename NAME|remove", "rename or remove this room, if you made it",
      .words("rename", "remove")
    ) { try RoomCommands(context: $0).room($1, $2) },
    Command(
      "/mute [NAME]", "mute a room or a person, or list what you have muted", .roomOrPerson
    ) { try AttentionCommands(context: $0).set(.muted, true, $1, $2) },
    Command("/unmute NAME", "unmute a room or a person", .muted) {
      try AttentionCommands(context: $0).set(.muted, false, $1, $2)
    },
    Command(
      "/ignore [NAME]", "hide the messages of a room or person, or list whom you ignore",
      .roomOrPerson
    ) { try AttentionCommands(context: $0).set(.ignored, true, $1, $2) },
    Command("/unignore NAME", "stop ignoring a room or a person", .ignored) {
      try AttentionCommands(context: $0).set(.ignored, false, $1, $2)
    },
  ]
}
