// SPDX-License-Identifier: GPL-3.0-or-later

/// What a ``BarController`` tells its listeners (9.2, 9.3), each event once. The events of one
/// change come in this order: sending, items (left, right, status, toolbar, above), text, typing,
/// rows.
///
/// ```swift
/// controller.listen(self) { if case .sent(let text) = $0 { outbox.append(text) } }
/// ```
public enum BarEvent: Hashable, Sendable {
  /// Return would now send the text, or no longer would.
  case canSend(Bool)
  /// Something happened to the item with this name.
  case item(String, ItemEvent)
  /// The text has changed; this is the new one as typed, not trimmed.
  case text(String)
  /// The text was changed by hand, not by a restored draft or by the program. This event is not
  /// limited to once in so many seconds; `TypingSignals` does that.
  case typing
  /// The number of visible rows of text has changed.
  case rows(Int)
  /// Return has sent a text: exactly once for each, as typed.
  case sent(String)

  /// What can happen to an item (9.2).
  ///
  /// ```swift
  /// if case .item("send", .activated) = event { controller.type(.accept) }
  /// ```
  public enum ItemEvent: Hashable, Sendable {
    /// The item was used by a key or a command, with ``BarController/activate(_:)``.
    case activated
    /// This key was pressed on it, with ``BarController/press(_:on:)``.
    case key(String)
    /// The first character of an empty line.
    case editingBegan
    case textChanged
    /// The line was sent or emptied.
    case editingEnded
    case selected, deselected
    case enabled, disabled
  }
}

/// The state of a bar that its listeners know.
struct LastNotified {
  var edition = 0
  var isEmpty = true
  var canSend = false
  var rows = 1
  var zones: ZoneValues<[Item]> = [:]

  private func item(_ id: String) -> Item? {
    Zone.allCases.lazy.compactMap { zone in zones[zone]?.first { $0.id == id } }.first
  }

  /// Returns what has changed since `old`, in the order of rule 9.2.
  func changes(since old: LastNotified, text: String, byHand: Bool) -> [BarEvent] {
    var events: [BarEvent] = canSend == old.canSend ? [] : [.canSend(canSend)]
    let hasOtherText = edition != old.edition
    for zone in Zone.allCases {
      for item in zones[zone] ?? [] where !item.id.isEmpty {
        if hasOtherText {
          if old.isEmpty { events.append(.item(item.id, .editingBegan)) }
          events.append(.item(item.id, .textChanged))
          if isEmpty { events.append(.item(item.id, .editingEnded)) }
        }
        // An item that is new has not changed; one that only moved to another zone may have.
        guard let before = old.item(item.id) else { continue }
        if before.isSelected != item.isSelected {
          events.append(.item(item.id, item.isSelected ? .selected : .deselected))
        }
        if before.isEnabled != item.isEnabled {
          events.append(.item(item.id, item.isEnabled ? .enabled : .disabled))
        }
      }
    }
    if hasOtherText { events.append(.text(text)) }
    if hasOtherText && byHand { events.append(.typing) }
    if rows != old.rows { events.append(.rows(rows)) }
    return events
  }
}
