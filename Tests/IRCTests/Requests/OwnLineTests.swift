// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// What the owner asks for in IRC's own words, and what hobnob asks for by itself.
@Suite("the owner's own lines on IRC")
struct OwnLineTests {
  @Test("the owner's own ISON and MONITOR are answered, and tell nothing wrong about contacts")
  func watchedByHand() {
    for (label, capabilities) in [
      ("", []), ("@label=h1 ", ["labeled-response", "batch", "message-tags"]),
    ] {
      var talk = IRCTalk(capabilities, contacts: ["ben": "ben"])
      talk.receive(":srv 303 anna :ben")
      talk.forget()
      talk.tell(.request(.line, "", "ison carla dan"))
      if !label.isEmpty {
        // This answers hobnob's own question.
        talk.receive(":srv 303 anna :ben")
        #expect(talk.takeEvents().isEmpty)
      }
      talk.receive(label + ":srv 303 anna :carla", ":srv PONG srv hobnob-request-1")
      #expect(talk.answers == ["1: carla"] && talk.events.count == 1)
      talk.forget()
      talk.tell(.request(.line, "", "ISON dan", id: 2))
      talk.receive(
        label.replacing("1", with: "2") + ":srv 303 anna :", ":srv PONG srv hobnob-request-2")
      #expect(talk.answers == ["2: None of them is online."] && talk.events.count == 1)
    }
    var talk = IRCTalk(support: "MONITOR=100", contacts: ["ben": "ben"])
    talk.forget()
    talk.tell(.request(.line, "", "MONITOR S"))
    talk.receive(
      ":srv 730 anna :ben!b@h", ":srv 731 anna :carla,dan", ":srv PONG srv hobnob-request-1")
    #expect(talk.answers == ["1: ben!b@h\ncarla,dan"])
    let ben = NetworkUser(identity: "ben", name: "ben", isVerified: false)
    #expect(talk.events.contains(.contact(ben, isOnline: true, away: nil)))
    talk.forget()
    talk.tell(.request(.line, "", "LUSERS", id: 2))
    talk.receive(":srv 731 anna :ben", ":srv PONG srv hobnob-request-2")
    #expect(talk.answers == ["2: "])
  }
}
