// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Conversations
import Foundation
import Platform
import Sentences
import Testing

@testable import Networks

/// Programs as the process outside the sandbox runs them.
@MainActor
@Suite("The program of a network") struct ProgramRunTests {
  private let folder: String
  private let loop = EventLoop()

  init() throws {
    folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// A copy that another process has made: a file that this one has written cannot be started while
  /// a child that is being forked has it open.
  private func program(_ script: String) throws -> String {
    let path = folder + "/hobnob-net-x.sh"
    try ("#!/bin/sh\n" + script).write(toFile: path + ".text", atomically: true, encoding: .utf8)
    let copying = try #require(ChildProcess.start(["cp", path + ".text", path]))
    waitpid(copying, nil, 0)
    try #require(chmod(path, 0o700) == 0)
    return path
  }

  /// Runs it to its end; its input ends at once.
  ///
  /// - Parameter stops: a descriptor; the program is stopped as soon as that can be read.
  private func end(of script: String, grace: Int64 = 60_000, stops: Int32? = nil) throws -> String {
    let run = try ProgramRun(program(script), in: folder, loop: loop, grace: grace)
    var reason = ""
    run.ended = {
      reason = $0.text
      loop.stop()
    }
    close(run.pipes.writing)
    close(run.pipes.reading)
    if let stops {
      loop.watch(stops) {
        loop.unwatch(stops)
        run.stop()
      }
    }
    withExtendedLifetime(run) { loop.run() }
    try? FileManager.default.removeItem(atPath: folder + "/out")
    return reason
  }

  @Test("its end is told with its status and the last line of its standard error")
  func tellsItsEnd() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    #expect(try end(of: "exit 3") == "hobnob-net-x.sh ended with status 3")
    #expect(
      try end(of: "echo one >&2; echo 'KeyError: x' >&2; echo >&2; kill -9 $$")
        == "hobnob-net-x.sh ended with status 137: KeyError: x")
    let log = try String(contentsOfFile: folder + "/log", encoding: .utf8)
    #expect(log == "one\nKeyError: x\n\n")
    #expect(fileStatus(folder + "/log").map { $0.st_mode & 0o777 } == 0o600)
  }

  @Test("its log takes no more than a megabyte")
  func limitsTheLog() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let reason = try end(of: "yes 0123456789abcde | head -c 3000000 >&2; echo last >&2")
    #expect(reason.hasSuffix(": last"))
    let sizes = ["log", "log.old"].compactMap { fileStatus(folder + "/" + $0)?.st_size }
    #expect(sizes.count == 2 && sizes.reduce(0, +) <= 1 << 20)
  }

  @Test("it begins in its folder, with no more of the environment than it needs")
  func givesFolderAndEnvironment() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    setenv("HOBNOB_TEST_TOKEN", "secret", 1)
    setenv("https_proxy", "http://proxy", 1)
    defer {
      unsetenv("HOBNOB_TEST_TOKEN")
      unsetenv("https_proxy")
    }
    let reason = try end(of: "echo \"$(pwd -P) $https_proxy $HOBNOB_TEST_TOKEN.\" >&2")
    #expect(
      reason.hasSuffix(": \(URL(filePath: folder).resolvingSymlinksInPath().path) http://proxy ."))
  }

  @Test("if it does not end by itself, signals end it and all that it started")
  func killsItsGroup() throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    // The child has a file of its own, which only it holds open.
    mkfifo(folder + "/alive", 0o600)
    let alive = open(folder + "/alive", O_RDONLY | O_NONBLOCK)
    defer { close(alive) }
    let script = """
      trap 'echo asked >&2' TERM
      (trap '' TERM; echo ready; exec sleep 300) > alive &
      while :; do sleep 300 & wait $!; done
      """
    #expect(try end(of: script, grace: 1, stops: alive).contains("status 137"))
    var word = [UInt8](repeating: 0, count: 16)
    _ = read(alive, &word, word.count)
    var hungUp = pollfd(fd: alive, events: Int16(POLLIN), revents: 0)
    #expect(poll(&hungUp, 1, 10_000) == 1 && hungUp.revents & Int16(POLLHUP) != 0)
  }
}
