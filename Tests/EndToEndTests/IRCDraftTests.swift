// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import ProsodyFixture
import Testing

extension EndToEnd {
  /// The built program with what only the newest servers have, on a server that records every breach
  /// of the protocol.
  @Suite("14: IRC's drafts")
  struct IRCDraftTests {
    private func stub(_ change: (inout IRCStub.Options) -> Void = { _ in }) throws -> IRCStub {
      var options = IRCStub.Options()
      change(&options)
      return try IRCStub(options)
    }

    /// Anna and Ben in #tea.
    private func talk(
      at server: IRCStub
    ) throws -> (anna: Correspondent, tea: ID<Conversation>, ben: Correspondent, ID<Conversation>) {
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      return (anna, try anna.connect(to: "#tea"), ben, try ben.connect(to: "#tea"))
    }

    private func history(
      _ person: Correspondent, of place: ID<Conversation>, _ address: String, _ count: Int
    ) throws -> String {
      let older = try person.store.read { try $0.olderArchive(in: place) }
      let before = try #require(older)
      return try person.ask(
        .history, target: address, text: before, count: count)
    }

    @Test("replies, reactions, deletions and typing, each way")
    func tags() throws {
      let server = try stub()
      let (anna, tea, ben, bens) = try talk(at: server)
      let question = try anna.say("tea?", in: tea)
      try anna.expect("tea?", in: tea) { $0.state == .sent }
      let theirs = try ben.expect("tea?", in: bens)
      try ben.say("gladly", in: bens, to: theirs)
      let answer = try anna.expect("gladly", in: tea) { $0.replyTo?.number == question.number }
      try ben.expect("gladly", in: bens) { $0.state == .sent }

      func reactions(_ person: Correspondent, _ message: Message) throws -> [String] {
        try person.store.read { try $0.reactions(of: message.id) }.map(\.emoji).sorted()
      }
      for emoji in ["👍", "🍵"] {
        _ = try ben.store.writeDurably { try $0.react(theirs.id, by: ben.me, with: emoji) }
      }
      try anna.expect("no reactions") { try reactions(anna, question) == ["🍵", "👍"] }
      _ = try ben.store.writeDurably { try $0.react(theirs.id, by: ben.me, with: "👍") }
      try anna.expect("still two reactions") { try reactions(anna, question) == ["🍵"] }
      try ben.expectDone()
      #expect(try reactions(ben, theirs) == ["🍵"])

      let position = try anna.store.read { try $0.position }
      func typing() throws -> [Bool] {
        try anna.store.read { try $0.changes(since: position, for: anna.me) }.typing.map(\.isTyping)
      }
      _ = try ben.store.shells.attach(ben.me)
      try ben.store.write { try $0.setTyping(true, in: bens) }
      try anna.expect("ben is not typing") { try typing() == [true] }
      try ben.store.write { try $0.setTyping(false, in: bens) }
      try anna.expect("ben is still typing") { try typing() == [false] }

      _ = try anna.store.writeDurably { try $0.deleteMessage(question.id, by: anna.me) }
      try ben.expect("not deleted") {
        try ben.messages(in: bens).contains { $0.number == theirs.number && $0.deletedAt != nil }
      }
      let bensAnswer = try ben.expect("gladly", in: bens)
      _ = try ben.store.writeDurably { try $0.deleteMessage(bensAnswer.id, by: ben.me) }
      try anna.expect("not deleted") {
        try anna.messages(in: tea).contains { $0.number == answer.number && $0.deletedAt != nil }
      }
      #expect(try server.violations() == [])
    }

