// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// `/clear`, `/status`, `/pause`, `/bottom`, `/quit`.
@MainActor
struct ShellCommands {
  let context: CommandContext

  func clear() -> Step { .effect(.clearScreen) }

  func quit() -> Step { .effect(.leave) }

  func showStatus(_ snapshot: borrowing Snapshot) throws -> Step {
    // Read the current state, not the last one shown.
    var open = context.open
    open.readNewestOwn(snapshot)
    var lines: [StyledLine] = []
    if let conversation = context.open.conversation {
      let shown = SafeText(name: conversation.name)
      let myName = SafeText(name: context.open.nick ?? context.me.name)
      let membershipSentence =
        switch context.open.membership {
        case .member:
          say("You are %1 in %2.", myName, shown)
        case .left: say("You are %1; you left %2.", myName, shown)
        case .removed: say("You are %1, and no longer in %2.", myName, shown)
        case .never: say("You are %1, but not in %2.", myName, shown)
        }
      lines.append(StyledLine(membershipSentence))
      if let newestOwn = open.newestOwn {
        lines.append(
          StyledLine(
            say(
              "Your newest message here, [%1], is %2.", SafeText(newestOwn.number),
              open.deliveryCounts.words ?? newestOwn.state.word)))
      }
      let encrypting = EncryptCommand(context: context)
      let encryption = try encrypting.state(of: conversation, snapshot)
      if encryption != .never {
        lines.append(StyledLine(encrypting.sentence(for: encryption, in: conversation)))
      }
      let unsent = try snapshot.unsent(by: context.me.id, in: nil)
      let failed = unsent.filter { $0.state == .failed }.count
      if unsent.count > failed {
        lines.append(StyledLine(say("%1 waiting to be sent.", SafeText(unsent.count - failed))))
      }
      if failed > 0 {
        lines.append(
          StyledLine(say("%1 failed; /retry all sends them again.", SafeText(failed))))
      }
    }
    if context.screenState.isPaused {
      lines.append(
        StyledLine(
          context.screenState.held.count > 0
            ? say(
              "Output paused; %1 new. Type /bottom to resume.",
              SafeText(context.screenState.held.count))
            : say("Output paused; type /bottom to resume.")))
    }
    if let away = context.open.away {
      lines.append(
        StyledLine(
          away.isEmpty
            ? say("You are away; /back ends it.")
            : say("You are away: %1. /back ends it.", SafeText(line: away))))
    }
    for account in context.accounts.list {
      let state = AccountCommands(context: context).state(of: account)
      lines.append(
        StyledLine(say("Account %1: %2.", SafeText(line: account.name), state)))
    }
    for entry in context.navigator.otherConversations.unread {
      lines.append(
        StyledLine(
          say(
            "%1 unread in %2.", SafeText(entry.count), SafeText(name: entry.conversation.name))))
    }
    lines.append(StyledLine(say("The store is %1.", SafeText(line: snapshot.path)), .dim))
    return .answer(lines)
  }

  // MARK: Holding new messages (rule 7.6)

  func pause() throws -> Step {
    guard !context.screenState.isPaused else {
      return .tell(say("Output is already paused; type /bottom to resume."))
    }
    _ = try context.open.required()
    return Step([
      .pause, .tell(say("Output paused; type /bottom or send a message to resume.")),
    ])
  }

  func bottom() -> Step {
    guard context.screenState.isPaused else {
      return .tell(say("Output is not paused; type /pause to pause it."))
    }
    let hasNone = context.screenState.held.count == 0
    return Step(
      [.resume, .catchUp] + (hasNone ? [.notice(say("No messages arrived meanwhile"))] : []))
  }
}
