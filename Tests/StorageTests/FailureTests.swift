// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations

@Suite("When the file refuses") struct FailureTests {
  private func overwrite(_ path: String, at offset: Int, _ bytes: [UInt8]) throws {
    let file = try #require(FileHandle(forWritingAtPath: path))
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: Data(bytes))
    try file.close()
  }

  @Test("1.2: Without patience a lock is reported at once")
  func locked() throws {
    let lobby = try Lobby()
    lobby.store.patience = 0
    try lobby.other.database.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError.locked(path: lobby.store.path)) { try lobby.says("hello") }
    // Reading goes on.
    #expect(
      try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }.isEmpty)
    try lobby.other.database.execute("COMMIT")
    #expect(try lobby.says("hello").number == 1)
  }

  @Test("1.2: with patience a write waits until the lock is released")
  func patienceWaits() throws {
    let lobby = try Lobby()
    let path = lobby.store.path
    lobby.store.patience = 10_000
    let timeout = try lobby.store.database.first("PRAGMA busy_timeout") { $0.int() }
    #expect(timeout == 10_000)
    let (held, release) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    @Sendable func status(_ thread: String) -> [Substring] {
      ((try? String(contentsOfFile: "/proc/\(thread)/stat", encoding: .utf8)) ?? "")
        .split(separator: " ")
    }
    let writer = try #require(status("thread-self").first)
    let thread = Thread {
      let holder = try? Store(path: path)
      try? holder?.database.execute("BEGIN IMMEDIATE")
      held.signal()
      release.wait()
      // Until the writer sleeps, which it does for nothing but the lock.
      while !status("self/task/\(writer)").contains("S") { sched_yield() }
      try? holder?.database.execute("COMMIT")
    }
    thread.start()
    held.wait()
    release.signal()
    #expect(try lobby.says("hello").number == 1)
  }

  @Test("A full disk changes nothing, and with free space writing goes on")
  func full() throws {
    let lobby = try Lobby()
    let draft = Draft(text: "hello", caret: 5)
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    let pages = try lobby.store.database.first("PRAGMA page_count") { $0.int() } ?? 0
    try lobby.store.database.execute("PRAGMA max_page_count=\(pages)")
    let body = String(repeating: "x", count: 100_000)
    #expect(throws: StoreError.full(path: lobby.store.path)) { try lobby.says(body) }
    #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == draft)
    #expect(
      try lobby.other.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.ben) }.isEmpty)
    try lobby.store.database.execute("PRAGMA max_page_count=1073741823")
    #expect(try lobby.says(body).number == 1)
    #expect(try lobby.store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test func aFileOfAnotherKindIsNoStore() throws {
    let fixture = Fixture()
    for (name, text) in ["a": "hello", "b": String(repeating: "not a database\n", count: 999)] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: fixture.folder + "/" + name))
      #expect(throws: StoreError.notAStore(path: fixture.folder + "/" + name)) {
        try fixture.open(name)
      }
      #expect(try String(contentsOfFile: fixture.folder + "/" + name, encoding: .utf8) == text)
    }
  }

  @Test func anotherProgramsDatabaseIsNoStore() throws {
    for sql in ["CREATE TABLE bookmarks(x)", "PRAGMA application_id=7", "PRAGMA user_version=3"] {
      let fixture = Fixture()
      _ = FileManager.default.createFile(atPath: fixture.path, contents: nil)
      let other = try Database(path: fixture.path, patience: 0)
      try other.execute(sql)
      other.close()
      #expect(throws: StoreError.notAStore(path: fixture.path), "\(sql)") { try fixture.open() }
    }
  }

  @Test func anEmptyFileBecomesAStore() throws {
    let fixture = Fixture()
    _ = FileManager.default.createFile(atPath: fixture.path, contents: nil)
    #expect(
      try fixture.open().writeDurablyIfNeeded { try $0.participant(identity: "anna") }.name
        == "anna")
    #expect(fixture.mode("store.sqlite") == 0o600)
  }

  @Test func aNewerStoreIsLeftAlone() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let version = Schema.version + 1
    try store.database.execute("PRAGMA user_version=\(version)")
    let error = StoreError.newer(path: store.path, found: version, supported: Schema.version)
    #expect(throws: error) { try fixture.open() }
  }

  @Test("a store whose tables another version has changed is neither read nor written")
  func changedWhileOpen() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    let message = try lobby.says("before")
    for version in [Schema.version + 1, Schema.version - 1] {
      try lobby.store.db("PRAGMA user_version=\(version)")
      let error = StoreError.otherVersion(
        path: lobby.store.path, found: version, own: Schema.version)
      #expect(error.isFinal)
      #expect(throws: error) { try lobby.says("after") }
      #expect(throws: error) { try lobby.store.read { try $0.position } }
      #expect(throws: error) {
        try lobby.store.writeIfNeeded { try $0.setAway("lunch", of: lobby.anna) }
      }
      #expect(throws: error) { try lobby.store.shells.reapStale() }
      #expect(!lobby.store.database.isInTransaction)
    }
    try lobby.store.db("PRAGMA user_version=\(Schema.version)")
    #expect(try lobby.store.read { try $0.message(message.id, for: lobby.anna) }?.body == "before")
    #expect(try lobby.says("after").number == 2)
  }

  @Test func damageIsSaid() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    let (anna, room) = (
      try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id,
      try store.writeDurablyIfNeeded { try $0.makeRoom("r") }.id
    )
    try store.writeDurablyIfNeeded { try $0.join(anna, room) }
    for number in 1...200 {
      try store.writeDurably { try $0.send("message \(number)", in: room, by: anna) }
    }
    store.close()
    // The header stays, every page behind it goes.
    let size = Int(try #require(fileStatus(fixture.path)).st_size)
    try overwrite(fixture.path, at: 100, Array(repeating: 0xa5, count: size - 100))
    let refused = #expect(throws: StoreError.self) { try fixture.open() }
    guard case .corrupt(let path, _) = refused else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(path == fixture.path)
  }

  @Test(
    "Whatever numbers the file has, nothing traps (attack 22)",
    arguments: [Int64.max, Int64.min, -1])
  func hostileNumbers(number: Int64) throws {
    let lobby = try Lobby()
    try lobby.says("hello")
    let database = lobby.store.database
    try database.run("UPDATE conversation SET last_number = ?", number)
    try database.run("UPDATE membership SET first = ? WHERE participant = ?", number, lobby.ben)
    try database.run("UPDATE message SET kind = ?1, state = ?1, gone = ?1, created_at = ?1", number)
    try database.run(
      "INSERT INTO reader(conversation, participant, delivered, seen, read, change) "
        + "VALUES (?1, ?2, ?3, ?3, ?3, 1)", lobby.lobby, lobby.ben, number)
    _ = try? lobby.says("again")
    _ = try lobby.store.read { try $0.messages(in: lobby.lobby, limit: .max, for: lobby.anna) }
    _ = try lobby.store.read { try $0.changes(since: 0, for: lobby.anna, limit: .max) }
    _ = try lobby.store.read { try $0.changes(since: .min, for: lobby.ben, limit: .min) }
    _ = try lobby.store.read { try $0.listing(for: lobby.ben) }
    _ = try lobby.store.read { try $0.readMarker(of: lobby.ben, in: lobby.lobby) }
    try lobby.store.writeIfNeeded { try $0.noteDelivered(to: lobby.ben, upTo: [lobby.lobby: .max]) }
    try database.run("UPDATE meta SET change = ?", number)
    _ = try? lobby.says("again")
    _ = try lobby.store.read { try $0.changes(since: 0, for: lobby.anna) }
  }

  @Test("A file that vanishes accepts no more writes")
  func vanished() throws {
    let lobby = try Lobby()
    unlink(lobby.store.path)
    #expect(throws: StoreError.self) { try lobby.says("into the void") }
  }

  @Test func afterClosingEverythingThrows() throws {
    let lobby = try Lobby()
    lobby.store.close()
    lobby.store.close()
    #expect(throws: StoreError.self) { try lobby.says("hello") }
    #expect(throws: StoreError.self) { try lobby.store.read { try $0.position } }
    #expect(try lobby.benSays("still here").number == 1)
  }

  @Test("Each error is a sentence with the file in it")
  func sentences() {
    let errors: [StoreError] = [
      .locked(path: "/p"), .full(path: "/p"), .readOnly(path: "/p"),
      .corrupt(path: "/p", detail: "d"), .newer(path: "/p", found: 9, supported: 1),
      .former(path: "/p"),
      .notAStore(path: "/p"), .isLink(path: "/p"),
      .linkBeside(path: "/p.bell", store: "/p"), .linkBeside(path: "/p-wal", store: "/p"),
      .foreign(path: "/p", owner: "ben"),
      .folderWritableByOthers(path: "/p"), .cannotOpen(path: "/p", reason: "r"),
      .failed(path: "/p", detail: "d"), .otherVersion(path: "/p", found: 9, own: 8),
    ]
    for error in errors {
      #expect(error.description.contains("/p"))
      #expect(!error.description.contains("%"), "\(error)")
    }
    #expect(
      StoreError.newer(path: "/p", found: 9, supported: 1).description
        == "a newer hobnob wrote the store /p (version 9, this one reads up to 1); use the newer one"
    )
    #expect(
      RuleError.othersHaveIt(7).description
        == "others have message 7 already; /delete 7 retracts it")
    // What stands in a place is not looked into for further places.
    #expect(
      RuleError.ambiguous("%2", candidates: ["%1", "x"]).description
        == "%2 could mean %1, x; write it in full")
  }

  @Test("SQLite's codes become ours")
  func mapping() {
    func error(_ code: Int32, _ cause: Int32 = 0) -> StoreError {
      Database.error(code, cause: cause, detail: "d", path: "/p")
    }
    #expect(error(5) == .locked(path: "/p"))
    #expect(error(6) == .locked(path: "/p"))
    #expect(error(5 | 1 << 8) == .locked(path: "/p"))
    #expect(error(13) == .full(path: "/p"))
    #expect(error(10 | 3 << 8, ENOSPC) == .full(path: "/p"))
    #expect(error(10, EDQUOT) == .full(path: "/p"))
    #expect(error(10, EROFS) == .readOnly(path: "/p"))
    #expect(error(8) == .readOnly(path: "/p"))
    #expect(error(11) == .corrupt(path: "/p", detail: "d"))
    #expect(error(26) == .notAStore(path: "/p"))
    #expect(error(14, EACCES) == .cannotOpen(path: "/p", reason: "Permission denied"))
    #expect(error(14, ELOOP) == .isLink(path: "/p"))
    #expect(error(1) == .failed(path: "/p", detail: "d"))
  }
}

