// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import Conversations

/// Another conversation, for all parts of the session.
extension Session {
  /// Opens a conversation; if it is open already, enters it again only if the person was not a
  /// member.
  ///
  /// - Parameter isNew: whether the room was just created.
  func go(to target: Conversation, isNew: Bool, _ snapshot: borrowing Snapshot) throws {
    if target.id == open.id {
      // Show the messages of the time when the person was not a member.
      if !open.isMember { try enter(target, snapshot) }
      return
    }
    let former = open.id
    navigator.endUnreadRun()
    act(on: composing.leaveByCommand(scene), snapshot)
    try enter(target, isNew: isNew, snapshot)
    restoreDraft(leaving: former, snapshot)
  }

  func enter(
    _ target: Conversation, isNew: Bool = false, _ snapshot: borrowing Snapshot
  ) throws {
    let (former, scene) = (open.id, scene)
    let effects = try feed.enter(target, isNew: isNew, &navigator.open, scene, snapshot)
    navigator.entered(from: former)
    completion.people.entered()
    tutorial?.note(.went)
    act(on: effects, snapshot)
    if isInteractive, !committer.isStarting { readPeopleAndUnread(snapshot) }
  }

  /// Puts the draft of the conversation that was entered into the line, and the lines that were not
  /// sent there.
  ///
  /// - Parameter former: the conversation that a command left.
  func restoreDraft(leaving former: ID<Conversation>? = nil, _ snapshot: borrowing Snapshot) {
    guard isInteractive, let here = lineConversation?.id else { return }
    act(on: composing.restoreDraft(leaving: former, committer.queue, scene, snapshot), snapshot)
    act(on: committer.giveBackLines(of: here), snapshot)
  }

  /// Reads who is here and what is unread elsewhere. At the start this happens after the first
  /// prompt, which does not wait for it.
  func readPeopleAndUnread(_ snapshot: borrowing Snapshot) {
    guard open.conversation != nil else { return }
    let scene = scene
    feed.readPeople(&navigator.open, scene, snapshot)
    navigator.readNewestOwn(me.id, snapshot)
    act(on: navigator.countUnread(scene, snapshot), snapshot)
    if let hint = navigator.open.contactHint(accounts, snapshot) { emit(.notice(hint)) }
  }

  // MARK: By keys (rule 13.1)

  func handleMove(_ move: Move, _ snapshot: borrowing Snapshot) throws {
    if let effects = composing.endChoice(by: move) {
      act(on: effects, snapshot)
    } else if move == .choose {
      try commitSwitch(snapshot)
      let mark = completion.people.markOfChats(snapshot)
      let choices = try navigator.choices(for: me.id, mark: mark, snapshot)
      act(on: composing.beginChoice(among: choices, at: now), snapshot)
    } else {
      act(on: try navigator.go(move, accounts, scene, snapshot), snapshot)
    }
  }

  /// Replaces the line with that of the other conversation (rule 13.2).
  func switchLine(to next: Conversation, _ snapshot: borrowing Snapshot) {
    guard next.id != lineConversation?.id else { return navigator.beginSwitch(to: nil, at: now) }
    act(on: composing.leaveConversation(scene), snapshot)
    if navigator.target == nil { act(on: [.stopTyping], snapshot) }
    navigator.beginSwitch(to: next, at: now)
    act(on: composing.swapLine(committer.queue, scene, snapshot), snapshot)
  }

  /// Enters the conversation that the keys have reached, since the person acts there.
  ///
  /// - Throws: `StoreError`; then the switch remains pending.
  func commitSwitch(_ snapshot: borrowing Snapshot) throws {
    if let target = navigator.target, target.id != open.id {
      try enter(target, snapshot)
      act(on: committer.giveBackLines(of: target.id), snapshot)
    }
    navigator.commit()
  }

  func commitSwitchIfDue(_ snapshot: borrowing Snapshot) {
    guard navigator.isSwitchDue(at: now) else { return }
    do {
      try commitSwitch(snapshot)
    } catch StoreError.locked {
      navigator.beginSwitch(to: nil, at: now)
    } catch {
      // Go back to the open conversation and its own line.
      act(on: composing.leaveLine(scene), snapshot)
      navigator.giveUp()
      act(on: composing.swapLine(committer.queue, scene, snapshot), snapshot)
      report(error)
    }
  }

  /// Switches to a conversation, once the line that its name replaced is back.
  func enter(chosen: ID<Conversation>, _ snapshot: borrowing Snapshot) throws {
    guard let found = try snapshot.conversation(chosen, for: me.id) else { return }
    navigator.endUnreadRun()
    switchLine(to: found, snapshot)
    try commitSwitch(snapshot)
  }
}
