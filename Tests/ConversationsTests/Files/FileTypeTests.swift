// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations

private let hasFile = access("/usr/bin/file", X_OK) == 0

@Suite("8.2: What kind of file it is") struct FileTypeTests {
  private let png: [UInt8] = [
    0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52, 0, 0, 0, 1,
    0, 0, 0, 1, 8, 0, 0, 0, 0, 0x3A, 0x7E, 0x9B, 0x55,
  ]

  @Test("The bytes count, not the name", .enabled(if: hasFile))
  func sniffed() {
    let fixture = Fixture()
    #expect(FileType.sniff(path: fixture.file("a.txt", bytes: png)) == "image/png")
    #expect(FileType.sniff(path: fixture.file("-b.png", "just words\n")) == "text/plain")
    #expect(FileType.sniff(path: fixture.file("c $(touch x);\n.png", bytes: png)) == "image/png")
    symlink(fixture.folder + "/a.txt", fixture.folder + "/link")
    #expect(FileType.sniff(path: fixture.folder + "/link") == "image/png")
    #expect(FileType.sniff(path: fixture.file("empty.png", "")) == FileType.unknown)
  }

  @Test func whatIsNoFileIsUnknown() {
    let fixture = Fixture()
    mkfifo(fixture.folder + "/fifo", 0o600)
    for path in [fixture.folder, fixture.folder + "/fifo", fixture.folder + "/none", "", "-"] {
      #expect(FileType.sniff(path: path) == FileType.unknown)
    }
  }

  @Test func withoutTheProgramEverythingIsUnknown() {
    let fixture = Fixture()
    let path = fixture.file("a", bytes: png)
    for program in ["/nonexistent/file", "no-such-program-of-hobnob", fixture.folder] {
      #expect(
        FileType.sniff(path: path, program: program, patience: 1000) == FileType.unknown)
    }
  }

  /// The script stands in for `file`.
  private func sniff(with script: String, patience: Int64 = 5_000) -> String {
    let fixture = Fixture()
    defer { withExtendedLifetime(fixture) {} }
    // Another process writes it: what is being written cannot be started (ETXTBSY), and a child of
    // another test holds what is open here for as long as it has not begun its program.
    let program = fixture.folder + "/program"
    let source = fixture.file("source", "#!/bin/sh\n" + script + "\n")
    var status: Int32 = -1
    if let copying = ChildProcess.start(["install", "-m", "700", source, program]) {
      while waitpid(copying, &status, 0) < 0, errno == EINTR {}
    }
    #expect(status == 0)
    return FileType.sniff(
      path: fixture.file("a", "x"), program: program, patience: patience)
  }

  @Test("A program that takes too long is ended, and so is what it started")
  func slow() {
    let fixture = Fixture()
    let note = fixture.folder + "/pid"
    // The answer never ends; the note is written before it begins.
    let script = "sleep 600 & echo $! > '\(note)'; while :; do sleep 1; done"
    #expect(sniff(with: script, patience: 300) == FileType.unknown)
    let child = fixture.text(note)?.trimmingCharacters(in: .newlines) ?? ""
    #expect(!child.isEmpty)
    // A killed process is gone soon, or a zombie where nobody asks for it.
    let state = "/proc/\(child)/stat"
    let isGone = (0..<100_000).contains { _ in
      sched_yield()
      return fixture.text(state).map { $0.contains(") Z ") || $0.contains(") X ") } ?? true
    }
    #expect(isGone)
    #expect(sniff(with: "while :; do echo x; done", patience: 5_000) == FileType.unknown)
    // Its answer is complete, whatever it goes on to do.
    #expect(sniff(with: "echo a/b; exec >&-; sleep 600") == "a/b")
  }

  @Test("It is started like any program: no input, no signal held back or ignored")
  func surroundings() {
    #expect(sniff(with: "cat; echo a/b") == "a/b")
    #expect(
      sniff(with: "echo t/$#.$1.$2.$4 | tr -d -- - | tr '[:upper:]' '[:lower:]'")
        == "t/5.mimetype.b.")
    #expect(sniff(with: "env | grep -q HOME || echo a/b") == "a/b")
    // The lowest 28; glibc keeps two of the real-time signals for itself.
    #expect(
      sniff(with: "grep -Ec 'Sig(Blk|Ign):.*0{7}$' /proc/self/status | sed 's,^,n/,'") == "n/2")
  }

  @Test(arguments: [
    ("text/plain", "text/plain"), ("text/plain\n", "text/plain"),
    ("application/vnd.ms-excel", "application/vnd.ms-excel"), ("image/svg+xml", "image/svg+xml"),
    ("text/plain; charset=utf-8", nil), ("text", nil), ("text/", nil), ("/plain", nil), ("", nil),
    ("a/b/c", nil), ("Text/Plain", nil), ("a/b\nc/d", nil), ("a/\u{1b}[31m", nil),
    ("inode/directory", nil), ("cannot open `a/b' (No such file)", nil), ("a/é", nil),
    ("a/" + String(repeating: "b", count: 126), nil),
  ])
  func onlyAPlainTypeIsTaken(said: String, type: String?) {
    #expect(FileType.checked(said) == type)
  }
}
