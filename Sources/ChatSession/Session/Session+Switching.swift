// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Switches between conversations.
extension Session {
  // MARK: By commands

  /// Opens a conversation; if it is open already, enters it again only if I was not a member.
  ///
  /// - Parameter isNew: whether the room was just created.
  func go(
    to target: Conversation, isNew: Bool = false, _ snapshot: borrowing Snapshot
  ) throws {
    if target.id == open.id {
      // Show the messages of the time when I was not a member.
      if !open.isMember { try enter(target, snapshot) }
      return
    }
    let former = open.id
    switcher.endUnreadRun()
    if isInteractive { composing.restoreTextBeforeCommand(at: now) }
    leaveDraft()
    stopTyping()
    try enter(target, isNew: isNew, snapshot)
    restoreDraft(leaving: former, snapshot)
  }

  /// After I left a room, or it was removed, opens the conversation that was open before it.
  func left(_ room: ID<Conversation>, _ snapshot: borrowing Snapshot) {
    elsewhere.forget(room)
    guard room == open.id else { return }
    open.left()
    reportingErrors {
      if let former = try switcher.formerConversation(lineConversation?.id, me.id, snapshot)
        ?? snapshot.listing(for: me.id).first?.conversation
      {
        try go(to: former, snapshot)
      }
    }
  }

  // MARK: Entering

  /// Opens a conversation and prints its newest messages.
  ///
  /// - Parameter isNew: whether it is a room that was just created.
  func enter(
    _ target: Conversation, isNew: Bool = false, _ snapshot: borrowing Snapshot
  ) throws {
    let former = open.id
    let effects = try feed.enter(target, isNew: isNew, &open, scene, snapshot)
    elsewhere.moved(from: former, to: target.id)
    switcher.noteFormer(former, before: target.id)
    tutorial?.note(.went)
    act(on: effects, snapshot)
    if shellID != nil { readPeopleAndUnread(snapshot) }
  }

  /// Reads presence, history and members. Call this after the first prompt.
  func settleIn(_ snapshot: borrowing Snapshot) {
    readNewestOwn(snapshot)
    readPeopleAndUnread(snapshot)
    act(on: accounts.startWanted(again: true, at: now, snapshot), snapshot)
    catchUpLater()
  }

  /// Reads who is here and what is unread elsewhere. At the start this happens after the first
  /// prompt, which does not wait for it.
  private func readPeopleAndUnread(_ snapshot: borrowing Snapshot) {
    guard open.conversation != nil else { return }
    feed.readPeople(&open, scene, snapshot)
    readNewestOwn(snapshot)
    countUnread(snapshot)
    if let hint = open.contactHint(accounts, snapshot) { emit(.notice(hint)) }
  }

  // MARK: By keys (rule 13.1)

  func go(_ move: Move, _ snapshot: borrowing Snapshot) {
    if mode.isChoosing {
      // The key is meant for the line that the name replaced, so it waits for that line.
      composing.endChoice().forEach(emit)
      if move != .choose { emit(.whenLineBegins(.move(move))) }
      return
    }
    reportingErrors {
      if move == .choose { return try beginChoice(snapshot) }
      let (found, notice) = try switcher.target(
        of: move, from: open.conversation, for: me, settings.highlights, snapshot)
      let reminder =
        found == nil && move == .nextUnread ? try accounts.reminder(snapshot) : nil
      if let notice = reminder ?? notice { emit(.notice(notice)) }
      guard let found else { return emit(.bell) }
      if move != .nextUnread { switcher.endUnreadRun() }
      beginSwitch(to: found, snapshot)
    }
  }

  /// Replaces the line with that of the other conversation (rule 13.2).
  private func beginSwitch(to next: Conversation, _ snapshot: borrowing Snapshot) {
    guard next.id != lineConversation?.id else { return switcher.beginSwitch(to: nil, at: now) }
    if mode.isEditing {
      composing.cancelEdit().forEach(emit)
      leaveDraft()
    } else {
      noteAndLeaveDraft()
    }
    if switcher.target == nil { stopTyping() }
    switcher.beginSwitch(to: next, at: now)
    bringDraft(snapshot)
  }

