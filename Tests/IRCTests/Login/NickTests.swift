// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Testing

@testable import IRC

@Suite("the nick at login")
struct NickTests {
  @Test("if the nick is in use, there are three others to try")
  func inUse() {
    var talk = LoginTalk(.none)
    talk.agree(to: "")
    _ = talk.takeSent()
    talk.receive(":srv 433 * anna :Nickname is already in use")
    #expect(talk.takeSent() == ["NICK anna_"])
    talk.receive(":srv 436 * anna_ :Nickname collision")
    talk.receive(":srv 437 * anna__ :Nick is temporarily unavailable")
    #expect(talk.takeSent() == ["NICK anna__", "NICK anna___"])
    talk.receive(":srv 433 * anna___ :Nickname is already in use")
    #expect(talk.failure == .nickInUse("anna"))
    #expect(talk.takeSent().isEmpty)
  }

  @Test("the welcome says which nick it is, and which one was wanted")
  func welcome() {
    var talk = LoginTalk(.none)
    talk.receive(":srv 433 * anna :Nickname is already in use", ":srv 001 anna_ :Welcome")
    #expect(talk.welcome?.nick == "anna_")
    #expect(talk.welcome?.wantedNick == "anna")
    var usual = LoginTalk(.none)
    usual.receive(":srv 001 anna :Welcome")
    #expect(usual.welcome?.wantedNick == nil)
  }

  @Test("a nick that the server does not accept ends the login for good")
  func bad() {
    var talk = LoginTalk(.none)
    talk.receive(":srv 432 * anna :Erroneous Nickname")
    #expect(talk.failure == .badNick("anna"))
    #expect(talk.failure?.isFatal == true)
  }

  @Test("another try helps only where something else may change")
  func fatal() {
    let lasting: [LoginFailure] = [
      .sasl(.wrongPassword), .sasl(.unproven), .noSASL, .notEncrypted, .badNick("x"),
      .unknownNetwork("1"),
    ]
    #expect(lasting.allSatisfy { $0.isFatal })
    let passing: [LoginFailure] = [
      .sasl(.refused("busy")), .nickInUse("anna"), .banned("x"), .closed(""), .tooSlow(60_000),
    ]
    #expect(!passing.contains { $0.isFatal })
  }
}
