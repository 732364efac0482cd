// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/nick`, `/away`, `/back`, `/typing`: they affect you in all conversations (rule 10).
@MainActor
struct PersonCommands {
  let context: CommandContext
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  func nick(_ name: String) throws -> Step {
    guard !name.isEmpty else { throw usage("nick") }
    if let room = context.open.conversation, room.kind == .room, networks.carries(room) {
      return Step { try networks.ask(.join, in: room, text: name, $0) }
    }
    return Step {
      let me = try $0.rename(context.me.id, to: name)
      return [
        .renamed(me), .tell(say("Others now see you as %1.", SafeText(name: me.name))), .catchUp,
      ]
    }
  }

  func goAway(_ argument: String) throws -> Step {
    let word = argument.trimmingBlanks
    guard word.count <= 200 else {
      throw Refusal(say("The text of /away may have up to %1 characters.", SafeText(200)))
    }
    return become(away: word, say("You are away; /back ends it"))
  }

  func comeBack(_ argument: String) throws -> Step {
    guard argument.isEmpty else { throw usage("back") }
    guard context.open.away != nil else { return .tell(say("You are not away.")) }
    return become(away: nil, say("You are back"))
  }

  private func become(away word: String?, _ notice: SafeText) -> Step {
    Step { transaction in
      try transaction.setAway(word, of: context.me.id)
      // A network that connects later reads the store.
      for account in context.accounts.list where context.accounts.isWanted(account) {
        try transaction.ask(
          .presence, target: word == nil ? "" : "away", text: word ?? "", of: account)
      }
      return [.away(word), .catchUp, .inPassing(notice)]
    }
  }

  func switchTyping(_ argument: String) throws -> Step {
    guard !argument.isEmpty else {
      return .tell(
        context.settings.typing
          ? say("Others see when you type; /typing off stops that.")
          : say("Others do not see when you type; /typing on shows them."))
    }
    guard argument == "on" || argument == "off" else { throw usage("typing") }
    var preferences = context.preferences
    try preferences.change("typing", to: argument)
    return Step([.preferences(preferences)])
  }
}
