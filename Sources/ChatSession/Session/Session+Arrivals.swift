// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import Conversations

/// Changes in the store, for all parts of the session.
extension Session {
  /// Reads changes, unless they have to wait.
  func holdOrCatchUp() {
    feed.hold(besideText: !line.isEmpty, scene)
    committer.catchesUp = true
  }

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
    if changes.peopleChanged, refreshAttention(snapshot) { navigator.forgetCounts() }
    let scene = scene
    completion.people.note(changes, open: open.id)
    let directChats = navigator.note(changes, scene, snapshot)
    let warnings = changes.revised.flatMap { composing.changedElsewhere($0) }
    act(
      on: feed.take(
        changes, isSeen: isSeen, directChats: directChats, warnings: warnings, &navigator.open,
        scene, snapshot), snapshot)
    if changes.peopleChanged {
      if let mine = try? snapshot.participant(me.id) { updateMe(mine, snapshot) }
      // A line that waits to be stored belongs to the open conversation.
      if !isWaitingForStore {
        reportingErrors { act(on: try navigator.followRoom(self.scene, snapshot), snapshot) }
      }
    }
    if changes.networkChanged {
      navigator.open.readAbilities(snapshot)
      act(on: accounts.refresh(snapshot), snapshot)
    }
    act(on: feed.tell(changes.answers, self.scene, snapshot), snapshot)
    act(on: feed.tell(changes.notices, scene), snapshot)
    if changes.historyChanged {
      composing.isHistoryStale = true
      act(on: composing.reloadHistoryIfStale(self.scene, snapshot), snapshot)
    }
    let receipts = open.id.map { changes.receiptsChanged.contains($0) } ?? false
    if !changes.moved.isEmpty || !changes.revised.isEmpty || receipts
      || changes.arrived.contains(where: { $0.sender == me.id })
    {
      navigator.readNewestOwn(me.id, snapshot)
    }
    act(
      on: changes.hasMore ? [.catchUp] : navigator.countUnread(self.scene, snapshot), snapshot)
  }

  /// Claims messages for a notification: each of the person's shells learns of a message, but only
  /// the one that claims it notifies the person. They claim it at the same time, and so wait for
  /// each other.
  ///
  /// - Returns: the newest message that one of them has claimed before. While the store is locked,
  ///   two notifications are better than none.
  package func claimNotifications(upTo message: ID<Message>) -> ID<Message> {
    let claimed = try? committer.patiently {
      try store.writeIfNeeded { try $0.claimNotifications(of: me.id, upTo: message) }
    }
    return claimed ?? ID(rawValue: 0)
  }
}
