// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("Files that travel with messages (rule 8)") struct AttachmentTests {
  @Test("8.1: Text and files are one ordered message")
  func oneMessage() throws {
    let lobby = try Lobby()
    let files = [
      try lobby.kept("a", as: "z.txt", type: "text/plain"), try lobby.kept("b", as: "a.txt"),
    ]
    let sent = try lobby.says("two files", with: files)
    #expect(sent.attachments == files)
    #expect(sent.attachments.map(\.name) == ["z.txt", "a.txt"])
    #expect(sent.attachments.map(\.type) == ["text/plain", "application/octet-stream"])
    #expect(try lobby.other.read { try $0.files(of: sent.id) } == files)
    #expect(try lobby.other.read { try $0.message(sent.id, for: lobby.ben) }?.attachments == files)
    let listed = try lobby.other.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.ben) }
    #expect(listed.map(\.attachments) == [files])
    #expect(
      try lobby.other.read { try $0.changes(since: 0, for: lobby.ben) }.arrived.map(\.attachments)
        == [files])
    #expect(try lobby.says("none").attachments == [])
  }

  @Test("8.1: The text may be empty, a file of no bytes is one, and the same file may come twice")
  func edges() throws {
    let lobby = try Lobby()
    let empty = try lobby.kept("", as: "empty")
    #expect(empty.bytes == 0)
    let files = [empty, empty, try lobby.kept("", as: "other")]
    let sent = try lobby.says("", with: files)
    #expect(try lobby.other.read { try $0.message(sent.id, for: lobby.ben) }?.attachments == files)
    #expect(lobby.fixture.keptFiles.count == 1)
  }

  @Test func sendingClearsTheDraftAndItsFiles() throws {
    let lobby = try Lobby()
    let draft = Draft(text: "", caret: 0, files: [DraftFile(path: "/tmp/x")])
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    try lobby.store.writeDurably {
      try $0.send(
        "", in: lobby.lobby, by: lobby.anna, attachments: [try lobby.kept("x")], draft: "")
    }
    #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == nil)
    #expect(try !lobby.store.database.exists("SELECT 1 FROM draft_file"))
  }

  @Test("A missing file refuses the whole message; the draft and the number stay")
  func gone() throws {
    let lobby = try Lobby()
    let (here, gone) = (try lobby.kept("here"), try lobby.kept("gone", as: "g.txt"))
    let draft = Draft(text: "look", caret: 1, files: [DraftFile(path: "/tmp/x", name: "y")])
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    unlink(lobby.store.attachmentFolder.path(of: gone.hash))
    var tampered = here
    tampered.bytes += 1
    for (file, name) in [(gone, "g.txt"), (tampered, "note.txt")] {
      #expect(throws: AttachmentError.gone(name: name)) {
        try lobby.says("look", with: [here, file])
      }
    }
    #expect(try lobby.store.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == draft)
    #expect(try lobby.says("look", with: [here]).number == 1)
    #expect(try lobby.store.database.first("SELECT count(*) FROM attachment") { $0.int() } == 1)
  }

  @Test("An edit changes the text only")
  func edit() throws {
    let lobby = try Lobby()
    let file = try lobby.kept("x")
    let sent = try lobby.says("one", with: [file])
    #expect(
      try lobby.store.writeDurably { try $0.edit(sent.id, to: "two", by: lobby.anna) }.attachments
        == [file])
    #expect(try lobby.other.read { try $0.message(sent.id, for: lobby.ben) }?.attachments == [file])
  }

  @Test("3.7: A deleted or cancelled message has no files; cancelling returns them")
  func deleted() throws {
    let lobby = try Lobby()
    let file = try lobby.kept("x")
    let first = try lobby.says("one", with: [file])
    #expect(
      try lobby.store.writeDurably { try $0.deleteMessage(first.id, by: lobby.anna) }.attachments
        == [])
    #expect(try lobby.other.read { try $0.message(first.id, for: lobby.ben) }?.attachments == [])
    let second = try lobby.says("two", with: [file])
    #expect(
      try lobby.store.writeDurably { try $0.takeBack(second.id, by: lobby.anna) }.attachments == [
        file
      ])
    #expect(try lobby.store.read { try $0.message(second.id, for: lobby.anna) }?.attachments == [])
    #expect(try !lobby.store.database.exists("SELECT 1 FROM attachment"))
  }

  @Test func aNetworkIsGivenFiles() throws {
    let lobby = try Lobby()
    let file = try lobby.kept("x")
    let room = try lobby.store.writeDurablyIfNeeded { try $0.networkRoom("tea", network: "net") }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, room) }
    try lobby.store.writeDurably {
      try $0.send("out", in: room, by: lobby.anna, attachments: [file])
    }
    let entry = try #require(try lobby.store.read { try $0.outbox(of: "net") }.first)
    #expect(entry.message.attachments == [file])
    #expect(entry.operation == .send)
    try lobby.store.writeDurably { try $0.finish(entry, as: .sent) }
    #expect(try lobby.store.read { try $0.outbox(of: "net") }.isEmpty)
  }

  @Test("12.4: Foreign names and types are made safe on the way in and on the way out")
  func hostileRows() throws {
    let lobby = try Lobby()
    var file = try lobby.kept("x", as: "../../x\u{202E}gnp.exe")
    #expect(file.name == "xgnp.exe")
    (file.name, file.type) = ("../-rf\n", "text/html\r\nX: y")
    let sent = try lobby.says("look", with: [file])
    #expect(sent.attachments.map(\.name) == ["rf"])
    #expect(sent.attachments.map(\.type) == ["application/octet-stream"])
    try lobby.store.database.run(
      "UPDATE attachment SET name = ?, type = ?, bytes = ?", "/etc/../\u{1b}]0;x\u{7}p\u{1f}w",
      "a/b/c", -7)
    let read = try #require(try lobby.other.read { try $0.message(sent.id, for: lobby.ben) })
      .attachments
    #expect(read == [Attachment(hash: file.hash, name: "]0;xpw", bytes: 0)])
    #expect(try lobby.other.read { try $0.files(of: sent.id) } == read)
    // A count that promises what is not there, and a name that pretends to be a second file.
    try lobby.store.database.run(
      "UPDATE attachment SET name = ?", "a\u{1e}0\u{1f}zz\u{1f}1\u{1f}x/y\u{1f}b")
    #expect(
      try lobby.other.read { try $0.message(sent.id, for: lobby.ben) }?.attachments.map(\.name) == [
        "a"
      ])
    try lobby.store.database.run("DELETE FROM attachment")
    #expect(try lobby.other.read { try $0.message(sent.id, for: lobby.ben) }?.attachments == [])
  }

  @Test("An invalid hash leads nowhere", arguments: ["", "../../../../etc/passwd", "AB", "é"])
  func badHash(hash: String) throws {
    let lobby = try Lobby()
    let padded = hash + String(repeating: "/", count: max(0, 64 - hash.utf8.count))
    for hash in [hash, padded] {
      let file = Attachment(hash: hash, name: "x", bytes: 0)
      #expect(
        lobby.store.attachmentFolder.path(of: file.hash) == lobby.fixture.folder
          + "/store.attachments/none")
      #expect(throws: AttachmentError.gone(name: "x")) { try lobby.says("", with: [file]) }
      #expect(throws: AttachmentError.gone(name: "x")) {
        try lobby.store.attachmentFolder.save(file, to: lobby.fixture.folder)
      }
    }
  }

  @Test("The order is that of attaching, however many there are")
  func many() throws {
    let lobby = try Lobby()
    let files = try (0..<30).map { try lobby.kept("\($0)", as: "\($0).txt") }
    let sent = try lobby.says("", with: files)
    #expect(try lobby.other.read { try $0.message(sent.id, for: lobby.ben) }?.attachments == files)
  }

  @Test("Files are found by their message, and messages by a file's hash")
  func queryPlan() throws {
    let lobby = try Lobby()
    let sent = try lobby.says("", with: [try lobby.kept("x")])
    _ = try lobby.store.read { try $0.message(sent.id, for: lobby.anna) }
    _ = try lobby.store.read { try $0.files(of: sent.id) }
    let old = lobby.fixture.file("store.attachments/" + lobby.fixture.keptFiles[0], "x")
    lobby.fixture.touch(old, at: 0)
    _ = try lobby.store.upkeep.pruneAttachments(now: lobby.fixture.now)
    let database = lobby.store.database
    let asked = database.known.filter { $0.contains("attachment") && $0.contains("SELECT") }
    #expect(asked.count >= 3)
    for sql in asked {
      for step in try database.rows("EXPLAIN QUERY PLAN " + sql, read: { $0.text("detail") }) {
        #expect(!step.hasPrefix("SCAN a"), "\(sql): \(step)")
      }
    }
  }

  @Test(arguments: [
    (-1, "0 B"), (0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (1449, "1.4 kB"), (1450, "1.5 kB"),
    (999_949, "999.9 kB"), (999_950, "1.0 MB"), (100_000_000, "100.0 MB"),
    (Int.max, "9.2 EB"),
  ])
  func sizesAreWrittenForPeople(bytes: Int, size: String) {
    #expect(Attachment.size(bytes) == size)
  }

  @Test("Each error is a sentence with the file in it")
  func sentences() {
    let errors: [AttachmentError] = [
      .missing(path: "/p"), .notAFile(path: "/p"), .unreadable(path: "/p", reason: "r"),
      .tooLarge(path: "/p", limit: 1), .changed(path: "/p"), .full(path: "/p"),
      .unwritable(path: "/p", reason: "r"), .gone(name: "/p"), .damaged(name: "/p"),
      .namesTaken(path: "/p"),
    ]
    for error in errors {
      #expect(error.description.contains("/p"))
      #expect(!error.description.contains("%"), "\(error)")
    }
    #expect(
      AttachmentError.tooLarge(path: "/p", limit: 5_000_000).description
        == "/p is larger than 5.0 MB, the largest file that you may attach here")
  }
}

