// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Glibc
import Repeatable
import StoreFixture
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("11.3: hobnob watch")
  struct WatchScriptTests {
    private let home: Home
    private let store: Store
    private let anna: ID<Participant>
    private let ben: ID<Participant>
    private let lobby: ID<Conversation>

    init() throws {
      home = try Home()
      (store, anna, ben, lobby) = try home.storeWithAnnaAndBen()
    }

    /// A line of JSON.
    private typealias Line = [String: Any]

    private func lines(_ output: String) throws -> [Line] {
      try output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? Line)
      }
    }

    private func position(of line: Line) throws -> Int { try #require(line["position"] as? Int) }

    /// What a line says, in short.
    private func summary(_ line: Line) -> String {
      let what = ["text", "emoji", "kind", "seen"].lazy.compactMap { line[$0] }.first
      return "\(line["type"] ?? "") \(line["change"] ?? "") \(what ?? "")"
    }

    /// Everything after a position, by a watch that is stopped once it has printed it.
    private func watched(after position: Int, _ places: String...) throws -> [Line] {
      let end = try store.writeDurably {
        try $0.send("end", in: lobby, by: ben).id.rawValue
      }
      let watch = try home.start(
        ["watch", "--json", "--as", "anna", "--after", String(position)] + places)
      #expect(watch.wait(for: 20) { $0.output.contains("\"position\":\(end)}") })
      watch.kill(SIGTERM)
      let finished = watch.finish()
      #expect(finished.status == 0 && finished.errors == "", "\(finished.errors)")
      return try lines(finished.output)
    }

    @Test("every change is a line of its own, in the order of its position")
    func everyChange() throws {
      let watch = try home.start(["watch", "--json", "--as", "anna"])
      #expect(watch.wait(for: 10) { $0.output.contains("\n") })
      func see(_ part: String) {
        #expect(watch.wait(for: 10) { $0.output.contains(part) }, "\(part): \(watch.output)")
      }
      let own = try store.writeDurably { try $0.send("mine", in: lobby, by: anna) }
      see("mine")
      let message = try store.writeDurably { try $0.send("one", in: lobby, by: ben) }
      try store.write { try $0.noteSeen(by: ben, in: lobby, upTo: own.number, sendReceipt: true) }
      see("\"seen\":1")
      try store.writeDurably { try $0.edit(message.id, to: "two", by: ben) }
      see("two")
      try store.writeDurably { try $0.react(message.id, by: ben, with: "👍") }
      see("👍")
      try store.writeDurably { try $0.react(message.id, by: ben, with: "👍") }
      see("removed")
      try store.writeDurably { try $0.setTopic("tea", of: lobby, by: ben) }
      see("topic")
      try store.write { try $0.noteDelivered(to: anna, upTo: [lobby: message.number]) }
      try store.writeDurably { try $0.deleteMessage(message.id, by: ben) }
      see("\"deleted\":")
      watch.kill(SIGTERM)
      let finished = watch.finish()
      #expect(finished.status == 0 && finished.errors == "")
      let found = try lines(finished.output)
      #expect(
        found.map(summary) == [
          "position  ", "message new mine", "message new one", "reader state 1",
          "message edited two", "reaction new 👍", "reaction deleted 👍", "event new tea",
          "message deleted ",
        ], "\(finished.output)")
      let positions = try found.map(position)
      #expect(positions == positions.sorted() && Set(positions).count == found.count)
      // From any of them on come those after it.
      for (index, start) in positions.enumerated() {
        let rest = try watched(after: start).map(position)
        #expect(rest.starts(with: positions.dropFirst(index + 1).filter { rest.contains($0) }))
        #expect(rest.allSatisfy { $0 > start })
      }
    }

    @Test("7.3: who reads other messages, or tells nobody, causes no line")
    func quietReaders() throws {
      try store.writeDurably { try $0.send("mine", in: lobby, by: anna) }
      let start = try store.read { try $0.position }
      let watch = try home.start(
        ["watch", "--json", "--as", "anna", "--after", String(start)])
      func read(_ number: Int, sendReceipt: Bool) throws {
        try store.write {
          try $0.noteSeen(by: ben, in: lobby, upTo: number, sendReceipt: sendReceipt)
        }
      }
      try read(1, sendReceipt: true)
      #expect(watch.wait(for: 10) { $0.output.contains("reader") })
      for number in 2...4 {
        try store.writeDurably { try $0.send("\(number)", in: lobby, by: ben) }
        try read(number, sendReceipt: number == 3)
        #expect(watch.wait(for: 10) { $0.output.contains("\"text\":\"\(number)\"") })
      }
      watch.kill(SIGTERM)
      #expect(
        try lines(watch.finish().output).map(summary) == [
          "reader state 1", "message new 2", "message new 3", "message new 4",
        ])
    }

    @Test("changes of one transaction have positions of their own")
    func oneTransaction() throws {
      let start = try store.read { try Int($0.position) }
      try store.writeDurably {
        for number in 1...5 { try $0.send("m\(number)", in: lobby, by: ben) }
      }
      let found = try watched(after: start)
      #expect(found.count == 6)
      for (index, line) in found.enumerated().dropLast() {
        let rest = try watched(after: position(of: line)).compactMap { $0["text"] as? String }
        #expect(
          rest.filter { $0 != "end" } == ((index + 1)..<5).map { "m\($0 + 1)" }, "\(rest)")
      }
    }

    @Test("it shows what its person may see, without what they ignore")
    func visible() throws {
      let start = try store.read { try Int($0.position) }
      try store.writeDurably {
        let cem = try $0.participant(identity: "cem").id
        let secret = try $0.directChat(ben, with: cem).id
        try $0.send("secret", in: secret, by: ben)
        let dev = try $0.makeRoom("dev").id
        try $0.join(cem, dev)
        try $0.send("elsewhere", in: dev, by: ben, requireMembership: false)
        try $0.join(cem, lobby)
        try $0.send("noise", in: lobby, by: cem)
        try $0.send("hi", in: $0.directChat(ben, with: anna).id, by: ben)
      }
      func texts(_ places: String...) throws -> [String] {
        try watched(after: start).compactMap { $0["text"] as? String }.filter { $0 != "end" }
      }
      #expect(try texts() == ["noise", "hi"])
      #expect(try home.run(["lobby", "--as", "anna"], input: "/ignore cem\n").status == 0)
      #expect(try texts() == ["hi"])
      // Rooms are open to anyone who names them.
      #expect(
        try watched(after: start, "dev", "lobby").compactMap { $0["text"] as? String }.first
          == "elsewhere")
    }

    @Test("it shows what was said while one was there, once others can see it; invitations too")
    func whileThere() throws {
      let start = try store.read { try Int($0.position) }
      let member =
        ##"{"type":"member","conversation":"#old","participant":"anna","first":1}"##
      let export = Home.export(2, in: "old").replacing(
        "\n{", with: "\n\(member)\n{", maxReplacements: 1)
      try home.write(export, to: "old.jsonl")
      #expect(try home.run(["import", home.path + "/old.jsonl"]).status == 0)
      try store.writeDurably {
        let back = try $0.send("taken back", in: lobby, by: anna)
        _ = try $0.takeBack(back.id, by: anna)
        let dev = try $0.makeRoom("dev").id
        for text in ["before", "during", "after"] {
          if text == "during" { try $0.join(anna, dev) } else { try $0.leave(anna, dev) }
          try $0.send(text, in: dev, by: ben, requireMembership: false)
        }
        let tea = try $0.makeRoom("tea", for: ben).id
        for person in [anna, ben] { try $0.join(person, tea) }
        try $0.remove(tea, by: ben)
        let den = try $0.makeRoom("den").id
        try $0.join(ben, den)
        _ = try $0.inviteToRoom(anna, to: den, by: ben)
      }
      let found = try watched(after: start).map(summary)
      #expect(
        found == [
          "message deleted ", "message new during", "event new left", "event new #tea",
          "event new invitation", "message new end",
        ], "\(found)")
    }

    @Test("the state of a message is its sender's alone")
    func states() throws {
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      let room = "tea@rooms.x.org"
      try store.inbox.apply([.joined(room: room, nick: "anna")], of: account)
      let start = try store.read { try $0.position }
      let watch = try home.start(["watch", "--as", "anna", "--after", String(start)])
      #expect(try home.run(["send", "#" + room, "hi", "--as", "anna"]).status == 0)
      #expect(watch.wait(for: 10) { $0.output.contains("anna: hi") })
      let entry = try #require(try store.read { try $0.outbox(of: account.network) }.first)
      try store.inbox.apply([.refused(entry, reason: "no tea here")], of: account)
      #expect(watch.wait(for: 10) { $0.output.contains("no tea here") })
      watch.kill(SIGTERM)
      let output = watch.finish().output
      #expect(
        output.hasSuffix("#\(room) ✗ [1] not sent: no tea here\n"), "\(output)")
      for (person, count) in [(anna, 1), (ben, 0)] {
        let found = try store.read {
          try $0.orderedChanges(
            after: start, for: person, in: [entry.message.conversation], limit: 9)
        }
        #expect(found.changes.count { $0.what == .state(entry.message.id) } == count)
      }
    }

    @Test("it ends if an older copy of the store is put back while it runs")
    func olderCopy() throws {
      try store.writeDurably { try $0.send("one", in: lobby, by: ben) }
      let watch = try home.start(["watch", "--json", "--as", "anna"])
      #expect(watch.wait(for: 10) { $0.output.contains("position") })
      try store.db("UPDATE meta SET change = change - 3")
      try store.writeIfNeeded { try $0.setAway("lunch", of: ben) }
      let finished = watch.finish()
      #expect(finished.status == 1 && finished.errors.contains("An older copy of the store"))
    }

    @Test("plain lines are those of log --follow, with the conversation")
    func plain() throws {
      let start = try store.read { try String($0.position) }
      let message = try store.writeDurably { try $0.send("one\nmore", in: lobby, by: ben) }
      try store.writeDurably {
        try $0.edit(message.id, to: "two", by: ben)
        try $0.react(message.id, by: ben, with: "👍")
        try $0.setTopic("tea", of: lobby, by: ben)
      }
      // Begun earlier, it may read the message before its edit.
      let watch = try home.start(["watch", "--as", "anna", "--after", start])
      #expect(watch.wait(for: 10) { $0.output.contains("topic") })
      watch.kill(SIGTERM)
      let output = watch.finish().output
      let stamp = #/^[-0-9]+ [0-9:]+ /#.anchorsMatchLineEndings()
      #expect(
        output.replacing(stamp, with: "") == """
          #lobby [1] ben: two (edited)
              👍 ben
          #lobby ✎ [1] ben: two
          #lobby 👍 ben [1] two
          #lobby · ben changed the topic: tea

          """, "\(output)")
    }

    @Test("a position that the store has not reached is refused, in JSON too")
    func beyond() throws {
      let far = String(try store.read { try $0.position } + 1)
      for command in [["watch"], ["watch", "lobby"], ["wait"], ["wait", "lobby"]] {
        let finished = try home.run(command + ["--json", "--as", "anna", "--after", far])
        #expect(finished.status == 1)
        #expect(finished.errors.contains("has not reached position \(far)"))
        let error = try #require(try lines(finished.output).first)
        #expect(
          error["type"] as? String == "error"
            && finished.errors == "hobnob: \(error["text"] ?? "")\n")
      }
      let wrong = try home.run(["watch", "--json", "--after", "soon"])
      #expect(wrong.status == 64 && wrong.output.hasPrefix(#"{"type":"error","text":"“soon”"#))
      #expect(try home.run(["watch", "--after", "-1"]).status == 64)
      let nobody = try home.run(["watch", "--as", "dora"])
      #expect(nobody.status == 1 && nobody.errors.contains("No one named dora"))
    }

    @Test("it ends when its reader goes away")
    func readerGoes() throws {
      let shell = try Program(
        [
          "/bin/bash", "-c",
          "'\(Home.program)' watch --json --as anna | head -n1; echo ${PIPESTATUS[0]}",
        ],
        environment: home.environment)
      #expect(shell.wait(for: 10) { $0.output.contains("position") })
      let finished = shell.finish()
      #expect(finished.output.hasSuffix("\n0\n"), "\(finished.output)")
    }

    @Test("11.3: wait --after leaves no hole between two waits")
    func waits() throws {
      var position = String(try store.read { try $0.position })
      try store.writeDurably {
        for number in 1...3 { try $0.send("\(number)", in: lobby, by: ben) }
        try $0.send("mine", in: lobby, by: anna)
      }
      for place in [["lobby"], []] {
        let start = position
        for number in 1...3 {
          let finished = try home.run(
            ["wait", "--json", "--as", "anna", "--after", position] + place)
          let line = try #require(try lines(finished.output).first)
          #expect(line["text"] as? String == "\(number)")
          position = String(try self.position(of: line))
        }
        let over = try home.run(
          ["wait", "--json", "--as", "anna", "--after", position, "--timeout", "0"] + place)
        #expect(over.status == 1 && over.output.hasPrefix(#"{"type":"error""#))
        position = start
      }
    }

    @Test("11.3: wait passes over what was deleted, and --mention over muted rooms and notices")
    func passesOver() throws {
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      func waited(after start: Int64, _ options: String...) throws -> String {
        try home.run(
          ["wait", "--as", "anna", "--timeout", "0", "--after", String(start)] + options
        ).output
      }
      var start = try store.read { try $0.position }
      try store.writeDurably {
        let message = try $0.send("oops", in: lobby, by: ben)
        try $0.deleteMessage(message.id, by: ben)
      }
      #expect(try waited(after: start) == "")

      #expect(try home.run(["lobby", "--as", "anna"], input: "/mute lobby\n").status == 0)
      start = try store.read { try $0.position }
      try store.writeDurably { try $0.send("anna: hey", in: lobby, by: ben) }
      #expect(try waited(after: start).contains("anna: hey"))
      #expect(try waited(after: start, "--mention") == "")

      try store.writeDurably { _ = try $0.networkChat(with: "bot@x.org", of: account) }
      for (kind, isForMe) in [(Message.Kind.notice, false), (.text, true)] {
        start = try store.read { try $0.position }
        try store.inbox.apply(
          [
            .messageReceived(
              NetworkMessage(speaker: NetworkUser(identity: "bot@x.org"), body: "psst", kind: kind),
              in: .direct("bot@x.org"))
          ], of: account)
        #expect(try waited(after: start).contains("psst"))
        #expect(try waited(after: start, "--mention").contains("psst") == isForMe)
      }
    }

    @Test("11.3: killed at any moment while others write, it misses nothing and repeats nothing")
    func killed() throws {
      var random = FixedRandom(seed: LongRun.seed &+ 44)
      let rounds = LongRun.rounds(30)
      var position = try store.read { try Int($0.position) }
      let writers = try ["ben", "cem"].map { name in
        try home.start(
          ["lobby", "--as", name],
          input: (0..<rounds * 40).map { "\(name)-\($0)\n" }.joined())
      }
      var texts: [String] = []
      func take(_ output: String) throws {
        // The last line may be cut.
        let whole = output.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
        for line in try lines(whole.joined(separator: "\n")) {
          #expect(try self.position(of: line) > position)
          position = try self.position(of: line)
          if line["change"] as? String == "new", let text = line["text"] as? String {
            texts.append(text)
          }
        }
      }
      for round in 0..<rounds {
        let watch = try home.start(
          ["watch", "--json", "--as", "anna", "--after", String(position)])
        let least = random.below(3) * 200
        _ = watch.wait(for: Double(random.below(200)) / 1000) { $0.output.utf8.count > least }
        watch.kill(SIGKILL)
        try take(watch.finish().output)
        if round % 10 == 4 {
          let compact = try home.run(["check", "--compact"])
          #expect(compact.status == 0, "\(compact.errors)")
        }
      }
      for writer in writers { #expect(writer.finish(within: 300).status == 0) }
      let sent = texts.count
      #expect(sent > 0)
      let end = try store.writeDurably {
        try $0.send("end", in: lobby, by: ben).id.rawValue
      }
      let watch = try home.start(["watch", "--json", "--as", "anna", "--after", String(position)])
      #expect(watch.wait(for: 60) { $0.output.contains("\"position\":\(end)}") })
      watch.kill(SIGTERM)
      try take(watch.finish().output)
      for name in ["ben", "cem"] {
        #expect(
          texts.filter { $0.hasPrefix(name) } == (0..<rounds * 40).map { "\(name)-\($0)" })
      }
    }
  }
}
