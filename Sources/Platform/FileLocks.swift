// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The POSIX locks of all processes, as `/proc/locks` lists them (proc_locks(5)). Missing are those
/// of other PID namespaces, and of file systems that list their files under another device.
package struct FileLocks {
  private struct Lock {
    let file: Substring
    let holder: pid_t
    let bytes: ClosedRange<Int64>
  }

  private let all: [Lock]

  package init() {
    let list = open("/proc/locks", O_RDONLY | O_CLOEXEC)
    guard list >= 0 else {
      all = []
      return
    }
    defer { close(list) }
    let text = String(decoding: (try? readAll(list)) ?? [], as: UTF8.self)
    all = text.split(separator: "\n").compactMap { line in
      // 1: POSIX  ADVISORY  READ 977 fe:00:1092266 128 128 (one that waits has -> behind its number)
      let words = line.split(separator: " ")
      guard words.count == 8, words[1] == "POSIX", let holder = pid_t(words[4]), holder > 0,
        let first = Int64(words[6]), let last = words[7] == "EOF" ? .max : Int64(words[7]),
        first <= last
      else { return nil }
      return Lock(file: words[5], holder: holder, bytes: first...last)
    }
  }

  /// Who has locked a byte of a file.
  package func holders(of file: Glibc.stat, at byte: Int64) -> Set<pid_t> {
    // As makedev(3) of glibc puts the two numbers together.
    let device = file.st_dev
    let major = device >> 8 & 0xFFF | device >> 32 & 0xFFFF_F000
    let minor = device & 0xFF | device >> 12 & 0xFFFF_FF00
    let name =
      [major, minor].map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: ":")
      + ":\(file.st_ino)"
    return Set(all.lazy.filter { $0.file == name && $0.bytes.contains(byte) }.map(\.holder))
  }
}
