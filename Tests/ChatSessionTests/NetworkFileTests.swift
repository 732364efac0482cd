// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Testing

@testable import ChatSession
@testable import NetworkInbox

/// Files on networks, as those at the prompt meet them.
@MainActor
@Suite("Files on networks")
struct NetworkFileTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  @Test("facts learned from the server are not settings, and a file over its limit is not attached")
  func knowsTheServer() throws {
    let account = try anna.added()
    try anna.learn(rooms: "rooms.x.org", of: account)
    var abilities = Abilities()
    abilities.largestFile = 3
    try anna.provide(NetworkAbilities(rooms: abilities), for: account)
    anna.say("/account list")
    #expect(anna.printed.suffix(1) == ["    host h.x.org"])
    let path = town.folder.path + "/a.txt"
    try Data("four".utf8).write(to: URL(filePath: path))
    #expect(anna.say("/attach " + path))
    #expect(anna.say("/detach all"))
    anna.say("/msg ben@x.org")
    #expect(!anna.say("/attach " + path))
    #expect(anna.printed.last?.contains("larger than 3 B, the largest file that") == true)
  }

  /// A message of ben's that is the address of a file.
  private func getsAddress(_ body: String) throws -> Account {
    let account = try anna.added()
    anna.say("/msg ben@x.org")
    let ben = NetworkUser(identity: "ben@x.org")
    try town.store().inbox.apply(
      [
        .messageReceived(
          NetworkMessage(name: MessageIDs(origin: "1"), speaker: ben, body: body, links: [body]),
          in: .direct("ben@x.org"))
      ], of: account)
    anna.look()
    return account
  }

  @Test("8.2: /save says that an http address is not downloaded")
  func unencrypted() throws {
    let account = try getsAddress("http://files.x.org/a.txt")
    #expect(!anna.say("/save 1"))
    #expect(
      anna.printed.last
        == "hobnob fetches files only from https:// links; message 1 has none.")
    #expect(try town.store().read { try $0.requests(of: account) }.allSatisfy { $0.verb != .fetch })
  }

  /// The network's process has fetched what was asked for.
  private func fetches(_ request: NetworkRequest, _ account: Account) throws {
    let store = try town.store()
    let file = try ArrivingFile(into: store.attachmentFolder)
    try Array("x".utf8).withUnsafeBytes { try file.append($0) }
    try store.inbox.apply(
      [.fetched(request, try file.finish(name: "a.txt")), .answered(request, "")], of: account)
    anna.look()
  }

  @Test("/save downloads a file known only by its address, and saves it afterwards")
  func savesWhatHasToBeFetched() throws {
    let account = try getsAddress("https://files.x.org/a.txt")
    #expect(anna.printed.contains { $0.contains("ben: https://files.x.org/a.txt") })
    let path = town.folder.path + "/saved"
    #expect(anna.say("/save 1 " + path))
    #expect(!FileManager.default.fileExists(atPath: path))
    let request = try #require(try anna.store.read { try $0.requests(of: account) }.first)
    #expect(request.verb == .fetch && request.text == "https://files.x.org/a.txt")
    try fetches(request, account)
    anna.writeFiles()
    #expect(anna.printed.contains { $0.contains("→ [1] ben: [file 1: a.txt, text/plain, 1 B]") })
    #expect(anna.printed.contains("Saved as " + path))
    #expect(FileManager.default.contents(atPath: path) == Data("x".utf8))
    // Other shells of hers do not save it again, and it is not fetched again.
    #expect(anna.say("/save 1 " + path))
    #expect(try anna.store.read { try $0.requests(of: account) }.isEmpty)
  }

  @Test("a failed download is reported, and the address stays")
  func saysWhyNothingIsSaved() throws {
    let account = try getsAddress("https://files.x.org/a.txt")
    anna.say("/save 1 /tmp/never")
    let request = try #require(try anna.store.read { try $0.requests(of: account) }.first)
    try town.store().inbox.apply(
      [.answered(request, "a.txt could not be fetched: gone.")], of: account)
    anna.look()
    #expect(anna.printed.contains("a.txt could not be fetched: gone."))
    #expect(!anna.printed.contains { $0.contains("Saved") })
    // What is no address of HTTPS is none.
    try town.store().inbox.apply(
      [
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(origin: "2"), speaker: NetworkUser(identity: "ben@x.org"),
            body: "http://x.org/a"), in: .direct("ben@x.org"))
      ], of: account)
    anna.look()
    #expect(!anna.say("/save 2"))
  }

  @Test("the automatic download limit is a number of megabytes", arguments: ["-1", "101", "x"])
  func refusesLimits(value: String) throws {
    let account = try anna.added()
    #expect(!anna.say("/account set anna@x.org fetch " + value))
    #expect(anna.say("/account set anna@x.org fetch 0"))
    #expect(anna.printed.last == "fetch of anna@x.org is now set to 0.")
    #expect(try anna.settings(of: account)?.fetchLimit == 0)
  }
}
