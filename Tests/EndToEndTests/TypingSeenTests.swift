// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Testing

extension EndToEnd {
  @Suite("Who is seen typing, and when (4)")
  struct TypingSeenTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    @Test("4.4: in plain mode nothing is printed by itself, and /who says who is typing")
    func plainModeIsSilent() throws {
      let anna = try home.shellInLobby(as: "anna", ["--plain"])
      let ben = try home.shellInLobby(as: "ben")
      try ben.type("I could", seeing: "#lobby> I could|")
      try anna.expectNever("typing", for: 1)
      anna.send("/who\r")
      try anna.expect("ben  typing")
      try ben.type("\u{03}", seeing: "#lobby> |")
      try anna.expectNever("ben  here", for: 0.5)
      anna.send("/who\r")
      try anna.expect("ben  here")
    }

    @Test(
      "4.2: typing-timeout says how long somebody stays typing; 0 until they pause",
      arguments: [("1", false), ("0", true)])
    func timeout(seconds: String, stays: Bool) throws {
      let (anna, ben) = try home.annaAndBen()
      try anna.command("/set typing-timeout \(seconds)")
      // Ben begins, and says nothing more that could renew or end it before his 6 idle seconds.
      try ben.type("I", seeing: "#lobby> I|")
      try anna.expect("ben is typing")
      if stays {
        try anna.expectNever("#lobby> |\nanna", for: 2.5)
        try ben.type("\u{03}", seeing: "#lobby> |")
        try anna.expectGone("is typing", for: 2)
      } else {
        try anna.expectGone("is typing", for: 2.5)
      }
    }

    @Test("a notice that made room for who is typing does not come back when they are done")
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

    @Test("4.3: what is typed right after a line was sent is signalled, at the latest 3 s later")
    func typingAgainAfterSending() throws {
      let (anna, ben) = try home.annaAndBen()
      ben.send("first")
      try anna.expect("ben is typing")
      ben.send("\r")
      try anna.expect("ben: first")
      try anna.expectGone("is typing")
      // Too soon for a signal, and no key comes after it.
      try ben.type("second", seeing: "#lobby> second|")
      try anna.expect("ben is typing", for: 6)
    }

    @Test("3.2, 4.3: whoever begins to edit is not signalled later for what they typed before")
    func editingAfterTyping() throws {
      let (anna, ben) = try home.annaAndBen()
      ben.send("first\r")
      try anna.expect("ben: first")
      try ben.type("half", seeing: "#lobby> half|")
      try ben.type("\u{1B}e", seeing: "edit 1> first|")
      try anna.expectGone("is typing", for: 2)
      try anna.expectNever("is typing", for: 4)
    }
  }
}