    @Test("several lines are one message, also more of them than the server takes at once")
    func multiline() throws {
      let server = try stub {
        ($0.maxLines, $0.maxBytes) = (4, 1_000)
      }
      let (anna, tea, ben, bens) = try talk(at: server)
      try anna.say("one\ntwo\n\nthree", in: tea)
      try ben.expect("one\ntwo\n\nthree", in: bens)
      try anna.expect("one\ntwo\n\nthree", in: tea) { $0.state == .sent }
      let many = (1...10).map { "line \($0)" }.joined(separator: "\n")
      try anna.say(many, in: tea)
      try anna.expect(many, in: tea) { $0.state == .sent }
      try ben.expect("line 9\nline 10", in: bens)
      #expect(try ben.bodies(in: bens).dropFirst().joined(separator: "\n") == many)
      // A paragraph that is cut is joined again.
      let long = (1...150).map { "wörd\($0)" }.joined(separator: " ")
      try anna.say(long, in: tea)
      try anna.expect(long, in: tea) { $0.state == .sent }
      try ben.expect("the whole paragraph is not there") {
        try ben.bodies(in: bens).dropFirst(4).joined(separator: " ")
          .filter { $0 != " " } == long.filter { $0 != " " }
      }
      // Without the capability there are as many messages.
      try server.remove(capability: "draft/multiline")
      try anna.expect("still one message") {
        try !anna.store.read { try $0.knownAbilities(of: tea) }.joinsLines
      }
      try anna.say("a\nb", in: tea)
      try anna.expect("a\nb", in: tea) { $0.state == .sent }
      try ben.expect("b", in: bens)
      #expect(try server.violations() == [])
    }

    @Test("capabilities that come and go while the program runs")
    func notifications() throws {
      let server = try stub { $0.without = ["draft/message-redaction", "echo-message"] }
      let (anna, tea, ben, bens) = try talk(at: server)
      func abilities() throws -> Abilities {
        try anna.store.read { try $0.knownAbilities(of: tea) }
      }
      #expect(try !abilities().deletes)
      try anna.say("one", in: tea)
      try anna.expect("one", in: tea) { $0.state == .sent }
      // Only an echo gives a message the id that one needs to delete it.
      for capability in ["echo-message", "draft/message-redaction"] {
        try server.add(capability: capability)
      }
      for (person, place) in [(anna, tea), (ben, bens)] {
        try person.expect("deletes nothing") {
          try person.store.read { try $0.knownAbilities(of: place) }.deletes
        }
      }
      let two = try anna.say("two", in: tea)
      try anna.expect("two", in: tea) { $0.state == .sent }
      _ = try anna.store.writeDurably { try $0.deleteMessage(two.id, by: anna.me) }
      try ben.expect("not deleted") { try ben.messages(in: bens).last?.deletedAt != nil }
      for capability in ["echo-message", "labeled-response", "message-tags"] {
        try server.remove(capability: capability)
      }
      try anna.expect("still replies") { try !abilities().replies }
      try anna.say("three", in: tea)
      try anna.expect("three", in: tea) { $0.state == .sent }
      try ben.expect("three", in: bens)
      #expect(try server.violations() == [])
    }

    @Test("how far one has read is known to one's other program, both ways")
    func readMarkers() throws {
      let server = try stub()
      let one = try Correspondent("anna", withAccountAt: server)
      let two = try Correspondent("anna", withAccountAt: server)
      let (here, there) = try (one.connect(to: "#tea"), two.connect(to: "#tea"))
      let ben = try IRCPeer(server.port, "ben", capabilities: "message-tags")
      try ben.join("#tea")
      func unread(_ person: Correspondent, _ place: ID<Conversation>) throws -> Int? {
        try person.store.read { try $0.listing(for: person.me) }.first {
          $0.conversation.id == place
        }?.unread
      }
      for (number, (reader, readers, other, others)) in [
        (one, here, two, there), (two, there, one, here),
      ].enumerated() {
        ben.send("PRIVMSG #tea :first \(number)")
        ben.send("PRIVMSG #tea :second \(number)")
        try other.expect("second \(number)", in: others)
        let message = try reader.expect("second \(number)", in: readers)
        #expect(try unread(other, others) == 2)
        try reader.store.writeIfNeeded {
          try $0.noteSeen(by: reader.me, in: readers, upTo: message.number, sendReceipt: true)
        }
        try other.expect("unread") { try unread(other, others) == 0 }
      }
      // What one writes is the other's own, once.
      try one.say("mine", in: here)
      try two.expect("mine", in: there) { $0.sender == two.me && $0.state == .sent }
      try one.expect("mine", in: here) { $0.state == .sent }
      #expect(try server.violations() == [])
    }

