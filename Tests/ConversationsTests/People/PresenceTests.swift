// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations

extension Store {
  /// What the kernel does when a process is killed: the lock goes, row and file stay.
  func dieSilently() {
    guard let lock = connection.presence?.lock else { return }
    connection.presence = nil
    // A child that another test starts may hold a copy until it runs.
    flock(lock, LOCK_UN)
    Glibc.close(lock)
  }

  /// Whether the bell's descriptor is readable now, or within some milliseconds.
  func hears(within patience: Int32 = 0) throws -> Bool {
    var poll = pollfd(fd: try bellDescriptor, events: Int16(POLLIN), revents: 0)
    return Glibc.poll(&poll, 1, patience) == 1
  }
}

@Suite("4, 7.3: presence and typing") struct PresenceTests {
  @Test func whoIsHereAndWhoLooks() throws {
    let lobby = try Lobby()
    func anna() throws -> Presence { try lobby.other.read { try $0.people(in: lobby.lobby) }[0] }
    #expect(try !anna().isHere)
    _ = try lobby.store.shells.attach(lobby.anna)
    #expect(try anna().isHere && !anna().isLooking)
    try lobby.store.shells.show(lobby.lobby)
    #expect(try anna().isLooking)
    try lobby.store.shells.show(lobby.lobby, paused: true)
    #expect(try anna().isHere && !anna().isLooking)
    try lobby.store.shells.show(nil)
    #expect(try !anna().isLooking)
    try lobby.store.shells.detach()
    #expect(try !anna().isHere)
    #expect(
      try lobby.other.read { try $0.people(in: lobby.lobby) }.map(\.participant.name) == [
        "anna", "ben",
      ])
  }

  @Test func aGuestWhoLooksIsListed() throws {
    let lobby = try Lobby()
    let carl = try lobby.store.writeDurablyIfNeeded { try $0.participant(identity: "carl") }.id
    _ = try lobby.store.shells.attach(carl)
    try lobby.store.shells.show(lobby.lobby)
    #expect(
      try lobby.other.read { try $0.people(in: lobby.lobby) }.map(\.participant.name) == [
        "anna", "ben", "carl",
      ])
  }

  @Test func twoShellsOfOnePersonAreOnePerson() throws {
    let lobby = try Lobby()
    let one = try lobby.store.shells.attach(lobby.anna)
    let two = try lobby.other.shells.attach(lobby.anna)
    #expect(one != two)
    try lobby.store.shells.detach()
    #expect(try lobby.other.read { try $0.people(in: lobby.lobby) }[0].isHere)
  }

  @Test("Other shells notice a killed shell, and its typing ends")
  func death() throws {
    let lobby = try Lobby()
    _ = try lobby.other.bellDescriptor
    let shell = try lobby.store.shells.attach(lobby.anna)
    try lobby.store.shells.show(lobby.lobby)
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    _ = lobby.other.drainBell()
    #expect(try !lobby.other.shells.reapStale())
    let position = try lobby.other.read { try $0.position }

    lobby.store.dieSilently()
    #expect(try lobby.other.hears(within: 10_000))
    #expect(lobby.other.drainBell().contains(.processExited))
    #expect(try lobby.other.read { try $0.people(in: lobby.lobby) }[0].isHere)
    #expect(try lobby.other.shells.reapStale())
    let anna = try lobby.other.read { try $0.people(in: lobby.lobby) }[0]
    #expect(!anna.isHere && !anna.isLooking && anna.typingSince == nil)
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.peopleChanged)
    #expect(changes.typing.map(\.isTyping) == [false])
    #expect(changes.typing.map(\.shell) == [shell])
    #expect(fileStatus(lobby.fixture.folder + "/store.shells/" + shell.rawValue) == nil)
    #expect(try !lobby.other.shells.reapStale())
  }

  @Test("After a power cut, rows and files without a lock are forgotten")
  func deadFromTheStart() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    lobby.store.dieSilently()
    let orphan = lobby.fixture.folder + "/store.shells/abc123"
    _ = FileManager.default.createFile(atPath: orphan, contents: Data("1:22 1:23\n".utf8))
    #expect(try lobby.fixture.open().shells.reapStale())
    #expect(fileStatus(orphan) == nil)
    #expect(try !lobby.other.read { try $0.people(in: lobby.lobby) }[0].isHere)
  }

  @Test("A living shell whose lock file somebody removed makes it again")
  func lostLockFile() throws {
    let lobby = try Lobby()
    _ = try lobby.store.bellDescriptor
    let shell = try lobby.store.shells.attach(lobby.anna)
    try lobby.store.shells.show(lobby.lobby)
    _ = lobby.store.drainBell()
    unlink(lobby.fixture.folder + "/store.shells/" + shell.rawValue)
    #expect(lobby.store.drainBell().contains(.processExited))
    // The other is quicker, and takes it for dead.
    #expect(try lobby.other.shells.reapStale())
    _ = try lobby.store.shells.reapStale()
    #expect(try lobby.other.read { try $0.people(in: lobby.lobby) }[0].isLooking)
    #expect(try !lobby.other.shells.reapStale())
  }

  @Test("A row in a hostile file leads nowhere")
  func hostileShellName() throws {
    let lobby = try Lobby()
    let victim = lobby.fixture.folder + "/victim"
    // There is a folder to lead out of.
    _ = try lobby.other.shells.attach(lobby.ben)
    _ = FileManager.default.createFile(atPath: victim, contents: Data("x".utf8))
    try lobby.store.database.run(
      "INSERT INTO shell(id, participant) VALUES ('../victim', ?)", lobby.anna)
    _ = try lobby.store.shells.reapStale()
    #expect(fileStatus(victim) != nil)
  }

  /// A folder of the user's with files whose names are like those of shells.
  private func documents(_ lobby: Lobby) throws -> (path: String, names: [String]) {
    let path = lobby.fixture.folder + "/documents"
    mkdir(path, 0o700)
    let names = ["config", "main", "numbers", "todo"]
    for name in names {
      let text = name == "numbers" ? "1:2 3:4\n5:6\n" : name == "main" ? "" : "1:2 3\n"
      _ = FileManager.default.createFile(atPath: path + "/" + name, contents: Data(text.utf8))
    }
    return (path, names)
  }

  @Test(
    "12.4: a link, or a folder, in place of that of the lock files loses nothing of what is there",
    arguments: [true, false])
  func replacedFolder(isLink: Bool) throws {
    let lobby = try Lobby()
    let third = try lobby.fixture.open()
    _ = try lobby.store.shells.attach(lobby.anna)
    _ = try lobby.other.shells.attach(lobby.ben)
    let shells = lobby.fixture.folder + "/store.shells"
    let (documents, names) = try documents(lobby)
    rename(shells, shells + ".away")
    if isLink { symlink(documents, shells) } else { rename(documents, shells) }
    let path = isLink ? documents : shells
    try lobby.store.db(
      "INSERT INTO shell(id, participant) VALUES ('todo', \(lobby.anna.rawValue))")
    lobby.store.dieSilently()
    _ = try lobby.other.shells.reapStale()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names)
    if isLink {
      // Nobody is taken for dead whose file cannot be looked for.
      #expect(try lobby.other.read { try $0.people(in: lobby.lobby) }.allSatisfy(\.isHere))
      #expect(throws: StoreError.linkBeside(path: shells, store: lobby.store.path)) {
        try third.shells.attach(lobby.anna)
      }
    }
    try lobby.other.shells.detach()
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == names)
  }

  @Test("12.4: a shell removes only its own lock file, and none that has taken its name")
  func replacedLock() throws {
    let lobby = try Lobby()
    let shell = try lobby.store.shells.attach(lobby.anna)
    let lock = lobby.fixture.folder + "/store.shells/" + shell.rawValue
    rename(lock, lock + "old")
    _ = FileManager.default.createFile(atPath: lock, contents: Data("mine".utf8))
    try lobby.store.shells.detach()
    #expect(lobby.fixture.text(lock) == "mine")
  }

  @Test("12.4: ringing writes into no file that somebody put in the bell's place")
  func replacedBell() throws {
    let lobby = try Lobby()
    let bell = lobby.fixture.folder + "/store.bell"
    let letter = lobby.fixture.file("letter", "Dear Ben")
    try lobby.says("one")
    unlink(bell)
    link(letter, bell)
    try lobby.says("two")
    #expect(lobby.fixture.text(letter) == "Dear Ben")
    #expect(throws: StoreError.self) { try lobby.fixture.open().bellDescriptor }
  }

  // MARK: 4, typing

  @Test func typingIsToldAndEnds() throws {
    let lobby = try Lobby()
    let shell = try lobby.store.shells.attach(lobby.anna)
    var position = try lobby.other.read { try $0.position }
    func signals() throws -> [TypingSignal] {
      let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
      position = changes.position
      return changes.typing
    }
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    let began = lobby.fixture.now
    let first = try signals()
    #expect(first.count == 1)
    #expect((first[0].isTyping, first[0].at, first[0].shell) == (true, began, shell))
    #expect(first[0].participant.name == "anna" && first[0].conversation == lobby.lobby)
    lobby.fixture.now += 3000
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    #expect(try signals().map(\.at) == [began + 3000])
    let anna = try lobby.other.read { try $0.people(in: lobby.lobby) }[0]
    #expect((anna.typingSince, anna.typingAt) == (began, began + 3000))
    try lobby.store.writeIfNeeded { try $0.setTyping(false, in: lobby.lobby) }
    #expect(try signals().map(\.isTyping) == [false])
    try lobby.store.writeIfNeeded { try $0.setTyping(false, in: lobby.lobby) }
    #expect(try signals().isEmpty)
    // Adding again starts afresh (4.2).
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    #expect(try lobby.other.read { try $0.people(in: lobby.lobby) }[0].typingSince == began + 3000)
  }

  @Test("4.2: A message ends typing, even one from another shell of the same person")
  func aMessageEndsTyping() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    let position = try lobby.other.read { try $0.position }
    try lobby.other.writeDurably { try $0.send("from cron", in: lobby.lobby, by: lobby.anna) }
    let changes = try lobby.other.read { try $0.changes(since: position, for: lobby.ben) }
    #expect(changes.typing.map(\.isTyping) == [false])
  }

  @Test("4.2: I do not see my own typing")
  func ownTypingIsNotTold() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    let position = try lobby.other.read { try $0.position }
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    #expect(
      try lobby.other.read { try $0.changes(since: position, for: lobby.anna) }.typing.isEmpty)
  }

  @Test("Of two shells, the last to signal decides")
  func twoShellsType() throws {
    let lobby = try Lobby()
    _ = try lobby.store.shells.attach(lobby.anna)
    _ = try lobby.other.shells.attach(lobby.anna)
    try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    try lobby.other.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    try lobby.store.writeIfNeeded { try $0.setTyping(false, in: lobby.lobby) }
    #expect(try lobby.store.read { try $0.people(in: lobby.lobby) }[0].typingSince != nil)
    try lobby.other.writeIfNeeded { try $0.setTyping(false, in: lobby.lobby) }
    #expect(try lobby.store.read { try $0.people(in: lobby.lobby) }[0].typingSince == nil)
  }

  @Test func withoutAShellThereIsNothingToSignal() throws {
    let lobby = try Lobby()
    #expect(throws: StoreError.self) {
      try lobby.store.writeIfNeeded { try $0.setTyping(true, in: lobby.lobby) }
    }
    #expect(throws: StoreError.self) { try lobby.store.shells.show(lobby.lobby) }
    #expect(throws: Never.self) { try lobby.store.shells.detach() }
  }
}

