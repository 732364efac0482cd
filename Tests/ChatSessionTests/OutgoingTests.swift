// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import Platform
import StoreFixture
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// What is to be written while somebody else has the store locked (rule 1.2).
@MainActor
@Suite("1.2: The queue of writes")
struct OutgoingTests {
  private func bodies(_ town: Town, in room: String = "lobby") throws -> [String] {
    let store = try town.store()
    let place = try #require(try store.read { try $0.room(room) })
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    return try store.read { try $0.messages(in: place.id, limit: 100, for: me) }.map(\.body)
  }

  @Test(
    "1.2: lines wait above an empty prompt, in order, and are stored as soon as possible")
  func waits() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    #expect(anna.say("one") && anna.say("two"))
    anna.type("three")
    #expect(anna.session.waitingLines.map(\.typed) == ["one", "two"])
    anna.wait(3000)
    #expect(try bodies(town).isEmpty)
    lock.release()
    anna.wait(100)
    #expect(try bodies(town) == ["one", "two"])
    #expect(anna.text == "three" && !anna.session.isWaitingForStore)
    #expect(anna.session.deadline.map { $0 > anna.now + 1000 } ?? true)
  }

  @Test("1.2, 1.12: if the store is locked at the start, commands enter the history later")
  func lockedFromTheStart() throws {
    let town = try Town()
    let store = try town.store()
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
    let room = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }
    try store.writeDurablyIfNeeded { try $0.join(me.id, room.id) }
    let lock = try Lock(town.path)
    let anna = Person(store: store, me: me, outputMode: .tty, town: town)
    try anna.begin(in: room)
    anna.say("/status")
    anna.say("/alias")
    #expect(anna.session.shellID == nil)
    lock.release()
    anna.wait(1000)
    let shell = try #require(anna.session.shellID)
    let history = try store.read { try $0.inputHistory(of: me.id, shell: shell, limit: 9) }
    #expect(history == ["/status", "/alias"])
  }

  @Test("1.2: after ten seconds a line returns to the empty prompt, with the reason")
  func comesBack() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.wait(9000)
    #expect(anna.text == "")
    anna.wait(1100)
    #expect(anna.text == "one" && anna.session.waitingLines.isEmpty)
    #expect(anna.printed.contains { $0.contains("locked") && $0.hasSuffix("Your line is back.") })
    lock.release()
    anna.wait(1000)
    #expect(try bodies(town).isEmpty)
  }

  @Test("1.2: C-g brings the first line back, or into the history if text is on the line")
  func cancelled() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.say("two")
    anna.type("typing")
    #expect(anna.press(.cancel))
    #expect(anna.text == "typing" && anna.history.last == "one")
    #expect(anna.printed.contains { $0.contains("press Up") && $0.hasSuffix("It begins: one") })
    #expect(anna.session.waitingLines.map(\.typed) == ["two"])
    lock.release()
    anna.wait(100)
    #expect(try bodies(town) == ["two"])
  }

  @Test(
    "1.2: a line of another conversation becomes its draft, above what is typed there")
  func draftElsewhere() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/join tea")
    let lock = try Lock(town.path)
    anna.say("for tea")
    anna.say("/switch lobby")
    anna.wait(10_100)
    #expect(anna.printed.contains { $0.hasSuffix("It begins: for tea") })
    lock.release()
    anna.wait(100)
    #expect(try town.person("anna", in: "tea").text == "for tea")
  }

  @Test("1.2: if its conversation is opened before the store is free, the line returns to it")
  func returnedTo() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/join tea")
    let lock = try Lock(town.path)
    anna.say("for tea")
    anna.say("/switch lobby")
    #expect(anna.press(.cancel) && anna.text == "")
    anna.say("/switch tea")
    #expect(anna.text == "for tea")
    lock.release()
    anna.wait(100)
    #expect(try bodies(town, in: "tea").isEmpty && anna.text == "for tea")
  }

  @Test("1.2: two lines that come back become one draft, in their order")
  func twoReturned() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/join tea")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.say("two")
    anna.type("below")
    anna.tell(.leave(status: 0))
    #expect(anna.status == nil)
    anna.wait(12_000)
    lock.release()
    anna.wait(100)
    #expect(anna.status == 1)
    #expect(try town.person("anna", in: "tea").text == "one\ntwo\nbelow")
  }

  @Test("1.2: quitting waits for unstored lines; quitting again leaves at once, and shows them")
  func leaving() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.tell(.ended)
    #expect(anna.status == nil && anna.notice.hasPrefix("hobnob is waiting for the store"))
    anna.tell(.ended)
    #expect(anna.status == 1 && anna.printed.last == "Not sent: one")
    lock.release()
  }

  @Test(
    "1.2: a shell whose store another version has taken over says so once, shows the line, and ends",
    arguments: [false, true])
  func otherVersion(isEntered: Bool) throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.type("half a")
    try anna.store.db("PRAGMA user_version=1000")
    if isEntered { anna.say("half a line") } else { anna.type("half a line") }
    #expect(anna.status == 1)
    let said = anna.printed.joined(separator: " ")
    #expect(said.ranges(of: "has taken over the store").count == 1, "\(said)")
    #expect(said.contains("Not sent: half a line"), "\(said)")
  }

  @Test("1.2: a second signal, or one after C-d, still waits for unstored lines")
  func hungUpTwice() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.type("half a thought")
    anna.tell(.ended)
    anna.tell(.leave(status: 129))
    anna.tell(.leave(status: 129))
    #expect(anna.status == nil)
    lock.release()
    anna.wait(100)
    #expect(anna.status == 129)
    #expect(try bodies(town) == ["one"])
    #expect(try town.person("anna").text == "half a thought")
  }

  @Test("1.2: a line returned during quitting becomes the draft, and the exit status is 1")
  func givenBackOnLeaving() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/typing off")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.tell(.ended)
    anna.wait(11_000)
    #expect(anna.status == nil)
    lock.release()
    anna.wait(100)
    #expect(anna.status == 1)
    #expect(try town.person("anna").text == "one")
  }

  @Test("1.2: someone who types on while quitting leaves once everything is stored")
  func typesOnWhileLeaving() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    anna.say("one")
    anna.tell(.ended)
    lock.release()
    anna.say("two")
    anna.wait(100)
    #expect(anna.status == 0)
    #expect(try bodies(town) == ["one", "two"])
  }

  @Test("7.3: what was seen here before an arrival elsewhere is still reported as seen")
  func seenBeforeNewsElsewhere() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/join tea")
    ben.say("/switch lobby")
    anna.say("hello")
    let first = try Lock(town.path)
    ben.look()
    first.release()
    anna.say("/join tea")
    anna.say("tea?")
    let second = try Lock(town.path)
    ben.look()
    second.release()
    ben.wait(100)
    anna.say("/switch lobby")
    anna.look()
    #expect(anna.picture[1].hasSuffix("[1] seen"))
  }

  @Test("1.2: writes that only record a state merge, and never show as a locked store")
  func merges() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    for number in 1...3 {
      anna.say("line \(number)")
      let lock = try Lock(town.path)
      ben.look()
      ben.type("typing \(number)")
      lock.release()
    }
    #expect(ben.printed.filter { $0.contains("line") }.count == 3)
    #expect(!ben.printed.contains { $0.contains("locked") } && ben.session.waitingLines.isEmpty)
    ben.wait(100)
    #expect(!ben.session.isWaitingForStore)
    anna.look()
    #expect(anna.picture[1].hasSuffix("[3] seen"))
  }

  @Test("1.2: typing never waits for somebody else's transaction, but a command does for a moment")
  func typingIsNotHeldUp() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let lock = try Lock(town.path)
    let command = pauses { anna.say("/topic tea") }
    // The thread also pauses for other reasons, but not each time.
    let typing = (0..<5).map { _ in
      pauses {
        anna.type("a word ")
        anna.wait(3000)
      }
    }
    #expect(anna.session.isWaitingForStore)
    #expect(try #require(typing.min()) * 3 < command)
    lock.release()
    anna.wait(100)
    #expect(!anna.session.isWaitingForStore)
  }

  @Test(
    "1.2: of each kind the last write counts, but every line and history entry is kept",
    arguments: [
      (
        Write.typing(true, in: .init(rawValue: 1)), .typing(false, in: .init(rawValue: 2)),
        true
      ),
      (.draft(.init(rawValue: 1), nil), .draft(.init(rawValue: 1), nil), true),
      (.draft(.init(rawValue: 1), nil), .draft(.init(rawValue: 2), nil), false),
      (.history("a"), .history("a"), false), (.attach, .checkLookAlikes, false),
      (.open(nil, isPaused: true), .open(.init(rawValue: 1), isPaused: false), true),
    ] as [(Write, Write, Bool)])
  func replaces(new: Write, old: Write, expected: Bool) {
    #expect(new.replaces(old) == expected)
  }

  @Test("13.1: a shell that the store takes in late never shows a conversation that it has left")
  func publishesOnlyThePresentPlace() throws {
    let town = try Town()
    let ben = try town.person("ben")
    ben.say("/join tea")
    let store = try town.store()
    let lobby = try #require(try store.read { try $0.room("lobby") })
    try store.writeDurably { try $0.join(ben.session.me.id, lobby.id) }
    let lock = try Lock(town.path)
    let again = Person(store: store, me: ben.session.me, outputMode: .tty, town: town)
    try again.begin(in: lobby)
    again.tell(.move(.next))
    again.wait(400)
    #expect(again.session.open.conversation?.name == "#tea")
    #expect(
      !again.session.committer.queue.writes.contains { if case .open = $0 { true } else { false } })
    lock.release()
    again.wait(1000)
    let shell = try #require(again.session.shellID)
    #expect(try store.read { try $0.conversation(ofShell: shell) } == again.session.open.id)
  }
}

/// How often this thread pauses of its own accord during `work`: SQLite sleeps again and again until
/// a lock is free. On a busy machine, the time says less.
private func pauses(_ work: () -> Void) -> Int {
  func count() -> Int {
    var usage = rusage()
    getrusage(__rusage_who_t(1), &usage)  // RUSAGE_THREAD
    return usage.ru_nvcsw
  }
  let before = count()
  work()
  return count() - before
}
