// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Platform
import Repeatable
import Terminal
import Testing

@Suite("bytes of the keyboard become keys")
struct KeyDecoderTests {
  @Test(
    "a complete key is one event",
    arguments: [
      ("a", [key("a")]),
      ("ab", [key("a"), key("b")]),
      ("é漢😀", [key("é"), key("漢"), key("😀")]),
      ("\u{1}\u{7F}\r\n\0", [key("\u{1}"), key("\u{7F}"), key("\r"), key("\n"), key("\0")]),
      ("\u{1B}b\u{1B}\r\u{1B}é", [key("\u{1B}b"), key("\u{1B}\r"), key("\u{1B}é")]),
      ("\u{1B}[A\u{1B}OP\u{1B}[3~", [key("\u{1B}[A"), key("\u{1B}OP"), key("\u{1B}[3~")]),
      ("\u{1B}[1;5D\u{1B}[[A\u{1B}[Z", [key("\u{1B}[1;5D"), key("\u{1B}[[A"), key("\u{1B}[Z")]),
      ("\u{1B}\u{1B}[A", [key("\u{1B}\u{1B}[A")]),
      ("\u{1B}\u{1B}x", [key("\u{1B}\u{1B}"), key("x")]),
      ("\u{1B}[I\u{1B}[O", [.focus(true), .focus(false)]),
      ("\u{1B}\u{1B}[I", [.escape, .focus(true)]),
    ])
  func keys(typed: String, events: [KeyEvent]) {
    #expect(decode(typed) == events)
  }

