// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations

@Suite("8.2: Files go with their messages") struct PruningTests {
  /// When the files of these tests were written, and an hour later.
  private let written = 1_600_000_000
  private var later: Milliseconds { Milliseconds(written + 3_601) * 1000 }

  private func age(_ lobby: Lobby) {
    for name in lobby.fixture.keptFiles {
      lobby.fixture.touch(lobby.fixture.folder + "/store.attachments/" + name, at: written)
    }
  }

  /// How many files and bytes went.
  private func removed(by store: Store, _ now: Milliseconds) throws -> [Int] {
    let removed = try store.upkeep.pruneAttachments(now: now)
    return [removed.files, removed.bytes]
  }

  @Test("A file without a message goes after an hour; one with a message stays")
  func grace() throws {
    let lobby = try Lobby()
    let (named, loose) = (try lobby.kept("named"), try lobby.kept("loose"))
    let sent = try lobby.says("", with: [named])
    age(lobby)
    #expect(try removed(by: lobby.store, later - 2_000) == [0, 0])
    #expect(try removed(by: lobby.store, later) == [1, 5])
    #expect(fileStatus(lobby.store.attachmentFolder.path(of: loose.hash)) == nil)
    #expect(lobby.fixture.text(lobby.store.attachmentFolder.path(of: named.hash)) == "named")
    #expect(try removed(by: lobby.store, later) == [0, 0])
    try lobby.store.writeDurably { try $0.deleteMessage(sent.id, by: lobby.anna) }
    #expect(try removed(by: lobby.other, later) == [1, 5])
    #expect(lobby.fixture.keptFiles.isEmpty)
  }

  @Test("A walk in steps looks at a few files at a time, and at all of them in the end")
  func steps() throws {
    let lobby = try Lobby()
    for number in 1...40 { _ = try lobby.kept("loose \(number)") }
    lobby.fixture.file("store.attachments/incoming-1a2b", "half")
    let named = try lobby.kept("named")
    try lobby.says("", with: [named])
    age(lobby)
    var sweep = AttachmentSweep()
    var (left, steps) = (lobby.fixture.keptFiles.count, 0)
    #expect(left == 42)
    while try !sweep.step(1, in: lobby.store, now: later) {
      let now = lobby.fixture.keptFiles.count
      #expect(left - now <= 1)
      (left, steps) = (now, steps + 1)
      if steps > 1000 { break }
    }
    #expect(lobby.fixture.keptFiles.count == 1 && sweep.files == 41 && steps < 400)
    #expect(lobby.fixture.text(lobby.store.attachmentFolder.path(of: named.hash)) == "named")
    // What is there after the end is for another walk.
    #expect(try sweep.step(1, in: lobby.store, now: later))
  }

  @Test("One of two messages keeps their file")
  func twoNamers() throws {
    let lobby = try Lobby()
    let file = try lobby.kept("x")
    let sent = [try lobby.says("", with: [file]), try lobby.says("", with: [file, file])]
    age(lobby)
    try lobby.store.writeDurably { try $0.deleteMessage(sent[0].id, by: lobby.anna) }
    #expect(try removed(by: lobby.store, later) == [0, 0])
    _ = try lobby.store.writeDurably { try $0.takeBack(sent[1].id, by: lobby.anna) }
    #expect(try removed(by: lobby.store, later) == [1, 1])
  }

  @Test("Attaching it again begins a new hour")
  func keptAgain() throws {
    let lobby = try Lobby()
    _ = try lobby.kept("x")
    age(lobby)
    let again = try lobby.kept("x")
    #expect(try removed(by: lobby.store, later) == [0, 0])
    try lobby.says("", with: [again])
  }

  @Test("A draft that holds one of the store's own files keeps it")
  func draft() throws {
    let lobby = try Lobby()
    let file = try lobby.kept("x")
    let draft = Draft(
      text: "", caret: 0, files: [DraftFile(path: lobby.store.attachmentFolder.path(of: file.hash))]
    )
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    age(lobby)
    #expect(try removed(by: lobby.store, later) == [0, 0])
    try lobby.store.writeDurably { try $0.clearDrafts(of: lobby.anna) }
    #expect(try removed(by: lobby.store, later) == [1, 1])
  }

