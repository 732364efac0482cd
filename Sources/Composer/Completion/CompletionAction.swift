// SPDX-License-Identifier: GPL-3.0-or-later

/// What a key did in the menu.
package enum CompletionAction: Hashable, Sendable {
  /// The key is not for the menu but for the line.
  case notMine
  /// The key was for the menu; the text stays.
  case none
  /// There is nothing to complete.
  case bell
  /// Replace the bytes of `range` and put the caret at `caret`, an offset after the change.
  /// `accepted` is nil if only the common part was filled in.
  case replace(range: Range<Int>, with: String, caret: Int, accepted: AcceptedCandidate?)
}

/// What was accepted, for a span that knows who is meant (2.10).
package struct AcceptedCandidate: Hashable, Sendable {
  package var candidate: Candidate
  /// The prefix it was accepted under; empty for an argument.
  package var prefix: String
  /// Its range in the new text, prefix included, without the colon and the space after it: UTF-8
  /// offsets.
  package var range: Range<Int>

  package init(_ candidate: Candidate, prefix: String, range: Range<Int>) {
    self.candidate = candidate
    self.prefix = prefix
    self.range = range
  }
}
