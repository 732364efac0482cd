// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A QR code, which qrencode(1) draws with half blocks, for terminals.
package enum QRCode {
  /// The program, which reads the text from its standard input.
  ///
  /// - Parameter inColours: whether it adds escape sequences for colours that do not depend on the
  ///   terminal's.
  package static func command(inColours: Bool) -> [String] {
    ["qrencode", "-t", inColours ? "ANSIUTF8" : "UTF8", "-m", "2", "-o", "-"]
  }

  /// A pipe from which the program reads a text. The text can be as secret as a password, so it is
  /// no argument.
  ///
  /// - Returns: the end to read, which the caller closes; nil with the reason in `errno`.
  package static func input(_ text: String) -> Int32? {
    guard let pipe = ChildProcess.pipe() else { return nil }
    // A pipe has room for more than a QR code.
    _ = Array(text.utf8.prefix(4_000)).withUnsafeBytes { try? writeAll(pipe.writing, $0) }
    close(pipe.writing)
    return pipe.reading
  }
}
