// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import CSeccomp
import Glibc
import Platform

/// What a network process gives up before it reads its first byte from the network: it can start no
/// program, gain no rights, reach no other process and no files but its own. An attacker who takes it
/// over through a fault in a parser can do what the process does, and no more.
package struct Sandbox: Hashable, Sendable {
  /// The kernel's version of Landlock; 0 where it has none, so that all files of the user are in
  /// reach.
  package var landlock: Int
  /// Whether system calls are filtered.
  package var filtersCalls: Bool

  /// Why it cannot be confined although the kernel can do it.
  package struct Failure: Error, CustomStringConvertible {
    package let description: String
  }

  /// What a system needs for certificates and names of the web, and libraries for their libraries.
  private static let readable = [
    "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies", "/etc/localtime",
    "/etc/ld.so.cache", "/usr", "/lib", "/lib64", "/dev/urandom",
  ]

  /// What this kernel can do, without doing it.
  package static var available: Sandbox {
    Sandbox(
      landlock: Int(clinux_landlock_version()),
      filtersCalls: clinux_has_seccomp() != 0)
  }

  /// Enters it, for as long as the process lives.
  ///
  /// - Parameters:
  ///   - folders: where it reads and writes.
  ///   - files: what it reads beside a system's certificates and libraries.
  /// - Returns: what holds from now on: less than all where the kernel can do no more.
  /// - Throws: ``Failure``.
  package static func enter(
    folders: [String], files: [String] = []
  ) throws(Failure) -> Sandbox {
    let possible = available
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(4), &none)  // RLIMIT_CORE
    clinux_no_new_privileges()
    if possible.landlock > 0 {
      let result = (readable + files).withCStrings { read, readCount in
        (folders + ["/dev/null"]).withCStrings { own, ownCount in
          clinux_landlock(own, ownCount, read, readCount)
        }
      }
      if result != 0 {
        throw Failure(
          description: "the network process could not be confined: \(SystemFailure().reason)")
      }
    }
    if possible.filtersCalls {
      let result = cseccomp_confine()
      if result != 0 {
        throw Failure(
          description:
            "the network process could not be confined: \(SystemFailure(code: -result).reason)")
      }
    }
    return possible
  }

  /// As it stands among the facts about an account's server, and in `hobnob check`.
  package var words: String {
    switch (landlock, filtersCalls) {
    case (0, false): "none: this kernel has neither Landlock nor seccomp"
    case (0, true): "system calls only: this kernel has no Landlock"
    case (let version, true): "files and system calls (Landlock \(version), seccomp)"
    case (let version, false): "files only (Landlock \(version)): this kernel has no seccomp"
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