  @Test(
    "answers of the terminal are never text",
    arguments: [
      "\u{1B}[24;80R", "\u{1B}[?1;2c", "\u{1B}[>41;354;0c", "\u{1B}[?2026;2$y", "\u{1B}[0n",
      "\u{1B}[?1u", "\u{1B}[8;24;80t", "\u{1B}[<0;10;20M", "\u{1B}[<0;10;20m",
      "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\", "\u{1B}]11;rgb:0/0/0\u{7}",
      "\u{1B}P>|tmux 3.3a\u{1B}\\", "\u{1B}P1+r5463\u{1B}\\", "\u{1B}_Gi=1;OK\u{1B}\\",
    ])
  func replies(sent: String) {
    #expect(decode(sent + "x") == [.reply(Array(sent.utf8)), key("x")])
  }

  @Test(
    "1.14: the terminal's answer about its size is the position of its last corner",
    arguments: [
      ("\u{1B}[24;80R", Size(rows: 24, columns: 80)), ("\u{1B}[1;1R", Size(rows: 1, columns: 1)),
      ("\u{1B}[0;80R", nil), ("\u{1B}[24R", nil), ("\u{1B}[24;80;1R", nil), ("\u{1B}[?24;80R", nil),
      ("\u{1B}[99999;80R", nil), ("\u{1B}[24;80t", nil), ("\u{1B}[24;R", nil), ("R", nil),
    ])
  func sizeReport(sent: String, size: Size?) {
    #expect(decode(sent).compactMap { SizeReport.size(in: $0) } == [size].compactMap(\.self))
  }

  @Test(
    "1.3: Shift-Return is a newline, in both encodings",
    arguments: [
      ("13;2u", [KeyEvent.newline]), ("27;2;13~", [.newline]), ("13;130u", [.newline]),
      ("13u", [key("\r")]), ("13;5u", [key("\r")]), ("27;5;13~", [key("\r")]),
      ("13;3u", [key("\u{1B}\r")]), ("13;4u", [key("\u{1B}\r")]), ("57414u", [key("\r")]),
    ])
  func newline(sequence: String, events: [KeyEvent]) {
    #expect(decode("\u{1B}[" + sequence) == events)
  }

  @Test(
    "keys in the newer encodings come as the bytes of an old terminal",
    arguments: [
      ("27u", [KeyEvent.escape]), ("27;129u", [.escape]), ("27;3u", [key("\u{1B}\u{1B}")]),
      ("97;5u", [key("\u{1}")]), ("27;5;97~", [key("\u{1}")]), ("120;6u", [key("\u{18}")]),
      ("97;133u", [key("\u{1}")]), ("98;3u", [key("\u{1B}b")]), ("98;7u", [key("\u{1B}\u{2}")]),
      ("27;3;98~", [key("\u{1B}b")]), ("97:65;4u", [key("\u{1B}A")]), ("97;4u", [key("\u{1B}A")]),
      ("44:60;4u", [key("\u{1B}<")]), ("45:95;6u", [key("\u{1F}")]), ("27;6;95~", [key("\u{1F}")]),
      ("45;6u", [key("\u{1F}")]), ("47;5u", [key("\u{1F}")]), ("32;5u", [key("\0")]),
      ("27;5;64~", [key("\0")]), ("91;5u", [.escape]), ("93;5u", [key("\u{1D}")]),
      ("92;5u", [key("\u{1C}")]), ("54:94;6u", [key("\u{1E}")]), ("59;5u", [key(";")]),
      ("1089::99;5u", [key("\u{3}")]), ("1089;5u", [key("с")]), ("228;3u", [key("\u{1B}ä")]),
      ("9;2u", [key("\u{1B}[Z")]), ("9;5u", [key("\t")]), ("127;5u", [key("\u{8}")]),
      ("127;3u", [key("\u{1B}\u{7F}")]), ("97;2u", [key("A")]), ("97;;229u", [key("å")]),
      ("97;1:3u", []), ("108;9u", []), ("57400u", [key("1")]), ("57417u", [key("\u{1B}[D")]),
      ("57421;5u", [key("\u{1B}[5;5~")]), ("57363u", [key("\u{1B}[57363;1u")]),
      ("1;129A", [key("\u{1B}[A")]), ("1;133A", [key("\u{1B}[1;5A")]),
      ("3;129~", [key("\u{1B}[3~")]), ("1;1:3A", []), ("1;5:1A", [key("\u{1B}[1;5A")]),
      ("99999999999999999999u", [key("\u{1B}[99999999999999999999u")]), ("1114112u", []),
      ("201~", []),
    ])
  func newerEncodings(sequence: String, events: [KeyEvent]) {
    #expect(decode("\u{1B}[" + sequence) == events)
  }

  @Test(
    "1.9: a paste is one event with its lines kept",
    arguments: [
      ("a\r\nb\rc\nd", "a\nb\nc\nd"), ("\r\n\r\n", "\n\n"), ("\r\r\n\n", "\n\n\n"), ("", ""),
      ("\u{1B}[31mx\u{1B}[201\0", "\u{1B}[31mx\u{1B}[201\0"), ("201~", "201~"), ("漢\t", "漢\t"),
    ])
  func paste(body: String, taken: String) {
    let events = decode("x\u{1B}[200~" + body + "\u{1B}[201~y")
    #expect(events == [key("x"), .paste(Array(taken.utf8)), key("y")])
  }

  @Test("1.9: an Escape right before a paste is an Escape")
  func escapeBeforePaste() {
    #expect(decode("\u{1B}\u{1B}[200~a\u{1B}[201~") == [.escape, .paste([0x61])])
  }

  @Test("a lone ESC is Escape once nothing follows")
  func loneEscape() {
    var decoder = KeyDecoder()
    #expect(decoder.decode([0x1B]) == [])
    #expect(decoder.isWaiting)
    #expect(decoder.timeOut() == [.escape])
    #expect(!decoder.isWaiting)
    #expect(decoder.timeOut() == [])
    #expect(decoder.decode(Array("b".utf8)) == [key("b")])
  }

  @Test(
    "an unfinished sequence becomes the keys it may have been",
    arguments: [
      ("\u{1B}[", [key("\u{1B}[")]),
      ("\u{1B}O", [key("\u{1B}O")]),
      ("\u{1B}]", [key("\u{1B}]")]),
      ("\u{1B}P", [key("\u{1B}P")]),
      ("\u{1B}\u{1B}", [key("\u{1B}\u{1B}")]),
      ("\u{1B}\u{1B}[", [.escape, key("\u{1B}[")]),
      ("\u{1B}[1;", [key("\u{1B}["), key("1"), key(";")]),
      ("\u{1B}[[", [key("\u{1B}["), key("[")]),
      ("\u{1B}]5a", [key("\u{1B}]"), key("5"), key("a")]),
      ("\u{1B}]5\u{1B}", [key("\u{1B}]"), key("5"), .escape]),
    ])
  func unfinished(typed: String, events: [KeyEvent]) {
    var decoder = KeyDecoder()
    var all = decoder.decode(Array(typed.utf8))
    #expect(decoder.isWaiting)
    while decoder.isWaiting { all += decoder.timeOut() }
    #expect(all == events)
  }

  @Test(
    "a key that interrupts a sequence is not swallowed",
    arguments: [
      ("\u{1B}[1\r", [key("\u{1B}["), key("1"), key("\r")]),
      ("\u{1B}[\u{1B}[A", [key("\u{1B}["), key("\u{1B}[A")]),
      ("\u{1B}]hi", [key("\u{1B}]"), key("h"), key("i")]),
      ("\u{1B}]5 lines\r", [key("\u{1B}]")] + "5 lines\r".map { key(String($0)) }),
      ("\u{1B}]5\u{1B}[A", [key("\u{1B}]"), key("5"), key("\u{1B}[A")]),
      ("\u{1B}O\u{3}", [key("\u{1B}O"), key("\u{3}")]),
    ])
  func brokenOff(typed: String, events: [KeyEvent]) {
    #expect(decode(typed) == events)
  }

  @Test(
    "each byte that is not UTF-8 is a replacement character",
    arguments: [
      ([0xFF], 1, ""), ([0xC3, 0x61], 1, "a"), ([0x9B, 0x41], 1, "A"),
      ([0xE2, 0x82, 0x61], 2, "a"),
      ([0xED, 0xA0, 0x80], 3, ""), ([0xC0, 0x80], 2, ""), ([0xF4, 0x90, 0x80, 0x80], 4, ""),
      ([0xE2, 0x82], 2, ""), ([0xC3, 0xC3, 0xA9], 1, "é"),
    ] as [([UInt8], Int, String)])
  func invalid(bytes: [UInt8], replacements: Int, then rest: String) {
    var decoder = KeyDecoder()
    let events = decoder.decode(bytes) + decoder.timeOut()
    let expected = Array(repeating: key("\u{FFFD}"), count: replacements)
    #expect(events == expected + (rest.isEmpty ? [] : [key(rest)]))
  }

  @Test("the boundaries of reads make no difference")
  func splitAnywhere() {
    var random = FixedRandom(seed: 7)
    let parts = [
      "a", "é", "漢", "😀", "\u{1B}", "\u{1B}[A", "\u{1B}[200~", "\u{1B}[201~", "\u{1B}[1;5C",
      "\u{1B}]11;rgb:0\u{1B}\\", "\u{1B}O", "P", "[", "\r\n", "\0", "\u{1B}[13;2u",
      "\u{1B}\u{1B}[A",
      "\u{1B}P1+r\u{1B}\\", "\u{1B}[24;80R", "2", "~", "u",
    ]
    for _ in 0..<3000 {
      var bytes: [UInt8] = []
      for _ in 0..<random.below(12) {
        bytes += parts[random.below(parts.count)].utf8
        if random.below(8) == 0 { bytes.append(UInt8(random.below(256))) }
      }
      var whole = KeyDecoder()
      let expected = whole.decode(bytes)
      var split = KeyDecoder()
      var events: [KeyEvent] = []
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = min(rest.count, 1 + random.below(4))
        events += split.decode(Array(rest.prefix(count)))
        rest = rest.dropFirst(count)
      }
      #expect(events == expected, "\(bytes)")
      #expect(split.isWaiting == whole.isWaiting)
      let isPasting = split.isPasting
      #expect(split.timeOut() == whole.timeOut(), "\(bytes)")
      #expect(split.isPasting == isPasting)
    }
  }

  // MARK: 1.15

  private static let answers = [
    "\u{1B}[24;80R", "\u{1B}[?62;22c", "\u{1B}]11;rgb:ffff/ffff/ffff\u{1B}\\",
    "\u{1B}]11;rgb:0/0/0\u{7}", "\u{1B}P>|tmux 3.3a\u{1B}\\", "\u{1B}[I",
  ]

  /// Decodes pieces that arrive at these times, with the keys that a program gets in between.
  private func arrive(
    _ pieces: [(bytes: [UInt8], at: Int64)], escapeTimeout: Int64? = 100, awaitsAnswer: Bool = false
  ) -> [KeyEvent] {
    var decoder = KeyDecoder()
    (decoder.escapeTimeout, decoder.awaitsAnswer) = (escapeTimeout, awaitsAnswer)
    var events: [KeyEvent] = []
    for (bytes, milliseconds) in pieces {
      let time = MonotonicTime(milliseconds: milliseconds)
      while let deadline = decoder.deadline, deadline <= time { events += decoder.timeOut() }
      events += decoder.decode(bytes, at: time)
    }
    while decoder.deadline != nil { events += decoder.timeOut() }
    return events
  }

  @Test(
    "1.15: the rest of a letter is awaited for a second, whatever the timeout",
    arguments: [1, 100, nil] as [Int64?])
  func lettersInPieces(timeout: Int64?) {
    for letter in ["é", "日", "😀", "\u{1B}é"] {
      for at in (letter.hasPrefix("\u{1B}") ? 2 : 1)..<letter.utf8.count {
        let (head, tail) = (Array(letter.utf8.prefix(at)), Array(letter.utf8.dropFirst(at)))
        #expect(
          arrive([(head, 0), (tail, 999)], escapeTimeout: timeout) == [key(letter)], "\(head)")
        let late = arrive([(head, 0), (tail, 1001)], escapeTimeout: timeout)
        #expect(late.allSatisfy { $0.isKey && $0 != key(letter) })
      }
    }
  }

  @Test(
    "1.15: an answer in pieces is put together within 50 ms, or while one is outstanding",
    arguments: [(49, false), (999, true)] as [(Int64, Bool)], [1, 100, nil] as [Int64?])
  func answersInPieces(pause: (time: Int64, awaitsAnswer: Bool), timeout: Int64?) {
    for answer in Self.answers where !pause.awaitsAnswer || !answer.hasPrefix("\u{1B}P") {
      let bytes = Array(answer.utf8)
      for at in 1..<bytes.count {
        let events = arrive(
          [(Array(bytes[..<at]), 0), (Array(bytes[at...]), pause.time), ([0x78], 20_000)],
          escapeTimeout: timeout, awaitsAnswer: pause.awaitsAnswer)
        #expect(events.filter(\.isKey) == [key("x")], "\(answer.debugDescription) at \(at)")
      }
      // Byte by byte.
      let single = bytes.enumerated().map { ([$1], Int64($0) * pause.time) }
      let events = arrive(
        single + [([0x78], 100_000)], escapeTimeout: timeout, awaitsAnswer: pause.awaitsAnswer)
      #expect(events.filter(\.isKey) == [key("x")], "\(answer.debugDescription) byte by byte")
    }
  }

  @Test("1.15: the rest of an answer that comes too late is dropped, never typed")
  func lateAnswers() {
    for answer in Self.answers {
      let bytes = Array(answer.utf8)
      for at in 1..<bytes.count {
        let events = arrive([
          (Array(bytes[..<at]), 0), (Array(bytes[at...]), 30_000), ([0x78], 60_000),
        ])
        // Only what may have been a key before: M-], M-P and what followed them at once.
        let keys = events.filter(\.isKey).dropLast()
        #expect(keys.count < 4 && keys.count < at, "\(answer.debugDescription) at \(at): \(keys)")
        #expect(events.last == key("x"))
      }
    }
  }

  @Test("1.15: while an answer is outstanding, an ESC waits 50 ms for its rest, and no longer")
  func answerTornBehindItsESC() {
    for answer in Self.answers where !answer.hasPrefix("\u{1B}P") {
      let rest = Array(answer.utf8.dropFirst())
      let reply = decode(answer)
      for (timeout, pause, isTorn) in [(1, 49, false), (1, 51, true), (200, 201, true)]
        as [(Int64, Int64, Bool)]
      {
        let pieces = [([0x1B], 0), (rest, pause), ([0x78], 20_000)]
        let events = arrive(pieces, escapeTimeout: timeout, awaitsAnswer: true)
        // Escape must not wait for terminals that never answer.
        #expect(events == (isTorn ? [.escape] : []) + reply + [key("x")])
      }
      // Byte by byte, as slowly as a terminal may that was asked.
      let single = rest.enumerated().map { ([$1], 900 + Int64($0) * 999) }
      let events = arrive([([0x1B], 0)] + single + [([0x78], 100_000)], awaitsAnswer: true)
      #expect(events == [.escape] + reply + [key("x")], "\(answer.debugDescription)")
    }
  }

  @Test("1.15: keys come again after an answer that is never finished")
  func lostRest() {
    let head = Array("\u{1B}]11;rgb:ff".utf8)
    #expect(arrive([(head, 0), ([0x61], 1001), ([0x62], 1100)]) == [key("a"), key("b")])
    #expect(arrive([(head, 0), ([0x0D], 20)]) == [key("\r")])
    #expect(arrive([(head, 0), (Array("\u{1B}[A".utf8), 20)]) == [key("\u{1B}[A")])
  }

  @Test("1.15: ESC P alone is M-P, and a lone ESC with a letter behind it is both")
  func keysThatLookLikeAnswers() {
    #expect(arrive([(Array("\u{1B}P".utf8), 0)], awaitsAnswer: true) == [key("\u{1B}P")])
    var decoder = KeyDecoder()
    decoder.escapeTimeout = 1
    _ = decoder.decode(Array("\u{1B}P".utf8), at: 10)
    #expect(decoder.deadline == 60)
    for letter in ["k", "P", "]", "O", "5"] {
      let typed = [([0x1B] as [UInt8], Int64(0)), (Array(letter.utf8), 30)]
      #expect(arrive(typed, escapeTimeout: 1) == [.escape, key(letter)], "\(letter)")
    }
  }

  @Test("1.9, 1.15: a paste whose start mark comes in two pieces is a paste, after any pause")
  func tornPaste() {
    let bytes = Array("\u{1B}[200~p\r\u{1B}[201~".utf8)
    for pause in [3, 250, 30_000] as [Int64] {
      for at in 1..<bytes.count {
        let events = arrive([(Array(bytes[..<at]), 0), (Array(bytes[at...]), pause)])
        let lone: [KeyEvent] = at == 1 && pause > 100 ? [.escape] : []
        #expect(events == lone + [.paste(Array("p\n".utf8))], "at \(at) after \(pause)")
      }
    }
  }

  @Test("1.9: it is known whether the terminal marks pastes")
  func pasteMarks() {
    for (sent, isMark) in [("\u{1B}[200~", true), ("\u{1B}[201~", true), ("\u{1B}[A", false)] {
      var decoder = KeyDecoder()
      _ = decoder.decode(Array(sent.utf8))
      #expect(decoder.hasSeenPasteMark == isMark)
    }
  }

  @Test("1.9: a paste has no limit, and its time grows only with its length")
  func largePaste() {
    var decoder = KeyDecoder()
    #expect(decoder.decode(Array("\u{1B}[200~".utf8)) == [])
    #expect(!decoder.isWaiting && decoder.isPasting)
    let chunk = [UInt8](repeating: UInt8(ascii: "~"), count: 4096)
    for _ in 0..<128 { #expect(decoder.decode(chunk) == []) }
    #expect(decoder.timeOut() == [])
    #expect(decoder.decode(Array("\u{1B}[2".utf8)) == [])
    let events = decoder.decode(Array("01~".utf8))
    #expect(events == [.paste([UInt8](repeating: UInt8(ascii: "~"), count: 128 * 4096))])
  }

  @Test(
    "1.9: a C-c alone, after a silence, ends a paste whose end is missing",
    arguments: [
      (KeyDecoder.pasteSilence, [0x03], true), (10_000, [0x03], true),
      (KeyDecoder.pasteSilence - 1, [0x03], false), (10_000, [0x03, 0x61], false),
      (10_000, [0x61, 0x03], false), (10_000, [0x0D], false), (10_000, [0x03, 0x03], false),
    ] as [(Int64, [UInt8], Bool)])
  func endlessPaste(silence: Int64, bytes: [UInt8], ends: Bool) {
    var decoder = KeyDecoder()
    #expect(decoder.decode(Array("x\u{1B}[200~one".utf8), at: 500) == [key("x")])
    #expect(decoder.decode(Array("\r\ntwo".utf8), at: 700) == [])
    let events = decoder.decode(bytes, at: 700 + silence)
    #expect(events == (ends ? [.unfinishedPaste(Array("one\ntwo".utf8))] : []))
    #expect(decoder.isPasting == !ends)
    guard ends else { return }
    // Keys are keys again, and an end that comes after all means nothing.
    #expect(
      decoder.decode(Array("\u{1B}[201~y\u{03}".utf8), at: 20_000) == [key("y"), key("\u{3}")])
    #expect(
      decoder.decode(Array("\u{1B}[200~z\u{1B}[201~".utf8), at: 20_001) == [.paste([0x7A])])
  }

  @Test("1.9: what has arrived of a paste is not lost if nothing more can come")
  func pasteCutShort() {
    var decoder = KeyDecoder()
    #expect(decoder.decode(Array("x\u{1B}[200~one\rtwo\u{1B}[20".utf8)) == [key("x")])
    #expect(decoder.end() == [.unfinishedPaste(Array("one\ntwo\u{1B}[20".utf8))])
    #expect(decoder.end() == [])
  }

  @Test("1.9: silence is counted from the last of the paste, not from its beginning")
  func slowPaste() {
    var decoder = KeyDecoder()
    _ = decoder.decode(Array("\u{1B}[200~".utf8), at: 0)
    for round in 1...50 {
      // Byte by byte over a slow line, C-c among them.
      let now = MonotonicTime(milliseconds: Int64(round) * (KeyDecoder.pasteSilence - 1))
      #expect(decoder.decode([round % 2 == 0 ? 0x03 : 0x61], at: now) == [])
    }
    #expect(decoder.isPasting)
  }

  @Test("endless garbage does not pile up")
  func endlessSequence() {
    var decoder = KeyDecoder()
    let events = decoder.decode(Array(("\u{1B}[" + String(repeating: "1", count: 1000)).utf8))
    #expect(!decoder.isWaiting)
    #expect(events.count == 1001)
  }
}

extension KeyEvent {
  fileprivate var isKey: Bool { if case .key = self { true } else { false } }
}

private func key(_ text: String) -> KeyEvent { .key(Array(text.utf8)) }

private func decode(_ text: String) -> [KeyEvent] {
  var decoder = KeyDecoder()
  return decoder.decode(Array(text.utf8))
}
