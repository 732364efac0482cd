// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What was unread when a conversation was entered and is more than one turn of the loop prints:
/// it follows in portions, and keys are served between them (rules 7.3, 7.7).
struct Backlog {
  /// Lines about what happened since: they stand below all that is older.
  var later: [StyledLine] = []
  /// My own messages that were not sent when their turn came: they stand last (rule 7.1).
  private(set) var unsent: [Int] = []

  /// Takes what is not sent yet out of a portion.
  mutating func keepUnsent(of messages: inout [Message], by me: ID<Participant>) {
    let isUnsent = { (message: Message) in message.sender == me && message.state < .sent }
    unsent += messages.filter(isUnsent).map(\.number)
    messages.removeAll(where: isUnsent)
  }
}

extension Shell {
  /// Sees to it that the next portion comes, unless printing is held.
  func goOnPrinting() {
    guard backlog != nil, !isMoreUnderWay, !isPaused, !isHolding else { return }
    isMoreUnderWay = true
    face?.printMoreSoon()
  }

  /// Prints the next portion. What is printed is read, and what is not stays unread.
  func printMore() {
    isMoreUnderWay = false
    guard let conversation, backlog != nil, !isPaused, !isHolding else { return }
    guard isMember else {
      backlog = nil
      return
    }
    do {
      var messages = try store.messages(
        in: conversation.id, after: printedUpTo, limit: Self.openingMessages.atOnce, for: me.id)
      let isLast = messages.count < Self.openingMessages.atOnce
      if let last = messages.last?.number {
        let takenBack = receive([conversation.id: last])
        messages.removeAll { takenBack.contains($0.id) }
        printedUpTo = last
      }
      if isLast {
        show(messages, try unsentOfBacklog(in: conversation))
        present(backlog.take()?.later ?? [], new: 0)
        refreshNewestOwn()
      } else {
        backlog?.keepUnsent(of: &messages, by: me.id)
        show(messages)
      }
      markSeen(conversation)
      goOnPrinting()
    } catch StoreError.locked {
      face?.tryAgainSoon()
    } catch {
      backlog = nil
      face?.print([Self.error(sentence(for: error))])
    }
    face?.refresh()
  }

  private func show(_ messages: [Message], _ last: [Message] = []) {
    recognise((messages + last).map(\.sender))
    let lines = Store.ordered(messages + last).flatMap { printer.lines(for: $0) }
    if !lines.isEmpty { face?.show(lines) }
  }

  private func unsentOfBacklog(in conversation: Conversation) throws -> [Message] {
    try (backlog?.unsent ?? []).compactMap {
      try store.message(number: $0, in: conversation.id, for: me.id)
    }
  }

  /// How many messages of others in the open conversation are not printed yet.
  var unreadHere: Int {
    let listing = (try? store.listing(for: me.id)) ?? []
    return listing.first { $0.conversation.id == conversation?.id }?.unread ?? 0
  }
}
