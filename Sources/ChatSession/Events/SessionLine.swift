// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The line being typed, which somebody else has: a session asks for it, and keeps no copy.
@MainActor
package protocol SessionLine: AnyObject {
  var text: String { get }
  /// Bytes.
  var caret: Int { get }
  /// The mentions in it.
  var mentions: [Span] { get }
  var isEmpty: Bool { get }
  /// It is the newest line, not one of the history.
  var isLive: Bool { get }
  /// No search, argument or the like is under way.
  var isIdle: Bool { get }
  /// A question stands in its place.
  var isAsking: Bool { get }
  /// Every function, and its keys: empty where it has none.
  var bindings: [(function: String, keys: String)] { get }
  /// What is selected in the menu.
  var selected: String? { get }
}

extension SessionLine {
  package var selected: String? { nil }
  var draft: LineDraft { LineDraft(text, caret: caret, spans: mentions) }

  /// The mentions of a body with which the line ends.
  func mentions(in body: String) -> [Span] {
    let text = LineRules.withoutNewlinesAtEnd(text)
    guard text.hasSuffix(body) else { return [] }
    let start = text.utf8.count - body.utf8.count
    return Span.shifted(mentions.filter { $0.range.lowerBound >= start }, by: -start)
  }
}
