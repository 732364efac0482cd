// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What happened elsewhere: read from the store and shown.
@MainActor
final class News: SessionPart {
  unowned let session: Session
  private var position: Int64 = 0
  /// What is unread in other conversations, the most urgent first (rule 7.4).
  private(set) var unread: [Unread] = []
  /// Where it may be otherwise than it was counted; nil: it was never counted.
  private var uncounted: Set<ID<Conversation>>?
  /// Of what kind conversations are from which messages came.
  private var kinds: [ID<Conversation>: Conversation.Kind] = [:]
  /// Own messages that wait for a network, and that it refused.
  private(set) var unsent = (waiting: 0, failed: 0)
  /// The networks that they wait for.
  private(set) var networksAwaited: Set<String> = []

  init(_ session: Session) { self.session = session }

  /// Starts from what the store holds now; what is older is printed when a conversation is entered.
  func lookFromHere() throws { position = try store.read { try $0.position } }

  func rang(_ news: BellNews) {
    if news.contains(.processExited) {
      outgoing.write(.reapStaleShells)
      if !session.accounts.list.isEmpty { session.accounts.startWanted() }
    }
    screen.holdOrCatchUp()
  }

  /// Reads what was committed since the last look and shows it.
  func catchUp() {
    guard !screen.isHolding else { return }
    session.joinsAndLeaves.goOn()
    do {
      var hasMore = true
      while hasMore {
        let changes = try store.read { try $0.changes(since: position, for: me.id) }
        position = changes.position
        hasMore = changes.hasMore
        if !changes.isEmpty { show(changes) }
      }
      count()
    } catch StoreError.locked {
      outgoing.tryAgainSoon()
    } catch {
      transcript.complain([sentence(for: error)])
    }
  }

  private func show(_ changes: Changes) {
    if changes.peopleChanged {
      people.namesChanged()
      if session.refreshAttention() { uncounted = nil }
    }
    people.recognise(sendersOf: changes.arrived + changes.revised)
    let others = changes.arrived.filter { $0.sender != me.id }
    for message in others { place.stopped(message.senderIdentity) }
    noteUncounted(changes)
    var whoCame = prints(changes) ? session.joinsAndLeaves.takeLine() : []
    session.joinsAndLeaves.note(changes.events)
    whoCame += session.joinsAndLeaves.line(before: changes.arrived)
    let (isSeenNow, takenBack) = receive(others)
    var (lines, new, forMe) = show(arrived: changes.arrived.filter { !takenBack.contains($0.id) })
    lines = whoCame + lines
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
    let attention = session.attention
    for news in changes.reacted
    where news.message.conversation == here
      && !attention.hides(news.participant.id, in: news.message.conversation)
    {
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
      forMe,
      andInvited: changes.events.contains {
        $0.other?.id == me.id && !attention.mutedPeople.contains($0.participant.id)
          && !attention.ignoredPeople.contains($0.participant.id)
      })
    if others.contains(where: { $0.conversation == here }), !screen.isPaused, !isSeenNow {
      screen.markSeen()
    }
    if changes.peopleChanged {
      people.peopleChanged()
      place.peopleChanged()
    }
    if changes.networkChanged { session.accounts.refresh() }
    NetworkCommands(session: session).tellAnswers(changes.answers)
    if changes.historyChanged { drafts.historyChanged() }
    let receipts = here.map { changes.receiptsChanged.contains($0) } ?? false
    if !changes.moved.isEmpty || !changes.revised.isEmpty || receipts
      || others.count < changes.arrived.count
    {
      place.refreshNewestOwn()
    }
  }

  /// Whether changes print something, so that older lines must be printed first.
  private func prints(_ changes: Changes) -> Bool {
    let here = place.conversation?.id
    return (changes.arrived + changes.revised).contains { $0.conversation == here }
      || changes.moved.contains { $0.conversation == here && $0.state == .failed }
      || changes.reacted.contains { $0.message.conversation == here }
      || changes.events.contains { $0.conversation == here && !$0.kind.isComing }
  }

  /// Tells the others that messages have come here, and, where they will be on the screen in this
  /// turn, that they are seen, in one write.
  ///
  /// - Returns: whether that was told, and the messages that were taken back just before.
  private func receive(_ others: [Message]) -> (isSeenNow: Bool, takenBack: Set<ID<Message>>) {
    var delivered: [ID<Conversation>: Int] = [:]
    for message in others { delivered[message.conversation] = message.number }
    let here = others.filter { $0.conversation == place.conversation?.id }
    let seen =
      !here.isEmpty && settings.receipts && screen.showsAtOnce(here)
      ? place.conversation?.id : nil
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
        if !isMine, !transcript.printer.hides(message) { new += 1 }
      }
      if !isMine, Alerts(session: session).isForMe(message) { forMe.append(message) }
    }
    return (lines, new, forMe)
  }

  // MARK: Elsewhere

  /// Whether a message is written to me alone.
  func isDirect(_ message: Message) -> Bool {
    let id = message.conversation
    if kinds[id] == nil {
      kinds[id] = (try? store.read { try $0.conversation(id, for: me.id) })??.kind
    }
    return kinds[id] == .direct
  }

  /// Where the changes may have made more or less unread, or called it otherwise.
  private func noteUncounted(_ changes: Changes) {
    guard var places = uncounted else { return }
    for message in changes.arrived + changes.revised where message.sender != me.id {
      places.insert(message.conversation)
    }
    places.formUnion(changes.readElsewhere)
    for event in changes.events {
      if event.kind == .left, event.participant.id == me.id { places.insert(event.conversation) }
      if event.kind == .roomRenamed || event.kind == .roomRemoved {
        places.insert(event.conversation)
      }
      if event.kind == .renamed, kinds[event.conversation] != .room {
        places.insert(event.conversation)
      }
    }
    if let here = place.conversation?.id { places.remove(here) }
    uncounted = places
  }

  /// Another conversation is open than the one before.
  func moved(from former: ID<Conversation>?, to open: ID<Conversation>) {
    forgetUnread(of: open)
    if let former { uncounted?.insert(former) }
  }

  /// Nothing is unread there any more.
  func forgetUnread(of conversation: ID<Conversation>) {
    unread.removeAll { $0.conversation.id == conversation }
  }

  /// What counts as unread or urgent may have changed.
  func recount() {
    uncounted = nil
    count()
  }

  /// Counts what is unread elsewhere: all of it once, then only where it may have changed, so that
  /// it costs the same however many conversations and messages there are.
  func count() {
    guard session.isInteractive, !session.isStarting, uncounted?.isEmpty != true else { return }
    do {
      let found = try store.read {
        try $0.unread(
          mentioning: me, highlight: settings.highlightWords, in: uncounted)
      }
      let here = place.conversation?.id
      unread.removeAll { uncounted?.contains($0.conversation.id) ?? true }
      unread += found.filter { $0.conversation.id != here }
      unread.sort()
      uncounted = []
    } catch StoreError.locked {
      outgoing.tryAgainSoon()
    } catch {
      uncounted = []
    }
  }

  func refreshUnsent() {
    let mine = (try? store.read { try $0.unsent(by: me.id, in: nil) }) ?? []
    unsent.failed = mine.count { $0.state == .failed }
    unsent.waiting = mine.count - unsent.failed
    let places = Set(mine.filter { $0.state == .sending }.map(\.conversation))
    networksAwaited = Set(
      places.compactMap { each in
        ((try? store.read { try $0.conversation(each, for: me.id) }) ?? nil)?.network
      })
  }
}
