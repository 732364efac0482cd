// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

/// A source with a list, which records the questions.
final class ListSource: CompletionSource {
  var list: [Candidate]
  var failure: (any Error)?
  private(set) var asked: [String] = []

  init(_ list: [Candidate]) {
    self.list = list
  }

  func candidates(for question: CompletionQuestion) throws -> [Candidate] {
    asked.append(question.word)
    if let failure { throw failure }
    return list
  }
}

/// `/join ROOM` and `/attach FILE`, as the shell would offer them.
final class TestArguments: ArgumentSource {
  var rooms = ["lobby", "loud", "kitchen"]
  var files = ["photos/", "notes.txt"]
  /// Names that are completed without a prefix, in this order.
  var names: [Candidate] = []

  func bareWord(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], behindAtLineStart: String)? {
    let bytes = Array(text.utf8)
    guard (0...bytes.count).contains(caret) else { return nil }
    let start = bytes[..<caret].lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
    let end = bytes[caret...].firstIndex(of: UInt8(ascii: " ")) ?? bytes.count
    let word = String(decoding: bytes[start..<end], as: UTF8.self)
    let found = names.filter { $0.text.lowercased().hasPrefix(word.lowercased()) }
    return found.isEmpty ? nil : (start..<end, word, found, ":")
  }

  func argument(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], hint: SafeText?)? {
    let bytes = Array(text.utf8)
    guard text.hasPrefix("/"), let name = bytes.firstIndex(of: UInt8(ascii: " ")), caret > name
    else { return nil }
    let start = bytes[..<caret].lastIndex(of: UInt8(ascii: " ")).map { $0 + 1 } ?? 0
    let end = bytes[caret...].firstIndex(of: UInt8(ascii: " ")) ?? bytes.count
    let word = String(decoding: bytes[start..<end], as: UTF8.self)
    let isFirst = start == name + 1
    switch String(decoding: bytes[..<name], as: UTF8.self) {
    case "/join":
      return (start..<end, word, isFirst ? rooms.map { Candidate($0) } : [], "/join ROOM")
    case "/attach": return (start..<end, word, files.map { Candidate($0) }, "/attach FILE")
    case "/odd": return (-1..<99, word, [Candidate("x")], nil)
    default: return nil
    }
  }
}

/// A person at the keyboard: a line, a session, and the effects of the keys.
///
/// `⇥` TAB, `⇤` S-TAB, `↑ ↓ ← →`, `⏎` Return, `⎋` Esc, `⌫` Backspace; every other character is typed.
/// `line's` has the keys that the menu left to the line; `bell` counts.
struct Typist {
  var session: CompletionSession
  var text = ""
  var caret = 0
  var regionActive = false
  /// The text that the session was told last, and its number.
  private var told = (text: "", edition: 0)
  var notMine = ""
  var bells = 0
  var accepted: [AcceptedCandidate] = []

  static let people = [
    Candidate("Anna", identity: "anna@host"), Candidate("Annabel"), Candidate("Ben", recency: 2),
    Candidate("Hanna"), Candidate("Zoë"), Candidate("José"), Candidate("Nathan Tannar"),
  ]

  static let rooms = ["lobby", "loud", "kitchen"].map { Candidate($0) }
  static let emoji = [
    Candidate("boar", hint: "🐗"), Candidate("boat", hint: "⛵"), Candidate("tada", hint: "🎉"),
    Candidate("family", hint: "👨‍👩‍👧"), Candidate("plain"),
  ]
  static let commands = [
    Candidate("join", hint: "ROOM"), Candidate("joint"), Candidate("me"), Candidate("message"),
  ]

  /// All prefixes, registered as in the shell (2.1, 2.4).
  static func registry(emojiAsCharacter asCharacter: Bool = true) -> CompletionRegistry {
    var registry = CompletionRegistry()
    registry.register("@", source: ListSource(people), PrefixRules(behindAtLineStart: ":"))
    registry.register("#", source: ListSource(rooms), PrefixRules(opensAfter: 1))
    let emoji = ListSource(emoji)
    registry.register(":", source: emoji, .emoji(opensAfter: 2) { asCharacter })
    registry.register("+:", source: emoji, .emoji(opensAfter: 2, keeping: "+") { asCharacter })
    registry.register("/", source: ListSource(commands), PrefixRules(lineStartOnly: true))
    return registry
  }

