// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations

@Suite("8.2, 12.4: Copying files out of the store") struct SavingTests {
  @Test("Nothing is overwritten, and links are not followed")
  func takenNames() throws {
    let lobby = try Lobby()
    let (fixture, out) = (lobby.fixture, lobby.fixture.folder + "/out")
    mkdir(out, 0o700)
    let kept = try lobby.kept("new", as: "a.tar.gz")
    fixture.file("out/a.tar.gz", "old")
    symlink(fixture.folder + "/victim", out + "/a.tar-1.gz")
    mkdir(out + "/a.tar-2.gz", 0o700)
    #expect(try lobby.store.attachmentFolder.save(kept, to: out) == out + "/a.tar-3.gz")
    #expect(try lobby.store.attachmentFolder.save(kept, to: out + "/") == out + "/a.tar-4.gz")
    #expect(fixture.text(out + "/a.tar.gz") == "old")
    #expect(fixture.text(out + "/a.tar-3.gz") == "new")
    #expect(fileStatus(fixture.folder + "/victim") == nil)
    #expect(fixture.names(in: "out").count == 5)
  }

  @Test("A new name is the person's own choice")
  func target() throws {
    let lobby = try Lobby()
    let out = lobby.fixture.folder + "/out"
    mkdir(out, 0o700)
    symlink(out, lobby.fixture.folder + "/alias")
    let kept = try lobby.kept("new")
    #expect(try lobby.store.attachmentFolder.save(kept, to: out + "/.mine") == out + "/.mine")
    #expect(try lobby.store.attachmentFolder.save(kept, to: out + "/.mine") == out + "/.mine-1")
    let alias = lobby.fixture.folder + "/alias"
    #expect(try lobby.store.attachmentFolder.save(kept, to: alias) == alias + "/note.txt")
    #expect(lobby.fixture.text(out + "/note.txt") == "new")
    #expect((fileStatus(out + "/note.txt")?.st_mode ?? 0) & 0o7111 == 0)
    #expect(lobby.fixture.names(in: "out") == [".mine", ".mine-1", "note.txt"])
  }

  @Test(
    "Whatever its name, a file is saved in the folder",
    arguments: [
      "../../x", "/etc/x", "-rf", "..", ".", "", "a/../b", "\u{202E}x", ".bashrc", "x\0y",
    ])
  func hostileName(name: String) throws {
    let lobby = try Lobby()
    let out = lobby.fixture.folder + "/out"
    mkdir(out, 0o700)
    var kept = try lobby.kept("new")
    kept.name = name
    let path = try lobby.store.attachmentFolder.save(kept, to: out)
    #expect(path == out + "/" + FileName.safe(name))
    #expect(lobby.fixture.names(in: "out") == [FileName.safe(name)])
  }

  @Test("What is damaged or gone is not saved, and leaves nothing", arguments: ["damaged", "gone"])
  func damaged(how: String) throws {
    let lobby = try Lobby()
    let out = lobby.fixture.folder + "/out"
    mkdir(out, 0o700)
    let kept = try lobby.kept("new")
    if how == "gone" {
      unlink(lobby.store.attachmentFolder.path(of: kept.hash))
    } else {
      let path = lobby.store.attachmentFolder.path(of: kept.hash).dropFirst(
        lobby.fixture.folder.count + 1)
      lobby.fixture.file(String(path), "nEw")
    }
    let error =
      how == "gone"
      ? AttachmentError.gone(name: "note.txt") : AttachmentError.damaged(name: "note.txt")
    #expect(throws: error) { try lobby.store.attachmentFolder.save(kept, to: out) }
    #expect(lobby.fixture.names(in: "out").isEmpty)
  }