@Suite("Schema and health") struct SchemaTests {
  @Test("A store takes the migrations it lacks, all or none")
  func migration() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    _ = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
    let more = Schema.steps + ["ALTER TABLE participant ADD COLUMN mood TEXT"]
    let broken = more + ["CREATE TABLE x(y)", "nonsense"]
    #expect(throws: StoreError.self) {
      try Schema.migrate(store.database, steps: broken, shared: false)
    }
    #expect(try Schema.storedVersion(of: store.database) == Schema.version)
    #expect(try !store.database.exists("SELECT 1 FROM sqlite_schema WHERE name = 'x'"))
    try Schema.migrate(store.database, steps: more, shared: true)
    #expect(try Schema.storedVersion(of: store.database) == Schema.version + 1)
    try store.database.run("UPDATE participant SET mood = 'fine'")
    #expect(try store.database.first("SELECT count(*) FROM participant") { $0.int() } == 1)
    // Whether it is shared was decided when it was made.
    #expect(try store.database.first("SELECT shared FROM meta") { $0.bool() } == false)
  }

  @Test("14.15: a store from before encryption gets its columns, and no message was encrypted")
  func beforeEncryption() throws {
    let lobby = try Lobby()
    try lobby.says("hello")
    let account = try lobby.store.writeDurably {
      try $0.addAccount(owner: lobby.anna, network: "xmpp:anna@example.org")
    }
    try lobby.store.goBackBeforeEncryption()
    let store = try lobby.fixture.open()
    #expect(try Schema.storedVersion(of: store.database) == 4)
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
    #expect(
      try store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }
        .map(\.encryption) == [.none])
    #expect(try store.read { try $0.keyCount(of: account) } == 0)
    #expect(
      try store.writeDurably { try $0.send("again", in: lobby.lobby, by: lobby.anna) }.number == 2)
  }

  @Test("Several processes that find an older store at the same time run each migration once")
  func concurrentMigration() throws {
    let fixture = Fixture()
    try fixture.open().close()
    let path = fixture.path
    let more = Schema.steps + ["ALTER TABLE participant ADD COLUMN mood TEXT"]
    DispatchQueue.concurrentPerform(iterations: 4) { _ in
      #expect(throws: Never.self) {
        let database = try Database(path: path, patience: 10_000)
        defer { database.close() }
        try Schema.migrate(database, steps: more, shared: false)
        #expect(try Schema.storedVersion(of: database) == more.count)
      }
    }
  }

  @Test func theFileSaysWhatItIs() throws {
    let fixture = Fixture()
    let store = try fixture.open()
    func pragma(_ name: String) throws -> String? {
      try store.database.first("PRAGMA \(name)") { $0.text() }
    }
    #expect(try pragma("application_id") == "1752130148")
    #expect(try pragma("user_version") == "\(Schema.version)")
    #expect(try pragma("journal_mode") == "wal")
    #expect(try pragma("auto_vacuum") == "2")
    #expect(try pragma("foreign_keys") == "1")
    #expect(try pragma("secure_delete") == "1")
  }

  @Test("What the user sees as done is on disk first; the rest may be written later")
  func durability() throws {
    let lobby = try Lobby()
    let store = lobby.store
    func level() throws -> Int? {
      try store.database.first("PRAGMA synchronous") { $0.int() }
    }
    let (full, normal) = (2, 1)
    _ = try store.shells.attach(lobby.anna)
    var message = try lobby.says("one")
    let acts: [(Int, () throws -> Void)] = [
      (full, { message = try lobby.says("one") }),
      (normal, { try store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) } }),
      (full, { _ = try store.writeDurably { try $0.edit(message.id, to: "two", by: lobby.anna) } }),
      (normal, { try store.shells.show(lobby.lobby, paused: true) }),
      (full, { _ = try store.writeDurably { try $0.takeBack(message.id, by: lobby.anna) } }),
      (
        normal,
        {
          try store.writeIfNeeded {
            try $0.noteSeen(by: lobby.ben, in: lobby.lobby, upTo: 1, sendReceipt: true)
          }
        }
      ),
      (
        full,
        {
          try store.writeDurablyIfNeeded {
            try $0.setDraft(Draft(text: "x", caret: 0), of: lobby.anna, in: lobby.lobby)
          }
        }
      ),
      (normal, { try store.write { try $0.appendHistory("x", of: lobby.anna, shell: "s") } }),
      (
        full,
        {
          _ = try store.writeDurably {
            try $0.deleteMessage(
              try #require(try $0.newest(by: lobby.anna, in: lobby.lobby)).id, by: lobby.anna)
          }
        }
      ),
    ]
    for (wanted, act) in acts {
      try act()
      #expect(try level() == wanted)
    }
  }

  @Test func aHealthyStoreIsFine() throws {
    let lobby = try Lobby()
    let message = try lobby.says("hello")
    try lobby.store.writeDurably { try $0.edit(message.id, to: "hello there", by: lobby.anna) }
    let findings = try lobby.store.upkeep.check()
    #expect(findings.count == 4)
    #expect(findings.allSatisfy { $0.severity == .fine }, "\(findings)")
  }

  @Test("11.3: a check waits for no one, and nobody waits for it")
  func checkBesideAWriter() throws {
    let lobby = try Lobby()
    try lobby.says("hello")
    let findings = try lobby.other.write { _ in try lobby.store.upkeep.check() }
    #expect(findings.allSatisfy { $0.severity == .fine })
  }

  @Test("11.3: a store on a network file system is warned of, with the reason")
  func networkFileSystem() throws {
    let types = [
      "nfs4": "NFS", "cifs": "SMB", "ext4": nil, "tmpfs": nil, "btrfs": nil, "fuse.sshfs": "sshfs",
      "fuse.glusterfs": "GlusterFS", "9p": "9P", "fuseblk": nil, "fuse.gocryptfs": nil, "fuse": nil,
    ]
    for (type, name) in types {
      let mounts = """
        22 27 0:4 / /proc rw - nfs proc rw
        36 22 0:45 /a\\040- /home/anna rw,relatime shared:1 master:2 - \(type) - rw
        37 22 0:454 / /mnt rw - afs afs rw
        """
      #expect(NetworkFileSystem.name(ofDevice: "0:45", mounts: mounts) == name, "\(type)")
    }
    #expect(NetworkFileSystem.name(ofDevice: "0:46", mounts: "") == nil)
    let lobby = try Lobby()
    let check = StoreCheck(store: lobby.store)
    let finding = try #require(check.fileSystem("NFS").first)
    #expect(finding.severity == .warning)
    #expect(
      finding.description.hasPrefix(
        "the store \(lobby.store.path) is on a network file system (NFS)"))
    #expect(check.fileSystem(nil).isEmpty)
    #expect(lobby.store.upkeep.warning == nil)
  }

  @Test("the log becomes small again after a large transaction, while others have it open")
  func largeLog() throws {
    let lobby = try Lobby()
    let text = String(repeating: "tea ", count: 250_000)
    try lobby.store.writeDurably { transaction in
      for _ in 0..<9 { try transaction.send(text, in: lobby.lobby, by: lobby.anna) }
    }
    func size() -> Int { fileStatus(lobby.store.path + "-wal")?.st_size ?? 0 }
    #expect(size() > 8_000_000)
    for number in 0..<3 { try lobby.benSays("\(number)") }
    #expect(size() <= StoreConnection.logLimit)
    lobby.store.upkeep.emptyLog()
    #expect(size() == 0)
  }

  @Test("Each fault is found", arguments: ["search", "table", "mode", "reference"])
  func faults(kind: String) throws {
    let lobby = try Lobby()
    let database = lobby.store.database
    try lobby.says("hello")
    var wanted = Finding.Severity.damage
    switch kind {
    case "search":
      try database.execute(
        "INSERT INTO message_text(message_text, rowid, body) SELECT 'delete', id, body FROM message"
      )
    case "table":
      try database.execute("DROP TRIGGER message_changed")
    case "mode":
      lobby.fixture.chmod(0o644, "store.sqlite")
      wanted = .warning
    default:
      try database.execute(
        "PRAGMA foreign_keys=OFF; DELETE FROM participant WHERE identity = 'ben'")
    }
    let findings = try lobby.store.upkeep.check()
    #expect(findings.map(\.severity).max() == wanted, "\(findings)")
  }
}
