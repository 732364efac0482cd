// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

extension Span {
  /// The spans of a text after inserting a number of bytes before it or, if the number is negative,
  /// removing bytes.
  package static func shifted(_ spans: [Span], by shift: Int) -> [Span] {
    spans.map {
      Span(
        range: ($0.range.lowerBound + shift)..<($0.range.upperBound + shift),
        identity: $0.identity)
    }
  }
}

extension Mention {
  package init(_ span: Span) { self.init(range: span.range, identity: span.identity) }
}

extension [Mention] {
  /// Those that fit the text.
  package func spans(in text: String) -> [Span] {
    Span.fitting(map { Span(range: $0.range, identity: $0.identity) }, to: text)
  }
}

extension Message {
  /// The mentions of the message in a text that ends with its body, as shown for editing.
  package func mentions(in text: String) -> [Span] {
    Span.shifted(mentions.spans(in: body), by: text.utf8.count - body.utf8.count)
  }
}