@Suite("5.1, 8.1: Files that wait in a draft") struct DraftFileTests {
  private let files = [DraftFile(path: "/tmp/b c\n", name: "x"), DraftFile(path: "/tmp/a")]

  @Test func filesAloneAreADraft() throws {
    let lobby = try Lobby()
    let draft = Draft(text: "", caret: 0, files: files)
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    #expect(try lobby.other.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == draft)
    #expect(try lobby.other.read { try $0.drafts(of: lobby.anna) }.map(\.1) == [draft])
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "", caret: 0), of: lobby.anna, in: lobby.lobby)
    }
    #expect(try lobby.other.read { try $0.draft(of: lobby.anna, in: lobby.lobby) } == nil)
    #expect(try !lobby.store.database.exists("SELECT 1 FROM draft_file"))
  }

  @Test func savingAgainReplacesThem() throws {
    let lobby = try Lobby()
    for wanted in [files, files.reversed(), [files[1], files[1]], []] {
      let draft = Draft(text: "x", caret: 1, files: wanted)
      try lobby.store.writeDurablyIfNeeded {
        try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby)
      }
      #expect(
        try lobby.other.read { try $0.draft(of: lobby.anna, in: lobby.lobby) }?.files == wanted)
    }
    try lobby.store.writeDurably { try $0.clearDrafts(of: lobby.anna) }
    #expect(try lobby.store.read { try $0.drafts(of: lobby.anna) }.isEmpty)
  }

  @Test("Two spellings of é are two paths; an equal draft is not written again")
  func spellings() throws {
    let lobby = try Lobby()
    func version() throws -> Int {
      try lobby.other.database.first("PRAGMA data_version") { $0.int() } ?? 0
    }
    func save(_ path: String) throws {
      let draft = Draft(text: "", caret: 0, files: [DraftFile(path: path)])
      try lobby.store.writeDurablyIfNeeded {
        try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby)
      }
    }
    try save("/caf\u{e9}")
    let before = try version()
    try save("/caf\u{e9}")
    #expect(try version() == before)
    try save("/cafe\u{301}")
    let path = try lobby.other.read { try $0.draft(of: lobby.anna, in: lobby.lobby) }?.files.first?
      .path
    #expect(path?.utf8.count == 7)
  }
}
