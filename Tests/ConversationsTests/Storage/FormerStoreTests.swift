// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations

@Suite("A store from before the first release") struct FormerStoreTests {
  @Test(
    "is left as it is, with a sentence that says how to go on", arguments: Schema.formerIDs)
  func refused(id: Int64) throws {
    let fixture = Fixture()
    fixture.file("store.sqlite", "")
    let database = try Database(path: fixture.path, patience: 0)
    try database.execute(
      """
      CREATE TABLE message(id INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT;
      INSERT INTO message(body) VALUES ('hello');
      PRAGMA application_id=\(id);
      PRAGMA user_version=34;
      """)
    database.close()
    let before = FileManager.default.contents(atPath: fixture.path)
    let error = StoreError.former(path: fixture.path)
    #expect(throws: error) { try fixture.open() }
    #expect(FileManager.default.contents(atPath: fixture.path) == before)
    #expect(error.description.contains("hobnob export"))
    #expect(error.description.contains("hobnob import"))
  }

  @Test("belongs to a program that takes a new store for no store of its own")
  func refusesNewStores() throws {
    let store = try Fixture().open()
    let older = Migrations(
      applicationID: Schema.formerIDs[0], formerIDs: [], count: 34)
    #expect(throws: StoreError.notAStore(path: store.path)) { try older.state(of: store.database) }
  }
}
