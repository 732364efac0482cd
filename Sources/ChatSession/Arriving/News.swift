// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What happened elsewhere: read from the store and shown.
@MainActor
final class News: SessionPart {
  unowned let session: Session
  private var position: Int64 = 0
  /// Unread messages of other conversations.
  private(set) var unread: [ID<Conversation>: (name: String, count: Int)] = [:]
  /// Own messages that wait for a network, and that it refused.
  private(set) var unsent = (waiting: 0, failed: 0)

  init(_ session: Session) { self.session = session }

  /// Starts from what the store holds now; what is older is printed when a conversation is entered.
  func lookFromHere() throws { position = try store.position }

  func rang(_ news: BellNews) {
    if news.contains(.somebodyDied) { outgoing.write(.forgetTheDead) }
    screen.holdOrCatchUp()
  }

  /// Reads what was committed since the last look and shows it.
  func catchUp() {
    guard !screen.isHolding else { return }
    defer { screen.goOnPrinting() }
    do {
      var hasMore = true
      while hasMore {
        let changes = try store.changes(since: position, for: me.id)
        position = changes.position
        hasMore = changes.hasMore
        if !changes.isEmpty { show(changes) }
      }
    } catch StoreError.locked {
      outgoing.tryAgainSoon()
    } catch {
      transcript.complain([sentence(for: error)])
    }
  }

  private func show(_ changes: Changes) {
    if changes.peopleChanged { people.namesChanged() }
    people.recognise(sendersOf: changes.arrived + changes.revised)
    let others = changes.arrived.filter { $0.sender != me.id }
    for message in others { place.stopped(message.senderIdentity) }
    let (isSeenNow, takenBack) = receive(others)
    var (lines, new, forMe) = show(arrived: changes.arrived.filter { !takenBack.contains($0.id) })
    let here = place.conversation?.id
    for message in changes.revised where message.conversation == here {
      guard message.number <= screen.printedUpTo || message.isPast else { continue }
      lines += transcript.revision(of: message)
    }
    for message in changes.moved where message.state == .failed && message.conversation == here {
      transcript.endRun()
      let said = glyphs.failed + " [\(message.number)] " + message.notSent
      lines.append(Transcript.error(said))
    }
    for news in changes.reacted where news.message.conversation == here {
      transcript.endRun()
      lines.append(session.reactions.line(for: news))
    }
    for event in changes.events {
      lines += RoomCommands(session: session).lines(for: event)
    }
    place.show(changes.typing)
    screen.present(lines, new: new)
    for message in changes.revised { editing.changedElsewhere(message) }
    Alerts(session: session).alert(
      forMe, andInvited: changes.events.contains { $0.other?.id == me.id })
    if others.contains(where: { $0.conversation == here }), !screen.isPaused,
      screen.backlog == nil, !isSeenNow
    {
      screen.markSeen()
    }
    if changes.peopleChanged {
      people.peopleChanged()
      place.peopleChanged()
    }
    let lessUnread = changes.receiptsChanged.union(changes.revised.map(\.conversation))
    if let conversation = place.conversation, lessUnread.contains(where: { unread[$0] != nil }) {
      countUnread(outside: conversation)
    }
    if changes.historyChanged { drafts.historyChanged() }
    let receipts = here.map { changes.receiptsChanged.contains($0) } ?? false
    if !changes.moved.isEmpty || !changes.revised.isEmpty || receipts
      || others.count < changes.arrived.count
    {
      place.refreshNewestOwn()
    }
  }

  /// Tells the others that messages have come here, and, where they will be on the screen in this
  /// turn, that they are seen, in one write.
  ///
  /// - Returns: whether that was told, and the messages that were taken back just before.
  private func receive(_ others: [Message]) -> (isSeenNow: Bool, takenBack: Set<ID<Message>>) {
    var delivered: [ID<Conversation>: Int] = [:]
    var here = 0
    for message in others {
      delivered[message.conversation] = message.number
      if message.conversation == place.conversation?.id { here += 1 }
    }
    let seen =
      here > 0 && settings.receipts && screen.showsAtOnce(here) ? place.conversation?.id : nil
    return (seen != nil, outgoing.noteDelivered(delivered, seen: seen))
  }

  /// - Returns: the lines to print, how many messages of others are among them, and which of all are
  ///   for me.
  private func show(arrived: [Message]) -> (lines: [StyledLine], new: Int, forMe: [Message]) {
    var (lines, new, forMe) = ([StyledLine](), 0, [Message]())
    for message in arrived {
      let isMine = message.sender == me.id
      if message.conversation == place.conversation?.id {
        people.spoke(message.sender, in: message.number)
        guard let printed = screen.arrived(message) else { continue }
        lines += printed
        if !isMine { new += 1 }
      } else if !isMine {
        count(unreadIn: message)
      }
      if !isMine, Alerts(session: session).isForMe(message) { forMe.append(message) }
    }
    return (lines, new, forMe)
  }

  // MARK: Elsewhere

  private func count(unreadIn message: Message) {
    if let known = unread[message.conversation] {
      unread[message.conversation] = (known.name, known.count + 1)
    } else if let conversation = try? store.conversation(message.conversation, for: me.id) {
      unread[message.conversation] = (conversation.name, 1)
    }
  }

  /// A conversation was entered or left.
  func clearUnread(of conversation: ID<Conversation>) { unread[conversation] = nil }

  /// Counts what is unread elsewhere.
  func countUnread(outside here: Conversation) {
    for entry in (try? store.listing(for: me.id)) ?? [] where entry.conversation.id != here.id {
      unread[entry.conversation.id] =
        entry.unread > 0 ? (entry.conversation.name, entry.unread) : nil
    }
  }

  /// How many messages of others in the open conversation are not printed yet.
  var unreadHere: Int {
    let listing = (try? store.listing(for: me.id)) ?? []
    return listing.first { $0.conversation.id == place.conversation?.id }?.unread ?? 0
  }

  func refreshUnsent() {
    let mine = (try? store.unsent(by: me.id, in: nil)) ?? []
    unsent.failed = mine.count { $0.state == .failed }
    unsent.waiting = mine.count - unsent.failed
  }
}
