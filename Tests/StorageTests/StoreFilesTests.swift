// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import Repeatable
import StoreFixture
import Testing

@testable import Conversations

private let isRoot = geteuid() == 0

@Suite("The store's files and who may touch them", .serialized) struct StoreFilesTests {
  @Test(
    "Files 0600, folders 0700, whatever the umask",
    arguments: [0o000, 0o022, 0o777] as [mode_t])
  func modes(mask: mode_t) throws {
    let fixture = Fixture()
    let (store, shell) = try withUmask(mask) {
      let store = try fixture.open("a/b/store.sqlite")
      return (
        store,
        try store.shells.attach(
          try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id)
      )
    }
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.bell"] {
      #expect(fixture.mode("a/b/" + name) == 0o600, "\(name)")
    }
    #expect(fixture.mode("a/b/store.shells/" + shell.rawValue) == 0o600)
    for name in ["a", "a/b", "a/b/store.shells"] {
      #expect(fixture.mode(name) == 0o700, "\(name)")
    }
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test("A shared store is for the group of its folder", arguments: [0o000, 0o077] as [mode_t])
  func shared(mask: mode_t) throws {
    let fixture = Fixture()
    let (store, shell) = try withUmask(mask) {
      let store = try fixture.open("team/store.sqlite", options: .init(shared: true, patience: 0))
      return (
        store,
        try store.shells.attach(
          try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id)
      )
    }
    #expect(store.isShared)
    for name in ["store.sqlite", "store.sqlite-wal", "store.sqlite-shm", "store.bell"] {
      #expect(fixture.mode("team/" + name) == 0o660, "\(name)")
    }
    #expect(fixture.mode("team/store.shells/" + shell.rawValue) == 0o660)
    #expect(fixture.mode("team") == 0o2770)
    #expect(fixture.mode("team/store.shells") == 0o2770)
    // It is a fact of the file, not of how it is opened.
    #expect(try fixture.open("team/store.sqlite").isShared)
    #expect(try store.upkeep.check().allSatisfy { $0.severity == .fine })
  }

  @Test func whatWasMadePrivateStaysPrivate() throws {
    let fixture = Fixture()
    _ = try fixture.open()
    #expect(throws: StoreError.self) { try fixture.open(options: .init(shared: true)) }
    #expect(try !fixture.open().isShared)
  }

  @Test func aSharedStoreNeedsAFolderThatHandsOnItsGroup() throws {
    let fixture = Fixture()
    #expect(throws: StoreError.self) { try fixture.open(options: .init(shared: true)) }
    fixture.chmod(0o2770)
    #expect(try fixture.open(options: .init(shared: true)).isShared)
  }

