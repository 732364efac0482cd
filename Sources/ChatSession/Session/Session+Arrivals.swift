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
    act(on: feed.tellNetworks(changes, self.scene, snapshot), snapshot)
    if changes.historyChanged {
      composing.isHistoryStale = true
      act(on: composing.reloadHistoryIfStale(self.scene, snapshot), snapshot)
    }
    navigator.readNewestOwn(after: changes, me.id, snapshot)
    act(
      on: changes.hasMore ? [.catchUp] : navigator.countUnread(self.scene, snapshot), snapshot)
  }
}