  /// Enters the conversation that the keys have reached, since the person acts there.
  ///
  /// - Throws: `StoreError`; then the switch remains pending.
  func commitSwitch(_ snapshot: borrowing Snapshot) throws {
    if let target = switcher.target, target.id != open.id {
      try enter(target, snapshot)
      bringBackLines(of: target.id)
    }
    switcher.commit()
  }

  func commitSwitchIfDue(_ snapshot: borrowing Snapshot) {
    guard let deadline = switcher.deadline, now >= deadline else { return }
    do {
      try commitSwitch(snapshot)
    } catch StoreError.locked {
      switcher.beginSwitch(to: nil, at: now)
    } catch {
      // Go back to the open conversation and its own line.
      noteAndLeaveDraft()
      switcher.giveUp()
      bringDraft(snapshot)
      report(error)
    }
  }

  /// Switches to the chosen conversation, once the line that the name replaced is back.
  func enter(chosen: ID<Conversation>, _ snapshot: borrowing Snapshot) {
    reportingErrors {
      guard let found = try snapshot.conversation(chosen, for: me.id) else { return }
      switcher.endUnreadRun()
      beginSwitch(to: found, snapshot)
      try commitSwitch(snapshot)
    }
  }

  // MARK: By name

  private func beginChoice(_ snapshot: borrowing Snapshot) throws {
    try commitSwitch(snapshot)
    noteDraft()
    stopTyping()
    let here = lineConversation?.id
    let listing = try snapshot.listing(for: me.id).filter { $0.conversation.id != here }
    composing.beginChoice(
      among: switcher.candidates(among: listing, mark: feed.people.markOfChats(snapshot)))
    emit(.beginChoice)
  }

  /// Handles Return on a name, or on a part of it: opens the conversation.
  func chooseName(_ text: String) {
    noteKeyPress()
    let name = text.trimmingBlanks
    do {
      if isCurrent(name) {
        composing.endChoice().forEach(emit)
      } else if let found = mode.choices?.conversation(meantBy: name) {
        endChoice(of: found.id)
      } else {
        let commands = ConversationCommands(context: context)
        switch try store.read({ try commands.nameMatch(for: name, $0) }) {
        case .named(.conversation(let found)): endChoice(of: found.id)
        case .named(.person(let person)):
          let me = me.id
          let chosen = try commit(
            [], { [.openKeepingDraft(try $0.directChat(me, with: person.id), isNew: false)] })
          for case .openKeepingDraft(let chat, _) in chosen { endChoice(of: chat.id) }
        case .near(let near):
          composing.endChoice().forEach(emit)
          try perform(commands.ask(near, for: name))
        }
      }
    } catch RuleError.ambiguous(let meant, let candidates) {
      guard
        let question = ConversationCommands.question(
          aboutMeaningOf: meant, candidates, in: "/switch " + name)
      else {
        return refuse(sentence(for: RuleError.ambiguous(meant, candidates: candidates)))
      }
      composing.endChoice().forEach(emit)
      reportingErrors { try perform(question) }
    } catch {
      refuse(sentence(for: error))
    }
  }

  private func endChoice(of conversation: ID<Conversation>) {
    composing.endChoice().forEach(emit)
    emit(.whenLineBegins(.chosen(conversation)))
  }

  private func isCurrent(_ name: String) -> Bool {
    lineConversation.map { [$0.name, String($0.name.dropFirst())].contains(name) } ?? false
  }

  /// Says what Return does while a name is being typed.
  var choiceHint: SafeText {
    let name = (line.selected ?? line.text).trimmingBlanks
    if isCurrent(name) {
      return say(
        "You are in %1; Return and C-g go back", SafeText(name: lineConversation?.name ?? name))
    }
    if let found = mode.choices?.conversation(meantBy: name) {
      return say("Return goes to %1, C-g goes back", SafeText(name: found.name))
    }
    return name.isEmpty
      ? say("You have no other conversation; C-g goes back")
      : say("You have no conversation by that name; Return searches all rooms, C-g goes back")
  }
}
