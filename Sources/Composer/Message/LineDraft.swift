// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A text that was begun and not sent, one per participant and conversation (5.1).
///
/// ```swift
/// LineDraft("ask @Anna now", caret: 9, spans: [Span(range: 4..<9, identity: "anna")])
/// ```
public struct LineDraft: Hashable, Sendable {
  /// As typed, newlines included.
  public var text: String
  /// A UTF-8 offset.
  public var caret: Int
  /// Its mentions.
  public var spans: [Span]

  /// The caret is a UTF-8 offset; nil puts it after the text.
  public init(_ text: String = "", caret: Int? = nil, spans: [Span] = []) {
    self.text = text
    self.caret = caret ?? text.utf8.count
    self.spans = spans
  }

  /// An empty draft is removed from the store.
  public var isEmpty: Bool { text.isEmpty }

  /// Compares byte by byte, since "é" in one code point and "é" in two are stored differently. Two
  /// empty drafts are equal.
  public static func == (left: LineDraft, right: LineDraft) -> Bool {
    if left.isEmpty && right.isEmpty { return true }
    return left.caret == right.caret && left.spans == right.spans
      && left.text.hasSameBytes(as: right.text)
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(text)
  }
}

/// When to save the draft: one idle second after the last change, unless the store already has this
/// draft (5.1).
///
/// ```swift
/// clock.changed(to: draft, at: now)
/// // at clock.deadline:
/// if let draft = clock.unsaved, save(draft) { clock.stored(draft) }
/// ```
public struct DraftClock: Hashable, Sendable {
  /// Milliseconds without a change before a draft is saved.
  public static let idle: Int64 = 1000

  /// The draft as it is now.
  public var present: LineDraft { current }
  /// When to save what is ``unsaved``, in milliseconds; nil when there is nothing to save.
  public private(set) var deadline: Int64?
  private var current: LineDraft
  private var inStore: LineDraft

  /// - Parameter stored: the draft that the store has at the start.
  public init(stored: LineDraft = LineDraft()) {
    current = stored
    inStore = stored
  }

  /// Call this with the current draft; an unchanged one does not postpone saving.
  public mutating func changed(to draft: LineDraft, at now: Int64) {
    guard draft != current else { return }
    current = draft
    deadline = draft == inStore ? nil : now + Self.idle
  }

  /// The draft to save, at the deadline or before switching, suspending and leaving; nil if the
  /// store already has it.
  public var unsaved: LineDraft? { current == inStore ? nil : current }

  /// Call this with the draft that the store has now: after saving, after sending (an empty draft),
  /// or after another shell has saved.
  public mutating func stored(_ draft: LineDraft) {
    inStore = draft
    if current == draft { deadline = nil }
  }
}