    @Test(
      "direct messages that came while away, and older ones on request",
      arguments: ["timestamp,msgid", "timestamp"])
    func missed(references: String) throws {
      let server = try stub { ($0.references, $0.historyLimit) = (references, 10) }
      let texts = (1...35).map { "old \($0)" }
      try server.addHistory(
        texts, from: "cem", to: "#tea", start: Date().timeIntervalSince1970 - 900)
      let anna = try Correspondent("anna", withAccountAt: server)
      let tea = try anna.connect(to: "#tea")
      try anna.expect("old 35", in: tea) { $0.isPast }
      func expectTexts(_ counts: ClosedRange<Int>) throws {
        let bodies = try anna.bodies(in: tea)
        #expect(bodies == texts.suffix(bodies.count) && counts.contains(bodies.count), "\(bodies)")
      }
      // Anna's own coming is in the history as well.
      try expectTexts(9...10)
      #expect(try history(anna, of: tea, "#tea", 15) == "")
      try expectTexts(24...30)
      #expect(try history(anna, of: tea, "#tea", 50) == "")
      #expect(try anna.bodies(in: tea) == texts)

      anna.kill()
      let missed = (1...25).map { "missed \($0)" }
      try server.addHistory(missed, from: "ben", to: "anna", step: 0.01)
      try server.addHistory(missed, from: "ben", to: "#tea", step: 0.01)
      try anna.connect()
      let chat = try anna.ircChat(with: "ben")
      try anna.expect("missed 25", in: chat)
      try anna.expect("missed 25", in: tea)
      try anna.expectCaughtUp()
      let (rooms, chats) = try (anna.bodies(in: tea), anna.bodies(in: chat))
      #expect(rooms == texts + missed, "\(rooms)")
      #expect(chats == missed, "\(chats)")
      #expect(try anna.messages(in: chat).allSatisfy { !$0.isPast })
      #expect(try server.violations() == [])
    }

    @Test("a bouncer's networks are apart; one that appears later is there, one that goes is not")
    func bouncer() throws {
      let server = try stub {
        $0.networks = [
          "1": ["name": "libera", "state": "connected"],
          "2": ["name": "oftc", "state": "connected"],
        ]
      }
      let anna = try Correspondent("anna", withAccountAt: server)
      try anna.connect()
      func enter(_ address: String) throws -> ID<Conversation> {
        var room: ID<Conversation>?
        // The connection to the network may not be there yet.
        try anna.expect("not in \(address)") {
          let (entered, answer) = try anna.enter(address)
          room = entered
          return answer == ""
        }
        return try #require(room)
      }
      for (network, address) in [("1", "#tea/libera"), ("2", "#tea/oftc"), ("3", "#tea/hack")] {
        if network == "3" { try server.set(network: "3", ["name": "hack", "state": "connected"]) }
        let room = try enter(address)
        try anna.say("in \(address)", in: room)
        try anna.expect("in \(address)", in: room) { $0.state == .sent }
        try server.say(["back in \(address)"], from: "ben", to: "#tea", network: network)
        try anna.expect("back in \(address)", in: room)
        #expect(try anna.bodies(in: room) == ["in \(address)", "back in \(address)"])
        let accepted = try server.accepted().last
        #expect(accepted?.network == network && accepted?.target == "#tea")
      }
      try server.set(network: "2", nil)
      let room = try anna.room("#tea/libera")
      try anna.say("still here", in: room)
      try anna.expect("still here", in: room) { $0.state == .sent }
      let (gone, answer) = try anna.enter("#tea/oftc")
      #expect(answer == "The bouncer does not know the network oftc.")
      try anna.say("nobody", in: gone)
      let refused = try anna.expect("nobody", in: gone) { $0.state == .failed }
      #expect(refused.failure == "The bouncer does not know the network oftc.")
      // The same rooms after a break, with what was written meanwhile.
      anna.kill()
      try anna.say("meanwhile", in: room)
      try server.addHistory(["missed"], from: "ben", to: "anna", network: "1")
      try anna.start()
      try anna.expect("missed", in: anna.ircChat(with: "ben/libera")) { !$0.isPast }
      try anna.expect("meanwhile", in: room) { $0.state == .sent }
      try anna.say("here again", in: room)
      try anna.expect("here again", in: room) { $0.state == .sent }
      #expect(try server.violations() == [])
    }

