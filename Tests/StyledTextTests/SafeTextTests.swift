// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@Suite("12.2: what may reach a terminal")
struct SafeTextTests {
  @Test(
    "12.2: what could control a terminal is shown as a mark",
    arguments: [
      ("plain", "plain"),
      ("a\nb\tc", "a\nb\tc"),
      ("\u{1B}[2J", "^[[2J"),
      ("\u{1B}]52;c;aGk=\u{07}", "^[]52;c;aGk=^G"),
      ("a\u{0}b\r\nc\u{8}", "a^@b^M\nc^H"),
      ("\u{7F}", "^?"),
      ("\u{9B}31m", "<U+009B>31m"),
      ("\u{85}", "<U+0085>"),
      ("a\u{2028}b\u{2029}", "a<U+2028>b<U+2029>"),
      ("\u{202E}txt.exe", "<U+202E>txt.exe"),
      ("\u{2066}a\u{2069}\u{200E}\u{200F}\u{61C}", "<U+2066>a<U+2069><U+200E><U+200F><U+061C>"),
      ("\u{FEFF}a\u{2061}", "<U+FEFF>a<U+2061>"),
      ("soft\u{AD}hyphen", "soft-hyphen"),
      ("\u{E0041}\u{E0001}", "<U+E0041><U+E0001>"),
      ("漢字 é ñ 😀 ش", "漢字 é ñ 😀 ش"),
      ("👨‍👩‍👧 نمی\u{200C}خواهم 🇩🇪 1️⃣", "👨‍👩‍👧 نمی\u{200C}خواهم 🇩🇪 1️⃣"),
    ])
  func bodyMarks(input: String, shown: String) {
    #expect(utf8(SafeText(body: input)) == utf8(shown))
    #expect(utf8(SafeText(body: Array(input.utf8))) == utf8(shown))
  }

  @Test(
    "12.2: bytes that are not UTF-8 are marked one by one",
    arguments: [
      ([0xFF], "<FF>"),
      ([0x61, 0xC3], "a<C3>"),
      ([0x9B, 0x33, 0x31, 0x6D], "<9B>31m"),
      ([0xC0, 0x80], "<C0><80>"),
      ([0xED, 0xA0, 0x80], "<ED><A0><80>"),
      ([0xE2, 0x82, 0x41], "<E2><82>A"),
      ([0xF4, 0x90, 0x80, 0x80], "<F4><90><80><80>"),
      ([0xF0, 0x9F, 0x98, 0x80], "😀"),
      ([0xEF, 0xBF, 0xBE, 0xF0, 0x9F, 0xBF, 0xBF, 0xEF, 0xB7, 0x90], "<U+FFFE><U+1FFFF><U+FDD0>"),
    ] as [([UInt8], String)])
  func invalidBytes(input: [UInt8], shown: String) {
    #expect(SafeText(body: input).string == shown)
    #expect(SafeText(line: input).string == shown)
    // A collection without contiguous storage takes another way in.
    #expect(SafeText(body: input.lazy.map { $0 }).string == shown)
  }

  @Test("12.2: one line keeps neither newline nor tab")
  func lineMarksNewlines() {
    #expect(SafeText(line: "a\nb\tc").string == "a^Jb^Ic")
    #expect(SafeText(line: "é\nb").string == "é^Jb")
  }

  @Test(
    "12.2, 12.3: a name keeps no invisible characters and no outer spaces",
    arguments: [
      ("admin ", "admin"),
      ("\u{3000} admin\u{A0}", "admin"),
      ("an\u{200B}na\u{202E}\u{2060}\u{FEFF}", "anna"),
      ("a\u{200D}b\u{E0041}\u{AD}", "ab"),
      ("❤\u{FE0F}", "❤"),
      ("\u{200B} anna\u{200B} ", "anna"),
      ("\u{3164}x\u{115F}", "x"),
      ("a\u{1B}[31m\n", "a^[[31m^J"),
      ("Zoë van 漢", "Zoë van 漢"),
      (" \u{202E} ", ""),
    ])
  func names(input: String, shown: String) {
    #expect(utf8(SafeText(name: input)) == utf8(shown))
  }

  @Test("12.2: from the ninth combining mark on one base, marks are counted, not shown")
  func combiningFlood() {
    let accent = "\u{301}"
    let eight = "e" + String(repeating: accent, count: 8)
    #expect(SafeText(body: eight).string == eight)
    let flood = "e" + String(repeating: accent, count: 1008) + "x"
    #expect(SafeText(body: flood).string == eight + "<+1000>x")
    #expect(SafeText(body: "e" + String(repeating: accent, count: 9)).string == eight + "<+1>")
    // What is dropped from a name does not begin a new base.
    let inName = "e" + String(repeating: accent + "\u{200B}", count: 10)
    #expect(SafeText(name: inName).string == eight + "<+2>")
    let spaces = "a" + String(repeating: "\u{200B}", count: 10)
    #expect(SafeText(body: spaces).string.hasSuffix("<+2>"))
  }

  @Test("12.2: tags stay only in the flag of a region")
  func flags() {
    let tags = "\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}"
    let england = "\u{1F3F4}" + tags + "\u{E007F}"
    #expect(utf8(SafeText(body: england)) == utf8(england))
    #expect(SafeText(body: "\u{1F3F4}\u{E0067}\u{E007F}x").string == "🏴<U+E0067><U+E007F>x")
    #expect(SafeText(body: "\u{1F3F4}" + tags).string.hasPrefix("🏴<U+E0067>"))
    let long = "\u{1F3F4}" + tags + tags + "\u{E007F}"
    #expect(SafeText(body: long).string.hasPrefix("🏴<U+E0067>"))
    #expect(SafeText(name: england).string == "🏴")
  }