  @Test("Half-copied files of a killed process go; files not of the store stay")
  func strangers() throws {
    let lobby = try Lobby()
    let file = try lobby.kept("x")
    try lobby.says("", with: [file])
    let root = "store.attachments/"
    lobby.fixture.file(root + "incoming-1a2b", "half")
    let part = file.hash.prefix(2)
    for name in ["README", "\(part)/notes", "zz", file.hash, "\(part)/incoming-x"] {
      lobby.fixture.file(root + name, "mine")
    }
    mkdir(lobby.fixture.folder + "/" + root + "incoming-folder", 0o700)
    symlink("/etc", lobby.fixture.folder + "/" + root + "ab")
    let before = lobby.fixture.keptFiles.count
    age(lobby)
    #expect(try removed(by: lobby.store, later) == [1, 4])
    #expect(lobby.fixture.keptFiles.count == before - 1)
    #expect(!lobby.fixture.keptFiles.contains("incoming-1a2b"))
  }

  @Test func aStoreNextDoorKeepsItsFiles() throws {
    let lobby = try Lobby()
    let neighbour = try lobby.fixture.open("other.sqlite")
    let kept = try neighbour.attachmentFolder.keep(
      fileAt: lobby.fixture.file("source", "x"), limit: 0)
    lobby.fixture.touch(neighbour.attachmentFolder.path(of: kept.hash), at: written)
    #expect(try removed(by: lobby.store, later) == [0, 0])
    _ = try lobby.kept("y")
    #expect(try removed(by: lobby.store, later) == [0, 0])
    #expect(lobby.fixture.text(neighbour.attachmentFolder.path(of: kept.hash)) == "x")
  }

  @Test("A locked store is reported, and nothing is lost; later all goes")
  func locked() throws {
    let lobby = try Lobby()
    for number in 0..<200 { _ = try lobby.kept("\(number)") }
    age(lobby)
    try lobby.other.database.execute("BEGIN IMMEDIATE")
    #expect(throws: StoreError.locked(path: lobby.store.path)) {
      try lobby.store.upkeep.pruneAttachments(now: later)
    }
    try lobby.other.database.execute("COMMIT")
    #expect(lobby.fixture.keptFiles.count == 200)
    #expect(try lobby.store.upkeep.pruneAttachments(now: later).files == 200)
    #expect(lobby.fixture.keptFiles.isEmpty)
  }

  @Test("Pruning rings no bell")
  func quiet() throws {
    let lobby = try Lobby()
    _ = try lobby.kept("x")
    age(lobby)
    let before = try lobby.store.read { try $0.position }
    #expect(try lobby.store.upkeep.pruneAttachments(now: later).files == 1)
    #expect(try lobby.store.read { try $0.position } == before)
  }

  @Test(
    "The check finds files that are missing, of another size and, with deep, of other bytes",
    arguments: ["missing", "size", "bytes", "link"])
  func check(how: String) throws {
    let lobby = try Lobby()
    let (file, fine) = (try lobby.kept("abc"), try lobby.kept("fine"))
    try lobby.says("", with: [file, fine])
    for deep in [false, true] {
      #expect(try lobby.store.upkeep.check(deep: deep).allSatisfy { $0.severity == .fine })
    }
    let path = lobby.store.attachmentFolder.path(of: file.hash)
    let name = String(path.dropFirst(lobby.fixture.folder.count + 1))
    switch how {
    case "missing": unlink(path)
    case "size": lobby.fixture.file(name, "abcd")
    case "bytes": lobby.fixture.file(name, "abd")
    default:
      unlink(path)
      symlink(lobby.fixture.file("same", "abc"), path)
    }
    func worst(deep: Bool) throws -> [Finding] {
      try lobby.store.upkeep.check(deep: deep).filter { $0.severity == .damage }
    }
    #expect(try worst(deep: false).count == (how == "bytes" ? 0 : 1))
    let found = try worst(deep: true)
    #expect(found.count == 1)
    #expect(found[0].description.contains("note.txt"))
    #expect(!found[0].description.contains("%"))
  }

  @Test("A folder that others may read is found")
  func openFolder() throws {
    let lobby = try Lobby()
    _ = try lobby.kept("x")
    lobby.fixture.chmod(0o755, "store.attachments")
    #expect(try lobby.store.upkeep.check().contains { $0.severity == .warning })
  }

  @Test("A thousand missing files are not a thousand lines")
  func manyFaults() throws {
    let lobby = try Lobby()
    let files = try (0..<30).map { try lobby.kept("\($0)") }
    try lobby.says("", with: files)
    for file in files { unlink(lobby.store.attachmentFolder.path(of: file.hash)) }
    let found = try lobby.store.upkeep.check().filter { $0.severity == .damage }
    #expect(found.count == 21)
    #expect(found.last?.description == "and 10 more attachments are damaged")
  }
}
