// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Checks for memory before reading something large: if memory runs out, Swift ends the program
/// silently.
package enum Memory {
  /// Whether this many bytes are available now, within the limits of the process.
  package static func hasRoom(for bytes: Int) -> Bool {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE
    guard let mapping = mmap(nil, max(1, bytes), PROT_READ | PROT_WRITE, flags, -1, 0),
      mapping != MAP_FAILED
    else { return false }
    munmap(mapping, max(1, bytes))
    return true
  }

  /// Whether there is memory to store a text of this many bytes: as read, as a string, in SQLite,
  /// and in the search index. One letter with millions of accents needs the most.
  package static func hasRoom(forText bytes: Int) -> Bool { hasRoom(for: bytes * 20) }
}
