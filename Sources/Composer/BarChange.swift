// SPDX-License-Identifier: GPL-3.0-or-later

/// Something that listeners of the input bar are told (9.2, 9.3). Activation and keys are not among
/// them: they come from the keyboard, not from a change of the bar. `BarHooks` passes them on.
///
/// ```swift
/// if changes.contains(.sendEnabled(false)) { bell() }
/// ```
public enum BarChange: Hashable, Sendable {
  /// Return would send now, or would not any more.
  case sendEnabled(Bool)
  /// For the item of this name.
  case item(id: String, ItemChange)
  /// The text as typed, not trimmed.
  case textChanged(String)
  /// The rows of text that are seen.
  case rowsChanged(Int)

  /// What can happen to an item by itself.
  ///
  /// ```swift
  /// if case .item("clip", .editingBegan) = change { grow() }
  /// ```
  public enum ItemChange: Hashable, Sendable {
    /// The first character of an empty line.
    case editingBegan
    case textChanged
    /// The line was sent or emptied.
    case editingEnded
    case selected, deselected
    case enabled, disabled
  }
}

extension InputBar {
  /// What has changed since `old`, in the order in which listeners are told: send-enabled, the items
  /// (left, right, status, toolbar), the text, the rows (9.2). What did not change is not told.
  ///
  /// ```swift
  /// for case .textChanged(let text) in bar.changes(from: old, canSend: can, rows: rows) { … }
  /// ```
  ///
  /// - Parameters:
  ///   - old: the bar before one change.
  ///   - canSend: what `LineRules.allowsSending(_:hasAttachments:)` said before and says now.
  ///   - rows: `BarLayout.inputRows` before and now.
  public func changes(
    from old: InputBar, canSend: (old: Bool, new: Bool), rows: (old: Int, new: Int)
  ) -> [BarChange] {
    var changes: [BarChange] = []
    if canSend.old != canSend.new { changes.append(.sendEnabled(canSend.new)) }
    let textHasChanged = !composed.text.hasSameBytes(as: old.composed.text)
    for zone in Zone.allCases {
      for item in zones[zone] ?? [] where !item.isSpace {
        if textHasChanged {
          if old.composed.text.isEmpty { changes.append(.item(id: item.id, .editingBegan)) }
          changes.append(.item(id: item.id, .textChanged))
          if composed.text.isEmpty { changes.append(.item(id: item.id, .editingEnded)) }
        }
        // An item that is new here has not changed.
        guard let before = old.zones[zone]?.first(where: { $0.id == item.id }) else { continue }
        if before.isSelected != item.isSelected {
          changes.append(.item(id: item.id, item.isSelected ? .selected : .deselected))
        }
        if before.isEnabled != item.isEnabled {
          changes.append(.item(id: item.id, item.isEnabled ? .enabled : .disabled))
        }
      }
    }
    if textHasChanged { changes.append(.textChanged(composed.text)) }
    if rows.old != rows.new { changes.append(.rowsChanged(rows.new)) }
    return changes
  }
}
