// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

extension EndToEnd {
  @Suite("10: A room's topic and invitations, being away, what works")
  struct PlaceTests {
    private let home: Home

    init() throws { home = try Home() }

    @Test("10: /can says what things mean here, and completion omits what does not work")
    func can() throws {
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/can\r", seeing: "#lobby is on this machine, in this store.")
      for word in ["edit ", "recall ", "typing ", "seen ", "history "] {
        #expect(shell.emulator.picture.contains("  " + word))
      }
      try shell.type("/top\t", seeing: "#lobby> /topic")
      try home.say("hello", as: "ben")
      try shell.type("\u{15}/msg ben\r", seeing: "@ben> |")
      shell.send("/top\t")
      try shell.expectNever("/topic")
      let store = try Store(path: home.store)
      defer { store.close() }
      let far = try store.writeDurablyIfNeeded { try $0.networkRoom("far", network: "stub") }
      try store.writeDurablyIfNeeded {
        try $0.join(
          try $0.participant(identity: "anna").id, far.id)
      }
      try shell.type("\u{15}/switch far\r", seeing: "#far> |")
      try shell.type("/can\r", seeing: "#far is on the network stub.")
      try shell.type("/topic x\r", seeing: "#far is not a room of this machine")
    }
  }
}
