// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// `/history`: messages in their current state, with delivery marks and reactions (rules 7.1, 7.2,
/// 7.5).
@MainActor
package struct HistoryCommand {
  let context: CommandContext

  package init(context: CommandContext) { self.context = context }

  /// More than anyone pages through; scripts can use `hobnob log`.
  private static let mostHistory = 20_000

  private static let pageUp = 1000

  /// PageUp on a terminal that does not scroll back: shows what this store has, in the pager even
  /// if it is short. Without a pager, shows as much as `/history` prints.
  package func page(_ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.required()
    let hasPager = context.outputMode == .tty && context.settings.pager
    let messages = try snapshot.messages(
      in: conversation.id, limit: hasPager ? Self.pageUp : 20, for: context.me.id)
    let reactions = try snapshot.reactions(of: messages.map(\.id))
    return Step([.history(messages, reactions, atEnd: true, inPager: true)])
  }

  func printHistory(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.required()
    // Begin with the first message that was not printed when the conversation was entered.
    let first = argument.isEmpty ? context.screenState.firstUnprinted : nil
    let wanted =
      try first.map { MessageRange.numbers($0...max($0, $0 &+ Self.mostHistory)) }
      ?? Self.messageRange(argument)
    let messages: [Message]
    var step = Step()
    switch wanted {
    case .newest(let count):
      messages = try snapshot.messages(in: conversation.id, limit: count, for: context.me.id)
      if messages.count < count {
        step = try fetch(count - messages.count, olderIn: conversation, snapshot)
      }
    case .numbers(let range):
      messages = try snapshot.messages(
        in: conversation.id, numbers: range, for: context.me.id)
    }
    guard !messages.isEmpty else {
      step.effects.append(
        .tell(
          argument.isEmpty
            ? say("There are no messages in %1 yet.", SafeText(name: conversation.name))
            : say("There are no such messages in %1.", SafeText(name: conversation.name))))
      return step
    }
    let reactions = try snapshot.reactions(of: messages.map(\.id))
    step.effects.append(.history(messages, reactions, atEnd: first == nil))
    return step
  }

  /// Asks the network for older messages (rule 14.7), unless it has been asked already.
  private func fetch(
    _ count: Int, olderIn conversation: Conversation, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let networks = NetworkCommands(context: context)
    guard networks.carries(conversation),
      let before = try snapshot.olderArchive(in: conversation.id)
    else { return Step() }
    let isSaid = !context.accounts.isUnsettled(conversation.network)
    return Step {
      (isSaid ? [.notice(Feed.fetching)] : [])
        + (try networks.ask(.history, in: conversation, text: before, count: count, $0))
    }
  }

  private enum MessageRange {
    case newest(Int)
    case numbers(ClosedRange<Int>)
  }

  /// Parses the argument. Empty: 20, or the messages that were not printed on entering; `50`: that
  /// many; `10-30`, `10-`: by number.
  private static func messageRange(_ argument: String) throws -> MessageRange {
    if argument.isEmpty { return .newest(20) }
    let refusal = Refusal(
      say(
        "%1 is neither a count nor a range; /history 50 shows the last 50, /history 10-30 those numbers.",
        SafeText(line: argument)))
    let parts = argument.split(separator: "-", omittingEmptySubsequences: false)
    let most = SafeText(mostHistory)
    let tooMany = Refusal(
      say(
        "That is too many; /history shows up to %1, hobnob log shows all.", most)
    )
    switch parts.count {
    case 1:
      guard let count = Int(written: argument, in: 1...Int.max) else { throw refusal }
      guard count <= mostHistory else { throw tooMany }
      return .newest(count)
    case 2:
      if parts[0].isEmpty, let count = Int(written: parts[1], in: 1...mostHistory) {
        throw Refusal(
          say(
            "%1 is not a range; /history %2 shows the last %2.", SafeText(line: argument),
            SafeText(count)))
      }
      guard let first = Int(written: parts[0], in: 1...(.max - mostHistory)) else { throw refusal }
      let limit = first + mostHistory - 1
      guard !parts[1].isEmpty else { return .numbers(first...limit) }
      guard let last = Int(written: parts[1], in: first...Int.max) else { throw refusal }
      guard last <= limit else { throw tooMany }
      return .numbers(first...last)
    default: throw refusal
    }
  }
}
