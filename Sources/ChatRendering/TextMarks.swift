// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// Highlights in the text of a message (rule 7.9): addresses, `@name`, `#room`, and above all a
/// mention of the person.
struct TextMarks: Equatable {
  /// The person's names, folded: the shown name, the identity, and nicknames on networks.
  var myNames: [String] = []
  /// The person's names in rooms on networks, folded: nobody there means the person by another one
  /// (rule 14.9).
  var namesThere: [ID<Conversation>: String] = [:]
  /// The person's nicks in rooms on networks, where a nick alone is a mention of the person (rule
  /// 2.12).
  var nicks: [ID<Conversation>: String] = [:]
  /// Words to highlight like a mention of the person (rule 7.10).
  var highlight: [SearchQuery.Term] = []
  var me = Style([.bold, .reverse])
  /// Whether to style addresses and names. If false, addresses are still links, and mentions of the
  /// person still stand out.
  var isStyled = true

  init(naming person: Participant? = nil, _ highlights: Highlights = Highlights()) {
    highlight = highlights.words.map { SearchQuery.Term($0) }
    guard let person else { return }
    myNames = Set([person.name, person.identity] + person.nicknames.values)
      .map(MatchFolding.folded).sorted()
    namesThere = person.nicknames.mapValues(MatchFolding.folded)
    if highlights.includesNick { nicks = person.nicknames }
  }

  private func myNames(in conversation: ID<Conversation>?) -> [String] {
    conversation.flatMap { namesThere[$0] }.map { [$0] } ?? myNames
  }

