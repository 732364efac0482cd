// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

@testable import Conversations

/// A folder of its own, removed at the end, and a clock that stands until it is moved.
final class Fixture {
  let folder: String
  var now: Milliseconds = 1_700_000_000_000
  var path: String { folder + "/store.sqlite" }

  init() {
    folder = NSTemporaryDirectory() + "hobnob-" + UUID().uuidString
    mkdir(folder, 0o700)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// One more store on the same file, as another process would have it.
  func open(
    _ name: String = "store.sqlite", options: Store.Options = .init(patience: 0)
  ) throws -> Store {
    try Store(path: folder + "/" + name, options: options, clock: { self.now })
  }

  /// Sets the modification mode bits of a name in the folder.
  func chmod(_ mode: mode_t, _ name: String = "") {
    Foundation.chmod(folder + "/" + name, mode)
  }

  func mode(_ name: String) -> mode_t {
    (facts(folder + "/" + name)?.st_mode ?? 0) & 0o7777
  }
}

/// Two people in #lobby, each with a store of their own on the same file.
final class Lobby {
  let fixture = Fixture()
  let store: Store
  let other: Store
  let anna: ID<Participant>
  let ben: ID<Participant>
  let lobby: ID<Conversation>

  init() throws {
    store = try fixture.open()
    other = try fixture.open()
    anna = try store.participant(identity: "anna").id
    ben = try other.participant(identity: "ben").id
    lobby = try #require(try store.room("lobby", create: true)).id
    try store.join(anna, lobby)
    try other.join(ben, lobby)
  }

  @discardableResult
  func says(_ body: String) throws -> Message {
    try store.send(body, in: lobby, by: anna)
  }

  @discardableResult
  func benSays(_ body: String) throws -> Message {
    try other.send(body, in: lobby, by: ben)
  }

  func state(_ message: Message) throws -> DeliveryState? {
    try store.message(message.id, for: anna)?.state
  }

  func found(_ word: String) throws -> Int {
    try store.database.rows("SELECT rowid FROM message_text WHERE message_text MATCH ?", word) {
      $0.int(0)
    }.count
  }
}