    @Test("11.3: a script that waits for what IRC never reports ends at once, and sends nothing")
    func waits() throws {
      let server = try stub()
      let anna = try Correspondent("anna", withAccountAt: server)
      let tea = try anna.connect(to: "#tea")
      func send(_ state: String) throws -> Program.Finished {
        try anna.home.run(["send", "#tea", "--wait", state, "--as", "anna", "until \(state)"])
      }
      for state in ["delivered", "seen"] {
        let finished = try send(state)
        #expect(finished.status == 1 && finished.output == "")
        #expect(
          finished.errors
            == "hobnob: The network of #tea never reports that a message was \(state); nothing was sent. Use --wait sent.\n"
        )
      }
      #expect(try send("sent").status == 0)
      #expect(try anna.bodies(in: tea) == ["until sent"])
      #expect(try server.accepted().map(\.text) == ["until sent"])
    }

    /// Sends a message with a file.
    private func sendPlan(_ person: Correspondent, in room: ID<Conversation>) throws {
      try person.home.write("tea for two", to: "plan.txt")
      let file = try person.store.attachmentFolder.keep(
        fileAt: person.home.path + "/plan.txt", limit: 0)
      try person.store.writeDurably {
        try $0.send("the plan", in: room, by: person.me, attachments: [file])
      }
    }

    @Test("a file goes to the server's web address", arguments: [false, true])
    func files(isRelative: Bool) throws {
      let server = try stub {
        ($0.hasFiles, $0.filesAreRelative, $0.mechanisms) = (true, isRelative, ["PLAIN"])
      }
      let anna = try Correspondent("anna", withAccountAt: server)
      let tea = try anna.connect(to: "#tea")
      try sendPlan(anna, in: tea)
      try anna.expect("the plan", in: tea) { $0.state == .sent }
      let upload = try #require(try server.uploads().first)
      #expect(upload.data == "tea for two" && upload.account == "anna")
      let accepted = try server.accepted()
      #expect(
        accepted.map(\.text) == ["the plan\nhttps://localhost:\(server.ports[3])/files/1"])
      #expect(try server.violations() == [])
    }

    @Test("an upload does not give the bare password to a server that has SCRAM")
    func filesAfterSCRAM() throws {
      let server = try stub {
        ($0.hasFiles, $0.mechanisms) = (true, ["PLAIN", "SCRAM-SHA-256"])
      }
      let anna = try Correspondent("anna", withAccountAt: server)
      let tea = try anna.connect(to: "#tea")
      try sendPlan(anna, in: tea)
      let plan = try anna.expect("the plan", in: tea) { $0.state == .failed }
      #expect(
        plan.failure == "plan.txt could not be sent: the web server does not allow it (401).")
      #expect(try server.uploads().isEmpty)
    }

    @Test("a server that does not know the password is no server")
    func lyingServer() throws {
      let server = try stub {
        ($0.liesInSCRAM, $0.mechanisms) = (true, ["SCRAM-SHA-256", "PLAIN"])
      }
      let anna = try Correspondent("anna", withAccountAt: server)
      try anna.start()
      try anna.expect("not ended") {
        if case .ended = anna.status { true } else { false }
      }
      #expect(try !server.lines().contains { $0.line == "AUTHENTICATE PLAIN" })
      #expect(try server.violations() == [])
    }
  }
}
