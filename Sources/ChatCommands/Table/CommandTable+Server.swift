// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The commands that a network's server carries out or answers; not every network has them.
extension Command {
  static let server: [Command] = [
    Command("/whois NAME", "ask the network who somebody is", .person) {
      try ServerCommands(context: $0).whois($1, $2)
    },
    Command("/kick NAME [REASON]", "remove somebody from this room on a network", .person) {
      try ServerCommands(context: $0).kick($1, $2)
    },
    Command("/ban NAME|MASK", "keep somebody out of this room on a network", .person) {
      try ServerCommands(context: $0).act(.ban, $1, $2)
    },
    Command("/unban NAME|MASK", "let somebody enter this room again", .person) {
      try ServerCommands(context: $0).act(.unban, $1, $2)
    },
    Command("/op NAME", "make somebody an operator of this room", .person) {
      try ServerCommands(context: $0).act(.promote, $1, $2)
    },
    Command("/deop NAME", "take away somebody's rights as an operator", .person) {
      try ServerCommands(context: $0).act(.demote, $1, $2)
    },
    Command("/mode [WORDS]", "show or change the modes of this room, or your own") {
      try ServerCommands(context: $0).mode($1, $2)
    },
    Command("/ctcp NAME QUESTION", "ask somebody's program a question, such as VERSION", .person) {
      try ServerCommands(context: $0).askProgram($1, $2)
    },
    Command("/irc WORDS", "send a raw command to the server, such as LUSERS") {
      try ServerCommands(context: $0).sendLine($1, $2)
    },
  ]
}
