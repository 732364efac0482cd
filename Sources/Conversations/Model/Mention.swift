// SPDX-License-Identifier: GPL-3.0-or-later

/// A part of a text that means a person (rule 2.10).
///
/// ```swift
/// Mention(range: 0..<5, identity: "anna@example.org")  // "@Anna: hello"
/// ```
public struct Mention: Hashable, Sendable {
  /// UTF-8 offsets in the text. Others may have stored it, so it may be outside of the text or
  /// inside a character.
  public var range: Range<Int>
  /// Who is meant, as `Participant.identity`.
  public var identity: String

  public init(range: Range<Int>, identity: String) {
    self.range = range
    self.identity = identity
  }
}

extension Mention {
  /// Nil for anything else.
  fileprivate init?(_ json: JSON) {
    guard let start = json[.start].integer, let end = json[.end].integer, 0 <= start,
      start < end, let identity = json[.identity].text
    else { return nil }
    self.init(range: Int(start)..<Int(end), identity: identity)
  }

  fileprivate var json: JSON {
    .members([
      .start: .integer(Int64(range.lowerBound)), .end: .integer(Int64(range.upperBound)),
      .identity: .text(identity),
    ])
  }
}

extension [Mention] {
  /// Null if there are none.
  package var json: JSON { isEmpty ? .null : .array(map(\.json)) }

  /// The mentions in an array; none if it is something else.
  package init(_ json: JSON) { self = json.items.compactMap { Mention($0) } }
}