@Suite("The bell (decision 4)") struct BellTests {
  @Test func everyChangeRingsAndNothingElse() throws {
    let lobby = try Lobby()
    #expect(try !lobby.other.hears())
    let message = try lobby.says("hello")
    #expect(try lobby.other.hears())
    #expect(lobby.other.drainBell() == .changed)
    #expect(try !lobby.other.hears())
    #expect(lobby.other.drainBell() == [])

    _ = try lobby.store.read { try $0.changes(since: 0, for: lobby.anna) }
    _ = try lobby.store.read { try $0.listing(for: lobby.anna) }
    try lobby.store.writeDurablyIfNeeded {
      try $0.setDraft(Draft(text: "x", caret: 1), of: lobby.anna, in: lobby.lobby)
    }
    _ = try lobby.store.writeDurably { try $0.edit(message.id, to: "hello", by: lobby.anna) }
    _ = try? lobby.store.writeDurably { try $0.edit(message.id, to: "x", by: lobby.ben) }
    #expect(try !lobby.other.hears())
  }

  @Test func aDeletedBellIsMadeAgain() throws {
    let lobby = try Lobby()
    _ = try lobby.other.bellDescriptor
    _ = try lobby.store.bellDescriptor
    let bell = lobby.fixture.folder + "/store.bell"
    for round in 1...3 {
      try #require(unlink(bell) == 0)
      if round == 2 { _ = lobby.other.drainBell() }
      try lobby.says("hello \(round)")
      #expect(try lobby.other.hears())
      #expect(lobby.other.drainBell().contains(.changed))
      #expect(fileStatus(bell) != nil)
      try lobby.says("again")
      #expect(try lobby.other.hears())
      _ = lobby.other.drainBell()
    }
  }

  @Test func aReplacedBellIsFollowed() throws {
    let lobby = try Lobby()
    _ = try lobby.other.bellDescriptor
    let bell = lobby.fixture.folder + "/store.bell"
    rename(bell, bell + ".old")
    _ = FileManager.default.createFile(atPath: bell, contents: nil)
    _ = lobby.other.drainBell()
    try lobby.says("hello")
    #expect(try lobby.other.hears())
  }

  @Test func aDeletedFolderOfShellsIsMadeAgain() throws {
    let lobby = try Lobby()
    _ = try lobby.other.bellDescriptor
    rmdir(lobby.fixture.folder + "/store.shells")
    _ = lobby.other.drainBell()
    _ = try lobby.store.shells.attach(lobby.anna)
    _ = lobby.other.drainBell()
    lobby.store.dieSilently()
    #expect(lobby.other.drainBell().contains(.processExited))
  }

  @Test func messagesSurviveAnUnusableBell() throws {
    let lobby = try Lobby()
    let bell = lobby.fixture.folder + "/store.bell"
    unlink(bell)
    symlink("/dev/null", bell)
    #expect(try lobby.says("hello").number == 1)
  }
}
