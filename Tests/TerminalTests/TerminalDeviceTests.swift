// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Emulator
import Foundation
import Terminal
import Testing

private func modes(_ descriptor: Int32) -> termios {
  var modes = termios()
  tcgetattr(descriptor, &modes)
  return modes
}

private func isSame(_ one: termios, _ other: termios) -> Bool {
  one.c_lflag == other.c_lflag && one.c_iflag == other.c_iflag && one.c_oflag == other.c_oflag
    && withUnsafeBytes(of: one.c_cc, { Array($0) })
      == withUnsafeBytes(of: other.c_cc, { Array($0) })
}

@Suite("the terminal device") @MainActor struct TerminalDeviceTests {
  @Test("keys come raw between entering and leaving, and afterwards everything is restored")
  func modesAreRestored() throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let before = modes(terminal)
    let device = try TerminalDevice(input: terminal, output: terminal)
    #expect(isSame(modes(terminal), before))
    device.leave()
    #expect(pair.received().isEmpty)

    device.enter()
    device.enter()
    let raw = modes(terminal)
    #expect(raw.c_lflag & tcflag_t(ICANON | ECHO | ISIG | IEXTEN) == 0)
    #expect(raw.c_iflag & tcflag_t(IXON | ICRNL) == 0)
    #expect(raw.c_oflag == before.c_oflag)
    #expect(pair.received() == "\u{1B}[?2004h\u{1B}[>4;1m\u{1B}[>5u")

    device.leave()
    #expect(isSame(modes(terminal), before))
    let sent = pair.received()
    for reset in ["?2004l", ">4;0m", "<u", "?1004l", "?25h", "m"] {
      #expect(sent.contains("\u{1B}[" + reset), "\(reset)")
    }
  }

  @Test("7.3: focus reports are requested only if they are wanted")
  func focus() throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let device = try TerminalDevice(input: terminal, output: terminal)
    device.reportsFocus = true
    device.enter()
    #expect(pair.received().contains("\u{1B}[?1004h"))
  }

  @Test("typed bytes are read without waiting, C-c and Return included")
  func reading() throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let device = try TerminalDevice(input: terminal, output: terminal)
    device.enter()
    #expect(device.readAvailable() == [])
    pair.send("a\r\u{3}\u{1A}\u{11}漢")
    #expect(device.readAvailable() == Array("a\r\u{3}\u{1A}\u{11}漢".utf8))
    #expect(device.readAvailable() == [])
  }

  @Test("a terminal that hangs up is the end of input, and writing to it does no harm")
  func hangUp() throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let device = try TerminalDevice(input: terminal, output: terminal)
    device.enter()
    pair.send("last")
    #expect(device.readAvailable() == Array("last".utf8))
    pair.hangUp()
    // A program that another test is just starting has the emulator's end too, until it runs.
    var hangUp = pollfd(fd: terminal, events: 0, revents: 0)
    #expect(poll(&hangUp, 1, 20_000) == 1)
    #expect(device.readAvailable() == nil)
    device.write(Array("x".utf8))
    #expect(device.isDead)
    device.leave()
  }

  @Test("the size is the terminal's, or 24 by 80 if it does not know it")
  func size() throws {
    let pair = try PseudoTerminalPair(rows: 30, columns: 100)
    let terminal = pair.openTerminal()
    let device = try TerminalDevice(input: terminal, output: terminal)
    #expect(device.size == Size(rows: 30, columns: 100))
    pair.resize(rows: 10, columns: 20)
    #expect(device.size == Size(rows: 10, columns: 20))
    pair.resize(rows: 0, columns: 0)
    #expect(device.size == Size(rows: 24, columns: 80))
  }

  @Test("a file is not a terminal")
  func noTerminal() {
    let file = open("/dev/null", O_RDWR)
    defer { close(file) }
    #expect(throws: TerminalFailure.notATerminal) {
      try TerminalDevice(input: file, output: file)
    }
  }

  @Test("what the terminal does not take follows in order, and writing never waits")
  func longText() throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let device = try TerminalDevice(input: terminal, output: terminal)
    var timesBehind = 0
    device.fellBehind = { timesBehind += 1 }
    let text = (0..<200_000).map { "\($0)," }.joined()
    device.write(Array(text.utf8))
    #expect(device.isBehind)
    device.write(Array("the end".utf8))
    #expect(timesBehind == 1)
    // Who has the terminal as well goes on waiting for it, or not, as before.
    #expect(fcntl(terminal, F_GETFL) & O_NONBLOCK == 0)
    device.catchUp(within: 1)
    #expect(device.isBehind)
    var received = ""
    while device.isBehind {
      received += pair.received()
      device.writeMore()
    }
    received += pair.received()
    #expect(received == text + "the end")
  }
}

/// How a process leaves its terminal that ends while it has it. The process is this one once more,
/// with ``EndingProcess`` for its only test. (`#expect(processExitsWith:)` would do, but the thread it
/// waits with spins while any child has ended that nobody has waited for, as long as tests run.)
@Suite("the terminal of a process that ends") struct EndedTerminalTests {
  @Test("a crash restores the terminal", arguments: [SIGSEGV, SIGABRT, SIGTRAP])
  func crash(signal: Int32) throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let before = modes(terminal)
    #expect(try EndingProcess.run(on: pair.path, signal: signal) == 128 + signal)
    #expect(isSame(modes(terminal), before))
    let sent = pair.received()
    #expect(sent.contains("entered\u{1B}[?1004l"))
    #expect(sent.hasSuffix("\u{1B}[m"))
  }

  @Test("exit restores the terminal")
  func exiting() throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let before = modes(terminal)
    #expect(try EndingProcess.run(on: pair.path, signal: 0) == 3)
    #expect(isSame(modes(terminal), before))
    #expect(pair.received().contains("\u{1B}[?2004l"))
  }
}

@Suite("a process that ends", .enabled(if: getenv("HOBNOB_ENDS_ON") != nil))
@MainActor struct EndingProcess {
  /// Runs the tests' program with the one test below, and waits for its end.
  ///
  /// - Parameter signal: what it raises; 0 makes it exit with the status 3.
  /// - Returns: its exit status, 128 and the signal when one killed it.
  nonisolated static func run(on terminal: String, signal: Int32) throws -> Int32 {
    let values = ProcessInfo.processInfo.environment
    let child = try spawn(
      [
        try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"),
        "--testing-library", "swift-testing", "--filter", "TerminalTests.EndingProcess",
      ],
      environment: values.merging(
        ["HOBNOB_ENDS_ON": terminal, "HOBNOB_ENDS_BY": String(signal)]) { $1 },
      files: [.reading("/dev/null"), .writing("/dev/null"), .same(1)])
    var raw: Int32 = 0
    while waitpid(child, &raw, 0) < 0, errno == EINTR {}
    return exitStatus(raw)
  }

  @Test func ends() throws {
    let path = try #require(getenv("HOBNOB_ENDS_ON"))
    let signal = try #require(getenv("HOBNOB_ENDS_BY").flatMap { Int32(String(cString: $0)) })
    let terminal = open(path, O_RDWR | O_NOCTTY)
    let device = try TerminalDevice(input: terminal, output: terminal)
    device.restoreOnCrash()
    device.enter()
    if signal == 0 { exit(3) }
    device.write(Array("entered".utf8))
    // Whoever starts this process may have blocked it.
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, signal)
    sigprocmask(SIG_UNBLOCK, &signals, nil)
    raise(signal)
  }
}
