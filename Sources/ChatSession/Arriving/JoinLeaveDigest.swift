// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Who joins and leaves the open conversation, or is called otherwise: what comes within five
/// seconds is one line, unless something else is printed meanwhile (rule 13.5).
@MainActor
final class JoinLeaveDigest: SessionPart {
  unowned let session: Session
  private var gathered: [Event] = []
  /// When they are told.
  private(set) var deadline: Int64?

  init(_ session: Session) { self.session = session }

  /// With `active`, more people than these make a room a large one.
  private static let largeRoom = 20
  /// Milliseconds: there those are told of who said something within them.
  private static let active: Milliseconds = 3_600_000

  func note(_ events: [Event]) {
    for event in events where isTold(event) {
      gathered.append(event)
      if deadline == nil { deadline = now + EventWords.span }
    }
  }

  private func isTold(_ event: Event) -> Bool {
    guard event.kind.isComing, event.conversation == place.conversation?.id,
      event.participant.id != me.id, place.isMember
    else { return false }
    switch settings.events {
    case .all: return true
    case .off: return false
    case .active:
      let isLarge =
        (try? store.read { try $0.holds(moreThan: Self.largeRoom, in: event.conversation) })
        ?? false
      if !isLarge { return true }
      let spoke =
        (try? store.read { try $0.lastSpoke(event.participant.id, in: event.conversation) }) ?? nil
      return spoke.map { event.at - $0 < Self.active } ?? false
    }
  }

  /// The line to print above these messages: everyone who came and went if one of them wrote a
  /// message, else those who did so before the first message.
  func line(before messages: [Message]) -> [StyledLine] {
    let here = messages.filter { $0.conversation == place.conversation?.id }
    let speak = gathered.contains { event in
      event.kind != .left && here.contains { $0.sender == event.participant.id }
    }
    if speak { return takeLine() }
    guard let first = here.map(\.createdAt).min() else { return [] }
    let later = gathered.filter { $0.at >= first }
    guard later.count < gathered.count else { return [] }
    let due = deadline
    gathered.removeAll { $0.at >= first }
    defer { if !later.isEmpty { (gathered, deadline) = (later, due) } }
    return takeLine()
  }

  /// The line of all who came and went until now, for what is printed below it.
  func takeLine() -> [StyledLine] {
    let events = gathered
    forget()
    people.recognise(events.map(\.participant.id))
    let words = EventWords(glyphs: glyphs, name: people.shownName)
    guard let line = words.line(events) else { return [] }
    transcript.endRun()
    return [StyledLine(line, .dim).with(margin: 2)]
  }

  /// Another conversation is open.
  func forget() {
    gathered = []
    deadline = nil
  }

  func tick() {
    guard let deadline, now >= deadline else { return }
    self.deadline = nil
    goOn()
  }

  /// Tells them, if it is time and somebody would see it.
  func goOn() {
    guard deadline == nil, !gathered.isEmpty, !screen.isHolding else { return }
    screen.present(takeLine(), new: 0)
  }
}
