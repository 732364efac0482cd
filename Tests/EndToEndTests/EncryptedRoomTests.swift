// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Testing

extension EndToEnd {
  /// In a room of a real server (Prosody) that ben has made, with a client of another project
  /// (slixmpp-omemo). Anna has hobnob; carl is a member, too.
  @Suite("Encryption in rooms, and trust (OMEMO)", .serialized)
  final class EncryptedRoomTests {
    private static let room = "tea@rooms.\(LocalServer.domain)"
    private let server: LocalServer
    private let anna: Correspondent
    private let (ben, carl): (ForeignClient, ForeignClient)

    init() throws {
      server = try LocalServer(["anna", "ben", "carl"])
      anna = try Correspondent("anna", at: server)
      (ben, carl) = (try Self.client("ben", server), try Self.client("carl", server))
    }

    private static func address(_ name: String) -> String { "\(name)@\(LocalServer.domain)" }

    private static func client(
      _ name: String, _ server: LocalServer, device: String = "phone"
    ) throws -> ForeignClient {
      try ForeignClient(
        encrypting: name, at: server, state: "\(server.folder)/\(name)-\(device).json",
        versions: ["legacy", "2"])
    }

    /// Sends an encrypted text to anna and carl.
    private func seal(_ text: String, _ version: String) throws {
      try ben.carryOut(
        "seal-room", Self.room, version, text, text, Self.address("anna"), Self.address("carl"))
    }

    private func isEncrypted(_ message: Message) -> Bool { message.encryption == .encrypted }

    @Test(
      "members read each other, also who was away; in a room that opens to everybody, lines wait")
    func inRooms() throws {
      try ben.carryOut(
        "private-room", Self.room, "ben", Self.address("anna"), Self.address("carl"))
      try anna.connect()
      let room = try anna.room(Self.room)
      try anna.say("in the clear", in: room)
      try ben.hear("in the clear")
      try #require(
        try anna.ask(.encrypt, target: Self.room, text: "on").hasSuffix("is encrypted from now on.")
      )
      try anna.say("sealed", in: room)
      #expect(try ben.hear("sealed").version == "2")
      let xml = ben.lines.filter { $0.hasPrefix("[\"xml\"") && $0.contains("sealed<") }
      #expect(xml.isEmpty)
      for version in ["legacy", "2"] {
        try seal("ben in \(version)", version)
        try anna.expect("ben in \(version)", in: room, isEncrypted)
      }
      // Carl was away all the time.
      try carl.carryOut("enter", Self.room, "carl")
      try carl.hear("sealed")

      anna.kill(SIGTERM)
      for version in ["legacy", "2"] { try seal("away, \(version)", version) }
      try anna.connect()
      for version in ["legacy", "2"] { try anna.expect("away, \(version)", in: room, isEncrypted) }
      try anna.say("back", in: room)
      #expect(try ben.hear("back").version == "2")

      try ben.carryOut("open-room", Self.room)
      // Until she knows, she encrypts for the members.
      #expect(
        try anna.wait {
          try anna.ask(.encrypt, target: Self.room, text: "on").hasPrefix("Anybody can enter")
        })
      try anna.say("waits", in: room)
      try ben.carryOut("seal-room", Self.room, "2", "later", "later", Self.address("anna"))
      try anna.expect("later", in: room)
      #expect(try !anna.messages(in: room).contains { $0.body == "waits" && $0.state >= .sent })
      try anna.ask(.encrypt, target: Self.room, text: "off")
      try anna.expect("waits", in: room) { $0.state >= .sent && $0.encryption == .none }
    }

    @Test("a verified person's new device gets nothing until anna decides; it is marked meanwhile")
    func newDevice() throws {
      try anna.connect()
      let chat = try anna.chat(with: "ben")
      try anna.say("hello", in: chat)
      try ben.hear("hello")
      // ben reads this to anna on the phone.
      let device = try #require(
        try JSONSerialization.jsonObject(with: Data(ben.expect("[\"device\"").utf8)) as? [Any])
      let fingerprint = try #require(device[2] as? [String]).joined(separator: " ")
      let answer = try anna.ask(.verify, target: Self.address("ben"), text: fingerprint)
      #expect(answer == "You have verified device \(device[1]) of \(Self.address("ben")).")
      try ben.carryOut("seal", Self.address("anna"), "2", "me", "me")
      try anna.expect("me", in: chat) { $0.encryption == .verified }

      let tablet = try Self.client("ben", server, device: "tablet")
      try tablet.carryOut("seal", Self.address("anna"), "2", "new", "new")
      try anna.expect("new", in: chat) { $0.encryption == .unverified }
      try anna.say("only the phone", in: chat)
      try ben.hear("only the phone")
      try anna.ask(.verify, target: Self.address("ben"), text: "yes")
      try anna.say("both", in: chat)
      for client in [ben, tablet] { try client.hear("both") }
      #expect(!tablet.messages.contains { $0.text == "only the phone" })
    }
  }
}
