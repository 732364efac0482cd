// SPDX-License-Identifier: GPL-3.0-or-later
import Terminal
import Testing

@Suite("1.9: Pastes that the terminal does not mark")
struct UnmarkedPasteTests {
  private static let lines = (1...60).map { "line \($0)" }

  /// The text that the keys would type, with what is a paste in braces.
  private func text(_ keys: [KeyEvent]) -> String {
    keys.map {
      switch $0 {
      case .key(let bytes): String(decoding: bytes, as: UTF8.self)
      case .paste(let bytes): "{" + String(decoding: bytes, as: UTF8.self) + "}"
      default: "?"
      }
    }.joined()
  }

  private func keys(_ text: String) -> [KeyEvent] { text.utf8.map { .key([$0]) } }

  /// The keys of reads at these times.
  private func take(_ reads: [(text: String, at: Int64)], busy: Int64 = 0) -> String {
    var pastes = UnmarkedPaste()
    var taken: [KeyEvent] = []
    for (text, time) in reads {
      if pastes.timeLeft(at: time - 1) == 0 { taken += pastes.timeOut() }
      taken += pastes.take(keys(text), at: time, busy: busy)
    }
    return text(taken + pastes.timeOut())
  }

  @Test("many lines at once are a paste, the last Return too", arguments: ["\r", "\r\n"])
  func atOnce(newline: String) {
    let typed = Self.lines.map { $0 + newline }.joined()
    #expect(take([(typed, 500)]) == "{" + Self.lines.map { $0 + "\n" }.joined() + "}")
  }

  @Test(
    "over a slow line, it is a paste from its first Return on", arguments: [1, 8, 29] as [Int64])
  func slowly(pause: Int64) {
    let typed = Self.lines.joined(separator: "\r")
    let reads = typed.utf8.enumerated().map {
      (String(Unicode.Scalar($1)), 500 + Int64($0) * pause)
    }
    #expect(
      take(reads) == "line 1{\n" + Self.lines.dropFirst().joined(separator: "\n") + "}")
  }

  @Test("what people type are lines, and a Return waits for nothing")
  func typing() {
    var pastes = UnmarkedPaste()
    for (index, letter) in "a\rb\rc\rd\re\r".enumerated() {
      let key = keys(String(letter))
      #expect(pastes.take(key, at: Int64(index) * 31, busy: 0) == key)
      #expect(pastes.timeLeft(at: Int64(index) * 31) == nil)
    }
  }

  @Test("up to three lines sent at once are lines; they wait for the time that shows it")
  func fewLines() {
    #expect(take([("hello\r", 500)]) == "hello\r")
    #expect(take([("a\rb\rc\r", 500)]) == "a\rb\rc\r")
    #expect(take([("a\rb\rc\r", 500), ("d\re\r", 531)]) == "a\rb\rc\rd\re\r")
    #expect(take([("a\rb\rc\r", 500), ("d", 530)]) == "{a\nb\nc\nd}")
    var pastes = UnmarkedPaste()
    #expect(pastes.take(keys("hello\r"), at: 500, busy: 0) == [])
    #expect(pastes.timeLeft(at: 510) == 20)
  }

  @Test("what a person can have typed while the program was busy are lines, more is a paste")
  func busy() {
    #expect(take([("a\rb\rc\rd\r", 500)], busy: 300) == "a\rb\rc\rd\r")
    let lines = (1...60).map { "\($0)\r" }.joined()
    let paste = (1...60).map { "\($0)\n" }.joined()
    #expect(take([(lines, 500)], busy: 1_000) == "{" + paste + "}")
    #expect(take([(lines, 500)], busy: 60_000) == "{" + paste + "}")
    let few = (1...20).map { "\($0)\r" }.joined()
    #expect(take([(few, 500)], busy: 60_000) == few)
    // Nobody types so much.
    let long = String(repeating: String(repeating: "x", count: 1_000) + "\r", count: 5)
    #expect(take([(long, 500)], busy: 30_000).hasPrefix("{x"))
  }

  @Test("a paste behind lines that were typed ahead is one")
  func behindTypedAhead() {
    var pastes = UnmarkedPaste()
    #expect(pastes.take(keys("one\r"), at: 500, busy: 10_000) == [])
    let lines = (1...20).map { "L\($0)\r" }.joined()
    #expect(pastes.take(keys(lines), at: 501, busy: 5) == [])
    #expect(text(pastes.timeOut()).hasPrefix("{one\nL1\n"))
  }

  @Test("1.15: keys without enough Returns do not pile up")
  func endless() {
    var pastes = UnmarkedPaste()
    var count = 0
    for time in 0..<1000 {
      count +=
        pastes.take(
          keys("\r" + String(repeating: "x", count: 99)), at: Int64(time) * 31,
          busy: 0
        ).count
      count += pastes.timeOut().count
    }
    #expect(count == 100_000)
    #expect(
      pastes.take(keys("\r" + String(repeating: "x", count: 5000)), at: 99_000, busy: 0)
        .count == 5001)
  }
}
