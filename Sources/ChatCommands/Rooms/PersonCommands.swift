// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import StyledText

/// `/nick`, `/away`, `/back`, `/typing`: they affect you in all conversations (rule 10).
@MainActor
struct PersonCommands {
  let context: CommandContext
  private var networks: NetworkCommands { NetworkCommands(context: context) }

  func nick(_ name: String) throws -> Step {
    guard !name.isEmpty else { throw usage("nick") }
    if let open = context.open.conversation, let account = networks.account(of: open),
      open.kind == .room || account.rules.identityScope == .network
    {
      return Step { try networks.ask(.join, in: open, text: name, $0) }
    }
    return Step {
      let me = try $0.rename(context.me.id, to: name)
      return [
        .renamed(me), .tell(say("Others now see you as %1.", SafeText(name: me.name))), .catchUp,
      ]
    }
  }

  func goAway(_ argument: String) throws -> Step {
    let reason = argument.trimmingBlanks
    guard reason.count <= 200 else {
      throw Refusal(say("An away message can have at most %1 characters.", SafeText(200)))
    }
    return setAway(reason, say("You are away; /back ends it"))
  }

  func comeBack() -> Step {
    guard context.open.away != nil else { return .tell(say("You are not away.")) }
    return setAway(nil, say("You are back"))
  }

  private func setAway(_ reason: String?, _ notice: SafeText) -> Step {
    Step { transaction in
      try transaction.setAway(reason, of: context.me.id)
      // An account that connects later reads the message from the store.
      for account in context.accounts.list where context.accounts.isWanted(account) {
        try transaction.ask(
          .presence, target: reason == nil ? "" : "away", text: reason ?? "", of: account)
      }
      return [.away(reason), .catchUp, .notice(notice)]
    }
  }

  func switchTyping(_ argument: String) throws -> Step {
    guard !argument.isEmpty else {
      return .tell(
        context.settings.typing
          ? say("Others see when you are typing; /typing off stops that.")
          : say("Others do not see when you are typing; /typing on lets them see it."))
    }
    guard argument == "on" || argument == "off" else { throw usage("typing") }
    var preferences = context.preferences
    try preferences.change("typing", to: argument)
    return Step([.preferences(preferences)])
  }
}
