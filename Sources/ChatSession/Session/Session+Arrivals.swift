// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform
import StyledText

/// Reads changes from the store and shows them.
extension Session {
  func handleBell(_ reasons: BellReasons, _ snapshot: borrowing Snapshot) {
    if reasons.contains(.processExited) {
      write([.reapStaleShells])
      if !accounts.list.isEmpty { act(on: accounts.startWanted(at: now, snapshot), snapshot) }
    }
    holdOrCatchUp()
  }

  /// Reads changes, unless nobody would see them or they would overwrite a line being typed (rules
  /// 7.6, 11.5).
  func holdOrCatchUp() {
    readState.isHolding =
      readState.isBehind || outputMode == .plain && settings.holdWhileTyping && !line.isEmpty
    catchUpLater()
  }

  /// Catches up after the writes of this event are committed, so that it also reads those writes.
  func catchUpLater() { catchesUp = true }

  /// Reads the changes since the last time. Before it shows any message, it records that this shell
  /// has it: from then on nobody can recall it (rule 3.7).
  func readArrivals(_ snapshot: borrowing Snapshot) {
    guard !readState.isHolding else { return }
    tellJoinsAndLeaves(snapshot)
    do {
      let changes = try arrivals.next(for: me.id, snapshot)
      let others = changes.arrived.filter { $0.sender != me.id }
      // A script does not print messages that arrive, so it sends no receipts for them.
      guard !others.isEmpty, settings.receipts, isInteractive else {
        return show(changes, isSeenNow: false, snapshot)
      }
      var delivered: [ID<Conversation>: Int] = [:]
      for message in others { delivered[message.conversation] = message.number }
      let here = others.filter { $0.conversation == open.id }
      // Messages that reach the screen in this turn count as seen, in the same write.
      let isSeen = !here.isEmpty && readState.showsAtOnce && transcript.holds(here)
      let delivery = Write.delivered(delivered, seen: isSeen ? open.id : nil)
      act(
        on: .first([delivery], then: [.arrived(changes, isSeen: isSeen)]), snapshot)
    } catch StoreError.locked {
      committer.scheduleRetry(at: now)
    } catch {
      report(error)
    }
  }

