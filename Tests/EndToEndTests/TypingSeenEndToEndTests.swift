// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("4: Who is seen typing, and when")
  struct TypingSeenEndToEndTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("a notice that gave way to typing people does not come back when they are done")
    func noticeIsGone() throws {
      // There is no room for both.
      let anna = try home.shellInLobby(as: "anna", columns: 50)
      let ben = try home.shellInLobby(as: "ben")
      try anna.type("\u{03}", seeing: "To leave: C-d")
      // Before it has been read nobody takes its place.
      ben.send("I")
      for letter in "would say" where !anna.emulator.picture.contains("ben is typing") {
        ben.send(String(letter))
        _ = anna.wait(for: 1) { $0.picture.contains("ben is typing") }
      }
      try anna.expect("ben is typing")
      try ben.type("\u{03}", seeing: "#lobby> |")
      try anna.expectGone("ben is typing")
      try anna.expect("anna, with 1 other here")
      try anna.expectNever("To leave")
    }
  }
}
