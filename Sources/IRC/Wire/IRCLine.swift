// SPDX-License-Identifier: GPL-3.0-or-later

/// A line of IRC: tags, source, command and parameters (modern.ircdocs.horse, "Message Format").
///
/// ```swift
/// let line = IRCLine("@time=2026-11-25T10:00:00.000Z :ben!b@host PRIVMSG #tea :hello")
/// line?.source?.nick  // ben
/// line?.parameters    // ["#tea", "hello"]
/// ```
struct IRCLine: Hashable, Sendable {
  /// Who sent it: a server, or a person with a user name and a host.
  struct Source: Hashable, Sendable {
    var nick: String
    var user: String?
    var host: String?

    var text: String {
      nick + (user.map { "!" + $0 } ?? "") + (host.map { "@" + $0 } ?? "")
    }
  }

  /// Names and values; the value is empty if the tag has none.
  var tags: [String: String]
  var source: Source?
  /// In upper case, or three digits.
  var command: String
  var parameters: [String]

  init(
    _ command: String, _ parameters: [String] = [], tags: [String: String] = [:],
    source: Source? = nil
  ) {
    (self.command, self.parameters) = (command, parameters)
    (self.tags, self.source) = (tags, source)
  }

  /// The number of a numeric reply; nil for a command.
  var number: Int? {
    command.utf8.count == 3 && command.utf8.allSatisfy { (0x30...0x39).contains($0) }
      ? Int(command) : nil
  }

  /// A parameter, counted from 0; empty if there are fewer.
  subscript(index: Int) -> String {
    parameters.indices.contains(index) ? parameters[index] : ""
  }

  /// Reads a line, without the CR and LF at its end.
  ///
  /// - Returns: nil if it has no command.
  init?(_ text: String) {
    // A CR at the start of a value would join an LF before it into one character: use scalars.
    var rest = text.unicodeScalars[...]
    func word() -> Substring.UnicodeScalarView {
      let word = rest.prefix { $0 != " " }
      rest = rest.dropFirst(word.count).drop { $0 == " " }
      return word
    }
    tags = rest.first == "@" ? Self.tags(String(word().dropFirst())) : [:]
    rest = rest.drop { $0 == " " }
    source = rest.first == ":" ? Source(String(word().dropFirst())) : nil
    command = String(word()).uppercased()
    if command.isEmpty { return nil }
    parameters = []
    while let first = rest.first {
      if first == ":" {
        parameters.append(String(rest.dropFirst()))
        break
      }
      parameters.append(String(word()))
    }
  }

  /// Reads names and values, as in `time=…;msgid=…`.
  static func tags(_ text: String) -> [String: String] {
    var tags: [String: String] = [:]
    for item in text.unicodeScalars.split(separator: ";") {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if !name.isEmpty { tags[name] = parts.count > 1 ? unescaped(parts[1]) : "" }
    }
    return tags
  }

  /// Letters after a `\`, and the characters that they mean in a tag's value.
  private static let escapes: [(letter: Unicode.Scalar, meaning: Unicode.Scalar)] = [
    (":", ";"), ("s", " "), ("r", "\r"), ("n", "\n"), ("\\", "\\"),
  ]

  private static func unescaped(_ value: Substring.UnicodeScalarView) -> String {
    guard value.contains("\\") else { return String(value) }
    var (result, isEscaped) = (String.UnicodeScalarView(), false)
    for scalar in value {
      if scalar == "\\", !isEscaped {
        isEscaped = true
        continue
      }
      result.append(isEscaped ? escapes.first { $0.letter == scalar }?.meaning ?? scalar : scalar)
      isEscaped = false
    }
    return String(result)
  }

  /// The line to send, without its CR and LF. It omits any CR, LF or NUL inside a part, so that no
  /// text can begin another line; a part before the last one ends at its first blank.
  var text: String {
    let tags = tags.sorted { $0.key < $1.key }
      .map { $1.isEmpty ? $0 : $0 + "=" + Self.escaped($1) }.joined(separator: ";")
    let hasTags = !tags.isEmpty && tags.utf8.count <= Self.longestTags
    return (hasTags ? "@" + tags + " " : "").without(Self.ends)
      + words.joined(separator: " ").without(Self.ends).cut(afterBytes: Self.longest)
  }

  /// Bytes of a line without its tags, CR and LF (RFC 1459, 2.3), and of a client's tags (IRCv3
  /// message-tags, "Size limit"). A longer line is cut here, as the server would cut it.
  private static let (longest, longestTags) = (510, 4_094)
  private static let ends: Set<Unicode.Scalar> = ["\r", "\n", "\0"]

  private var words: [String] {
    var words: [String] = []
    if let source { words.append(":" + source.text) }
    words.append(command)
    for (index, parameter) in parameters.enumerated() {
      let isLast = index == parameters.count - 1
      // A combining mark after a blank or a colon would join it into one character: use scalars.
      let scalars = parameter.unicodeScalars
      let needsColon = scalars.isEmpty || scalars.first == ":" || scalars.contains(" ")
      if isLast, needsColon || hasTrailing {
        words.append(":" + parameter)
      } else {
        words.append(needsColon ? String(scalars.prefix { $0 != " " }) : parameter)
      }
    }
    return words
  }

  /// Whether the last parameter is written after a colon even if it is one word: some old servers
  /// and bots expect it for text.
  private var hasTrailing: Bool {
    ["PRIVMSG", "NOTICE", "TOPIC", "QUIT", "PART", "KICK", "AWAY", "USER"].contains(command)
      && parameters.count > 1 || command == "QUIT" || command == "AWAY"
  }

  private static func escaped(_ value: String) -> String {
    value.unicodeScalars.reduce(into: "") { text, scalar in
      let letter = escapes.first { $0.meaning == scalar }?.letter
      if letter != nil { text += "\\" }
      text.unicodeScalars.append(letter ?? scalar)
    }
  }
}

extension String {
  /// The text without these scalars, even where they are part of a grapheme.
  func without(_ scalars: Set<Unicode.Scalar>) -> String {
    String(String.UnicodeScalarView(unicodeScalars.filter { !scalars.contains($0) }))
  }

  /// The beginning of the text, cut between two characters of Unicode.
  ///
  /// - Parameter bytes: the most bytes of the result, in UTF-8.
  func cut(afterBytes bytes: Int) -> Substring {
    guard var end = utf8.index(startIndex, offsetBy: bytes, limitedBy: utf8.endIndex),
      end < utf8.endIndex
    else { return self[...] }
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
    return self[..<end]
  }
}

extension IRCLine {
  /// A refusal as a sentence; it names its subject in front if the server's words do not.
  var refusalWords: String {
    let words = parameters.last ?? ""
    let subject = parameters.dropFirst().dropLast().joined(separator: " ")
    // A letter may also be in the words by chance.
    return subject.isEmpty || subject.utf8.count > 1 && words.contains(subject)
      ? words : subject + ": " + words
  }
}

extension IRCLine.Source {
  init(_ text: some StringProtocol) {
    let hostParts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    let parts = hostParts[0].split(separator: "!", maxSplits: 1, omittingEmptySubsequences: false)
    nick = String(parts[0])
    user = parts.count > 1 ? String(parts[1]) : nil
    host = hostParts.count > 1 ? String(hostParts[1]) : nil
  }
}