  /// Shows changes, or notes them for when they can be shown.
  ///
  /// - Parameter isSeenNow: whether the store already has their messages as seen.
  func show(_ changes: Changes, isSeenNow: Bool, _ snapshot: borrowing Snapshot) {
    defer { if changes.hasMore { catchUpLater() } else { countUnread(snapshot) } }
    let takenBack = arrivals.takeTakenBack()
    if changes.isEmpty { return }
    let here = open.id
    if changes.peopleChanged {
      namesChanged()
      if refreshAttention(snapshot) { elsewhere.forgetCounts() }
    }
    prepareNames(ofSendersOf: changes.arrived + changes.revised, snapshot)
    let others = changes.arrived.filter { $0.sender != me.id }
    for message in others { open.typingEnded(message.senderIdentity) }
    elsewhere.note(changes, for: me.id, open: here)
    joined.note(changes)
    var lines = prints(changes) ? joinLeaveLines(joinsAndLeaves.takeAll(), snapshot) : []
    for event in changes.events
    where event.kind.sharesLine && event.conversation == here
      && (event.participant.id != me.id || event.kind == .moderated)
      && open.isMember
    {
      joinsAndLeaves.note(event, as: settings.events, at: now, snapshot)
    }
    lines += joinLeaveLines(
      joinsAndLeaves.take(before: changes.arrived.filter { $0.conversation == here }), snapshot)
    let alerts = Alerts(me: me, settings: settings, attention: attention)
    var (new, muted, forMe, missed) = (0, 0, [Message](), [Message]())
    for message in changes.arrived where !takenBack.contains(message.id) {
      if message.conversation == here {
        people.noteSpeaker(message.sender, in: message.number)
        guard let wasMissed = readState.recordArrival(of: message) else { continue }
        if wasMissed {
          missed.append(message)
        } else {
          lines += transcript.printer.missedLines(missed) + transcript.printer.lines(for: message)
          missed = []
        }
        if message.sender != me.id, !transcript.printer.hides(message) {
          new += 1
          if attention.isSilenced(message.sender, in: message.conversation) { muted += 1 }
        }
      }
      if message.sender != me.id,
        alerts.isForMe(message, isDirect: elsewhere.isDirect(message, for: me.id, snapshot)),
        (try? snapshot.continuesUnreadable(message)) != true
      {
        forMe.append(message)
      }
    }
    lines += transcript.printer.missedLines(missed)
    lines += changedLines(changes, snapshot)
    for signal in changes.typing where signal.participant.id != me.id {
      if signal.conversation == here, signal.isTyping {
        showTyping(signal.participant, since: signal.at, snapshot)
      } else {
        open.typingEnded(signal.participant.identity)
      }
    }
    open.expireTyping(at: now)
    present(lines, new: new, muted: muted)
    for message in changes.revised { editedElsewhere(message) }
    let isInvited = changes.events.contains(where: alerts.isInvitation)
    // In the open conversation only a mention rings: I see every line arrive.
    if alerts.rings(for: forMe, seen: readState.isPaused ? nil : here)
      || isInvited && settings.bell
    {
      emit(.bell)
    }
    if !forMe.isEmpty, alerts.canNotify, isInteractive {
      emit(.notify(forMe.map { alerts.notification(of: $0, snapshot) }))
    }
    if others.contains(where: { $0.conversation == here }), !readState.isPaused, !isSeenNow {
      notePrinted()
    }
    if changes.peopleChanged {
      people.peopleChanged()
      transcript.printer.options.lookAlikes = []
      let topic = open.conversation?.topic
      open.peopleChanged(snapshot)
      if let here = open.conversation, here.topic != topic, !here.topic.isEmpty {
        // A network tells the topic after I entered; nobody changed it.
        present(transcript.printer.event([RoomCommands.topicLine(here)], at: nil), new: 0)
      }
      if let mine = try? snapshot.participant(me.id) { updateMe(mine, snapshot) }
      followRoom(snapshot)
    }
    if changes.networkChanged {
      open.readAbilities(snapshot)
      act(on: accounts.refresh(snapshot), snapshot)
    }
    tell(changes.answers, snapshot)
    tell(changes.notices, snapshot)
    if changes.historyChanged {
      composing.isHistoryStale = true
      reloadHistoryIfStale(snapshot)
    }
    let receipts = here.map { changes.receiptsChanged.contains($0) } ?? false
    if !changes.moved.isEmpty || !changes.revised.isEmpty || receipts
      || others.count < changes.arrived.count
    {
      readNewestOwn(snapshot)
    }
  }

  /// Goes to the room that a network took this shell to, since it sent me there from the open one.
  private func followRoom(_ snapshot: borrowing Snapshot) {
    // A line that waits to be stored belongs to the open conversation.
    guard let shellID, !open.isMember, !isWaitingForStore else { return }
    reportingErrors {
      guard let place = try snapshot.conversation(ofShell: shellID), place != open.id,
        try snapshot.isMember(me.id, of: place),
        let target = try snapshot.conversation(place, for: me.id)
      else { return }
      try go(to: target, snapshot)
    }
  }

  /// Claims messages for a notification: each of my shells learns of a message, but only the one
  /// that claims it notifies me. They claim it at the same time, and so wait for each other.
  ///
  /// - Returns: the newest message that one of them has claimed before. While the store is locked,
  ///   two notifications are better than none.
  package func claimNotifications(upTo message: ID<Message>) -> ID<Message> {
    let claimed = try? committer.patiently {
      try store.writeIfNeeded { try $0.claimNotifications(of: me.id, upTo: message) }
    }
    return claimed ?? ID(rawValue: 0)
  }

  /// Whether changes print something, so that older lines must go first.
  private func prints(_ changes: Changes) -> Bool {
    (changes.arrived + changes.revised).contains { $0.conversation == open.id }
      || changes.moved.contains { $0.conversation == open.id && $0.state == .failed }
      || changes.reacted.contains { $0.message.conversation == open.id }
      || changes.events.contains { $0.conversation == open.id && !$0.kind.sharesLine }
  }

