// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// On a real server (Prosody), anna has hobnob; ben, and anna's phone, have a client of another
  /// project (slixmpp-omemo).
  @Suite("Encryption from end to end (OMEMO)", .serialized)
  final class EncryptionTests {
    private let server: LocalServer
    private let anna: Correspondent
    /// Anna's with ben.
    private let chat: ID<Conversation>

    init() throws {
      server = try LocalServer(["anna", "ben"])
      anna = try Correspondent("anna", at: server)
      try anna.connect()
      chat = try anna.chat(with: "ben")
    }

    private static let versions = ["legacy", "2"]

    private func address(_ name: String) -> String { "\(name)@\(LocalServer.domain)" }

    /// Somebody's other client.
    ///
    /// - Parameter device: another name is another device.
    private func client(
      _ name: String, _ versions: [String] = EncryptionTests.versions, device: String = "phone"
    ) throws -> ForeignClient {
      try ForeignClient(
        encrypting: name, at: server, state: "\(server.folder)/\(name)-\(device).json",
        versions: versions)
    }

    /// Sends an encrypted text, whose id is the text as well.
    private func seal(
      _ text: String, _ version: String = "2", by client: ForeignClient, to name: String = "anna"
    ) throws {
      try client.carryOut("seal", address(name), version, text, text)
    }

    /// Anna writes a line, and ben another one.
    private func exchange(
      _ number: Int, _ version: String = "2", with ben: ForeignClient
    ) throws {
      try anna.say("anna \(number)", in: chat)
      try ben.hear("anna \(number)")
      try seal("ben \(number)", version, by: ben)
      try anna.expect("ben \(number)", in: chat)
      try anna.expect("anna \(number)", in: chat) { $0.state >= .sent }
    }

    /// Makes anna and ben contacts, so that the server tells anna when ben's devices change.
    private func befriend(_ ben: ForeignClient) throws {
      try anna.ask(.subscribe, target: address("ben"))
      // Ben's client accepts and asks her, too; then it sees that she is online.
      try ben.expect(#"from=\"\#(address("anna"))/"#)
    }

    /// Whether a client could not read a message that has a text.
    private func isLost(_ message: ForeignMessage) -> Bool {
      message.unreadable != nil && !message.empty
    }

    /// What `hobnob log` shows of a message.
    private struct Line: Equatable {
      var text: String
      var isEncrypted = true
      var state = "sent"
    }

    private func log() throws -> [Line] {
      let finished = try anna.home.run(["log", address("ben"), "--as", "anna", "--json"])
      try #require(finished.status == 0, "\(finished.errors)")
      return try finished.output.split(separator: "\n").compactMap { line in
        let members = try #require(
          JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        guard members["type"] as? String == "message" else { return nil }
        return Line(
          text: members["text"] as? String ?? "",
          isEncrypted: members["encrypted"] as? Bool == true,
          state: members["state"] as? String ?? "")
      }
    }

    /// Expects that no stanza that a client has received shows the text.
    private func expectSealed(
      _ text: String, at client: ForeignClient, sourceLocation: SourceLocation = #_sourceLocation
    ) {
      #expect(
        !client.lines.contains { $0.hasPrefix("[\"xml\"") && $0.contains(text) },
        sourceLocation: sourceLocation)
    }

    @Test("both sides read each other's first line, in each version", arguments: versions)
    func firstContact(_ version: String) throws {
      let ben = try client("ben", [version])
      try anna.say("tea at five?", in: chat)
      #expect(try ben.hear("tea at five?").version == version)
      expectSealed("tea at five?", at: ben)
      try seal("gladly", version, by: ben)
      try anna.expect("gladly", in: chat)
      try anna.expect("tea at five?", in: chat) { $0.state >= .sent }
      #expect(try log() == [Line(text: "tea at five?"), Line(text: "gladly")])
    }

    @Test("a device that lists both versions gets the newer one")
    func newerVersion() throws {
      let ben = try client("ben")
      try anna.say("tea at five?", in: chat)
      #expect(try ben.hear("tea at five?").version == "2")
    }

    @Test("somebody without keys is written to in the clear")
    func withoutKeys() throws {
      let ben = try ForeignClient("ben", at: server)
      try anna.say("tea at five?", in: chat)
      try ben.expect("\"tea at five?\"]")
      try ben.tell("say", address("anna"), "chat", "gladly")
      try anna.expect("gladly", in: chat)
      try anna.expect("tea at five?", in: chat) { $0.state >= .sent }
      #expect(
        try log() == [
          Line(text: "tea at five?", isEncrypted: false), Line(text: "gladly", isEncrypted: false),
        ])
    }

    @Test("anna's other device reads what she writes in hobnob, and the other way round")
    func ownDevices() throws {
      let (ben, phone) = try (client("ben"), client("anna"))
      try anna.say("from hobnob", in: chat)
      try ben.hear("from hobnob")
      #expect(try phone.hear("from hobnob").version == "2")
      expectSealed("from hobnob", at: phone)
      for version in Self.versions {
        try seal("from the phone: \(version)", version, by: phone, to: "ben")
        try ben.hear("from the phone: \(version)")
        try anna.expect("from the phone: \(version)", in: chat) { $0.sender == anna.me }
      }
      try seal("to both", by: ben)
      try phone.hear("to both")
      try anna.expect("to both", in: chat) { $0.sender != anna.me }
    }

    @Test("a contact's new device reads the next line")
    func newDevice() throws {
      let ben = try client("ben")
      try befriend(ben)
      try exchange(1, with: ben)
      let other = try client("ben", device: "tablet")
      // The server tells anna of the device before it passes this on.
      try seal("from the tablet", by: other)
      try anna.expect("from the tablet", in: chat)
      try anna.say("for both", in: chat)
      for client in [ben, other] { #expect(try client.hear("for both").version == "2") }
    }

    @Test("after each kill -9 of the process both sides go on reading, and nothing arrives twice")
    func survivesKills() throws {
      let ben = try client("ben")
      try exchange(1, with: ben)
      for number in 2...4 {
        anna.kill()
        try anna.say("anna \(number)", in: chat)
        try seal("ben \(number)", number == 3 ? "legacy" : "2", by: ben)
        try anna.connect()
        try ben.hear("anna \(number)")
        try anna.expect("ben \(number)", in: chat)
        try exchange(number * 10, with: ben)
      }
      let numbers = [1, 2, 20, 3, 30, 4, 40]
      #expect(ben.messages.compactMap(\.text) == numbers.map { "anna \($0)" })
      #expect(!ben.messages.contains(where: isLost))
      #expect(try log() == numbers.flatMap { [Line(text: "anna \($0)"), Line(text: "ben \($0)")] })
    }

    @Test("what was written meanwhile is read from the archive, in order, once")
    func readsTheArchive() throws {
      let ben = try client("ben")
      try exchange(1, with: ben)
      anna.kill(SIGTERM)
      let missed = (1...6).map { "missed \($0)" }
      for (text, number) in zip(missed, 0...) {
        try seal(text, Self.versions[number % 2], by: ben)
      }
      try anna.connect()
      try anna.expect("missed 6", in: chat)
      // A message of the archive is not decrypted a second time.
      anna.kill(SIGTERM)
      try seal("later", by: ben)
      try anna.connect()
      try anna.expect("later", in: chat)
      #expect(try log() == (["anna 1", "ben 1"] + missed + ["later"]).map { Line(text: $0) })
    }

    @Test("if ben's client has lost the session, only one line is lost", arguments: versions)
    func sessionLost(_ version: String) throws {
      let ben = try client("ben", [version])
      try exchange(1, version, with: ben)
      try ben.carryOut("forget", address("anna"))
      try anna.say("lost", in: chat)
      try ben.receive("unreadable line", where: isLost)
      try seal("what did you say?", version, by: ben)
      try anna.expect("what did you say?", in: chat)
      try exchange(2, version, with: ben)
      #expect(ben.messages.count(where: isLost) == 1)
    }

    @Test("hobnob heals a session in which it cannot read a line", arguments: versions)
    func sessionBroken(_ version: String) throws {
      let ben = try client("ben", [version])
      try exchange(1, version, with: ben)
      try ben.carryOut("spoil", address("anna"))
      try seal("lost", version, by: ben)
      try ben.receive("new session") { $0.empty && $0.unreadable == nil }
      try exchange(2, version, with: ben)
      let messages = try anna.messages(in: chat)
      #expect(messages.count { $0.kind == .unreadable } == 1)
      #expect(messages.map(\.body) == ["anna 1", "ben 1", "", "anna 2", "ben 2"])
    }

    @Test("a correction is encrypted, and changes the text on the other side", arguments: versions)
    func corrections(_ version: String) throws {
      let ben = try client("ben", [version])
      let tea = try anna.say("tea at fife?", in: chat)
      let heard = try ben.hear("tea at fife?")
      try seal("galdly", version, by: ben)
      try anna.expect("galdly", in: chat)

      try ben.carryOut("seal-correct", address("anna"), version, "corrected", "galdly", "gladly")
      try anna.expect("gladly", in: chat) { $0.editedAt != nil }
      _ = try anna.store.writeDurably { try $0.edit(tea.id, to: "tea at five?", by: anna.me) }
      let correction = try ben.hear("tea at five?")
      #expect(correction.version == version && correction.replaces == heard.id)
      #expect(correction.inside.contains("replace") == (version == "2"))
      expectSealed("tea at five?", at: ben)
      #expect(try log() == [Line(text: "tea at five?"), Line(text: "gladly")])
    }

    @Test(
      "a reaction is encrypted in version 2; in the legacy one only a text can be",
      arguments: versions)
    func reactions(_ version: String) throws {
      let ben = try client("ben", [version])
      try exchange(1, version, with: ben)
      let message = try anna.expect("ben 1", in: chat)
      _ = try anna.store.writeDurably { try $0.react(message.id, by: anna.me, with: "👍") }
      let reaction = try ben.receive("reaction") { $0.reactions == ["👍"] }
      #expect(reaction.reactsTo == "ben 1")
      #expect(reaction.version == (version == "2" ? "2" : nil))
    }

    @Test(
      "a file is encrypted for the server, and both sides read each other's", arguments: versions)
    func files(_ version: String) throws {
      let ben = try client("ben", [version])
      try befriend(ben)
      let data = Data((0..<300_000).map { UInt8($0 % 253) })
      for name in ["our plan.bin", "his.bin"] {
        try data.write(to: URL(fileURLWithPath: anna.home.path + "/" + name))
      }
      let path = anna.home.path + "/our plan.bin"
      let sent = try anna.home.run(["send", address("ben"), "--attach", path, "--as", "anna"])
      try #require(sent.status == 0, "\(sent.errors)")

      let message = try ben.receive("link") { $0.text?.hasPrefix("aesgcm://127.0.0.1:") == true }
      let link = try #require(message.text)
      #expect(message.version == version && link.contains(".bin#") && !link.contains("plan"))
      expectSealed("aesgcm", at: ben)
      expectSealed("127.0.0.1:\(server.port + 2)", at: ben)
      let got = server.folder + "/got"
      try ben.carryOut("open-file", link, got)
      #expect(FileManager.default.contents(atPath: got) == data)
      let sealed = try #require(FileManager.default.contents(atPath: got + ".sealed"))
      #expect(sealed.count == data.count + 16 && sealed.range(of: data.prefix(100)) == nil)

      try ben.carryOut(
        "seal-file", address("anna"), version, "file", anna.home.path + "/his.bin")
      #expect(
        try anna.wait {
          try anna.messages(in: chat).last?.attachments.map(\.name) == ["sealed.bin"]
        })
      let saved = anna.home.path + "/saved"
      let shell = try anna.home.shell(as: "anna", ["@ben"])
      try shell.expect("[file 1: sealed.bin, application/octet-stream, 300.0 kB]")
      try shell.type("/save 2 \(saved)\r", seeing: "Saved as")
      #expect(FileManager.default.contents(atPath: saved) == data)
    }

    @Test("an encrypted file that nobody fetched is shown without its key, and /save fetches it")
    func savesFile() throws {
      let ben = try client("ben")
      try exchange(1, with: ben)
      let path = anna.home.path + "/his.bin"
      try Data("a file of ben's".utf8).write(to: URL(fileURLWithPath: path))
      // Ben is no contact.
      try ben.carryOut("seal-file", address("anna"), "2", "file", path)
      #expect(try anna.wait { try anna.messages(in: chat).count == 3 })
      let link = try #require(try anna.messages(in: chat).last).body
      let (shown, key) = (try #require(link.split(separator: "#").first), link.suffix(88))
      #expect(shown.hasPrefix("aesgcm://"))
      let shell = try anna.home.shell(as: "anna", ["@ben"])
      try shell.expect(String(shown.prefix(40)))
      try shell.type("/info 3\r", seeing: "Text")
      try shell.type("/save 3 \(path).saved\r", seeing: "Saved as")
      #expect(FileManager.default.contents(atPath: path + ".saved") == Data("a file of ben's".utf8))
      let log = try anna.home.run(["log", address("ben"), "--as", "anna"])
      for text in [shell.emulator.history.joined(), shell.emulator.picture, log.output] {
        #expect(!text.contains(key.prefix(16)))
      }
    }

    @Test("an encrypted chat never becomes plain by itself; /encrypt off sends what waited")
    func staysEncrypted() throws {
      let ben = try client("ben")
      try befriend(ben)
      try exchange(1, with: ben)
      try ben.carryOut("withdraw")
      // It arrives after what the server tells of ben's devices.
      try ben.tell("say", address("anna"), "chat", "I have a new phone")
      try anna.expect("I have a new phone", in: chat)

      try anna.say("a secret", in: chat)
      // Had the process sent the line, it would have done so before it asked this.
      try anna.ask(.abilities, target: address("ben"))
      #expect(try log().last.map { [$0.text, $0.state] } == ["a secret", "sending"])
      #expect(!ben.lines.contains { $0.contains("a secret") })

      let shell = try anna.home.shell(as: "anna", ["@ben"])
      try shell.expect("@ben> |")
      try shell.type("/encrypt off\r", seeing: "y: ")
      #expect(!ben.lines.contains { $0.contains("a secret") })
      shell.send("y")
      #expect(try ben.hear("a secret").version == nil)
      try anna.expect("a secret", in: chat) { $0.state >= .sent }
      #expect(try log().map(\.isEncrypted) == [true, true, false, false])
    }
  }
}