  @Test("An impossible target is reported")
  func badTargets() throws {
    let lobby = try Lobby()
    let kept = try lobby.kept("new")
    let folder = lobby.fixture.folder
    for (target, named) in [
      (folder + "/none/x", folder + "/none"), (folder + "/none/", folder + "/none/"),
      (folder + "/source/x", folder + "/source"),
      (folder + "/" + String(repeating: "n", count: 256), folder),
      (folder + "/a\0b", folder + "/a\0b"),
      ("/proc/x", "/proc"),
    ] {
      let error = #expect(throws: AttachmentError.self) {
        try lobby.store.attachmentFolder.save(kept, to: target)
      }
      guard case .unwritable(let path, _) = error else {
        Issue.record("\(target): \(String(describing: error))")
        continue
      }
      #expect(path == named)
    }
    #expect(!lobby.fixture.names(in: "").contains { $0.hasPrefix(".hobnob") })
  }
}

@Suite("12.4: Safe file names") struct FileNameTests {
  @Test(arguments: [
    ("photo.png", "photo.png"), ("../../x", "x"), ("/etc/passwd", "passwd"), ("a/b/", "b"),
    ("-rf", "rf"), ("--", "file"), (".", "file"), ("..", "file"), ("", "file"), ("/", "file"),
    ("...x", "x"), (".bashrc", "bashrc"), (" . -x", "x"), ("a b.txt ", "a b.txt"),
    ("\u{202E}gnp.exe", "gnp.exe"), ("a\u{200B}\u{FEFF}\u{E0041}b", "ab"), ("\u{3164}", "file"),
    ("a\0b\u{1b}[31m\n\r\tc", "ab[31mc"), ("a\u{2028}\u{2029}\u{85}b", "ab"),
    ("a\u{A0}b\u{3000}", "a b"), ("\u{301}x", "x"), ("a/\u{301}b", "b"), ("-\u{301}rf", "rf"),
    ("café.txt", "café.txt"), ("会議.pdf", "会議.pdf"), ("🐗.png", "🐗.png"),
    ("a\\b", "a\\b"), ("~root", "~root"), ("\u{FFFF}", "file"),
  ])
  func made(name: String, safe: String) {
    #expect(FileName.safe(name).unicodeScalars.elementsEqual(safe.unicodeScalars))
  }

  @Test("A long name is cut between graphemes and keeps its extension")
  func long() {
    let long = String(repeating: "a", count: 10_000)
    #expect(FileName.safe(long) == String(long.prefix(200)))
    #expect(FileName.safe(long + ".png") == String(long.prefix(196)) + ".png")
    #expect(FileName.safe("x." + long) == "x." + String(long.prefix(198)))
    let flags = String(repeating: "🇩🇪", count: 100)
    #expect(FileName.safe(flags) == String(flags.prefix(25)))
    let tower = "e" + String(repeating: "\u{301}", count: 5_000)
    #expect(FileName.safe(tower) == "file")
    #expect(FileName.safe(tower + ".png") == "file.png")
  }

  @Test("Any text gives a safe name, and a safe name stays the same")
  func property() {
    var random = Seeded(state: 7)
    let pieces = [
      ".", "-", "/", " ", "a", "é", "e\u{301}", "\u{301}", "\u{202E}", "\u{200D}", "\u{FE0F}", "👨‍👩‍👧",
      "🇩🇪", "\0", "\u{1b}", "\n", "\u{85}", "\u{A0}", "会", "\u{1160}", "\u{FFFE}", "~", "\\", "%1",
    ]
    for _ in 0..<3_000 {
      let count = Int.random(in: 0...(Bool.random(using: &random) ? 8 : 120), using: &random)
      let name = (0..<count).map { _ in pieces.randomElement(using: &random)! }.joined()
      let safe = FileName.safe(name)
      #expect(FileName.safe(safe).utf8.elementsEqual(safe.utf8))
      #expect((1...200).contains(safe.utf8.count))
      #expect(safe.unicodeScalars.first != "." && safe.unicodeScalars.first != "-")
      for scalar in safe.unicodeScalars {
        #expect(scalar != "/" && scalar.properties.generalCategory != .control)
        #expect(!scalar.properties.isBidiControl)
      }
    }
  }
}

/// The same numbers in every run (Knuth's constants).
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return state ^ (state >> 33)
  }
}