  /// The lines for changes to printed messages, and for events.
  private func changedLines(
    _ changes: Changes, _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    var lines: [StyledLine] = []
    for message in changes.revised where message.conversation == open.id {
      guard message.number <= readState.printedUpTo || message.isPast else { continue }
      lines += transcript.printer.revision(of: message)
    }
    for message in changes.moved where message.state == .failed && message.conversation == open.id {
      let glyphs = preferences.glyphs
      let said = glyphs.lead(glyphs.failed) + "[\(message.number)] " + message.notSent
      lines += transcript.printer.event([Transcript.error(said)], at: nil, of: message.id)
    }
    for update in changes.reacted
    where update.message.conversation == open.id
      && !attention.hides(update.participant.id, in: update.message.conversation)
    {
      findLookAlikes(among: [update.participant.id], snapshot)
      lines += transcript.printer.lines(for: update, by: people.shownName(update.participant))
    }
    for event in changes.events { lines += self.lines(for: event, snapshot) }
    return lines
  }

  /// Topics and invitations, as lines; empty if they are not for this screen. ``JoinLeaveDigest``
  /// handles joins and leaves.
  private func lines(for event: Event, _ snapshot: borrowing Snapshot) -> [StyledLine] {
    let isHere = event.conversation == open.id
    let isInvited = event.kind == .invitation && event.other?.id == me.id
    // If messages are deleted after a time, or the room is removed, every member should know.
    let isForAll = event.kind == .keep || event.kind == .roomRemoved
    guard isHere || isInvited || isForAll,
      !attention.hides(event.participant.id, in: event.conversation)
    else { return [] }
    if isHere, event.kind == .topic { open.change(topic: event.text) }
    let words = words(for: [event], snapshot)
    let found = (try? snapshot.conversation(event.conversation, for: me.id)) ?? nil
    let name = found?.name ?? ""
    let text =
      isInvited
      ? words.invitation(
        event, to: name,
        isMember: (try? snapshot.isMember(me.id, of: event.conversation)) ?? true)
      : words.sentence(
        for: event, in: isHere ? nil : SafeText(name: name),
        newName: (try? snapshot.newName(after: event)) ?? nil)
    guard let text else { return [] }
    let line = StyledLine(preferences.glyphs.lead(preferences.glyphs.event) + text, .dim)
    return transcript.printer.event([line], at: event.at)
  }

  private func words(for events: [Event], _ snapshot: borrowing Snapshot) -> EventWords {
    findLookAlikes(among: events.map(\.participant.id) + events.compactMap(\.other?.id), snapshot)
    return EventWords(glyphs: preferences.glyphs) { [people] in people.shownName($0) }
  }

  // MARK: Joins and leaves

  /// Prints joins and leaves, if it is time and somebody would see them.
  ///
  /// - Parameter precedes: whether other output follows, so that it is time.
  func tellJoinsAndLeaves(precedes: Bool = false, _ snapshot: borrowing Snapshot) {
    guard joinsAndLeaves.isDue || precedes, !readState.isHolding else { return }
    present(joinLeaveLines(joinsAndLeaves.takeAll(), snapshot), new: 0)
  }

  private func joinLeaveLines(
    _ events: [Event], _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    guard let last = events.last, let line = words(for: events, snapshot).joinsAndLeaves(events)
    else {
      return []
    }
    return transcript.printer.event([StyledLine(line, .dim)], at: last.at)
  }

  // MARK: Names

  /// Finds look-alikes among the senders of messages, and gives the senders colours. Call this
  /// before printing the messages.
  func prepareNames(ofSendersOf messages: [Message], _ snapshot: borrowing Snapshot) {
    findLookAlikes(among: messages.map(\.sender), snapshot)
    guard outputMode == .tty, let conversation = open.id else { return }
    let new = people.giveColours(toSendersOf: messages, in: conversation)
    guard !new.isEmpty else { return }
    transcript.printer.options.colours = people.colours
    write([.colours(new, in: conversation)])
  }

  private func findLookAlikes(among names: [ID<Participant>], _ snapshot: borrowing Snapshot) {
    people.findLookAlikes(among: names, snapshot)
    if transcript.printer.options.lookAlikes != people.lookAlikes {
      transcript.printer.options.lookAlikes = people.lookAlikes
    }
  }

