// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Glibc
import Platform
import Testing

@testable import Networks

/// What an owner's command prints, or why it gave nothing.
@MainActor
@Suite("A password command") struct PasswordCommandTests {
  private func result(
    _ script: String, patience: Int = 20_000
  ) -> Result<String, PasswordFailure> {
    let loop = EventLoop()
    var result: Result<String, PasswordFailure>?
    let command = PasswordCommand(["sh", "-c", script], loop: loop, patience: patience) {
      result = $0
      loop.stop()
    }
    command.start()
    if result == nil { withExtendedLifetime(command) { loop.run() } }
    return result ?? .failure(.none)
  }

  @Test(
    "the first line counts, whatever else is printed",
    arguments: ["echo secret", "printf 'secret\\r\\nuser: anna\\n'", "printf secret", "yes secret"])
  func takesTheFirstLine(script: String) {
    #expect(result(script) == .success("secret"))
  }

  @Test("one whose child keeps the output open does not hold it up")
  func doesNotWaitForAgents() {
    #expect(result("sleep 30 2>/dev/null & echo secret") == .success("secret"))
    // The agent goes on: it is what the command is for. Without a line nothing waits for it either.
    #expect(result("sleep 30 2>/dev/null & exit 0") == .failure(.command("sh", status: 0)))
  }

  @Test("a status other than 0, nothing printed, and no such program are failures")
  func tellsFailures() {
    #expect(result("echo secret; exit 3") == .failure(.command("sh", status: 3)))
    #expect(result("true") == .failure(.command("sh", status: 0)))
    #expect(
      PasswordCommand.run(["no-such-program-of-hobnob"])
        == .failure(.command("no-such-program-of-hobnob", status: 127)))
    #expect(PasswordCommand.run([]) == .failure(.command("", status: 127)))
  }

  @Test("one that prints without a line break is stopped, and its output counts")
  func stopsAtTheLimit() {
    guard case .failure(.command("sh", _)) = result("head -c 1000000 /dev/zero | tr '\\0' x; false")
    else {
      Issue.record("it was taken")
      return
    }
  }

  @Test("one that hangs is ended with everything it started, and that is reported")
  func endsWhatHangs() {
    #expect(result("trap '' TERM; sleep 300", patience: 50) == .failure(.tooSlow("sh")))
    #expect(result("echo secret; sleep 300", patience: 50) == .failure(.tooSlow("sh")))
  }

  @Test("nothing it started survives, even if it ignores the first signal")
  func endsGrandchildren() throws {
    let path = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try #require(mkfifo(path, 0o600) == 0)
    let pipe = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer {
      close(pipe)
      unlink(path)
    }
    var ahead: Int64 = 0
    let loop = EventLoop { Clock.steady() + ahead }
    var result: Result<String, PasswordFailure>?
    let script = "(trap '' TERM; echo here; exec sleep 300) >\(path) & wait"
    let command = PasswordCommand(["sh", "-c", script], loop: loop) {
      result = $0
      loop.stop()
    }
    // Once there is such a process, the minute is over.
    loop.watch(pipe) {
      ahead = Int64(PasswordCommand.patience)
      loop.unwatch(pipe)
    }
    command.start()
    withExtendedLifetime(command) { loop.run() }
    #expect(result == .failure(.tooSlow("sh")))
    // It hangs up when the last one that may write to it is gone.
    var end = pollfd(fd: pipe, events: 0, revents: 0)
    #expect(poll(&end, 1, 20_000) == 1)
  }
}
