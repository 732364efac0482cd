// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Repeatable
import Testing

@testable import Conversations

/// What a text is cut into, one piece behind the other.
private func pieces(_ text: String) -> [String] {
  Tokenizer.tokens(of: text).map { String(decoding: $0.folded, as: UTF8.self) }
}

/// To Swift, strings that are canonically equal are equal; to the search index they are not.
private func bytes(_ text: String) -> [[UInt8]] {
  Tokenizer.tokens(of: text).map(\.folded)
}

@Suite("Texts are cut into the pieces that search knows") struct TokenizerTests {
  @Test(
    arguments: [
      ("Hello, World!", ["hello", "world"]),
      ("don't max_input-rows", ["don", "t", "max", "input", "rows"]),
      ("abc123 v2.0", ["abc123", "v2", "0"]),
      ("", []), (" \n\t.,;!?-_\"'`*()", []),
      // Case and accents, also in letters that do not decompose.
      (
        "Łódź Ærø Straße ĐURO İstanbul ISPARTA ıssız",
        [
          "lodz", "æro", "strasse", "duro", "istanbul", "isparta", "issiz",
        ]
      ),
      ("Ἀθῆναι ΟΔΥΣΣΕΥΣ Οδυσσευς", ["αθηναι", "οδυσσευσ", "οδυσσευσ"]),
      ("Ёлка Йод Їжак", ["елка", "иод", "іжак"]),
      ("ﾊﾟ ＨＥＬＬＯ１", ["ﾊ", "ﾟ", "hello1"]),
      ("شُكْرًا أحمد إن كتـــاب", ["شكرا", "احمد", "ان", "كتاب"]),
      ("שָׁלוֹם", ["שלום"]),
      ("नमस्ते दुनिया", ["नमस्ते", "दुनिया"]),
      // Written without blanks: each character with its marks.
      ("今日は東京", ["今", "日", "は", "東", "京"]),
      ("ガギ", ["ガ", "ギ"]), ("カ\u{3099}キ\u{3099}は\u{309A}", ["ガ", "ギ", "ぱ"]),
      ("ที่นี่", ["ที่", "นี่"]),
      ("회의를", ["회", "의", "를"]),
      ("\u{1112}\u{116C}\u{110B}\u{1174}\u{1105}\u{1173}\u{11AF}", ["회", "의", "를"]),
      ("iPhone買う2台", ["iphone", "買", "う", "2", "台"]),
      ("မြန်မာ", ["မြ", "န်", "မာ"]),
      // Emoji and symbols.
      ("party🎉time", ["party", "🎉", "time"]),
      ("👍🏽👍", ["👍", "👍"]), ("❤\u{FE0F}❤", ["❤", "❤"]), ("👨‍👩‍👧", ["👨", "👩", "👧"]),
      ("🇩🇪🇫🇷", ["🇩🇪", "🇫🇷"]), ("🇩", ["🇩"]), ("1\u{FE0F}\u{20E3}", ["1"]), ("‼", ["‼"]),
      // What cannot be seen does not count.
      ("hel\u{200B}lo wor\u{AD}ld a\u{200D}b c\u{202E}d", ["hel", "lo", "world", "ab", "cd"]),
      ("\u{301}\u{200D}\u{FE0F}", []),
    ] as [(String, [String])])
  func cut(text: String, into wanted: [String]) {
    #expect(bytes(text) == wanted.map { Array($0.utf8) })
  }

  @Test func placesAreThoseInTheText() {
    let text = "Ça va? 会議🎉!"
    let places = Tokenizer.tokens(of: text).map { token in
      String(decoding: Array(text.utf8)[token.range], as: UTF8.self)
    }
    #expect(places == ["Ça", "va", "会", "議", "🎉"])
  }

  @Test func composedOrNotIsTheSame() {
    let alphabets: [ClosedRange<UInt32>] = [
      0xC0...0x24F, 0x386...0x3FF, 0x400...0x52F, 0x1E00...0x1FFF, 0x3041...0x3096,
      0x30A1...0x30FE, 0xAC00...0xD7A3,
    ]
    for value in alphabets.joined() {
      guard let scalar = Unicode.Scalar(value), scalar.properties.generalCategory != .unassigned
      else { continue }
      let text = "x" + String(scalar) + "x"
      #expect(
        bytes(text) == bytes(text.decomposedStringWithCanonicalMapping),
        "U+\(String(value, radix: 16))")
    }
  }

  @Test func whatWasFoldedStaysAsItIs() {
    for value in UInt32(1)...0x1FFFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      for piece in pieces(String(scalar)) {
        #expect(bytes(piece) == [Array(piece.utf8)], "U+\(String(value, radix: 16))")
      }
    }
  }

  @Test func anyBytesAreCutInOrder() {
    var random = FixedRandom(seed: 7)
    for _ in 0..<2_000 {
      let bytes = (0..<Int.random(in: 0...40, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      var end = 0
      let code = bytes.withUnsafeBufferPointer {
        Tokenizer.scan($0) { folded, range in
          #expect(!folded.isEmpty && String(validating: folded, as: UTF8.self) != nil)
          #expect(range.lowerBound >= end && range.lowerBound < range.upperBound)
          #expect(range.upperBound <= bytes.count)
          end = range.upperBound
          return 0
        }
      }
      #expect(code == 0)
    }
  }

  @Test func aReceiverCanStop() {
    let text = Array("one two three".utf8)
    var count = 0
    let code = text.withUnsafeBufferPointer {
      Tokenizer.scan($0) { _, _ in
        count += 1
        return count == 2 ? 5 : 0
      }
    }
    #expect((code, count) == (5, 2))
  }

  @Test func aPieceIsNotLongerThanTheIndexTakes() {
    let piece = pieces(String(repeating: "é漢", count: 1) + String(repeating: "ж", count: 9_999))
    #expect(piece.count == 3)
    #expect(piece[2].utf8.count == Tokenizer.longest)
  }
}
