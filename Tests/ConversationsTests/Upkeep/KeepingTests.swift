// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Repeatable
import StoreFixture
import Testing

@testable import Conversations

private let isRoot = geteuid() == 0

private func run(_ words: String...) -> Int32 {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
  process.arguments = words
  process.standardError = FileHandle.nullDevice
  guard (try? process.run()) != nil else { return -1 }
  process.waitUntilExit()
  return process.terminationStatus
}

@Suite("8.2: Copying files into the store", .serialized) struct KeepingTests {
  @Test("The hash is SHA-256, however the bytes are divided")
  func hashes() throws {
    let vectors = [
      ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
      ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
      (
        String(repeating: "a", count: 1_000_000),
        "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
      ),
    ]
    let lobby = try Lobby()
    for (text, hash) in vectors {
      let kept = try lobby.kept(text)
      #expect(kept.hash == hash)
      #expect(kept.bytes == text.utf8.count)
      #expect(lobby.fixture.text(lobby.store.attachmentFolder.path(of: kept.hash)) == text)
      let copy = try AttachmentCopy(
        path: lobby.fixture.file("source", text), limit: 0, into: lobby.store.attachmentFolder)
      while try copy.step(99_991) {}
      #expect(try copy.finish().hash == hash)
    }
    #expect(lobby.fixture.keptFiles.count == vectors.count)
    #expect(lobby.fixture.keptFiles.contains("ba/" + vectors[1].1.dropFirst(2)))
  }

  @Test(
    "A private store's files are 0600 and 0700, a shared one's 0660 and 2770, whatever the umask",
    arguments: [0o000, 0o022, 0o777] as [mode_t], [false, true])
  func modes(mask: mode_t, shared: Bool) throws {
    let fixture = Fixture()
    let source = fixture.file("source", "abc")
    let store = try withUmask(mask) {
      let store = try fixture.open("x/store.sqlite", options: .init(shared: shared, patience: 0))
      _ = try store.attachmentFolder.keep(fileAt: source, limit: 0)
      return store
    }
    let root = "x/store.attachments"
    #expect(fixture.mode(root) == (shared ? 0o2770 : 0o700))
    #expect(fixture.mode(root + "/ba") == (shared ? 0o2770 : 0o700))
    let name = try #require(fixture.names(in: root + "/ba").first)
    #expect(fixture.mode(root + "/ba/" + name) == (shared ? 0o660 : 0o600))
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("8.1: What is not a readable regular file is refused at once, and leaves nothing")
  func refusals() throws {
    let lobby = try Lobby()
    let (fixture, folder) = (lobby.fixture, lobby.fixture.folder)
    mkfifo(folder + "/fifo", 0o600)
    symlink(folder + "/nowhere", folder + "/dangling")
    symlink(folder + "/loop", folder + "/loop")
    fixture.file("big", "12345")
    let refusals: [(String, AttachmentError)] = [
      ("", .missing(path: "")), (folder + "/none", .missing(path: folder + "/none")),
      (folder + "/big/x", .missing(path: folder + "/big/x")),
      (folder + "/big\0x", .missing(path: folder + "/big\0x")),
      (folder + "/dangling", .missing(path: folder + "/dangling")),
      (
        folder + "/loop",
        .unreadable(path: folder + "/loop", reason: "Too many levels of symbolic links")
      ),
      (folder, .notAFile(path: folder)), (folder + "/fifo", .notAFile(path: folder + "/fifo")),
      ("/dev/zero", .notAFile(path: "/dev/zero")), ("/dev/null", .notAFile(path: "/dev/null")),
      (folder + "/big", .tooLarge(path: folder + "/big", limit: 4)),
    ]
    for (path, error) in refusals {
      #expect(throws: error) { try AttachmentCopy.inspect(fileAt: path, limit: 4) }
      #expect(throws: error) {
        try lobby.store.attachmentFolder.keep(fileAt: path, limit: 4)
      }
    }
    #expect(fixture.names(in: "store.attachments").isEmpty)
    let found = try AttachmentCopy.inspect(fileAt: folder + "/big", limit: 5)
    #expect(found.name == "big")
    #expect(found.bytes == 5)
  }

