// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Glibc
import Platform
import Terminal
import Testing

@testable import LineEditing

@Suite("1.9: Keys that wait for more when the terminal closes")
@MainActor
struct KeyReaderTests {
  @Test(
    "a line is a line, many are a paste",
    arguments: [
      ("hi\r", [.key([0x68]), .key([0x69]), .key([0x0D])]),
      ("a\rb\rc\rd\r", [.paste(Array("a\nb\nc\nd\n".utf8))]),
      ("\u{1B}[200~x", [.unfinishedPaste([0x78])]), ("h", []),
    ] as [(String, [KeyEvent])])
  func lastKeys(typed: String, last: [KeyEvent]) throws {
    let pair = try PseudoTerminalPair()
    let terminal = pair.openTerminal()
    let device = try TerminalDevice(input: terminal, output: terminal)
    device.enter(plain: false)
    defer { device.leave() }
    let reader = KeyReader(of: device, in: EventLoop { 1000 })
    pair.send(typed)
    var arrived: Int32 = 0
    while arrived < typed.utf8.count {
      var ready = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      try #require(
        poll(&ready, 1, 10_000) > 0 && ioctl(terminal, UInt(FIONREAD), &arrived) == 0)
    }
    let read = reader.withoutPastes(try #require(reader.available(awaitsAnswer: false)))
    pair.hangUp()
    #expect(reader.available(awaitsAnswer: false) == nil)
    #expect(read.isEmpty == !last.isEmpty)
    #expect(reader.lastKeys() == last)
    #expect(reader.lastKeys() == [])
  }
}