  private func namesChanged() {
    people.namesChanged()
    transcript.printer.options.lookAlikes = []
  }

  func showTyping(
    _ person: Participant, since: Milliseconds, _ snapshot: borrowing Snapshot
  ) {
    if let here = open.id, attention.hides(person.id, in: here) { return }
    findLookAlikes(among: [person.id], snapshot)
    open.show(person, as: people.shownName(person), typing: since, at: now)
  }

  // MARK: Counting

  func countUnread(_ snapshot: borrowing Snapshot) {
    guard isInteractive, !committer.isStarting else { return }
    do {
      try elsewhere.count(
        mentioning: me, settings.highlights, open: open.id, snapshot)
      if outputMode == .tty, settings.looks.toolbar == .conversations {
        try joined.read(for: me.id, open: open.conversation, snapshot)
      }
    } catch { committer.scheduleRetry(at: now) }
  }

  func readNewestOwn(_ snapshot: borrowing Snapshot) {
    elsewhere.countUnsent(by: me.id, snapshot)
    open.readNewestOwn(snapshot)
  }

  // MARK: Holding and seen (rules 7.3, 7.6, 7.7)

  /// Prints lines below older ones; during `/pause`, keeps them for later.
  ///
  /// - Parameter new: how many messages of others are among the lines.
  private func present(_ lines: [StyledLine], new: Int, muted: Int = 0) {
    let lines = readState.holdIfPaused(lines, new: new, muted: muted)
    if !lines.isEmpty { emit(.show(lines)) }
  }

  /// `/pause`: holds new lines back. The first of them will show its sender's name, whatever
  /// precedes it.
  func pause() {
    readState.pause()
    transcript.printer.endRun()
    publishOpenConversation()
  }

  /// Prints the lines that were held back, in order.
  func resume() {
    guard readState.isPaused else { return }
    let held = readState.resume()
    if !held.lines.isEmpty { emit(.show(held.lines)) }
    transcript.printer.endRun()
    publishOpenConversation()
    if held.count > 0 || readState.hasUnsentReadMarker { notePrinted() }
  }

  func window(isFocused: Bool?) {
    readState.window(isFocused: isFocused)
    guard isFocused != nil, open.id != nil else { return }
    publishOpenConversation()
    if readState.isLooking, readState.hasUnsentReadMarker { notePrinted() }
  }

  /// Call this when another program, such as a pager, gets the screen or has returned it.
  func lendScreen(_ isLent: Bool) {
    if isLent { saveDraft() }
    if !readState.isPaused { publishOpenConversation(isPaused: isLent || !readState.isLooking) }
    if !isLent { catchUpLater() }
  }

  /// Records what was printed in the open conversation; it counts as read once it is on the screen.
  func notePrinted() {
    // What a script prints does not count as read, as with `hobnob log`.
    if isInteractive, let here = open.id { readState.notePrinted(in: here) }
  }

  /// Records which conversation this shell shows, and whether anybody looks at it.
  func publishOpenConversation() { publishOpenConversation(isPaused: !readState.isLooking) }

  private func publishOpenConversation(isPaused: Bool) {
    if shellID != nil { write([.open(open.id, isPaused: isPaused)]) }
  }

  /// Prints messages in their current state.
  func print(
    _ messages: [Message], _ reactions: [ID<Message>: [Reaction]], atEnd: Bool, inPager: Bool,
    _ snapshot: borrowing Snapshot
  ) {
    prepareNames(ofSendersOf: messages, snapshot)
    if !atEnd { readState.forgetFirstUnprinted() }
    var printer = transcript.printer
    printer.startOver()
    let gaps = open.id.flatMap { try? snapshot.markedGaps(in: $0) } ?? []
    let next = gaps.isEmpty ? nil : try? snapshot.sortKey(after: messages, for: me.id)
    let lines = printer.historyLines(
      messages, reactions, gaps: gaps, before: next,
      agesAt: settings.timestamps == .relative ? Clock.wall() : nil)
    let effect = transcript.page(lines, atEnd: atEnd, always: inPager)
    // A pager leaves nothing on the screen.
    if case .page = effect {
      transcript.printer.endRun()
    } else {
      transcript.printer.follow(printer)
    }
    emit(effect)
  }
}
