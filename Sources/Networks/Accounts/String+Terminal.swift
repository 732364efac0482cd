// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

extension String {
  /// For a terminal: without control characters, and broken between words, which the terminal
  /// itself would break anywhere.
  func broken(for descriptor: Int32) -> String {
    var size = winsize()
    guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else {
      return withoutControls
    }
    return withoutControls.broken(at: Int(size.ws_col))
  }

  /// Each letter counts as one column; where some need two, the terminal breaks the line once more.
  func broken(at columns: Int) -> String {
    var (lines, column) = ("", 0)
    for word in split(separator: " ", omittingEmptySubsequences: false) {
      let length = word.count
      if column > 0 {
        let fits = column + 1 + length <= columns
        lines += fits ? " " : "\n"
        column = fits ? column + 1 : 0
      }
      lines += word
      column += length
    }
    return lines
  }
}
