// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Platform

/// A folder, removed at the end, and a clock that moves only when told to.
package final class Fixture {
  package let folder: String
  package var now: Milliseconds = 1_700_000_000_000
  package var path: String { folder + "/store.sqlite" }

  package init() {
    folder = NSTemporaryDirectory() + "hobnob-" + UUID().uuidString
    mkdir(folder, 0o700)
  }

  deinit {
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Another connection to the same file, as in another process.
  package func open(
    _ name: String = "store.sqlite", options: Store.Options = .init(patience: 0)
  ) throws -> Store {
    try Store(path: folder + "/" + name, options: options, clock: { self.now })
  }

  /// Puts a new store where there is none: a copy of one, since the migrations take much longer.
  package static func placeStore(at path: String) throws {
    if FileManager.default.fileExists(atPath: path) { return }
    try FileManager.default.createDirectory(
      atPath: (path as NSString).deletingLastPathComponent, withIntermediateDirectories: true,
      attributes: [.posixPermissions: 0o700])
    try newStore.get().write(to: URL(fileURLWithPath: path))
    Foundation.chmod(path, 0o600)
  }

  private static let newStore = Result {
    let fixture = Fixture()
    try fixture.open().close()
    return try Data(contentsOf: URL(fileURLWithPath: fixture.path))
  }

  /// Sets the modification mode bits of a name in the folder.
  package func chmod(_ mode: mode_t, _ name: String = "") {
    Foundation.chmod(folder + "/" + name, mode)
  }

  package func mode(_ name: String) -> mode_t {
    (fileStatus(folder + "/" + name)?.st_mode ?? 0) & 0o7777
  }
}

/// Two people in #lobby, each with a store of their own on the same file.
package final class Lobby {
  package let fixture = Fixture()
  package let store: Store
  package let other: Store
  package let anna: ID<Participant>
  package let ben: ID<Participant>
  package let lobby: ID<Conversation>

  package init() throws {
    try Fixture.placeStore(at: fixture.path)
    store = try fixture.open()
    other = try fixture.open()
    anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    ben = try other.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    try store.writeDurablyIfNeeded { try $0.join(anna, lobby) }
    try other.writeDurablyIfNeeded { try $0.join(ben, lobby) }
  }

  @discardableResult
  package func says(_ body: String) throws -> Message {
    try store.writeDurably { try $0.send(body, in: lobby, by: anna) }
  }

  @discardableResult
  package func benSays(_ body: String) throws -> Message {
    try other.writeDurably { try $0.send(body, in: lobby, by: ben) }
  }

  package func state(_ message: Message) throws -> DeliveryState? {
    try store.read { try $0.message(message.id, for: anna) }?.state
  }

  package func found(_ word: String) throws -> Int {
    try store.read {
      try $0.database.rows("SELECT rowid FROM message_text WHERE message_text MATCH ?", word) {
        $0.int()
      }.count
    }
  }
}

extension Store {
  /// Runs statements, over a connection of their own.
  package func db(_ sql: String) throws {
    try Database(path: path, patience: 10_000).execute(sql)
  }

  /// Makes its file one of the version before messages were encrypted.
  package func goBackBeforeEncryption() throws {
    try db(
      """
      ALTER TABLE message DROP COLUMN device;
      ALTER TABLE message DROP COLUMN device_key;
      DROP INDEX message_encrypted;
      ALTER TABLE message DROP COLUMN encrypted;
      ALTER TABLE account DROP COLUMN keys;
      PRAGMA user_version=2;
      """)
  }

  package func count(_ table: String) throws -> Int {
    try read { try $0.database.first("SELECT count(*) FROM \(table)") { $0.int() } ?? 0 }
  }
}
