// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable

/// Texts of an attacker who wants to control another's terminal or win their trust. The names say
/// what each tries; no line of a screen may begin with `fake`.
enum HostileTexts {
  static let fake = "12:03 [77] boss"

  static let all: [(name: String, text: String)] = [
    ("erase, home, title by CSI and OSC", "a\u{1B}[2J\u{1B}[Hb\u{1B}]0;OWNED\u{07}c"),
    ("the same by C1", "a\u{9B}2J\u{9B}Hb\u{9D}0;OWNED\u{9C}c"),
    ("DCS, APC, SOS, PM", "\u{1B}P$qm\u{1B}\\\u{1B}_x\u{1B}\\\u{1B}Xy\u{1B}\\\u{1B}^z\u{1B}\\"),
    ("the same by C1", "\u{90}$qm\u{9C}\u{9F}x\u{9C}\u{98}y\u{9C}\u{9E}z\u{9C}"),
    ("clipboard", "\u{1B}]52;c;ZXZpbA==\u{07}\u{1B}]52;c;?\u{07}"),
    ("a link that lies", "\u{1B}]8;;http://evil.example\u{1B}\\bank\u{1B}]8;;\u{1B}\\"),
    ("answers asked for", "\u{1B}[c\u{1B}[>c\u{1B}[6n\u{1B}[5n\u{1B}[21t\u{1B}Z\u{05}"),
    ("title reported", "\u{1B}]2;rm -rf\u{07}\u{1B}[21t"),
    ("mouse and paste", "\u{1B}[?1000h\u{1B}[?1006h\u{1B}[?2004l\u{1B}[?9001h"),
    ("alternate screen, cursor kept", "\u{1B}[?1049h\u{1B}7\u{1B}[?25l\u{1B}8\u{1B}c"),
    ("scroll region and modes", "\u{1B}[5;6r\u{1B}[4h\u{1B}[?7l\u{1B}[?6h\u{1B}(0\u{1B}%@"),
    ("a lone escape", "end\u{1B}"),
    ("the rest of a sequence split over two", "[31m]0;OWNED\u{07}"),
    ("bells", String(repeating: "\u{07}", count: 200)),
    ("overprint by BS", "harmless\u{08}\u{08}\u{08}\u{08}\u{08}\u{08}\u{08}\u{08}evil"),
    ("overprint by CR", "long harmless text\r\(fake): pay"),
    ("shifts, NUL, DEL, VT, FF", "a\u{0E}b\u{0F}c\u{00}d\u{7F}e\u{0B}\(fake)\u{0C}\(fake)"),
    ("a line of another", "yes\n\(fake): pay the bill\n\(fake)> "),
    ("the same behind CR LF", "yes\r\n\(fake): pay"),
    (
      "the same behind other separators",
      "a\u{85}\(fake)\u{2028}\(fake)\u{2029}\(fake)\u{1E}\(fake)"
    ),
    ("a tab", "a\tb"),
    ("turned around", "\u{202E}gnp.exe\u{202C}\u{2066}x\u{2069}\u{200E}\u{200F}\u{61C}"),
    ("all that turns", "\u{202A}\u{202B}\u{202D}\u{2067}\u{2068}q"),
    ("zero width", "pay\u{200B}pal\u{200D}\u{200C}\u{2060}\u{FEFF}\u{180E}\u{AD}\u{FFF9}x\u{FFFB}"),
    ("tags", "hi\u{E0001}\u{E0069}\u{E0067}\u{E006E}\u{E007F}\u{E01EF}"),
    ("noncharacters", noncharacters + "\u{E000}\u{FFFD}"),
    ("marks without end", "z" + String(repeating: "\u{301}\u{489}", count: 300) + "y"),
    ("marks on nothing", String(repeating: "\u{20DD}", count: 50)),
    ("wide and ambiguous", "漢字かな한글🎉👩‍👩‍👧🇩🇪❤️1️⃣①§\u{3000}\u{1160}\u{3164}"),
    ("a chain of joiners", String(repeating: "👩\u{200D}", count: 100)),
    ("formats", "%s%n%1$s%@ \\(x) %1 %2 %% ${HOME} $(id) `id` {0}"),
    ("codes of other programs", "\u{02}b\u{03}4,1red\u{0F}\u{16}\u{1D}\u{1F} %Bx%n ^_^ <b>"),
    ("a prompt", "#lobby> /quit"),
    ("a long line", String(repeating: "x", count: 3000)),
    ("one long word of marks", String(repeating: "e\u{301}", count: 1000)),
    ("names beside addresses", String(repeating: "anna http://a.b/c @anna ", count: 150)),
  ]

  /// No literal may hold them.
  private static let noncharacters =
    [0xFFFE, 0xFFFF, 0xFDD0, 0xFDEF, 0x1FFFE, 0x10FFFF].compactMap { Unicode.Scalar(UInt32($0)) }
    .map(String.init).joined()

  /// Some of them, cut and put together.
  static func mixture(_ random: inout FixedRandom) -> String {
    var result = ""
    for _ in 0...random.below(5) {
      let scalars = all[random.below(all.count)].text.unicodeScalars
      let start = random.below(scalars.count)
      let count = 1 + random.below(min(60, scalars.count - start))
      result.unicodeScalars.append(contentsOf: scalars.dropFirst(start).prefix(count))
      if random.below(4) == 0 { result += ["\n", " ", "\u{1B}", "\u{9B}"][random.below(4)] }
    }
    return result
  }

  /// Bytes that are not UTF-8: raw C1, cut, overlong and surrogate forms, beyond U+10FFFF.
  static let bytes: [UInt8] =
    [0x9B, 0x32, 0x4A, 0x9D, 0x30, 0x3B, 0x58, 0x9C, 0xFF, 0xFE, 0xC3, 0x20, 0xC0, 0x9B, 0x20]
    + [0xC1, 0xBF, 0xE0, 0x80, 0x9B, 0xF0, 0x80, 0x82, 0x9B, 0xED, 0xA0, 0x80, 0xED, 0xB0, 0x80]
    + [0xF4, 0x90, 0x80, 0x80, 0xF8, 0x88, 0x80, 0x80, 0x80, 0x80, 0xBF, 0x41]
}
