// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Asks for memory before something large is read: where there is none, Swift ends the program
/// without a word.
package enum Memory {
  /// Whether so many bytes could be had now, as far as limits of the process say.
  package static func hasRoom(for bytes: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let place = mmap(nil, max(1, bytes), PROT_READ | PROT_WRITE, flags, -1, 0),
      place != MAP_FAILED
    else { return false }
    munmap(place, max(1, bytes))
    return true
  }

  /// Whether a text of so many bytes can go its way into the store: as it was read, as a text, in
  /// SQLite's hands, into the search index. One letter with millions of accents takes most.
  package static func hasRoom(forText bytes: Int) -> Bool { hasRoom(for: bytes * 20) }
}
