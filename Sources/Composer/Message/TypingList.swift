// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Who else is typing (4.1, 4.2); the caller does not report its own user. Times are milliseconds
/// of any clock that does not run backwards.
///
/// ```swift
/// var typing = TypingList()
/// typing.signal("anna@example.org", name: "Anna", at: now)
/// ```
public struct TypingList: Hashable, Sendable {
  /// How many milliseconds an entry lasts after its last signal; with 0 or less, it lasts until it
  /// is removed.
  public var timeout: Int64 = 6000
  private var entries: [Entry] = []

  private struct Entry: Hashable, Sendable {
    var id: String
    var name: SafeText
    var lastSignal: Int64
  }

  /// - Parameter timeout: see ``timeout``.
  public init(timeout: Int64 = 6000) {
    self.timeout = timeout
  }

  /// Notes that someone is typing. A person already in the list keeps their place, and their time
  /// starts anew. A name without a visible letter is not listed.
  public mutating func signal(_ id: String, name: SafeText, at now: Int64) {
    expire(at: now)
    guard name.string.contains(where: { !$0.isWhitespace }) else { return remove(id) }
    if let known = entries.firstIndex(where: { $0.id == id }) {
      entries[known].name = name
      entries[known].lastSignal = now
    } else {
      entries.append(Entry(id: id, name: name, lastSignal: now))
    }
  }

  /// Removes someone who paused, sent their message, or left.
  public mutating func remove(_ id: String) {
    entries.removeAll { $0.id == id }
  }

  /// Removes expired entries.
  public mutating func expire(at now: Int64) {
    guard timeout > 0 else { return }
    entries.removeAll { now - $0.lastSignal >= timeout }
  }

  /// When the next entry expires, in milliseconds; nil if none will.
  public var nextExpiry: Int64? {
    guard timeout > 0 else { return nil }
    return entries.map(\.lastSignal).min().map { $0 + timeout }
  }

  /// Whether nobody is known to be typing.
  public var isEmpty: Bool { entries.isEmpty }

  /// The line "A is typing", "A & B are typing" or "Several are typing", with bold names,
  /// cut to fit the columns.
  ///
  /// - Returns: nil if nobody is typing or there is no room.
  public func line(columns: Int, widths: Widths) -> StyledLine? {
    guard columns > 0, let first = entries.first else { return nil }
    let sentence: StyledLine
    switch entries.count {
    case 1: sentence = withBoldNames(say("%1 is typing", "%1"), [first.name])
    case 2:
      sentence = withBoldNames(
        say("%1 & %2 are typing", "%1", "%2"), [first.name, entries[1].name])
    default: sentence = StyledLine(say("Several are typing"))
    }
    return sentence.truncated(to: columns, widths: widths)
  }

  /// The sentence with names for `%1` and `%2`, wherever a translation has put them. The names are
  /// inserted here, since `say` returns text without styles.
  private func withBoldNames(_ sentence: SafeText, _ names: [SafeText]) -> StyledLine {
    var line = StyledLine()
    var rest = sentence.string[...]
    while let percent = rest.firstIndex(of: "%") {
      line.append(sentence[rest.startIndex..<percent])
      let digit = rest.index(after: percent)
      let number = digit < rest.endIndex ? rest[digit].wholeNumberValue ?? 0 : 0
      if (1...names.count).contains(number) {
        line.append(names[number - 1], .bold)
        rest = rest[rest.index(after: digit)...]
      } else {
        line.append(sentence[percent..<digit])
        rest = rest[digit...]
      }
    }
    line.append(sentence[rest.startIndex...])
    return line
  }
}
