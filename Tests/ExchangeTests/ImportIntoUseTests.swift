// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Platform
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("An import into a store in use") struct ImportIntoUseTests {
  @Test("a large import leaves no large log, while others have the store open")
  func logIsEmptied() throws {
    let lobby = try Lobby()
    let text = String(repeating: "tea ", count: 250_000)
    let texts = (1...9).map { export(line(text, number: $0, in: "#tea\($0)")) }
    let imported = try lobby.store.take(texts)
    #expect(imported.messages == 9)
    #expect(fileStatus(lobby.store.path + "-wal")?.st_size == 0)
    #expect(try lobby.benSays("tea").number == 1)
  }

  @Test("An import does not restore deleted messages under new numbers")
  func importsOnlyWhatIsKept() throws {
    let lobby = try Lobby()
    let store = lobby.store
    let now = lobby.fixture.now / 1000
    func log(_ ages: Int...) -> String {
      ages.map { age in
        var (time, parts) = (time_t(now - Int64(age) * 86_400), tm())
        localtime_r(&time, &parts)
        let date = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
          strftime(buffer.baseAddress!, 64, "%Y-%m-%d %H:%M:%S", &parts)
          return String(cString: buffer.baseAddress!)
        }
        return "\(date)\tben\t\(age) days old\n"
      }.joined()
    }
    let all = log(40, 30, 20, 10, 1)
    #expect(try store.take([all], into: "lobby").messages == 5)
    try store.writeDurablyIfNeeded { try $0.setKeep(lobby.lobby, 25 * 86_400_000) }
    // Those that are still here are, even if they are about to go.
    #expect(try store.take([all], into: "lobby").known == 5)
    #expect(try store.writeIfNeeded { try $0.forgetOld(now: lobby.fixture.now) } == 2)
    let again = try store.take([all, log(50)], into: "lobby")
    #expect(again.messages == 0 && again.known == 3 && again.tooOld == 3 && again.leftOut == 0)
    let left = try store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }
    #expect(left.map(\.number) == [3, 4, 5])
    let others = export(
      line("old", number: 7, time: "2001-01-01T00:00:00Z", more: #","revisions":[]"#),
      line("waits", number: 8, time: "2001-01-01T00:00:00Z", more: #","state":"failed""#))
    let more = try store.take([others])
    #expect(more.messages == 1 && more.tooOld == 1)
    #expect(try lobby.says("next").number == 9)
    // Into an empty store everything comes as it was.
    let full = try store.exported()
    let copy = try Fixture().open()
    try copy.take([export(full.dropLast().joined(separator: "\n"))])
    #expect(try copy.exported() == full)
  }

  @Test("7.12: before deletion has begun, an import brings old messages, too")
  func importsBeforeMessagesGo() throws {
    let lobby = try Lobby()
    try lobby.store.writeDurablyIfNeeded {
      try $0.setKeep(lobby.lobby, 86_400_000, by: lobby.anna, after: Upkeep.keepDelay)
    }
    func take(_ number: Int) throws -> ImportReport {
      try lobby.store.take([
        export(line("old", number: number, time: "2001-01-01T00:00:00.000Z"))
      ])
    }
    let early = try take(7)
    #expect(early.messages == 1 && early.tooOld == 0)
    lobby.fixture.now += Upkeep.keepDelay
    let late = try take(8)
    #expect(late.messages == 0 && late.tooOld == 1)
  }

  @Test("Mentions that make no sense are left out, and an earlier export has a line for each")
  func mentions() throws {
    let lobby = try Lobby()
    let each = [
      #"[{"start":0,"end":4,"identity":"ben"}]"#, #""0-4 ben\n5-9 b x\n\n \n4-4 a\n1-2\nx-y z""#,
      #"[7,{},{"start":4,"end":0,"identity":"a"},{"start":-1,"end":2,"identity":"a"}]"#,
    ]
    let lines = each.enumerated().map {
      line("@ben", number: 7 + $0.offset, more: #","mentions":"# + $0.element)
    }
    try lobby.store.take([export(lines[0], lines[1], lines[2])])
    let found = try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }
    let ben = Mention(range: 0..<4, identity: "ben")
    #expect(found.map(\.mentions) == [[ben], [ben, Mention(range: 5..<9, identity: "b x")], []])
  }

  @Test("Sentences of an earlier export, in its writer's language, are quotations")
  func earlierSentences() throws {
    let lobby = try Lobby()
    let event =
      ##"{"type":"event","conversation":"#lobby","time":"2026-11-21T10:00:00Z","##
      + ##""participant":"ben","kind":"left","text":"von %1 entfernt"}"##
    try lobby.store.take([
      export(
        line("hi", number: 7, more: #","state":"failed","failure":"niemand da""#), event)
    ])
    let message = try lobby.store.read {
      try $0.messages(in: lobby.lobby, limit: 1, for: lobby.ben)
    }.first
    #expect(message?.failure?.json == .text("niemand da"))
    let events = try lobby.store.read {
      try $0.events(in: lobby.lobby, from: 0, behind: nil, until: .max, limit: 99)
    }
    #expect(events.first { $0.event.kind == .left }?.event.remark.json == .text("von %1 entfernt"))
  }

  @Test("A message of an unknown kind is a line that says so")
  func unknownKind() throws {
    let lobby = try Lobby()
    let report = try lobby.store.take([
      export(
        line(
          "who comes?", number: 7,
          more: #","kind":"poll","mentions":[{"start":0,"end":3,"identity":"ben"}]"#),
        line("", number: 8, more: #","kind":"song""#), line("plain", number: 9))
    ])
    #expect(report.messages == 3 && report.leftOut == 0)
    let left = try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }
    let note = { (kind: String) in
      "[a message of the kind “\(kind)”, which this version of hobnob does not know]"
    }
    #expect(left.map(\.body) == [note("poll") + " who comes?", note("song"), "plain"])
    #expect(left.map(\.mentions) == [[], [], []])
  }

  @Test("14.10: a message that hobnob cannot read is imported as one, without the text of others")
  func unreadable() throws {
    let lobby = try Lobby()
    try lobby.store.take([export(line("secret", number: 7, more: #","kind":"unreadable""#))])
    let left = try lobby.store.read { try $0.messages(in: lobby.lobby, limit: 9, for: lobby.anna) }
    #expect(left.map(\.kind) == [.unreadable] && left.map(\.body) == [""])
    #expect(try lobby.store.exported().contains { $0.contains(#""kind":"unreadable""#) })
  }

  @Test("14.15: an export keeps how a message was encrypted, and why it cannot be read")
  func encryption() throws {
    let lobby = try Lobby()
    let lost = #","kind":"unreadable","encrypted":true"#
    let lines = [
      #","encrypted":true"#, #","encrypted":true,"verified":true"#,
      #","encrypted":true,"verified":false"#, lost + #","unreadable":"too-early""#,
      lost + #","unreadable":"broken""#, lost + #","unreadable":"not-for-this-device""#, lost,
      // A reason of a later version, and one that fits no text.
      lost + #","unreadable":"moon""#, #","encrypted":true,"unreadable":"broken""#,
      #","verified":false"#,
    ].enumerated().map { line("", number: $0 + 1, more: $1) }
    try lobby.store.take([export(lines.joined(separator: "\n"))])
    let copy = try Fixture().open()
    let whole = try lobby.store.exported()
    try copy.take([export(whole.dropLast().joined(separator: "\n"))])
    #expect(try copy.exported() == whole)
    let stored = try copy.database.rows("SELECT encrypted FROM message ORDER BY number") {
      Message.Encryption(rawValue: $0.int())
    }
    let expected: [Message.Encryption] = [
      .encrypted, .verified, .unverified, .tooEarly, .broken, .notForUs, .encrypted, .encrypted,
      .encrypted, .none,
    ]
    #expect(stored == expected)
  }

  @Test(
    "5.1, 11.3: a draft's caret inside a character is exported where it is read",
    arguments: [(3, 2), (5, 4), (31, 7), (33, 32), (-1, 0), (Int.max, 34)])
  func caret(stored: Int, read: Int) throws {
    let lobby = try Lobby()
    let draft = Draft(text: "dr\u{e4}f\u{301}👨‍👩‍👧‍👦\r\n", caret: 0)
    try lobby.store.writeDurablyIfNeeded { try $0.setDraft(draft, of: lobby.anna, in: lobby.lobby) }
    try lobby.store.database.run("UPDATE draft SET caret = ?", stored)
    let lines = try lobby.store.exported()
    let elsewhere = try Lobby()
    try elsewhere.store.take([export(lines.dropLast().joined(separator: "\n"))])
    #expect(
      try elsewhere.store.read { try $0.draft(of: elsewhere.anna, in: elsewhere.lobby) }?.caret
        == read)
  }
}
