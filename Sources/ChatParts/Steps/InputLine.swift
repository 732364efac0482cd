// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer

/// The line being typed. The line editor owns it; a session reads it, and keeps no copy.
@MainActor
package protocol InputLine: AnyObject {
  var text: String { get }
  /// The position of the caret, in bytes.
  var caret: Int { get }
  var mentions: [Span] { get }
  var isEmpty: Bool { get }
  /// Whether the line is the newest, not one from the history.
  var isLive: Bool { get }
  /// Whether no search, argument or the like is under way.
  var isIdle: Bool { get }
  /// Whether readline asks for something in place of the line, such as what to search for.
  var isAsking: Bool { get }
  /// Every function and its keys, which may be empty.
  var bindings: [(function: String, keys: String)] { get }
  /// The selected item of the menu.
  var selected: String? { get }
}

extension InputLine {
  package var selected: String? { nil }
  var draft: LineDraft { LineDraft(text, caret: caret, spans: mentions) }

  /// The mentions in a body at the end of the line.
  package func mentions(in body: String) -> [Span] {
    let text = LineRules.withoutNewlinesAtEnd(text)
    guard text.hasSuffix(body) else { return [] }
    let start = text.utf8.count - body.utf8.count
    return Span.shifted(mentions.filter { $0.range.lowerBound >= start }, by: -start)
  }
}
