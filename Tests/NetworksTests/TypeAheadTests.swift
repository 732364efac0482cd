// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Testing

@testable import Networks

@Suite("1.14: Keys that are typed while an account connects") struct TypeAheadTests {
  private func modes(_ terminal: Int32) -> termios {
    var modes = termios()
    tcgetattr(terminal, &modes)
    return modes
  }

  private func read(_ descriptor: Int32) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: 100)
    var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&waiting, 1, 0) > 0 else { return [] }
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    return Array(bytes.prefix(max(0, count)))
  }

  @Test(
    "they reach the next reader as they were typed, and Return stays Return",
    .timeLimit(.minutes(1)))
  func kept() throws {
    var (keyboard, terminal) = (Int32(-1), Int32(-1))
    try #require(openpty(&keyboard, &terminal, nil, nil, nil) == 0)
    defer {
      close(keyboard)
      close(terminal)
    }
    let former = modes(terminal)
    let keys = Array("/join a\r/msg ben\u{7F}\u{15}\u{1A}\u{13}\r".utf8)
    TypeAhead.kept(at: terminal) {
      #expect(write(keyboard, keys, keys.count) == keys.count)
      // The kernel passes them on a little later.
      var arrived: Int32 = 0
      while arrived < keys.count, ioctl(terminal, UInt(FIONREAD), &arrived) == 0 { sched_yield() }
    }
    #expect(read(keyboard).isEmpty)
    #expect(modes(terminal).c_lflag == former.c_lflag)
    #expect(modes(terminal).c_iflag == former.c_iflag)
    // As the line editor does.
    var raw = former
    raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
    raw.c_iflag &= ~tcflag_t(IXON | ICRNL)
    tcsetattr(terminal, TCSANOW, &raw)
    #expect(read(terminal) == keys)
    // Without a terminal, it just goes on.
    #expect(TypeAhead.kept(at: -1) { 7 } == 7)
  }
}