  @Test("Links are refused", arguments: ["", "-wal", "-shm", "-journal"])
  func links(suffix: String) throws {
    let fixture = Fixture()
    if !suffix.isEmpty { try fixture.open().close() }
    let target = fixture.folder + "/elsewhere"
    symlink(target, fixture.path + suffix)
    #expect(
      throws: suffix.isEmpty
        ? StoreError.isLink(path: fixture.path)
        : StoreError.linkBeside(path: fixture.path + suffix, store: fixture.path)
    ) { try fixture.open() }
    #expect(fileStatus(target) == nil)
  }

  @Test func linksToTheBellShellsAndFolderAreRefused() throws {
    let fixture = Fixture()
    mkdir(fixture.folder + "/real", 0o700)
    symlink(fixture.folder + "/real", fixture.folder + "/alias")
    #expect(throws: StoreError.isLink(path: fixture.folder + "/alias")) {
      try fixture.open("alias/store.sqlite")
    }
    symlink(fixture.folder + "/real", fixture.folder + "/store.shells")
    #expect(
      throws: StoreError.linkBeside(path: fixture.folder + "/store.shells", store: fixture.path)
    ) {
      try fixture.open()
    }
    unlink(fixture.folder + "/store.shells")
    symlink("/dev/null", fixture.folder + "/store.bell")
    let bell = fixture.folder + "/store.bell"
    let error = StoreError.linkBeside(path: bell, store: fixture.path)
    #expect(throws: error) { try fixture.open() }
    #expect(error.description.hasPrefix("\(bell), the bell of the store \(fixture.path),"))
  }

  @Test("A link further up is allowed: home folders may be links")
  func linkFurtherUp() throws {
    let fixture = Fixture()
    mkdir(fixture.folder + "/real", 0o700)
    symlink(fixture.folder + "/real", fixture.folder + "/home")
    let store = try fixture.open("home/hobnob/store.sqlite")
    #expect(store.path == fixture.folder + "/real/hobnob/store.sqlite")
  }

  @Test(
    "A folder that others may write to is refused, sticky or not, and nothing is made in it",
    arguments: [0o777, 0o1777, 0o770, 0o702, 0o1703] as [mode_t])
  func writableFolder(mode: mode_t) throws {
    let fixture = Fixture()
    fixture.chmod(mode)
    let refusal = StoreError.folderWritableByOthers(path: fixture.folder)
    #expect(throws: refusal) { try fixture.open() }
    #expect(fileStatus(fixture.path) == nil)
    fixture.chmod(0o755)
    try fixture.open().close()
    fixture.chmod(mode)
    #expect(throws: refusal) { try fixture.open() }
  }

  @Test(
    "A shared store's folder is not for everyone either", arguments: [0o2772, 0o3773] as [mode_t])
  func sharedWithEveryone(mode: mode_t) throws {
    let fixture = Fixture()
    fixture.chmod(mode)
    #expect(throws: StoreError.folderWritableByOthers(path: fixture.folder)) {
      try fixture.open(options: .init(shared: true))
    }
  }

  @Test func theTemporaryFolderItselfIsRefused() {
    #expect(throws: StoreError.folderWritableByOthers(path: "/tmp")) {
      try Store(path: "/tmp/hobnob-must-not-be-made.sqlite")
    }
    #expect(fileStatus("/tmp/hobnob-must-not-be-made.sqlite") == nil)
  }

  @Test func whatOthersMayReadIsTakenFromThem() throws {
    let fixture = Fixture()
    try fixture.open().close()
    fixture.chmod(0o644, "store.sqlite")
    _ = try fixture.open()
    #expect(fixture.mode("store.sqlite") == 0o600)
  }

  @Test(
    "A file that belongs to someone else is refused", .enabled(if: isRoot),
    arguments: ["store.sqlite", "store.bell", "store.shells", "store.sqlite-wal"])
  func foreign(name: String) throws {
    let fixture = Fixture()
    let store = try fixture.open()
    _ = try store.bellDescriptor
    store.close()
    let path = fixture.folder + "/" + name
    if fileStatus(path) == nil { _ = FileManager.default.createFile(atPath: path, contents: nil) }
    try #require(chown(path, 65534, 65534) == 0)
    #expect(throws: StoreError.foreign(path: path, owner: "nobody")) { try fixture.open() }
  }

  @Test("A folder of someone else is refused", .enabled(if: isRoot))
  func foreignFolder() throws {
    let fixture = Fixture()
    try fixture.open().close()
    try #require(chown(fixture.folder, 65534, 65534) == 0)
    #expect(throws: StoreError.foreign(path: fixture.folder, owner: "nobody")) {
      try fixture.open()
    }
  }

  @Test("Only a shared store opens when someone else owns it", .enabled(if: isRoot))
  func foreignButShared() throws {
    let fixture = Fixture()
    let options = Store.Options(shared: true, patience: 0)
    try fixture.open("team/store.sqlite", options: options).close()
    for name in ["team/store.sqlite", "team"] {
      try #require(chown(fixture.folder + "/" + name, 65534, 65534) == 0)
    }
    fixture.chmod(0o2770, "team")
    #expect(try fixture.open("team/store.sqlite").isShared)
    // The same with a private one whose file merely says so.
    try fixture.open("mine/store.sqlite").close()
    fixture.chmod(0o2770, "mine")
    fixture.chmod(0o660, "mine/store.sqlite")
    let path = fixture.folder + "/mine/store.sqlite"
    try #require(chown(path, 65534, 65534) == 0)
    #expect(throws: StoreError.folderWritableByOthers(path: fixture.folder + "/mine")) {
      try fixture.open("mine/store.sqlite")
    }
    fixture.chmod(0o700, "mine")
    #expect(throws: StoreError.foreign(path: path, owner: "nobody")) {
      try fixture.open("mine/store.sqlite")
    }
  }

  @Test(
    "An unwritable store is reported as read-only", .enabled(if: !isRoot),
    arguments: ["", "store.sqlite"])
  func readOnly(name: String) throws {
    let fixture = Fixture()
    try fixture.open().close()
    fixture.chmod(name.isEmpty ? 0o500 : 0o400, name)
    defer { fixture.chmod(0o700) }
    let path = name.isEmpty ? fixture.folder : fixture.path
    #expect(throws: StoreError.readOnly(path: path)) { try fixture.open() }
  }

  @Test func missingIsMadeOrRefused() throws {
    let fixture = Fixture()
    let options = Store.Options(createIfMissing: false)
    for name in ["store.sqlite", "a/b/store.sqlite"] {
      #expect(throws: StoreError.self) { try fixture.open(name, options: options) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
  }

  @Test(
    "11.6: what a shell has not expanded, and what SQLite would take for an address, is no path",
    arguments: ["~/chat.sqlite", "~ben/chat.sqlite", "~", ":memory:", "file:chat", "file:///chat"])
  func isNoPath(given: String) throws {
    let refused = #expect(throws: StoreError.self) {
      try Store(path: given, options: .init(createIfMissing: false))
    }
    guard case .cannotOpen(given, let reason) = try #require(refused) else {
      Issue.record("\(String(describing: refused))")
      return
    }
    #expect(reason.contains("./"))
    // With a folder in front it is an ordinary name.
    let fixture = Fixture()
    let named = try fixture.open("file:x~.sqlite")
    #expect(named.path.hasSuffix("/file:x~.sqlite"))
  }

  @Test(arguments: ["", ".", "..", "a/", "file/store.sqlite", "folder"])
  func nonsensicalPathsAreRefused(name: String) throws {
    let fixture = Fixture()
    _ = FileManager.default.createFile(atPath: fixture.folder + "/file", contents: nil)
    mkdir(fixture.folder + "/folder", 0o700)
    #expect(throws: StoreError.self) { try fixture.open(name) }
  }

  @Test func whatStandsBesideIsNamedAfterTheStore() throws {
    let fixture = Fixture()
    for (name, stem) in ["my.chat.sqlite": "my.chat", "chat.db": "chat.db", "chat": "chat"] {
      let store = try fixture.open(name)
      _ = try store.bellDescriptor
      #expect(fileStatus(fixture.folder + "/" + stem + ".bell") != nil)
      #expect(fileStatus(fixture.folder + "/" + stem + ".shells") != nil)
    }
  }

  @Test(arguments: [
    (["XDG_DATA_HOME": "/data", "HOME": "/home/anna"], "/data/hobnob/store.sqlite"),
    (
      ["XDG_DATA_HOME": "data", "HOME": "/home/anna"], "/home/anna/.local/share/hobnob/store.sqlite"
    ),
    (["XDG_DATA_HOME": "", "HOME": "/home/anna"], "/home/anna/.local/share/hobnob/store.sqlite"),
  ])
  func defaultPath(environment: [String: String], path: String) {
    #expect(StoreOptions.defaultPath(environment: environment) == path)
  }

  @Test func withoutHomeTheUserDatabaseIsAsked() {
    #expect(StoreOptions.defaultPath(environment: [:]).hasPrefix("/"))
    #expect(
      StoreOptions.defaultPath(environment: [:]).hasSuffix("/.local/share/hobnob/store.sqlite"))
  }
}
