// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// Servers that are not there, not who they say, not able to, or not to be heard any more.
  @Suite("13.9: A wrong server, and a full store", .serialized)
  final class ServerFaultTests {
    private let room = "tea@rooms.\(LocalServer.domain)"

    /// Waits for words in the reason why an account is offline.
    private func expect(
      _ words: String, of person: Correspondent, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
      let isThere = person.wait {
        if case .offline(let reason, _) = person.status {
          reason.text.contains(words)
        } else {
          false
        }
      }
      try #require(
        isThere, "“\(person.status)” has no “\(words)”", sourceLocation: sourceLocation)
    }

    @Test("an unknown host is reported, with the time of the next try")
    func unknownHost() throws {
      let server = try LocalServer(["anna"])
      let anna = try Correspondent("anna", at: server, settings: ["host": "nosuch.invalid"])
      try anna.start()
      try expect("The host nosuch.invalid cannot be found", of: anna)
      guard case .offline(_, _?) = anna.status else {
        Issue.record("\(anna.status)")
        return
      }
    }

    @Test(
      "with an expired or foreign certificate nothing is sent; a good one will do")
    func badCertificates() throws {
      let server = try LocalServer(["anna"])
      let anna = try Correspondent("anna", at: server)
      try server.certify(LocalServer.domain, days: -1)
      try anna.start()
      try expect("has expired, so hobnob sent nothing", of: anna)
      try server.certify("elsewhere.localhost", days: 1)
      try anna.hurry()
      try expect("is not for \(LocalServer.domain), so hobnob sent nothing", of: anna)
      try server.certify(LocalServer.domain, days: 1)
      #expect(
        try anna.wait {
          try anna.hurry()
          return anna.status == .connected([])
        }, "“\(anna.status)”")
      try anna.ask(.abilities)
    }

    @Test("a server without rooms or archive: people are reached, and the rest is a sentence")
    func neitherRoomsNorArchive() throws {
      let server = try LocalServer(["anna", "ben"])
      try server.restart { text in
        let end = text.range(of: "Component \"rooms.")?.lowerBound ?? text.endIndex
        return String(text[..<end]).replacingOccurrences(of: "\"mam\", ", with: "")
      }
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      for person in [anna, ben] { try person.connect() }
      let (annas, bens) = try (anna.chat(with: "ben"), ben.chat(with: "anna"))
      try anna.say("hello", in: annas)
      try ben.expect("hello", in: bens)
      try anna.expect("hello", in: annas) { $0.state >= .sent }
      #expect(
        try anna.ask(.history, target: "ben@\(LocalServer.domain)")
          == "The server keeps no archive of your messages.")
      #expect(try anna.ask(.join, target: room) != "")
      // What is said while the connection is gone comes when it is back.
      anna.proxy.cut()
      try anna.say("again", in: annas)
      try ben.say("still there", in: bens)
      _ = try anna.wait {
        try anna.hurry()
        return anna.isDone
      }
      try ben.expect("again", in: bens)
      try anna.expect("still there", in: annas)
      #expect(try ben.messages(in: bens).map(\.body).filter { $0 == "again" } == ["again"])
    }

    @Test("a full disk is reported and nothing is lost; then all of it comes, once")
    func fullDisk() throws {
      let server = try LocalServer(["anna", "ben"])
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      let (annas, bens) = try (anna.chat(with: "ben"), ben.chat(with: "anna"))
      try anna.start()
      try anna.ask(.abilities)
      try ben.connect()
      let text = { (number: Int) in "\(number) " + String(repeating: "long ", count: 6_000) }
      let count = 40
      for number in 0..<3 { try ben.say(text(number), in: bens) }
      try anna.expect(text(2), in: annas)
      let process = try #require(anna.process)
      func limitFiles(to bytes: String) throws {
        let limit = try Program(
          [
            "prlimit", "--pid", String(process.processIdentifier), "--fsize=\(bytes):unlimited",
          ], environment: anna.home.environment
        ).finish()
        #expect(limit.status == 0, "\(limit.errors)")
      }
      // From now on, the log has room for a status but for no message.
      let log = try FileManager.default.attributesOfItem(atPath: anna.home.store + "-wal")
      try limitFiles(to: String(try #require(log[.size] as? Int) + 24_000))
      for number in 3..<count { try ben.say(text(number), in: bens) }
      #expect(anna.wait { anna.status == .storeIsFull }, "\(anna.status)")
      #expect(!process.hasEnded)
      let stored = try anna.messages(in: annas).count
      #expect(stored < count)
      try limitFiles(to: "unlimited")
      try anna.expect(text(count - 1), in: annas)
      let bodies = try anna.messages(in: annas).map(\.body)
      #expect(bodies.map { $0.prefix(2) } == (0..<count).map { text($0).prefix(2) })
      #expect(bodies == (0..<count).map(text))
      #expect(anna.wait { anna.status == .connected([]) }, "“\(anna.status)”")
    }

    @Test(
      "a text of 1 MB arrives, or is refused with a sentence if the server does not take it")
    func longText() throws {
      let server = try LocalServer(["anna", "ben"])
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      for person in [anna, ben] { try person.connect() }
      let (annas, bens) = try (anna.chat(with: "ben"), ben.chat(with: "anna"))
      let long = String(repeating: "0123456789", count: 100_000)
      try anna.say(long, in: annas)
      try anna.say("behind it", in: annas)
      try ben.expect("behind it", in: bens)
      let refused = try anna.expect(long, in: annas) { $0.state == .failed }
      #expect(refused.failure?.text.contains("too long") == true, "\(refused.failure ?? "")")
      for person in [anna, ben] { person.kill(SIGTERM) }
      try server.restart { "c2s_stanza_size_limit = 4194304\n" + $0 }
      for person in [anna, ben] { try person.connect() }
      _ = try anna.store.writeDurably { try $0.retry(refused.id, by: anna.me) }
      try ben.expect(long, in: bens)
      try anna.expect(long, in: annas) { $0.state >= .sent }
    }

    @Test("a frozen connection is found and reported, and continued when it thaws")
    func frozenConnection() throws {
      let server = try LocalServer(["anna", "ben"])
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      for person in [anna, ben] { try person.connect() }
      let annas = try anna.chat(with: "ben")
      let bens = try ben.chat(with: "anna")
      try anna.say("hello", in: annas)
      try ben.expect("hello", in: bens)
      let shell = try anna.home.shell(as: "anna", ["@ben"])
      try shell.expect("@ben> |")
      anna.proxy.freeze()
      try shell.type("are you there?\r", seeing: "sending")
      try ben.say("yes", in: bens)
      try shell.expect("xmpp: offline until ", for: 20)
      // The next try finds nobody either.
      try shell.expect("xmpp: connecting", for: 20)
      anna.proxy.cut()
      anna.proxy.thaw()
      try shell.expectGone("xmpp: ", for: 40)
      try shell.expect("ben: yes")
      try shell.expect("✓", for: 20)
      try ben.expect("are you there?", in: bens)
    }

    @Test(
      "kill -9 of the process and its shell during sending: another shell takes over")
    func takenOver() throws {
      let server = try LocalServer(["anna", "ben"])
      let (anna, ben) = (
        try Correspondent("anna", at: server), try Correspondent("ben", at: server)
      )
      try ben.connect()
      let (annas, bens) = try (anna.chat(with: "ben"), ben.chat(with: "anna"))
      // The shells start the process by themselves: the password comes from a command.
      let shells = try (0..<2).map { _ in try anna.home.shellInLobby(as: "anna") }
      try anna.say("first", in: annas)
      try ben.expect("first", in: bens)
      let texts = (0..<40).map { "text \($0)" }
      for (number, text) in texts.enumerated() {
        try anna.say(text, in: annas)
        if number == 20 {
          let killed = try Program(
            ["pkill", "-9", "-f", "hobnob-xmpp .*\(anna.home.store)"],
            environment: anna.home.environment
          ).finish()
          #expect(killed.status == 0)
          shells[0].kill(SIGKILL)
        }
      }
      try ben.expect("text 39", in: bens)
      try anna.expect("text 39", in: annas) { $0.state >= .sent }
      #expect(try ben.messages(in: bens).map(\.body) == ["first"] + texts)
      #expect(try anna.messages(in: annas).allSatisfy { $0.state >= .sent })
      #expect(try anna.store.read { try $0.hasProcess(of: anna.account) })
    }

    @Test("12.3: a nickname that looks like another's is told apart")
    func lookalike() throws {
      let server = try LocalServer()
      let anna = try Correspondent("anna", at: server)
      try anna.connect()
      let annas = try anna.room(room)
      let ben = try ForeignClient("ben", at: server)
      let eve = try ForeignClient("cem", at: server)
      try ben.tell("join", room, "ben")
      try ben.expect("/anna")
      // With a Cyrillic letter.
      try eve.tell("join", room, "b\u{435}n")
      try eve.expect("/anna")
      let shell = try anna.home.shell(as: "anna", ["tea"])
      try shell.expect("#tea> |")
      try ben.tell("say", room, "groupchat", "it is me")
      try eve.tell("say", room, "groupchat", "no, it is me")
      try anna.expect("no, it is me", in: annas)
      try shell.expect("ben: it is me")
      try shell.expect("no, it is me")
      let line = shell.emulator.history.last { $0.contains("no, it is me") } ?? ""
      let text = shell.emulator.picture + line
      #expect(!text.contains("] b\u{435}n: no, it is me"), "\(text)")
    }
  }
}
