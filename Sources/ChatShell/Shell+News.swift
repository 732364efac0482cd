// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What happened elsewhere: read from the store and shown.
extension Shell {
  /// Starts from what the store holds now; what is older is printed by ``enter(_:)``.
  func lookFromHere() throws { position = try store.position }

  /// Reads what was committed since the last look and shows it.
  func catchUp() {
    guard !isHolding else { return }
    defer { goOnPrinting() }
    do {
      var more = true
      while more {
        let changes = try store.changes(since: position, for: me.id)
        position = changes.position
        more = changes.hasMore
        show(changes)
      }
    } catch StoreError.locked {
      face?.tryAgainSoon()
    } catch {
      complain([sentence(for: error)])
    }
  }

  private func show(_ changes: Changes) {
    var lines: [StyledLine] = []
    if changes.peopleChanged { unrecognise() }
    recognise((changes.arrived + changes.revised).map(\.sender))
    var delivered: [ID<Conversation>: Int] = [:]
    var forMe: [Message] = []
    var news = 0
    for message in changes.arrived where message.sender != me.id {
      delivered[message.conversation] = message.number
      typing.remove(message.senderIdentity)
    }
    let takenBack = receive(delivered)
    for message in changes.arrived where !takenBack.contains(message.id) {
      guard message.conversation == conversation?.id else {
        if message.sender != me.id {
          count(unreadIn: message)
          if isForMe(message) { forMe.append(message) }
        }
        continue
      }
      guard message.number > printedUpTo, !message.isRecalled else { continue }
      // What comes behind a backlog is printed with it, in its order.
      if backlog == nil {
        printedUpTo = message.number
        lines += printer.lines(for: message)
      }
      if message.sender != me.id {
        news += 1
        if isForMe(message) { forMe.append(message) }
      }
    }
    for message in changes.revised where message.conversation == conversation?.id {
      guard message.number <= printedUpTo || message.isPast else { continue }
      lines += printer.revision(of: message)
    }
    for message in changes.moved
    where message.state == .failed && message.conversation == conversation?.id {
      printer.endRun()
      let said = glyphs.failed + " [\(message.number)] " + message.notSent
      lines += broken(Self.error(said), indent: 2)
    }
    for message in changes.arrived where message.conversation == conversation?.id {
      spoken[message.sender] = message.number
    }
    for news in changes.reacted where news.message.conversation == conversation?.id {
      printer.endRun()
      lines.append(line(for: news))
    }
    for event in changes.events { lines += self.lines(for: event) }
    show(changes.typing)
    if backlog == nil {
      present(lines, new: news)
    } else {
      backlog?.later += lines
      present([], new: news)
    }
    for message in changes.revised { changedElsewhere(message) }
    alert(forMe, andInvited: changes.events.contains { $0.other?.id == me.id })
    if let conversation, delivered[conversation.id] != nil, !isPaused, backlog == nil {
      markSeen(conversation)
    }
    if changes.peopleChanged { peopleChanged() }
    if changes.historyChanged { face?.reloadHistory() }
    let ownMoved = !changes.moved.isEmpty
    let mine = changes.arrived.contains { $0.sender == me.id }
    let receipts = conversation.map { changes.receiptsChanged.contains($0.id) } ?? false
    if ownMoved || mine || receipts || !changes.revised.isEmpty { refreshNewestOwn() }
    face?.refresh()
  }

  private func show(_ signals: [TypingSignal]) {
    for signal in signals where signal.participant.id != me.id {
      guard signal.conversation == conversation?.id, signal.isTyping else {
        typing.remove(signal.participant.identity)
        continue
      }
      // A signal tells when it was given; one that is old by now would linger.
      let age = max(0, Store.wallClock() - signal.at)
      typing.signal(
        signal.participant.identity, name: shownName(signal.participant),
        at: clock() - age)
    }
    typing.expire(at: clock())
  }

  /// A message elsewhere.
  private func count(unreadIn message: Message) {
    if let known = unread[message.conversation] {
      unread[message.conversation] = (known.name, known.count + 1)
    } else if let conversation = try? store.conversation(message.conversation, for: me.id) {
      unread[message.conversation] = (conversation.name, 1)
    }
  }

  /// Says that messages have come here, before anything of them is shown: from then on nobody can
  /// take them back (rule 3.7). Returns those that were taken back just before.
  func receive(_ delivered: [ID<Conversation>: Int]) -> Set<ID<Message>> {
    // A batch prints nothing of it.
    guard !delivered.isEmpty, settings.receipts, face?.isInteractive == true else { return [] }
    let me = me.id
    var takenBack: Set<ID<Message>> = []
    postpone("delivered") { [store] in
      takenBack = try store.noteDelivered(to: me, upTo: delivered)
    }
    return takenBack
  }

  /// What was printed in the open conversation is read as soon as the terminal has taken it; the
  /// others are told that it was seen as soon as the window has the focus (rules 7.3, 7.7).
  func markSeen(_ conversation: Conversation) {
    // A batch prints nothing of it, and what a command of it prints counts like `hobnob log`.
    guard face?.isInteractive == true else { return }
    printed[conversation.id] = printedUpTo
  }

  /// The same, now that it is on the screen.
  func markPrinted() {
    if printed.isEmpty { return }
    let me = me.id
    let sends = settings.receipts
    let isFocused = isFocused
    owesSeen = !isFocused
    for (conversation, number) in printed {
      postpone("seen \(conversation.rawValue)") { [store] in
        if sends, !isFocused { try store.noteDelivered(to: me, upTo: [conversation: number]) }
        try store.noteSeen(by: me, in: conversation, upTo: number, sendReceipt: sends && isFocused)
      }
    }
    printed = [:]
  }

  func refreshNewestOwn() {
    let mine = (try? store.unsent(by: me.id, in: nil)) ?? []
    unsent.failed = mine.count { $0.state == .failed }
    unsent.waiting = mine.count - unsent.failed
    guard let conversation else { return }
    newestOwn = (try? store.newest(by: me.id, in: conversation.id)) ?? nil
  }

  func peopleChanged() {
    knownPeople = nil
    unrecognise()
    guard var conversation else { return }
    here = (try? store.people(in: conversation.id)) ?? here
    if let mine = try? store.participant(me.id) { me = mine }
    away = (try? store.away(of: me.id)) ?? nil
    nameMyself()
    conversation = ((try? store.conversation(conversation.id, for: me.id)) ?? nil) ?? conversation
    self.conversation = conversation
    membership = (try? store.membership(of: me.id, in: conversation.id)) ?? membership
    for presence in here where !presence.isHere { typing.remove(presence.participant.identity) }
  }
}
