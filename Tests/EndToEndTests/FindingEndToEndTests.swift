// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("Searching, unread messages, and the outbox")
  struct FindingEndToEndTests {
    @Test("10: /search shows conversation, number and marked words, the newest last")
    func searches() throws {
      let home = try Home()
      try home.say("green tea\nand a kettle", as: "ben")
      try home.say("Black TEA", as: "cleo")
      try home.say("coffee", as: "ben")
      let shell = try home.shellInLobby(as: "anna")
      try shell.type("/join tea\r", seeing: "#tea> |")
      try shell.type("no tea here\r", seeing: "[1]")
      shell.send("/search tea in:#lobby\r")
      _ = shell.wait(for: 10) { $0.history.count { $0.hasPrefix("#lobby 20") } == 2 }
      let shown = shell.emulator.history
      let order = ["ben: green tea", "cleo: Black TEA"].compactMap { part in
        shown.lastIndex { $0.hasPrefix("#lobby ") && $0.contains(part) }
      }
      #expect(order.count == 2 && order[0] < order[1], "\(shown)")
      #expect(shell.style(of: "TEA")?.isUnderlined == true)
      #expect(shell.style(of: "Black ")?.isUnderlined == false)
      try shell.type("/search kett*\r", seeing: "[1] ben: and a kettle")
      try shell.type("/search from:ben coffee\r", seeing: "[3] ben: coffee")
      try shell.type("/search unicorn\r", seeing: "No messages match.")
      try shell.expect("#tea> |")
    }

    @Test(
      "2.8: the arguments of these commands are completed by kind",
      arguments: [[], ["--plain"]])
    func completes(face: [String]) throws {
      let home = try Home()
      try home.say("hello", as: "ben")
      let shell = try home.shell(as: "anna", face + ["lobby"])
      try shell.expect("#lobby> ")
      try shell.type("/search fr\tbe\t", seeing: "/search from:ben |")
    }
  }
}
