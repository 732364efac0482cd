// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Glibc
import Testing

@testable import Networks

/// What a process can still do once it is confined is tried by one: this test bundle cannot come out
/// of it again, so another program of the package enters it and reports.
@Suite("The sandbox of a network process") struct ConfinementTests {
  @Test("its state is a sentence, from nothing to all")
  func words() {
    #expect(
      Sandbox(landlock: 7, filtersCalls: true).words
        == "files and system calls (Landlock 7, seccomp)")
    #expect(
      Sandbox(landlock: 0, filtersCalls: true).words
        == "system calls only: this kernel has no Landlock")
    #expect(
      Sandbox(landlock: 0, filtersCalls: false).words
        == "none: this kernel has neither Landlock nor seccomp")
  }
}

extension ConfinementTests {
  /// What a probe of the sandbox has found.
  private struct Attempts {
    /// Whether it went, by what was tried.
    var went: [String: Bool] = [:]
    /// The number of the error of each system call; 0 for none.
    var errors: [String: Int32] = [:]
  }

  /// Tries everything in a sandbox, or, to see that the attempts are real, without one.
  private func attempts(confined: Bool) throws -> Attempts {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let (own, other) = (folder + "/own", folder + "/other")
    for place in [own, other] {
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
    }
    try "secret".write(toFile: other + "/secret", atomically: false, encoding: .utf8)
    try #require(chmod(other + "/secret", 0o640) == 0)
    let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: Array((folder + "/socket").utf8))
    }
    let isBound = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
    try #require(isBound && listen(listener, 4) == 0)

    let bundle = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let probe = Process()
    probe.executableURL = URL(fileURLWithPath: bundle).deletingLastPathComponent()
      .appendingPathComponent("ConfinementProbe")
    probe.arguments = [own, other, folder + "/socket"] + (confined ? [] : ["free"])
    let pipe = Pipe()
    probe.standardOutput = pipe
    try probe.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    probe.waitUntilExit()
    try #require(probe.terminationStatus == 0, "\(output)")
    if confined {
      #expect(try String(contentsOfFile: other + "/secret", encoding: .utf8) == "secret")
      let found = try FileManager.default.attributesOfItem(atPath: other + "/secret")
      #expect(found[.posixPermissions] as? Int == 0o640)
    }
    var attempts = Attempts()
    for words in output.split(separator: "\n").map({ $0.split(separator: " ").map(String.init) }) {
      if words[0] == "call" {
        attempts.errors[words[1]] = Int32(words[2])
      } else {
        attempts.went[words[0]] = words[1] == "yes"
      }
    }
    return attempts
  }

  @Test("a process that was taken over reaches its own folder and the network, and nothing else")
  func confines() throws {
    var expected = [
      "own-write": true, "own-read": true, "own-remove": true, "own-folder": true,
      "internet-socket": true,
      "certificates": true, "start": false, "unix-socket": false, "signal": false,
      "other-truncate": false, "own-mode": true, "other-mode": false, "other-owner": false,
      "other-times": false, "other-socket": false, "capabilities": false, "slow": false,
    ]
    if Sandbox.available.landlock > 0 {
      for name in ["other-read", "other-write", "other-create", "passwd", "terminal"] {
        expected[name] = false
      }
    }
    try #require(Sandbox.available.filtersCalls)
    let found = try attempts(confined: true).went
    #expect(found.filter { expected[$0.key] != nil } == expected)
  }

  @Test("each of these attempts succeeds without the sandbox")
  func attemptsAreReal() throws {
    let found = try attempts(confined: false)
    // Only root has capabilities.
    let exceptions = ["terminal"] + (geteuid() == 0 ? [] : ["capabilities"])
    for (name, went) in found.went where !exceptions.contains(name) { #expect(went, "\(name)") }
    // Others may be refused by whatever the tests run in.
    for name in ["execve", "execveat", "tgkill"] { #expect(found.errors[name] != EPERM, "\(name)") }
  }

  @Test("each system call that reaches out of the process is refused before the kernel runs it")
  func refusesCalls() throws {
    try #require(Sandbox.available.filtersCalls)
    let refused = [
      "execve", "execveat", "ptrace", "process_vm_readv", "process_vm_writev", "kcmp",
      "pidfd_open", "pidfd_getfd", "pidfd_send_signal", "kill", "tkill", "tgkill",
      "rt_sigqueueinfo", "rt_tgsigqueueinfo", "truncate", "io_uring_setup", "bpf", "userfaultfd",
      "perf_event_open", "keyctl", "add_key", "request_key", "unshare", "setns", "mount",
      "memfd_create", "clone-NEWNS", "clone-NEWCGROUP", "clone-NEWUTS", "clone-NEWIPC",
      "clone-NEWUSER", "clone-NEWPID", "clone-NEWNET", "chmod", "fchmodat", "fchmodat2", "chown",
      "lchown", "fchown", "fchownat", "utime", "utimes", "futimesat", "utimensat", "setxattr",
      "lsetxattr", "fsetxattr", "setxattrat", "removexattr", "lremovexattr", "fremovexattr",
      "removexattrat", "file_setattr", "setpriority", "ioprio_set", "sched_setaffinity",
      "sched_setscheduler", "sched_setparam", "sched_setattr", "prlimit64", "migrate_pages",
      "move_pages", "process_madvise", "shmat", "shmctl", "semop", "semtimedop", "semctl", "msgsnd",
      "msgrcv", "msgctl", "mq_open", "mq_unlink", "bind", "listen",
    ]
    var expected = Dictionary(uniqueKeysWithValues: refused.map { ($0, EPERM) })
    expected["clone3"] = ENOSYS
    // A thread may begin, and signal another one of the process.
    expected["clone"] = EINVAL
    expected["tgkill-itself"] = 0
    expected["prlimit64-itself"] = 0
    expected["socketpair"] = EAFNOSUPPORT
    // Files that it has open stay its own.
    expected["fchmod"] = EBADF
    expected["futimens"] = EBADF
    #expect(try attempts(confined: true).errors == expected)
  }
}