  init(_ session: CompletionSession? = nil) {
    self.session =
      session ?? CompletionSession(registry: Self.registry(), argumentSource: TestArguments())
  }

  /// Registers only `@`, with these candidates.
  init(people: [Candidate]) {
    var registry = CompletionRegistry()
    registry.register("@", source: ListSource(people), PrefixRules(behindAtLineStart: ":"))
    self.init(CompletionSession(registry: registry))
  }

  var line: String { marking(text, caret) }

  /// The menu as a picture: the selected row after `▸`, the matching part in brackets.
  var menu: String { picture(columns: 40) }

  func picture(columns: Int) -> String {
    session.rows(columns: columns, widths: Widths()).map { row in
      let isSelected = row.runs.contains { $0.style.attributes.contains(.reverse) }
      let text = row.runs.map {
        $0.style.attributes.contains(.bold) ? "[\($0.text)]" : $0.text.string
      }
      return (isSelected ? "▸" : "") + text.joined()
    }.joined(separator: "\n")
  }

  /// Sets the text as the program does, with the caret at `|`.
  mutating func restore(_ line: String) {
    (text, caret) = marked(line)
    tell(byHand: false)
  }

  /// Sets the text as a paste does.
  mutating func paste(_ line: String) {
    (text, caret) = marked(line)
    tell(byHand: true)
  }

  mutating func type(_ keys: String) {
    for key in keys { press(key) }
  }

  mutating func press(_ key: Character) {
    switch key {
    case "⇥":
      take(session.tab(composed, edition: edition()), key)
    case "⇤": take(session.move(-1), key)
    case "↑": take(session.move(-1), key)
    case "↓": take(session.move(1), key)
    case "⏎": take(session.returnKey(composed), key)
    case "⎋": take(session.escape(), key)
    case "←": move(to: Motion.previousGrapheme(in: text, before: caret))
    case "→": move(to: Motion.nextGrapheme(in: text, after: caret))
    case "⌫":
      session.leaveSelection()
      let start = Motion.previousGrapheme(in: text, before: caret)
      replace(start..<caret, "", start)
    default:
      session.leaveSelection()
      replace(caret..<caret, String(key), caret + String(key).utf8.count)
    }
    tell(byHand: true)
  }

  mutating func tell(byHand: Bool) {
    session.textChanged(composed, edition: edition(), byHand: byHand)
  }

  /// Does what the owner of a session does when a source has new candidates.
  mutating func candidatesChanged() { session.candidatesChanged(composed) }

  private var composed: ComposedText {
    ComposedText(text, caret: caret, region: regionActive ? 0..<1 : nil)
  }

  /// The number of the text; another one moves what the session remembers along.
  private mutating func edition() -> Int {
    if !text.utf8.elementsEqual(told.text.utf8) {
      let (range, count) = TextChange.between(told.text, text, caret: caret)
      session.moveAlong(replacing: range, with: count)
      told = (text, told.edition + 1)
    }
    return told.edition
  }

  private mutating func move(to place: Int) {
    session.leaveSelection()
    caret = place
  }

  private mutating func take(_ action: CompletionAction, _ key: Character) {
    switch action {
    case .notMine: notMine.append(key)
    case .none: break
    case .bell: bells += 1
    case .replace(let range, let new, let caret, let accepted):
      for place in [range.lowerBound, range.upperBound] {
        #expect(isBoundary(place), "\(range) in \(line.debugDescription)")
      }
      replace(range, new, caret)
      told = (text, told.edition + 1)
      session.madeChange(composed, edition: told.edition)
      #expect(isBoundary(caret), "the caret in \(line.debugDescription)")
      if let accepted { self.accepted.append(accepted) }
    }
  }

  private mutating func replace(_ range: Range<Int>, _ new: String, _ caret: Int) {
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(range, with: new.utf8)
    text = String(decoding: bytes, as: UTF8.self)
    self.caret = caret
  }

  private func isBoundary(_ place: Int) -> Bool {
    (0...text.utf8.count).contains(place)
      && Motion.clampedToGrapheme(in: text, offset: place) == place
  }
}
