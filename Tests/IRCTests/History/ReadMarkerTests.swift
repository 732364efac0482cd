// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Testing

@testable import IRC

/// Rule 7.7: how far the owner has read, here and on other devices (IRCv3 read-marker).
@Suite("read markers on IRC")
struct ReadMarkerTests {
  private static let capabilities = HistoryTalk.capabilities + ["draft/read-marker"]

  @Test("what is read on another device is read here, also what arrives later")
  func received() {
    var talk = HistoryTalk(Self.capabilities, marks: ["#tea": HistoryTalk.time(30)])
    talk.talk.receive(
      ":anna!a@h JOIN #tea", ":srv MARKREAD #tea timestamp=\(HistoryTalk.time(60))",
      ":srv 366 anna #tea :End")
    let mark = NetworkEvent.readUntil(
      Timestamp.read(HistoryTalk.time(60)) ?? 0, in: .room("#tea"))
    #expect(talk.talk.events.contains(mark))
    _ = (talk.questions(), talk.talk.takeEvents())
    talk.answer("#tea", [HistoryTalk.line(60, "PRIVMSG #tea :hi")], tags: HistoryTalk.end)
    #expect(talk.talk.events.contains(mark))
    let order = talk.talk.events.firstIndex(of: mark) ?? 0
    #expect(order > 0)
  }

  @Test("a live message is found by its id, since it has the time of its arrival here")
  func live() {
    var talk = HistoryTalk(Self.capabilities)
    talk.talk.enter("#tea")
    let time = "2023-11-14T22:13:20.000Z"
    talk.talk.receive("@msgid=m1;time=\(time) :ben!x@h PRIVMSG #tea :hi")
    _ = talk.talk.takeEvents()
    talk.talk.receive(":srv MARKREAD #tea timestamp=\(time)")
    #expect(talk.talk.events.contains(.read(MessageIDs(archive: "m1"), in: .room("#tea"))))
  }

  @Test("marks that say nothing are nothing")
  func nothing() {
    var talk = HistoryTalk(Self.capabilities)
    _ = talk.talk.takeEvents()
    talk.talk.receive(
      ":srv MARKREAD #tea *", ":srv MARKREAD #tea", ":srv MARKREAD #tea timestamp=x",
      ":srv MARKREAD", ":srv FAIL MARKREAD INTERNAL_ERROR #tea :no")
    #expect(talk.talk.events.isEmpty)
  }