  @Test("8.1: A file without permission to read is refused at once")
  func unreadable() throws {
    let fixture = Fixture()
    defer { withExtendedLifetime(fixture) {} }
    fixture.chmod(0o755)
    let path = fixture.file("secret", "x")
    fixture.chmod(0o000, "secret")
    // Root reads everything; for this thread, the kernel is to look at it as at somebody else.
    typealias SetUser = @convention(c) (uid_t) -> Int32
    let symbol = try #require(dlsym(nil, "setfsuid"))
    let setUser = unsafeBitCast(symbol, to: SetUser.self)
    if isRoot { _ = setUser(65534) }
    defer { if isRoot { _ = setUser(0) } }
    #expect(throws: AttachmentError.unreadable(path: path, reason: "Permission denied")) {
      try AttachmentCopy.inspect(fileAt: path, limit: 0)
    }
  }

  @Test("A file that opens but cannot be read is refused, too", .enabled(if: isRoot))
  func unreadableContent() throws {
    let lobby = try Lobby()
    // Address 0 of this process.
    #expect(
      throws: AttachmentError.unreadable(path: "/proc/self/mem", reason: "Input/output error")
    ) {
      try lobby.store.attachmentFolder.keep(fileAt: "/proc/self/mem", limit: 0)
    }
    #expect(lobby.fixture.keptFiles.isEmpty)
  }

  @Test("A file made by the kernel has no size, and is copied to its end, up to the limit")
  func withoutSize() throws {
    let lobby = try Lobby()
    let said = try #require(lobby.fixture.text("/proc/version"))
    let kept = try lobby.store.attachmentFolder.keep(
      fileAt: "/proc/version", limit: 0)
    #expect(kept.name == "version")
    #expect(lobby.fixture.text(lobby.store.attachmentFolder.path(of: kept.hash)) == said)
    let limit = said.utf8.count - 1
    #expect(throws: AttachmentError.tooLarge(path: "/proc/version", limit: limit)) {
      try lobby.store.attachmentFolder.keep(
        fileAt: "/proc/version", limit: limit)
    }
    #expect(lobby.fixture.keptFiles.count == 1)
  }

  @Test func aLinkThePersonNamedIsFollowed() throws {
    let lobby = try Lobby()
    let path = lobby.fixture.folder + "/link.txt"
    symlink(lobby.fixture.file("target", "abc"), path)
    let kept = try lobby.store.attachmentFolder.keep(fileAt: path, limit: 0)
    #expect(kept.name == "link.txt")
    #expect(lobby.fixture.text(lobby.store.attachmentFolder.path(of: kept.hash)) == "abc")
  }

  @Test("The type is that of the bytes")
  func typeOfTheCopy() throws {
    let lobby = try Lobby()
    let path = lobby.fixture.file("source", "abc")
    let kept = try lobby.store.attachmentFolder.keep(fileAt: path, limit: 0)
    #expect(kept.type == "text/plain")
  }

  @Test(
    "A file that changes while it is copied", arguments: ["grown", "shrunk", "rewritten", "gone"])
  func changing(how: String) throws {
    let lobby = try Lobby()
    let path = lobby.fixture.file("source", "0123456789")
    lobby.fixture.touch(path, at: 1000)
    let copy = try AttachmentCopy(path: path, limit: 12, into: lobby.store.attachmentFolder)
    #expect(copy.bytes == 10)
    #expect(try copy.step(4))
    #expect(copy.copied == 4)
    switch how {
    case "grown": lobby.fixture.file("source", "0123456789 and a lot more")
    case "shrunk": truncate(path, 6)
    case "rewritten": lobby.fixture.file("source", "abcdefghij")
    default: unlink(path)
    }
    func finished() throws -> Attachment {
      while try copy.step(4) {}
      return try copy.finish()
    }
    if how == "grown" || how == "gone" {
      // As it was when it was opened: a log that is written to can be sent.
      #expect(
        lobby.fixture.text(lobby.store.attachmentFolder.path(of: try finished().hash))
          == "0123456789")
    } else {
      #expect(throws: AttachmentError.changed(path: path)) { try finished() }
    }
  }

  @Test("A copy that is dropped leaves nothing; one that is committed too early is refused")
  func letGo() throws {
    let lobby = try Lobby()
    let path = lobby.fixture.file("source", "0123456789")
    do {
      let copy = try AttachmentCopy(path: path, limit: 0, into: lobby.store.attachmentFolder)
      #expect(try copy.step(4))
      #expect(lobby.fixture.keptFiles.count == 1)
      #expect(throws: AttachmentError.changed(path: path)) { try copy.finish() }
    }
    #expect(lobby.fixture.keptFiles.isEmpty)
  }

  @Test("A file that is there already is not stored twice; a damaged one is repaired")
  func again() throws {
    let lobby = try Lobby()
    let kept = try lobby.kept("abc", as: "one")
    let path = lobby.store.attachmentFolder.path(of: kept.hash)
    let others = ["abd", "ab", ""]
    for damage in others {
      lobby.fixture.file(String(path.dropFirst(lobby.fixture.folder.count + 1)), damage)
      #expect(try lobby.kept("abc", as: "two").hash == kept.hash)
      #expect(lobby.fixture.text(path) == "abc")
    }
    #expect(lobby.fixture.keptFiles.count == 1)
  }

  @Test("Links on the path are not followed", arguments: ["", "/ba"])
  func links(part: String) throws {
    let lobby = try Lobby()
    let (fixture, folder) = (lobby.fixture, lobby.fixture.folder)
    mkdir(folder + "/elsewhere", 0o700)
    if !part.isEmpty { mkdir(folder + "/store.attachments", 0o700) }
    symlink(folder + "/elsewhere", folder + "/store.attachments" + part)
    let error = #expect(throws: AttachmentError.self) { try lobby.kept("abc") }
    guard case .unwritable(let path, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(path == folder + "/store.attachments")
    #expect(fixture.names(in: "elsewhere").isEmpty)
    // A store whose folder is a link is not even opened.
    if part.isEmpty { #expect(throws: StoreError.self) { try fixture.open() } }
  }

  @Test("A link under the file's own name is replaced, not followed")
  func linkAtTheEnd() throws {
    let lobby = try Lobby()
    let kept = try lobby.kept("abc")
    let path = lobby.store.attachmentFolder.path(of: kept.hash)
    let victim = lobby.fixture.file("victim", "mine")
    unlink(path)
    symlink(victim, path)
    #expect(throws: AttachmentError.gone(name: "note.txt")) { try lobby.says("", with: [kept]) }
    #expect(throws: AttachmentError.gone(name: "note.txt")) {
      try lobby.store.attachmentFolder.save(kept, to: lobby.fixture.folder)
    }
    _ = try lobby.kept("abc")
    #expect(lobby.fixture.text(victim) == "mine")
    #expect((fileStatus(path)?.st_mode ?? 0) & S_IFMT == S_IFREG)
  }
}
