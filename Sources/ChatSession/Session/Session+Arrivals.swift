// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Changes in the store, for all parts of the session.
extension Session {
  func handleBell(_ reasons: BellReasons, _ snapshot: borrowing Snapshot) {
    if reasons.contains(.processExited) {
      write([.reapStaleShells])
      if !accounts.list.isEmpty { act(on: accounts.startWanted(at: now, snapshot), snapshot) }
    }
    holdOrCatchUp()
  }

  /// Reads changes, unless they have to wait.
  func holdOrCatchUp() {
    feed.hold(besideText: !line.isEmpty, scene)
    catchUpLater()
  }

  /// Catches up after the writes of this event are committed, so that it also reads those writes.
  func catchUpLater() { catchesUp = true }

  func readArrivals(_ snapshot: borrowing Snapshot) {
    act(on: feed.tellJoinsAndLeaves(scene, snapshot), snapshot)
    do {
      act(on: try feed.read(scene, snapshot), snapshot)
    } catch StoreError.locked {
      committer.scheduleRetry(at: now)
    } catch {
      report(error)
    }
  }

  /// Hands changes to all parts.
  ///
  /// - Parameter isSeen: whether the store already has their messages as seen.
  func show(_ changes: Changes, isSeen: Bool, _ snapshot: borrowing Snapshot) {
    if changes.peopleChanged, refreshAttention(snapshot) { elsewhere.forgetCounts() }
    elsewhere.note(changes, for: me.id, open: open.id)
    joined.note(changes)
    let direct = elsewhere.directChats(among: changes.arrived, for: me.id, snapshot)
    act(
      on: feed.take(changes, isSeen: isSeen, directChats: direct, &open, scene, snapshot), snapshot)
    for message in changes.revised { act(on: composing.changedElsewhere(message), snapshot) }
    if changes.peopleChanged {
      if let mine = try? snapshot.participant(me.id) { updateMe(mine, snapshot) }
      followRoom(snapshot)
    }
    if changes.networkChanged {
      open.readAbilities(snapshot)
      act(on: accounts.refresh(snapshot), snapshot)
    }
    act(on: feed.tell(changes.answers, scene, snapshot), snapshot)
    act(on: feed.tell(changes.notices, scene), snapshot)
    if changes.historyChanged {
      composing.isHistoryStale = true
      reloadHistoryIfStale(snapshot)
    }
    let receipts = open.id.map { changes.receiptsChanged.contains($0) } ?? false
    if !changes.moved.isEmpty || !changes.revised.isEmpty || receipts
      || changes.arrived.contains(where: { $0.sender == me.id })
    {
      readNewestOwn(snapshot)
    }
    if changes.hasMore { catchUpLater() } else { countUnread(snapshot) }
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
}
