// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import StyledText

/// Asks the terminal for its background colour (OSC 11 of xterm). Many terminals do not answer.
package enum BackgroundReport {
  /// The bytes that ask. They change nothing on the screen.
  package static let question = Array("\u{1B}]11;?\u{1B}\\".utf8)

  /// Whether an event is an answer, even one that makes no sense.
  package static func isReport(_ event: KeyEvent) -> Bool { text(of: event) != nil }

  /// Whether the background in an answer is light; nil for any other event.
  ///
  /// An answer is `rgb:rrrr/gggg/bbbb` in one to four hexadecimal digits, or `rgba:` with one more
  /// (XParseColor). A background is light if black is easier to read on it than white.
  package static func isLight(_ event: KeyEvent) -> Bool? {
    guard let text = text(of: event) else { return nil }
    let parts = text.split(separator: ":", maxSplits: 1)
    guard parts.count == 2, parts[0] == "rgb" || parts[0] == "rgba" else { return nil }
    let levels = parts[1].split(separator: "/", omittingEmptySubsequences: false).map { digits in
      (1...4).contains(digits.utf8.count) && digits.allSatisfy(\.isHexDigit)
        ? UInt16(digits, radix: 16).map { Double($0) / Double((1 << (4 * digits.utf8.count)) - 1) }
        : nil
    }
    guard levels.count == (parts[0] == "rgb" ? 3 : 4), let red = levels[0], let green = levels[1],
      let blue = levels[2]
    else { return nil }
    // The squares approximate the relative luminance of WCAG 2.2, whose middle is 0.18.
    return 0.2126 * red * red + 0.7152 * green * green + 0.0722 * blue * blue > 0.18
  }

  /// What follows `OSC 11 ;`.
  private static func text(of event: KeyEvent) -> String? {
    guard case .reply(let bytes) = event, bytes.starts(with: Array("\u{1B}]11;".utf8)) else {
      return nil
    }
    let end = bytes.last == 0x07 ? 1 : 2
    return String(decoding: bytes.dropFirst(5).dropLast(end), as: UTF8.self)
  }
}

extension TerminalDevice {
  /// Asks for the background, and waits for the answer; call it without ``enter(plain:)``.
  ///
  /// A terminal answers in order, so the answer to a second question, which nearly every terminal
  /// knows (DA1), ends the wait. Keys typed during the wait are lost.
  ///
  /// - Parameter milliseconds: how long to wait at most. A later answer would arrive as typed text
  ///   at the program that has the terminal next.
  /// - Returns: whether the background is light; nil if the terminal does not answer.
  package func askBackground(within milliseconds: Int64) -> Bool? {
    enter(plain: true)
    defer { leave() }
    write(BackgroundReport.question + Array("\u{1B}[c".utf8))
    var decoder = KeyDecoder()
    var isLight: Bool?
    let end = Clock.steady() + milliseconds
    while case let left = end - Clock.steady(), left > 0 {
      var ready = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
      _ = poll(&ready, 1, Int32(clamping: left))
      guard let bytes = readAvailable() else { break }
      for event in decoder.decode(bytes) {
        isLight = BackgroundReport.isLight(event) ?? isLight
        if case .reply(let answer) = event, answer.starts(with: Array("\u{1B}[?".utf8)) {
          return isLight
        }
      }
    }
    return isLight
  }
}
