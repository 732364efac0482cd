// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// What a network process gives up once it has its password: nothing that comes from the wire may
/// start a program, gain rights, or reach files that are not its own.
package enum Confinement {
  /// - Parameters:
  ///   - folders: where it reads and writes.
  ///   - files: what it reads beside a system's settings and libraries; all else is out of reach,
  ///     unless the kernel has no Landlock (before 5.13).
  package static func enter(folders: [String], files: [String] = []) {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(4), &none)  // RLIMIT_CORE
    clinux_no_new_privileges()
    let read =
      [
        "/etc", "/usr", "/lib", "/lib64", "/run/systemd/resolve", "/run/resolvconf", "/dev",
      ]
      + files
    read.withCStrings { read, readCount in
      folders.withCStrings { own, ownCount in
        _ = clinux_landlock(own, ownCount, read, readCount)
      }
    }
  }
}

extension [String] {
  fileprivate func withCStrings(
    _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>, Int32) -> Void
  ) {
    let copies = map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer($0) }
    pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!, Int32($0.count)) }
  }
}