  /// The marks in one line, ascending.
  ///
  /// - Parameter mine: known mentions of the person, as UTF-8 ranges.
  func overlays(
    in line: SafeText, of conversation: ID<Conversation>? = nil, mine: [Range<Int>] = []
  ) -> [Overlay] {
    let text = line.string
    // Most messages contain none of these.
    let mayHold = text.utf8.withContiguousStorageIfAvailable { bytes in
      bytes.contains { $0 == 0x40 || $0 == 0x23 || $0 == 0x3A }
    }
    guard mayHold ?? true || !mine.isEmpty else { return [] }
    var found = WebAddresses.ranges(in: text).map { range in
      Overlay(range, isStyled ? .underline : .plain, link: Link(line.bytes(range)))
    }
    for word in Self.words(in: text) {
      let isMe = word.isPerson && names(me: word.name, in: conversation)
      guard isMe || isStyled else { continue }
      found.append(Overlay(word.range, isMe ? me : .bold))
    }
    found += mine.map { Overlay($0, me) }
    found.sort {
      ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound)
    }
    var end = 0
    return found.filter { overlay in
      defer { end = max(end, overlay.range.upperBound) }
      return overlay.range.lowerBound >= end
    }
  }

  /// Whether a text addresses the person: by `@` and one of their names, by their name at its
  /// start, by a word that the person highlights, or by their nick in the conversation.
  func mentionsMe(in text: String, of conversation: ID<Conversation>? = nil) -> Bool {
    addressed(in: text, of: conversation) != nil || !highlighted(in: text).isEmpty
      || !called(in: text, of: conversation).isEmpty
      || text.utf8.contains(0x40)
        && Self.words(in: text).contains { $0.isPerson && names(me: $0.name, in: conversation) }
  }

  /// Whether a message addresses the person, as it does in ``mentionsOfMe(in:of:)``.
  func mentionsMe(_ message: Message) -> Bool {
    message.kind != .notice
      && (mentionsMe(in: message.body, of: message.conversation)
        || message.mentions.spans(in: message.body).contains {
          myNames.contains(MatchFolding.folded($0.identity))
        })
  }

  /// Where a message addresses the person without `@`: UTF-8 offsets of its text as shown.
  func mentionsOfMe(in shown: SafeText, of message: Message) -> [Range<Int>] {
    // Mentions have offsets in the sent text; marks for unsafe characters shift them.
    let mentions =
      message.mentions.isEmpty || !shown.string.utf8.elementsEqual(message.body.utf8)
      ? []
      : message.mentions.spans(in: message.body)
        .filter { myNames.contains(MatchFolding.folded($0.identity)) }.map(\.range)
    return mentions + [addressed(in: shown.string, of: message.conversation)].compactMap { $0 }
      + highlighted(in: shown.string) + called(in: shown.string, of: message.conversation)
  }

  // MARK: The person's nick on a network

  /// Where a text has the person's nick in a conversation as a word of its own, in upper or lower
  /// case: UTF-8 offsets. A bridge's bot begins a text with its author's name, as `<name> `, which
  /// mentions nobody.
  private func called(in text: String, of conversation: ID<Conversation>?) -> [Range<Int>] {
    guard let nick = conversation.flatMap({ nicks[$0] }), !nick.isEmpty else { return [] }
    let (name, all) = (Array(nick.unicodeScalars), Array(text.unicodeScalars))
    guard all.count >= name.count else { return [] }
    var found: [Range<Int>] = []
    // `offset` is the number of bytes before `place`.
    var (place, offset) = (Self.lengthOfSpeaker(all), 0)
    for scalar in all[..<place] { offset += UTF8.width(scalar) }
    while place + name.count <= all.count {
      let end = place + name.count
      let isNick =
        zip(all[place..<end], name).allSatisfy { Self.isSame($0, $1) }
        && (place == 0 || !Self.isOfName(all[place - 1], after: false))
        && (end == all.count || !Self.isOfName(all[end], after: true))
      let size = all[place..<(isNick ? end : place + 1)].reduce(0) { $0 + UTF8.width($1) }
      if isNick { found.append(offset..<offset + size) }
      (place, offset) = (isNick ? end : place + 1, offset + size)
    }
    if found.isEmpty { return [] }
    // An address may contain it.
    return found.outside(WebAddresses.ranges(in: text))
  }

  /// Whether two characters differ in nothing but upper and lower case.
  private static func isSame(_ one: Unicode.Scalar, _ other: Unicode.Scalar) -> Bool {
    if one == other { return true }
    // Most characters of a text are another letter; the mapping makes a string of each.
    if one.isASCII, other.isASCII {
      return one.value | 0x20 == other.value | 0x20 && one.properties.isAlphabetic
    }
    return one.properties.lowercaseMapping == other.properties.lowercaseMapping
  }

  /// The number of scalars in `<name> ` at the start of a text.
  private static func lengthOfSpeaker(_ text: [Unicode.Scalar]) -> Int {
    guard text.first == "<", let end = text.prefix(longestName).firstIndex(of: ">"),
      end + 1 < text.count, text[end + 1] == " ", !text[..<end].contains(" ")
    else { return 0 }
    return end + 2
  }

  /// Whether a character beside a nick makes it a part of a longer word: a letter, a digit, a mark or
  /// an invisible character, or a sign that nicks have. Behind a nick, brackets are such signs, too.
  private static func isOfName(_ scalar: Unicode.Scalar, after: Bool) -> Bool {
    switch scalar.properties.generalCategory {
    case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter,
      .decimalNumber, .letterNumber, .otherNumber, .nonspacingMark, .spacingMark, .enclosingMark,
      .format:
      true
    default:
      "_-|^`\\@".unicodeScalars.contains(scalar) || after && "[{".unicodeScalars.contains(scalar)
    }
  }

  /// `anna: …` and `anna, …` at the start of a text (rule 2.12): the range of the name, in UTF-8
  /// offsets.
  func addressed(in text: String, of conversation: ID<Conversation>? = nil) -> Range<Int>? {
    let head = text.utf8.prefix(Self.longestName)
    guard let end = head.firstIndex(where: { $0 == 0x3A || $0 == 0x2C }) else { return nil }
    // `anna:8080` is not an address to anna.
    if let next = text.utf8[end...].dropFirst().first, ![0x20, 0x09, 0x0A].contains(next) {
      return nil
    }
    let name = text[..<end]
    guard myNames(in: conversation).contains(MatchFolding.folded(String(name))) else { return nil }
    return 0..<name.utf8.count
  }

  /// Bytes of the longest name and the character after it.
  private static let longestName = 513

  /// The ranges of the words that the person highlights, as `/search` finds them: UTF-8 offsets.
  func highlighted(in text: String) -> [Range<Int>] {
    highlight.isEmpty ? [] : SearchQuery(terms: highlight).ranges(in: text)
  }

  /// Whether a word after `@` begins with a name of the person, as in `@anna's`: no character that
  /// could be part of a name may follow.
  private func names(me word: Substring, in conversation: ID<Conversation>?) -> Bool {
    let folded = MatchFolding.folded(String(word))
    return myNames(in: conversation).contains { name in
      guard folded.hasPrefix(name) else { return false }
      guard let next = folded.dropFirst(name.count).first else { return true }
      return !next.isLetter && !next.isNumber && next != "_" && next != "-"
    }
  }

  struct Word {
    /// The UTF-8 offsets, including the sign.
    var range: Range<Int>
    var isPerson: Bool
    /// The name without the sign.
    var name: Substring
  }

  private static let openers = Set(" \t\n([{\"'*_~`".utf8)
  private static let closers = Set(".,;:!?)]}\"'*~`".utf8)

  /// The words that begin with `@` or `#` and contain a letter.
  package static func words(in text: String) -> [Word] {
    let bytes = Array(text.utf8)
    var found: [Word] = []
    var at = 0
    while let start = bytes[at...].firstIndex(where: { $0 == 0x40 || $0 == 0x23 }) {
      at = start + 1
      if start > 0, !openers.contains(bytes[start - 1]) { continue }
      var end = at
      while end < bytes.count, bytes[end] != 0x20, bytes[end] != 0x09, bytes[end] != 0x0A {
        end += 1
      }
      at = end
      while end > start + 1, closers.contains(bytes[end - 1]) { end -= 1 }
      let from = text.utf8.index(text.utf8.startIndex, offsetBy: start + 1)
      let name = text[from..<text.utf8.index(text.utf8.startIndex, offsetBy: end)]
      guard let first = name.first, first != "#", first != "@",
        name.contains(where: \.isLetter) || bytes[start] == 0x40 && name.contains(where: \.isNumber)
      else { continue }
      found.append(Word(range: start..<end, isPerson: bytes[start] == 0x40, name: name))
    }
    return found
  }
}

extension [Range<Int>] {
  /// The ranges that overlap none of the others; both lists ascend. Takes linear time.
  fileprivate func outside(_ others: [Range<Int>]) -> [Range<Int>] {
    var others = others[...]
    return filter { range in
      while let other = others.first, other.upperBound <= range.lowerBound { others.removeFirst() }
      return others.first?.overlaps(range) != true
    }
  }
}
