// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import ProsodyFixture
import Testing

@testable import NetworkInbox

extension Correspondent {
  /// On IRC, without TLS and a login.
  convenience init(
    _ name: String, at server: IRCServer, settings: [String: String] = [:]
  ) throws {
    try self.init(
      name, on: "irc:\(name)@\(IRCServer.name)", port: Int(server.port),
      settings: ["tls": "off", "login": "none", "flood": "off"].merging(settings) { $1 })
  }

  /// On IRC, with TLS and the account of that name.
  convenience init(
    _ name: String, withAccountAt server: IRCServer, settings: [String: String] = [:]
  ) throws {
    try self.init(
      name, on: "irc:\(name)@\(IRCServer.name)", port: Int(server.securePort),
      settings: [
        "ca": server.certificates.authority, "flood": "off",
        "password-command": "echo '\(IRCServer.password)'",
      ].merging(settings) { $1 })
  }

  /// Enters a room.
  ///
  /// - Returns: its conversation, and what the network answered: nothing if all is well.
  func enter(
    _ address: String, key: String = ""
  ) throws -> (room: ID<Conversation>, answer: String) {
    let room = try store.writeDurablyIfNeeded {
      try $0.networkRoom(address, network: account.network)
    }
    try store.writeDurablyIfNeeded { try $0.join(me, room.id) }
    return (room.id, try ask(.join, target: address, secret: key))
  }

  /// Starts, and enters a room without trouble.
  func connect(
    to address: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ID<Conversation> {
    try connect()
    let (room, answer) = try enter(address)
    try #require(answer == "", sourceLocation: sourceLocation)
    return room
  }

  /// The direct chat with somebody on IRC.
  func ircChat(with nick: String) throws -> ID<Conversation> {
    let known = try store.read { try $0.account(network: account.network) }
    let address = known?.rules.fold(nick) ?? nick
    return try store.writeDurably { try $0.networkChat(with: address, of: account) }.id
  }

  /// What the network has told that nobody had asked for.
  func notices() throws -> [String] {
    try store.read { try $0.changes(since: 0, for: me) }.notices.map(\.text.text)
  }

  /// Waits until something holds.
  func expect(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    _ condition: () throws -> Bool
  ) throws {
    let holds = try wait(for: 20, until: condition)
    let told = try notices()
    try #require(
      holds, "\(name): \(what); “\(status)”, \(told), \(process?.errors ?? "")",
      sourceLocation: sourceLocation)
  }

  func expectNotice(
    _ part: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    try expect("no “\(part)”", sourceLocation: sourceLocation) {
      try notices().contains { $0.contains(part) }
    }
  }

  /// The names of everybody in a room but the owner.
  func people(in room: ID<Conversation>) throws -> [String] {
    try store.read { try $0.people(in: room) }.map(\.participant).filter { $0.id != me }
      .map(\.name).sorted()
  }

  func expectCaughtUp(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expect("still busy", sourceLocation: sourceLocation) { status == .connected([]) }
  }

  /// Waits until nothing is in the outbox.
  func expectDone(sourceLocation: SourceLocation = #_sourceLocation) throws {
    try expect("waiting messages", sourceLocation: sourceLocation) { isDone }
  }

  func bodies(in place: ID<Conversation>) throws -> [String] {
    try messages(in: place).map(\.body)
  }
}
