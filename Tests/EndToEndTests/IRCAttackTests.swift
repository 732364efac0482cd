// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import Repeatable
import Testing

@testable import NetworkInbox

extension EndToEnd {
  /// A server, or people on it, against the built `hobnob-irc`. Whatever they send, the process lives
  /// within its memory, the next line counts, and the store has nothing else.
  @Suite("14: attacks on IRC")
  struct IRCAttackTests {
    /// Anna is in a room with Ben.
    private struct Scene {
      let stub: IRCStub
      let anna: Correspondent
      let tea: ID<Conversation>

      init() throws {
        stub = try IRCStub()
        anna = try Correspondent("anna", withAccountAt: stub)
        try stub.add(members: ["ben"], to: "#tea")
        tea = try anna.connect(to: "#tea")
        try anna.expectCaughtUp()
      }

      /// Sends lines to Anna, many at once.
      func inject(_ lines: some Sequence<String>) throws {
        var lines = Array(lines)[...]
        while !lines.isEmpty {
          try stub.inject(lines.prefix(50_000).joined(separator: "\r\n"), to: "anna")
          lines = lines.dropFirst(50_000)
        }
      }

      /// The most memory that the process has had, in megabytes.
      func memory() throws -> Int {
        let process = try #require(anna.process)
        let status = try String(
          contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
        let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return try #require(line?.split(separator: " ").dropFirst().first.flatMap { Int($0) })
          / 1024
      }

      /// Expects that the next line counts, and that what came before left nothing.
      ///
      /// - Parameter megabytes: how much memory the attack may have cost.
      func expectGood(
        besides others: [String] = [], memory former: Int, plus megabytes: Int,
        sourceLocation: SourceLocation = #_sourceLocation
      ) throws {
        try stub.say(["good"], from: "ben", to: "#tea")
        let process = try #require(anna.process).processIdentifier
        let isThere = try waitWhileBusy(process) {
          try anna.wait { try anna.bodies(in: tea).last == "good" }
        }
        #expect(
          isThere, "\(anna.status), \(anna.process?.errors ?? "")", sourceLocation: sourceLocation)
        #expect(try anna.bodies(in: tea) == others + ["good"], sourceLocation: sourceLocation)
        let memory = try memory()
        #expect(memory <= former + megabytes, sourceLocation: sourceLocation)
        let told = try anna.notices().suffix(20)
        #expect(anna.proxy.count == 1, "\(told)", sourceLocation: sourceLocation)
        let violations = try stub.violations()
        #expect(violations == [], sourceLocation: sourceLocation)
        // Hers still count as well.
        try anna.say("mine", in: tea)
        try anna.expect("mine", in: tea, sourceLocation: sourceLocation) { $0.state == .sent }
      }
    }

    /// The size of an attack: a fifth of this, but all of it in a long run.
    private static func size(_ full: Int) -> Int { LongRun.factor == nil ? full / 5 : full }

    @Test("a line that does not end is skipped")
    func endlessLine() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      try scene.inject([
        ":ben!b@h PRIVMSG #tea :" + String(repeating: "x", count: Self.size(16 << 20))
      ])
      try scene.expectGood(memory: memory, plus: 8)
      #expect(try scene.anna.notices().count { $0.contains("too long") } == 1)
    }

