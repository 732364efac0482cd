// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Sentences

/// A search as someone typed it.
///
/// ```swift
/// let query = try SearchQuery.parse("tea \"at noon\" kett* from:anna in:#lobby since:7d")
/// for hit in try store.search(query, for: me) { print(hit.message.body) }
/// ```
public struct SearchQuery: Hashable, Sendable {
  /// A word, or several in sequence.
  public struct Term: Hashable, Sendable {
    public var text: String
    /// Whether the last word also matches longer words that begin with it.
    public var isPrefix: Bool

    public init(_ text: String, isPrefix: Bool = false) {
      self.text = text
      self.isPrefix = isPrefix
    }
  }

  /// A message must contain all of them.
  public var terms: [Term] = []
  /// Names or identities of senders, any of which may match. Empty for everyone.
  public var senders: [String] = []
  /// Names of conversations, any of which may match. Empty for all.
  public var conversations: [String] = []
  /// The first moment that counts.
  public var since: Milliseconds?
  /// The first moment that no longer counts.
  public var until: Milliseconds?
  /// Whether to find only messages with a file.
  public var hasFile = false

  public init(
    terms: [Term] = [], senders: [String] = [], conversations: [String] = [],
    since: Milliseconds? = nil,
    until: Milliseconds? = nil, hasFile: Bool = false
  ) {
    self.terms = terms
    self.senders = senders
    self.conversations = conversations
    self.since = since
    self.until = until
    self.hasFile = hasFile
  }

  /// Reads a query: words, `"phrases"`, prefixes `word*`, and the filters `from:NAME` `in:ROOM`
  /// `since:DATE` `until:DATE` `has:file`, whose values may be quoted. Case and accents make no
  /// difference. Everything else is text to find: no input is a syntax error of the search index. A
  /// missing closing quote is assumed at the end.
  ///
  /// Dates are `2026`, `2026-11`, `2026-11-21`, `2026-11-21T10:00`, `today`, `yesterday`, or an
  /// age: `90m` minutes, `12h`, `7d`, `2w`, `3mo` months, `1y`. `until:` includes the whole day,
  /// month or year it names. The latest `since:` and the earliest `until:` count.
  ///
  /// - Throws: `SearchError`.
  public static func parse(
    _ text: String, now: Milliseconds? = nil, zone: TimeZoneRules = .local
  ) throws(SearchError) -> SearchQuery {
    var query = SearchQuery()
    for part in SearchParts.split(text) {
      if let filter = part.filter {
        try query.add(filter, part.text, now: now ?? Clock.wall(), zone: zone)
      } else if !Tokenizer.tokens(of: part.text).isEmpty {
        query.terms.append(Term(part.text, isPrefix: part.isPrefix))
      }
    }
    if query == SearchQuery() { throw .nothingToLookFor(text) }
    if query.terms.count + query.senders.count + query.conversations.count > 64 { throw .tooLong }
    return query
  }

  private mutating func add(
    _ filter: String, _ value: String, now: Milliseconds, zone: TimeZoneRules
  ) throws(SearchError) {
    func span() throws(SearchError) -> Range<Milliseconds> {
      guard let span = DateParser.span(value, now: now, zone: zone) else { throw .notADate(value) }
      return span
    }
    let name = filter.lowercased()
    if ["from", "in", "since", "until", "has"].contains(name), value.isEmpty {
      throw .missingValue(name)
    }
    switch name {
    case "from": senders.append(value)
    case "in": conversations.append(value)
    case "since":
      let start = try span().lowerBound
      since = max(since ?? start, start)
    case "until":
      let end = try span().upperBound
      until = min(until ?? end, end)
    case "has":
      guard ["file", "files"].contains(value.lowercased()) else { throw .unknownContent(value) }
      hasFile = true
    default: throw .unknownFilter(filter)
    }
  }
}

/// Why hobnob cannot understand a query.
public enum SearchError: Error, Hashable, Sendable, CustomStringConvertible {
  case unknownFilter(String)
  case missingValue(String)
  case notADate(String)
  /// `has:` with anything but `file`.
  case unknownContent(String)
  case nothingToLookFor(String)
  case tooLong

  /// What is wrong, and what to do.
  public var sentence: Sentence {
    switch self {
    case .unknownFilter(let name):
      (
        "“%1:” is not a filter; the filters are from: in: since: until: has: (to search for it as text, put it in \"quotes\")",
        [name]
      )
    case .missingValue(let name):
      ("the filter %1: needs a value right after the colon", [name])
    case .notADate(let text):
      (
        "“%1” is not a date; write 2026-11-21, 2026-11, today, yesterday, or an age like 7d or 3mo",
        [text]
      )
    case .unknownContent(let text):
      ("there is no filter has:%1; use has:file", [text])
    case .nothingToLookFor(let text):
      ("there is no word to look for in “%1”; write letters, digits or emoji, or a filter", [text])
    case .tooLong:
      ("the search has too many words; leave some out", [])
    }
  }

  public var description: String { filled(sentence) }
}

/// A query split at blanks outside quotes.
struct SearchParts {
  struct Part: Equatable {
    var filter: String?
    var text: String
    var isPrefix = false
  }

  static func split(_ query: String) -> [Part] {
    var parts: [Part] = []
    var rest = query[...]
    while let first = rest.first {
      if first.isWhitespace {
        rest.removeFirst()
      } else if first == "\"" {
        parts.append(quoted(&rest, filter: nil))
      } else {
        parts.append(word(&rest))
      }
    }
    return parts
  }

  private static func quoted(_ rest: inout Substring, filter: String?) -> Part {
    rest.removeFirst()
    let text = rest.prefix { $0 != "\"" }
    rest = rest[text.endIndex...].dropFirst()
    // "at no"* matches like at no*.
    let isPrefix = rest.first == "*" && filter == nil
    if isPrefix { rest.removeFirst() }
    return Part(filter: filter, text: String(text), isPrefix: isPrefix)
  }

  private static func word(_ rest: inout Substring) -> Part {
    let name = rest.prefix { $0.isASCII && $0.isLetter }
    let behind = rest[name.endIndex...]
    let value = behind.dropFirst()
    if !name.isEmpty, behind.first == ":", isFilter(name, value) {
      rest = value
      if rest.first == "\"" { return quoted(&rest, filter: String(name)) }
      let text = rest.prefix { !$0.isWhitespace }
      rest = rest[text.endIndex...]
      return Part(filter: String(name), text: String(text))
    }
    let text = rest.prefix { !$0.isWhitespace && $0 != "\"" }
    rest = rest[text.endIndex...]
    let isPrefix = text.last == "*"
    return Part(filter: nil, text: String(isPrefix ? text.dropLast() : text), isPrefix: isPrefix)
  }

  /// `http://…`, `std::move` and `note: buy tea` are text.
  private static func isFilter(_ name: Substring, _ value: Substring) -> Bool {
    if ["from", "in", "since", "until", "has"].contains(name.lowercased()) { return true }
    guard let first = value.first else { return false }
    return !first.isWhitespace && first != "/" && first != ":"
  }
}