  @Test("what is read here is told to the server, with a time that it gave")
  func sent() {
    var talk = HistoryTalk(Self.capabilities)
    talk.talk.enter("#Tea")
    let time = "2023-11-14T22:13:20.123Z"
    talk.talk.receive(
      "@msgid=m1;time=\(time) :ben!x@h PRIVMSG #tea :hi",
      "@msgid=m2;time=\(time) :ben!x@h PRIVMSG anna :hi")
    _ = talk.talk.takeSent()
    let ben = NetworkUser(identity: "ben")
    func seen(_ place: ConversationAddress, _ id: String, _ state: DeliveryState = .seen)
      -> NetworkSignal
    {
      .receipt(place, MessageIDs(archive: id), by: ben, state)
    }
    talk.talk.tell(
      .signals([
        seen(.room("#tea"), "m1"), seen(.direct("ben"), "m2"), seen(.room("#tea"), "unknown"),
        seen(.room("#tea"), "m1", .delivered),
      ]))
    #expect(
      talk.talk.takeSent() == [
        "MARKREAD #Tea timestamp=\(time)", "MARKREAD ben timestamp=\(time)",
      ])
    var other = HistoryTalk()
    other.talk.receive("@msgid=m2;time=\(time) :ben!x@h PRIVMSG anna :hi")
    _ = other.talk.takeSent()
    other.talk.tell(.signals([seen(.direct("ben"), "m2")]))
    #expect(other.talk.takeSent().isEmpty)
  }

  @Test("for direct chats the client asks how far they are read")
  func directChats() {
    var talk = HistoryTalk(Self.capabilities, marks: ["": HistoryTalk.time(100)])
    _ = talk.questions()
    talk.answer(
      "", [":srv CHATHISTORY TARGETS Ben \(HistoryTalk.time(110))"],
      type: "draft/chathistory-targets")
    #expect(talk.talk.takeSent().contains("MARKREAD Ben"))
  }

  @Test("in a new process, the mark tells the time of what is read only now")
  func readAfterRestart() {
    let time = HistoryTalk.time(30)
    var talk = HistoryTalk(
      Self.capabilities, marks: ["ben": time + " m1", "": time], rooms: ["#tea"])
    _ = talk.talk.takeSent()
    let ben = NetworkUser(identity: "ben")
    talk.talk.tell(
      .signals([.receipt(.direct("ben"), MessageIDs(archive: "m1"), by: ben, .seen)]))
    #expect(talk.talk.takeSent() == ["MARKREAD ben timestamp=\(time)"])
  }

  @Test(
    "what is read without a connection is told when there is one, and in a room after the entry")
  func readMeanwhile() {
    var talk = HistoryTalk(Self.capabilities)
    talk.talk.enter("#tea")
    let time = "2023-11-14T22:13:20.123Z"
    talk.talk.receive(
      "@msgid=m1;time=\(time) :ben!x@h PRIVMSG #tea :hi",
      "@msgid=m2;time=\(time) :ben!x@h PRIVMSG anna :hi")
    talk.talk.disconnect()
    let ben = NetworkUser(identity: "ben")
    talk.talk.tell(
      .signals([
        .receipt(.room("#tea"), MessageIDs(archive: "m1"), by: ben, .seen),
        .receipt(.direct("ben"), MessageIDs(archive: "m2"), by: ben, .seen),
      ]))
    _ = talk.talk.takeSent()
    talk.talk.reconnect(Self.capabilities, support: "CHANTYPES=# CHATHISTORY=3")
    #expect(
      talk.talk.takeSent().filter { $0.hasPrefix("MARKREAD") } == [
        "MARKREAD ben timestamp=\(time)"
      ])
    talk.talk.enter("#tea")
    #expect(
      talk.talk.takeSent().filter { $0.hasPrefix("MARKREAD") } == [
        "MARKREAD #tea timestamp=\(time)"
      ])
  }

  @Test("the client asks about chats with unread messages, and finds the newest one again")
  func unreadChats() {
    let time = HistoryTalk.time(30)
    var talk = IRCTalk(
      Self.capabilities, support: "CHANTYPES=# CHATHISTORY=3",
      marks: ["ben": time + " m1", "": time], unread: ["ben"])
    #expect(talk.takeSent().contains("MARKREAD ben"))
    talk.receive(":srv MARKREAD ben timestamp=\(HistoryTalk.time(29))")
    #expect(!talk.events.contains(.read(MessageIDs(archive: "m1"), in: .direct("ben"))))
    talk.receive(":srv MARKREAD ben timestamp=\(time)")
    #expect(talk.events.contains(.read(MessageIDs(archive: "m1"), in: .direct("ben"))))
    // So it does after a break.
    talk.receive("@msgid=m2;time=2023-11-14T22:13:20.123Z :carla!x@h PRIVMSG anna :hi")
    let signal = NetworkSignal.receipt(
      .direct("ben"), MessageIDs(archive: "m1"), by: NetworkUser(identity: "ben"), .seen)
    talk.tell(.signals([signal]))
    talk.disconnect()
    _ = talk.takeSent()
    talk.reconnect(Self.capabilities, support: "CHANTYPES=# CHATHISTORY=3")
    #expect(talk.takeSent().filter { $0.hasPrefix("MARKREAD") } == ["MARKREAD carla"])
  }

  /// The owner has read this message.
  private func seen(_ id: String, in place: ConversationAddress = .room("#tea")) -> IRCClientEvent {
    .signals([
      .receipt(place, MessageIDs(archive: id), by: NetworkUser(identity: "ben"), .seen)
    ])
  }

  @Test(
    "14.12: in a busy room only the newest marker goes out, every few seconds, and own lines at once"
  )
  func busyRoom() {
    var talk = HistoryTalk(Self.capabilities, settings: ["flood": "4/2"])
    talk.talk.enter("#tea")
    talk.talk.wait(60_000)
    talk.talk.forget()
    var markers: [String] = []
    for second in 0..<60 {
      talk.talk.receive(Self.line(second))
      talk.talk.tell(seen("m\(second)"))
      let sent = talk.talk.takeSent()
      markers += sent.filter { $0.hasPrefix("MARKREAD") }
      if second.isMultiple(of: 7) {
        talk.talk.write("own \(second)")
        #expect(talk.talk.takeSent().contains { $0.hasSuffix("PRIVMSG #tea :own \(second)") })
        talk.talk.receive(
          "@label=\(label(talk)) :anna!a@h PRIVMSG #tea :own \(second)")
      }
      talk.talk.wait(1_000)
      markers += talk.talk.takeSent().filter { $0.hasPrefix("MARKREAD") }
    }
    talk.talk.wait(5_000)
    markers += talk.talk.takeSent()
    #expect((10...13).contains(markers.count), "\(markers)")
    #expect(markers.last == "MARKREAD #tea timestamp=\(HistoryTalk.time(59))")
  }

  private static func line(_ second: Int) -> String { HistoryTalk.line(second, "PRIVMSG #tea :hi") }

  /// The label of the message that waits for its answer.
  private func label(_ talk: HistoryTalk) -> String {
    talk.talk.client.outbox.inFlight.first?.label ?? ""
  }

  @Test("14.12: a newer marker takes the place of the one that waits for its turn")
  func mergedMarkers() {
    var talk = HistoryTalk(Self.capabilities, settings: ["flood": "1/60"])
    talk.talk.enter("#tea")
    for second in 0..<9 {
      talk.talk.receive(Self.line(second))
      talk.talk.tell(seen("m\(second)"))
      talk.talk.wait(6_000)
    }
    talk.talk.forget()
    for _ in 1...5 { talk.talk.wait(60_000) }
    #expect(
      talk.talk.takeSent().filter { $0.hasPrefix("MARKREAD") } == [
        "MARKREAD #tea timestamp=\(HistoryTalk.time(8))"
      ])
  }

  @Test("what the server has not confirmed before a break is told once more")
  func unconfirmed() {
    for isConfirmed in [true, false] {
      var talk = HistoryTalk(Self.capabilities)
      talk.talk.enter("#tea")
      talk.talk.receive(Self.line(1))
      talk.talk.tell(seen("m1"))
      let marker = "MARKREAD #tea timestamp=\(HistoryTalk.time(1))"
      #expect(talk.talk.takeSent().last == marker)
      if isConfirmed { talk.talk.receive(":srv " + marker) }
      talk.talk.reconnect(Self.capabilities, support: "CHANTYPES=# CHATHISTORY=3")
      talk.talk.enter("#tea")
      #expect(talk.talk.takeSent().contains(marker) != isConfirmed)
    }
  }
}