    @Test("tags that do not end, and as many tags as a line may have, cost nothing")
    func endlessTags() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      try scene.inject(
        ["@" + String(repeating: "a=b;", count: Self.size(4 << 20)) + " :ben!b@h PRIVMSG #tea :x"])
      let tags = (0..<1_000).map { "k\($0)=" }.joined(separator: ";")
      try scene.inject((0..<Self.size(2_000)).map { "@\(tags);n\($0)=x :ben!b@h TAGMSG #tea" })
      try scene.expectGood(memory: memory, plus: 8)
    }

    @Test("of more people than a room can have, a hundred thousand are there")
    func members() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      try scene.inject([":anna!~anna@host JOIN #big"])
      try scene.inject(
        (0..<Self.size(20_000)).lazy.map { line in
          ":srv 353 anna = #big :" + (0..<50).map { "n\(line)x\($0)" }.joined(separator: " ")
        })
      try scene.inject([":srv 366 anna #big :End of NAMES"])
      try scene.expectGood(memory: memory, plus: 256)
      let big = try scene.anna.room("#big")
      #expect(try scene.anna.people(in: big).count == 100_000)
    }

    @Test("batches that are never closed keep no other line from counting")
    func openBatches() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      let text = String(repeating: "x", count: 300)
      try scene.inject(
        (0..<1_000).map { ":srv BATCH +b\($0) \(["netsplit", "chathistory"][$0 % 2]) #tea x" })
      try scene.inject(
        (0..<Self.size(100_000)).lazy.map { "@batch=b\($0 % 60) :ben!b@h PRIVMSG #tea :\(text)" })
      try scene.expectGood(memory: memory, plus: 24)
    }

    @Test("14.6: a message of several lines and more than a megabyte is skipped, with one sentence")
    func largeMessage() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      let text = String(repeating: "x", count: 400)
      for number in 0..<2 {
        try scene.inject([":ben!b@h BATCH +m\(number) draft/multiline #tea"])
        try scene.inject(
          (0..<Self.size(50_000)).lazy.map { _ in
            "@batch=m\(number) :ben!b@h PRIVMSG #tea :\(text)"
          })
        try scene.inject([":srv BATCH -m\(number)"])
      }
      try scene.expectGood(memory: memory, plus: 16)
      #expect(try scene.anna.notices().count { $0.contains("skipped a message") } == 1)
    }

    @Test("of all rooms that the server puts the owner into, a thousand are there")
    func rooms() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      try scene.inject(
        (0..<Self.size(100_000)).lazy.map {
          ":anna!~anna@host JOIN #r\($0)\r\n:srv 366 anna #r\($0) :End of NAMES"
        })
      try scene.expectGood(memory: memory, plus: 24)
      let rooms = try scene.anna.store.read { try $0.roomsJoined(of: scene.anna.account) }
      #expect(rooms.count == 1_000)
    }

    @Test("each PING has its PONG, and programs that ask have few answers")
    func floods() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      let start = Date()
      try scene.inject((0..<Self.size(20_000)).map { "PING :p\($0)" })
      try scene.inject(
        (0..<Self.size(20_000)).map {
          ":n\($0)!n@h PRIVMSG \($0 % 2 == 0 ? "anna" : "#tea") :\u{1}VERSION\u{1}"
        })
      try scene.inject(
        (0..<Self.size(20_000)).map { ":n\($0)!n@h PRIVMSG anna :\u{1}DCC SEND x 1 2 3\u{1}" })
      try scene.expectGood(memory: memory, plus: 24)
      let lines = try scene.stub.lines().map(\.line)
      #expect(lines.count { $0.hasPrefix("PONG ") } == Self.size(20_000))
      let answers = lines.count { $0.hasPrefix("NOTICE ") }
      #expect((1...1 + Int(Date().timeIntervalSince(start)) / 5).contains(answers))
    }

    @Test("lines without their parameters mean nothing")
    func missingParameters() throws {
      let scene = try Scene()
      let memory = try scene.memory()
      let commands = [
        "ACCOUNT", "ACK", "AUTHENTICATE", "AWAY", "BATCH", "BOUNCER", "CAP", "CHGHOST", "FAIL",
        "INVITE", "JOIN", "KICK", "MARKREAD", "MODE", "NICK", "NOTE", "NOTICE", "PART", "PONG",
        "PRIVMSG", "REDACT", "RENAME", "SETNAME", "TAGMSG", "TOPIC", "WARN",
      ]
      let numbers = (1...999).map { ($0 < 10 ? "00" : $0 < 100 ? "0" : "") + String($0) }
      for source in ["", ":srv ", ":ben!b@h ", ":anna!~anna@host ", ": ", ":!@ "] {
        try scene.inject(commands.flatMap { [source + $0, source + $0 + " :"] })
        try scene.inject(
          [
            "KICK #tea", "INVITE anna", "RENAME #tea", "REDACT #tea", "BATCH +x", "CAP anna",
            "PRIVMSG #tea", "MODE #tea", "CAP anna NEW", "BOUNCER NETWORK", "MARKREAD #tea",
            "FAIL BATCH",
          ].map { source + $0 })
        try scene.inject(
          numbers.flatMap { number in
            ["", " anna", " anna #tea", " anna ben :"].map { source + number + $0 }
          })
      }
      try scene.expectGood(memory: memory, plus: 8)
      #expect(try scene.anna.people(in: scene.tea) == ["ben"])
    }

    @Test("another person's line is no answer to one's own, whatever its label")
    func foreignLabels() throws {
      let scene = try Scene()
      let (anna, stub) = (scene.anna, scene.stub)
      let memory = try scene.memory()
      try stub.read("anna", false)
      try anna.say("wait", in: scene.tea)
      let isTried = try anna.wait {
        try anna.store.read { try $0.outbox(of: anna.account.network) }.first?.wasTried == true
      }
      #expect(isTried)
      let labels = (0..<100).map { "h" + String($0, radix: 36) }
      try scene.inject(
        labels.flatMap { label in
          [
            ":ben!b@h PRIVMSG #tea :wait", ":ben!b@h TAGMSG #tea", ":ben!b@h NOTICE #tea :wait",
            ":annabel!b@h PRIVMSG #tea :wait",
          ].map { "@label=\(label) \($0)" }
        } + [":ben!b@h PRIVMSG #tea :all"])
      try anna.expect("all", in: scene.tea)
      let mine = try anna.messages(in: scene.tea).filter { $0.sender == anna.me }
      #expect(mine.map(\.body) == ["wait"] && mine.map(\.state) == [.sending])
      try stub.read("anna", true)
      let isSent = try anna.wait {
        try anna.messages(in: scene.tea).contains { $0.sender == anna.me && $0.state == .sent }
      }
      #expect(isSent)
      #expect(try stub.accepted().map(\.text) == ["wait"])
      let bodies = try anna.bodies(in: scene.tea)
      #expect(bodies.filter { $0 != "wait" } == ["all"])
      try scene.expectGood(besides: bodies, memory: memory, plus: 8)
    }
  }
}
