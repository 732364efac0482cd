// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/history`: messages as they stand now, with delivery marks and reactions (rules 7.1, 7.2, 7.5).
@MainActor
struct HistoryCommand: SessionPart {
  let session: Session

  /// More than anyone pages through; scripts have `hobnob log`.
  private static let mostHistory = 20_000

  static let fetching = say("Fetching older messages; /history will show them")

  func printHistory(_ argument: String) throws {
    let conversation = try place.required()
    // What the entrance left out is read from its start.
    let first = argument.isEmpty ? screen.takeFirstUnprinted() : nil
    let wanted =
      try first.map { Wanted.numbers($0...($0 + Self.mostHistory)) } ?? Self.wanted(argument)
    let messages = try wanted.fetch(store, conversation, me)
    if case .newest(let count) = wanted, messages.count < count {
      try fetch(count - messages.count, olderIn: conversation)
    }
    guard !messages.isEmpty else {
      return tell(
        argument.isEmpty
          ? say("There are no messages in %1 yet.", SafeText(name: conversation.name))
          : say("There are no such messages in %1.", SafeText(name: conversation.name)))
    }
    people.recognise(sendersOf: messages)
    var history = MessagePrinter(options: transcript.printer.options, me: me.id)
    history.options.marks = true
    if settings.timestamps == .relative { history.options.agesAt = Store.wallClock() }
    let reactions = try store.read { try $0.reactions(of: messages.map(\.id)) }
    let lines = Store.ordered(messages).flatMap { message in
      history.lines(for: message) + Self.line(of: reactions[message.id] ?? [])
    }
    // A pager leaves nothing behind.
    let isPaged = transcript.page(lines, atEnd: first == nil)
    if isPaged { transcript.endRun() } else { transcript.follow(history) }
  }

  /// Asks the network for what is older (rule 14.7), unless it is being fetched.
  private func fetch(_ count: Int, olderIn conversation: Conversation) throws {
    guard let before = try store.read({ try $0.olderArchive(in: conversation.id) }) else { return }
    let isAsked = try NetworkCommands(session: session).ask(
      .history, in: conversation, text: NetworkRequest.historyText(count, before: before))
    if isAsked, !session.accounts.isSettlingIn(conversation.network) {
      emit(.notice(Self.fetching))
    }
  }

  /// `🎉 anna, ben  👍 zoe`, each emoji where it was first given.
  private static func line(of reactions: [Reaction]) -> [StyledLine] {
    guard !reactions.isEmpty else { return [] }
    var order: [String] = []
    var names: [String: [SafeText]] = [:]
    for reaction in reactions {
      if names[reaction.emoji] == nil { order.append(reaction.emoji) }
      names[reaction.emoji, default: []].append(SafeText(name: reaction.participant.name))
    }
    let parts = order.map { emoji in
      SafeText(line: emoji) + " " + (names[emoji] ?? []).joined(separator: ", ")
    }
    return [StyledLine("    " + parts.joined(separator: "  "), .dim).with(margin: 4)]
  }

  /// Which messages are wanted.
  private enum Wanted {
    case newest(Int)
    case numbers(ClosedRange<Int>)

    @MainActor
    func fetch(
      _ store: Store, _ conversation: Conversation, _ me: Participant
    ) throws -> [Message] {
      switch self {
      case .newest(let count):
        try store.read { try $0.messages(in: conversation.id, limit: count, for: me.id) }
      case .numbers(let range):
        try store.read { try $0.messages(in: conversation.id, numbers: range, for: me.id) }
      }
    }
  }

  /// Nothing: 20, or what the entrance left out; `50`: as many; `10-30`, `10-`: by their numbers.
  private static func wanted(_ argument: String) throws -> Wanted {
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
