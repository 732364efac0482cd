// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

package enum JobControl {
  /// Whether somebody could continue this process after it has stopped. The system does not stop an
  /// orphaned process group (POSIX), which no other process of its session looks after, such as a
  /// program that a terminal or script(1) has started directly.
  package static var canStop: Bool {
    let group = getpgrp()
    var process = getppid()
    while process > 0, getpgid(process) == group {
      guard let parent = parent(of: process) else { return true }
      process = parent
    }
    return process > 0 && getsid(process) == getsid(0)
  }

  private static func parent(of process: pid_t) -> pid_t? {
    let file = OpenFile(open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC))
    guard file.number >= 0, let bytes = try? readAll(file.number),
      // The name before it may contain anything.
      let end = bytes.lastIndex(of: UInt8(ascii: ")"))
    else { return nil }
    let fields = bytes[bytes.index(after: end)...].split(separator: UInt8(ascii: " "))
    return fields.count > 1 ? pid_t(String(decoding: fields[1], as: UTF8.self)) : nil
  }
}
