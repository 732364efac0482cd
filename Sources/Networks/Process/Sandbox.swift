// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import CSeccomp
import Glibc
import Platform
import Sentences

/// The limits that a network process sets itself before it reads its first byte from the network:
/// it cannot start programs, gain rights, reach or slow other processes, or reach or change other
/// files. An attacker who takes it over through a fault in a parser can do what the process does,
/// and no more.
package struct Sandbox: Hashable, Sendable {
  /// The kernel's version of Landlock; 0 if it has none, so that the process can reach all files of
  /// the user.
  package var landlock: Int
  /// Whether the kernel filters system calls.
  package var filtersCalls: Bool

  /// Why the process cannot be confined although the kernel supports it.
  package struct Failure: Error, CustomStringConvertible {
    package let remark: Remark
    package var description: String { remark.text }

    fileprivate init(_ failure: SystemFailure) {
      remark = filled(("the network process could not be confined: %1", [failure.reason]))
    }
  }

  /// The files that are needed for certificates and for names on the web, and libraries that other
  /// libraries load.
  private static let readable = [
    "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/localtime",
    "/etc/ld.so.cache", "/etc/machine-id", "/usr", "/lib", "/lib64", "/dev/urandom",
  ]

  /// The limits that this kernel supports; reading it changes nothing.
  package static var available: Sandbox {
    Sandbox(
      landlock: Int(clinux_landlock_version()),
      filtersCalls: clinux_has_seccomp() != 0)
  }

  /// Enters the sandbox, for the rest of the process's life.
  ///
  /// - Parameters:
  ///   - folders: where the process may read and write.
  ///   - files: the files that it may read in addition to the system's certificates and libraries.
  /// - Returns: the limits from now on: only some of them if the kernel supports no more.
  package static func enter(
    folders: [String], files: [String] = []
  ) throws(Failure) -> Sandbox {
    let possible = available
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(4), &none)  // RLIMIT_CORE
    clinux_no_new_privileges()
    if clinux_drop_capabilities() != 0 { throw Failure(SystemFailure()) }
    // A new folder needs its final mode at once: the process cannot change modes by path.
    umask(0o077)
    if possible.landlock > 0 {
      let result = (readable + files).withCStrings { read, readCount in
        (folders + ["/dev/null"]).withCStrings { own, ownCount in
          clinux_landlock(own, ownCount, read, readCount)
        }
      }
      if result != 0 {
        throw Failure(SystemFailure())
      }
    }
    if possible.filtersCalls {
      let result = cseccomp_confine()
      if result != 0 {
        throw Failure(SystemFailure(code: -result))
      }
    }
    return possible
  }

  /// The limits in words, for the facts about an account's server, and for `hobnob check`.
  package var words: String {
    switch (landlock, filtersCalls) {
    case (0, false): translated("none: this kernel has neither Landlock nor seccomp")
    case (0, true): translated("system calls only: this kernel has no Landlock")
    case (let version, true):
      filled(("files and system calls (Landlock %1, seccomp)", [String(version)]))
    case (let version, false):
      filled(("files only (Landlock %1): this kernel has no seccomp", [String(version)]))
    }
  }
}

extension [String] {
  fileprivate func withCStrings<T>(
    _ body: (UnsafeMutablePointer<UnsafePointer<CChar>?>, Int32) -> T
  ) -> T {
    let copies = map { strdup($0) }
    defer { for copy in copies { free(copy) } }
    var pointers = copies.map { UnsafePointer($0) }
    return pointers.withUnsafeMutableBufferPointer { body($0.baseAddress!, Int32($0.count)) }
  }
}