  @Test("12.6: any bytes give safe text, and sanitising it again changes nothing")
  func fuzz() {
    var random = FixedRandom(seed: 20)
    for _ in 0..<4000 {
      let bytes = random.hostileBytes()
      let string = String(decoding: bytes, as: UTF8.self)
      for safe in [
        SafeText(body: bytes), SafeText(line: bytes), SafeText(body: string),
        SafeText(name: string),
      ] {
        for scalar in safe.string.unicodeScalars {
          #expect(isHarmless(scalar), "U+\(String(scalar.value, radix: 16)) in \(bytes)")
        }
      }
      let body = SafeText(body: bytes).string
      #expect(utf8(SafeText(body: body)) == utf8(body), "\(bytes)")
      let line = SafeText(line: bytes).string
      #expect(utf8(SafeText(line: line)) == utf8(line), "\(bytes)")
      #expect(!line.utf8.contains(0x0A) && !line.utf8.contains(0x09))
      let name = SafeText(name: string).string
      #expect(utf8(SafeText(name: name)) == utf8(name), "\(bytes)")
    }
  }

  @Test("12.6: the time grows with the length, not with its square")
  func linear() {
    func time(_ count: Int) -> Double {
      let bytes = (0..<count).flatMap { _ in [0x65, 0xCC, 0x81, 0xFF, 0xE2, 0x80, 0xAE] as [UInt8] }
      return processorTime { #expect(!SafeText(body: bytes).isEmpty) }
    }
    let (small, large) = (time(5_000), time(50_000))
    #expect(large < small * 40)
  }

  @Test("a text is put together from safe parts only")
  func interpolation() {
    let name = SafeText(name: "Anna\u{1B}")
    let text: SafeText = "[\(42)] \(name): \(SafeText(body: "a\nb"))"
    #expect(text.string == "[42] Anna^[: a\nb")
    #expect(text.lines.map(\.string) == ["[42] Anna^[: a", "b"])
    #expect(SafeText().lines == [""])
    #expect(SafeText(body: "a\n\nb\n").lines.map(\.string) == ["a", "", "b", ""])
    #expect([name, "x", "y"].joined(separator: ", ").string == "Anna^[, x, y")
    #expect(("a" + name).string == "aAnna^[")
    #expect(SafeText(-7).string == "-7")
    #expect(("\u{9B}" as SafeText).string == "<U+009B>")
  }

  @Test(
    "a text is cut to columns with the ellipsis counted in",
    arguments: [
      ("hello", 5, "hello"), ("hello", 4, "hel…"), ("hello", 1, "…"), ("hello", 0, ""),
      ("漢字漢字", 8, "漢字漢字"), ("漢字漢字", 7, "漢字漢…"), ("漢字漢字", 6, "漢字…"),
      ("漢字漢字", 2, "…"), ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("a\tbc", 9, "a\t…"),
    ])
  func truncation(text: String, columns: Int, shown: String) {
    let safe = SafeText(body: text)
    #expect(safe.truncated(to: columns, widths: Widths()).string == shown)
  }

  @Test("7.2: where only ASCII is shown, the ellipsis is ASCII, too")
  func truncationInASCII() {
    let ellipsis = Glyphs.ascii.ellipsis
    let text: SafeText = "hello world"
    #expect(text.truncated(to: 8, widths: Widths(), ellipsis: ellipsis).string == "hello...")
    #expect(text.truncated(to: 2, widths: Widths(), ellipsis: ellipsis).string == "he")
  }
}

@Suite("what the program says") struct SayTests {
  @Test("arguments stand where the sentence wants them, unchanged")
  func arguments() {
    #expect(say("Nothing to say") == "Nothing to say")
    #expect(say("%1 & %2 are typing", "Anna", "Ben") == "Anna & Ben are typing")
    #expect(say("%2 before %1", "%2", "100%") == "100% before %2")
    #expect(say("100%% of %1%", 5) == "100% of 5%")
    #expect(say("%1 and %3", "a") == "a and %3")
    #expect(say("%x %0 %é", "a") == "%x %0 %é")
    #expect(say(("%1: %2", ["a\u{1B}b", "c"])) == "a^[b: c")
    // What is too long for a sentence loses its middle, whole code points of it (10).
    let name = SafeText(line: "begin" + String(repeating: "é", count: 50_000) + "end")
    let sentence = say("There is no room %1; hobnob open %1 makes it.", name).string
    #expect(sentence.utf8.count < 2100)
    #expect(sentence.hasPrefix("There is no room beginé") && sentence.hasSuffix("éend makes it."))
    #expect(sentence.contains("é…é"))
    #expect(
      say("%1", SafeText(line: String(repeating: "x", count: 1000))).string.utf8.count == 1000)
  }
}

private func utf8(_ text: SafeText) -> [UInt8] { Array(text.string.utf8) }
private func utf8(_ text: String) -> [UInt8] { Array(text.utf8) }

private func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0x0A, 0x09: true
  case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0x200E, 0x200F, 0x61C, 0xFEFF:
    false
  default: scalar.value & 0xFFFE != 0xFFFE
  }
}

extension Int {
  fileprivate var text: SafeText { SafeText(self) }
}
private func say(_ english: StaticString, _ number: Int) -> SafeText { say(english, number.text) }
