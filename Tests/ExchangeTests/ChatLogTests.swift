// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("The logs of other programs") struct ChatLogTests {
  private static let irssiLog = """
    --- Log opened Sat Nov 21 09:58:00 2026
    09:58 -!- anna [~a@host] has joined #tea
    10:00 <@anna> hello
    10:00 <+ben> hi *there*
    10:00 < carla>  two blanks
    10:00  * anna waves
    10:00 -ben:#tea- a notice
    10:00 !irc.example.org *** looking up
    10:00 -!- mode/#tea [+o ben] by anna
    10:01 <@anna> hello
    10:01 <@anna> hello
    --- Day changed Sun Nov 22 2026
    00:00 <@anna> late
    --- Log closed Sun Nov 22 00:01:00 2026
    """

  private static let weechatLog = """
    2026-11-21 09:58:00\t-->\tanna (~a@host) has joined #tea
    2026-11-21 10:00:00\t@anna\thello
    2026-11-21 10:00:01\tben\ta\ttab
    2026-11-21 10:00:02\t *\tanna waves
    2026-11-21 10:00:03\t--\tMode #tea [+o ben] by anna
    2026-11-21 10:00:04\t<--\tcarla has quit
    2026-11-21T10:00:05\tben\tnot this
    2026-11-21 10:00:06.123456Z\tben\tnewer
    """

  private func bodies(_ store: Store, _ room: String = "tea") throws -> [String] {
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let place = try #require(try store.read { try $0.room(room) })
    return try store.read { try $0.messages(in: place.id, limit: 99, for: me) }.map {
      "\($0.number) \($0.senderIdentity)\([":", "*", "-"][$0.kind.rawValue]) \($0.body)"
    }
  }

  @Test("irssi: messages, actions and notices are imported, events are counted")
  func irssi() throws {
    let store = try Fixture().open()
    let report = try store.take([Self.irssiLog], name: "/home/a/irclogs/net/#tea.log")
    #expect(
      try bodies(store) == [
        "1 anna: hello", "2 ben: hi *there*", "3 carla:  two blanks", "4 anna* waves",
        "5 ben- a notice", "6 anna: hello", "7 anna: hello", "8 anna: late",
      ])
    #expect(report.messages == 8 && report.events == 3 && report.leftOut == 0)
    #expect(report.people == 3 && report.conversations == 1)
    // Whoever brought it is in the room, and has read it.
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    #expect(try store.read { try $0.listing(for: anna) }.map(\.unread) == [0])
    #expect(try store.read { try $0.members(of: $0.rooms()[0].id) }.map(\.identity) == ["anna"])
  }

  @Test("WeeChat: messages and actions are imported, events counted, the rest reported by number")
  func weechat() throws {
    let store = try Fixture().open()
    var said: [String] = []
    let report = try store.take(
      [Self.weechatLog], name: "irc.libera.#tea.weechatlog",
      complain: { said.append($0.description) })
    #expect(
      try bodies(store) == ["1 anna: hello", "2 ben: a\ttab", "3 anna* waves", "4 ben: newer"])
    #expect(report.messages == 4 && report.events == 3 && report.leftOut == 1)
    #expect(said == ["irc.libera.#tea.weechatlog:7: there is no such time: 2026-11-21T10:00:05"])
  }

  @Test("a WeeChat log has notices; a message without a text is an event")
  func notices() throws {
    let store = try Fixture().open()
    let lines = [
      "--\tNotice(anna): to all", "--\tNotice(ben) -> #tea: to: some", "--\tNotice(",
      "--\tNotice(anna)", "--\tNotice(anna) is no word: x", "@anna\t", "ben\t ",
    ]
    let log = lines.map { "2026-11-21 10:00:00\t\($0)\n" }.joined()
    let report = try store.take([log], into: "tea")
    #expect(try bodies(store) == ["1 anna- to all", "2 ben- to: some"])
    #expect(report.messages == 2 && report.events == 5 && report.leftOut == 0)
    let irssi = "--- Log opened Sat Nov 21 09:58:00 2026\n10:00 <@anna> \n10:00 <@anna> x\n"
    let more = try store.take([irssi], into: "coffee")
    #expect(more.messages == 1 && more.events == 1)
  }

  @Test("a notice that an earlier version imported as a text is not imported again")
  func knowsNotices() throws {
    let store = try Fixture().open()
    let head = "--- Log opened Sat Nov 21 09:58:00 2026\n"
    #expect(try store.take([head + "10:00 <ben> tea\n"], into: "tea").messages == 1)
    #expect(try store.take([head + "10:00 -ben:#tea- tea\n"], into: "tea").messages == 0)
  }

  @Test("a log without messages creates no room and no one")
  func nothingComes() throws {
    let store = try Fixture().open()
    let head = "--- Log opened Sat Nov 21 09:58:00 2026\n"
    for log in [head + "10:00 <@/bin/sh> no name\nnonsense\n", head + "10:00 -!- anna has quit\n"] {
      let report = try store.take([log], into: "tea")
      #expect(report.messages == 0 && report.conversations == 0 && report.people == 0)
      #expect(
        try store.read { try $0.rooms() }.isEmpty && store.read { try $0.participants() }.isEmpty)
    }
  }

  @Test(
    "the same log again adds nothing, a grown one its new lines", arguments: [irssiLog, weechatLog])
  func again(log: String) throws {
    let store = try Fixture().open()
    let half = log.split(separator: "\n").prefix(6).joined(separator: "\n")
    let first = try store.take([half], into: "tea")
    #expect(first.messages > 0)
    let rest = try store.take([log], into: "tea")
    #expect(rest.known == first.messages && rest.messages > 0)
    let last = try store.take([log + "\n"], into: "#Tea")
    #expect(last.messages == 0 && last.known == first.messages + rest.messages)
    // The same said twice in a minute is twice there.
    if log == Self.irssiLog {
      #expect(try bodies(store).filter { $0.hasSuffix("hello") }.count == 3)
    }
  }

  @Test("times are local times")
  func localTimes() throws {
    let store = try Fixture().open()
    try store.take([Self.irssiLog], into: "tea")
    let time = try store.database.first("SELECT created_at FROM message WHERE number = 8") {
      $0.int64()
    }
    var parts = tm()
    (parts.tm_year, parts.tm_mon, parts.tm_mday, parts.tm_isdst) = (126, 10, 22, -1)
    #expect(time == Int64(mktime(&parts)) * 1000)
  }

  @Test("unreadable lines are reported by number, and the rest is imported")
  func unreadable() throws {
    let log = """
      10:00 <anna> of no day
      --- Log opened Fri Nov 21 10:00:00 2025\r
      10:00 <anna> one\r
      nonsense
      25:00 <anna> no such hour
      10:00 what is this
      10:00 <@/bin/sh> no name

      --- Day changed Mon Feb 30 2026
      10:00 <anna> of no day either
      --- Day changed Sun Mar 01 2026
      10:00 <anna> two
      """
    let store = try Fixture().open()
    var said: [Int] = []
    let report = try store.take(
      bytes: [Array(log.utf8)], .irssi, "x", "tea"
    ) { said.append($0.line) }
    #expect(said == [1, 4, 5, 6, 7, 9, 10])
    #expect(report.leftOut == 7)
    #expect(try bodies(store) == ["1 anna: one", "2 anna: two"])
  }

  @Test("what is not UTF-8 is Latin-1")
  func latin1() throws {
    let store = try Fixture().open()
    let log =
      Array("--- Log opened Sat Nov 21 10:00:00 2026\n10:00 <anna> caf".utf8) + [0xE9, 0x0A]
    try store.take(bytes: [log], nil, "#tea.log")
    #expect(try bodies(store) == ["1 anna: café"])
  }

  @Test("a room is known by the file's name, or has to be named")
  func rooms() throws {
    #expect(IrssiLog.room(ofFile: "#tea.log") == "#tea")
    #expect(IrssiLog.room(ofFile: "##c++.log") == "##c++")
    #expect(IrssiLog.room(ofFile: "##.log") == nil)
    #expect(IrssiLog.room(ofFile: "anna.log") == nil)
    #expect(IrssiLog.room(ofFile: "#.log") == nil)
    #expect(WeeChatLog.room(ofFile: "irc.libera.#tea.weechatlog") == "#tea")
    #expect(WeeChatLog.room(ofFile: "irc.my.net.#a.b.weechatlog") == "#a.b")
    #expect(WeeChatLog.room(ofFile: "irc.server.libera.weechatlog") == nil)
    let store = try Fixture().open()
    let fault = #expect(throws: ImportFault.self) {
      try store.take([Self.irssiLog], name: "ben.log")
    }
    #expect(fault?.description.contains("--conversation") == true)
    #expect(try store.count("participant") == 0)
    #expect(throws: ImportFault.self) { try store.take([Self.irssiLog], into: "no room") }
  }

  @Test("a log of a direct chat is between me and the other")
  func direct() throws {
    let store = try Fixture().open()
    let log = "--- Log opened Sat Nov 21 10:00:00 2026\n10:00 <Anna> psst\n10:01 <ben> what\n"
    #expect(try store.take([log], into: "@ben").conversations == 1)
    let (anna, ben) = (
      try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") },
      try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }
    )
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(anna.id, with: ben.id) }
    #expect(
      try store.read { try $0.messages(in: chat.id, limit: 9, for: anna.id) }.map(\.sender) == [
        anna.id, ben.id,
      ])
    #expect(try store.read { try $0.listing(for: ben.id) }.map(\.unread) == [0])
  }

  private static let head = "--- Log opened Sat Nov 21 10:00:00 2026\n"

  private func bodies(_ store: Store, of me: String, with other: String) throws -> [String] {
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: me) }.id
    let chat = try store.writeDurablyIfNeeded {
      try $0.directChat(
        me, with: try $0.participant(identity: other).id)
    }
    return try store.read { try $0.messages(in: chat.id, limit: 9, for: me) }.map(\.body)
  }

  @Test("a message to two people is in both logs; the other person's log is the same chat")
  func twoDirectChats() throws {
    let store = try Fixture().open()
    let (mine, hers) = (
      Self.head + "10:00 < ben> lunch at 12\n10:01 < anna> yes\n",
      Self.head + "10:00 < ben> lunch at 12\n10:02 < carl> cannot\n"
    )
    #expect(try store.take([mine], into: "@ben", as: "anna").messages == 2)
    #expect(try store.take([hers], into: "@Ben", as: "carl").messages == 2)
    let again = try store.take([mine], into: "@anna", as: "ben")
    #expect(again.messages == 0 && again.known == 2)
    #expect(try bodies(store, of: "anna", with: "ben") == ["lunch at 12", "yes"])
    #expect(try bodies(store, of: "carl", with: "ben") == ["lunch at 12", "cannot"])
  }

  @Test("a message with the uid of one elsewhere does not change that one")
  func uidsElsewhere() throws {
    let store = try Fixture().open()
    let uid = String(repeating: "ab", count: 16)
    try store.take([export(line("for all", number: 1, uid: uid, in: "#lobby"))])
    let edited = export(
      line(
        "for few", number: 1, uid: uid, in: "#few", more: #","edited":"2026-11-21T11:00:00.000Z""#))
    let fault = #expect(throws: ImportFault.self) { try store.take([edited]) }
    #expect(fault?.line == 2 && fault?.description.contains("uid") == true, "\(fault as Any)")
    #expect(try bodies(store, "lobby") == ["1 ben: for all"])
  }

  @Test("the other person of a direct chat is found by the shown name, and is never oneself")
  func namedByShownName() throws {
    let store = try Fixture().open()
    let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }
    _ = try store.writeDurably { try $0.rename(ben.id, to: "Benny") }
    let log = Self.head + "10:00 < ben> psst\n"
    #expect(try store.take([log], into: "@benny").people == 1)
    #expect(try bodies(store, of: "anna", with: "ben") == ["psst"])
    for name in ["@anna", "@Anna"] {
      let fault = #expect(throws: ImportFault.self) { try store.take([log], into: name) }
      #expect(fault?.description.contains("your own name") == true)
    }
    #expect(try store.read { try $0.participants() }.map(\.identity).sorted() == ["anna", "ben"])
  }

  @Test("every speaker in the log of a direct chat is one of the two, by any of their names")
  func nicksOfDirectLogs() throws {
    let store = try Fixture().open()
    let robert = try store.writeDurablyIfNeeded { try $0.participant(identity: "robert") }
    _ = try store.writeDurably { try $0.rename(robert.id, to: "Rob") }
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }
    _ = try store.writeDurably { try $0.rename(anna.id, to: "Annie") }
    let log = Self.head + "10:00 <rob> yo\n10:01 <annie> hey\n10:02 <robert> me, too\n"
    for round in 0..<3 {
      let report = try store.take([log], into: round == 2 ? "@robert" : "@rob")
      #expect(report.people == 0 && report.messages == (round == 0 ? 3 : 0))
    }
    let chat = try store.writeDurablyIfNeeded { try $0.directChat(anna.id, with: robert.id) }
    #expect(
      try store.read { try $0.messages(in: chat.id, limit: 9, for: anna.id) }.map(\.sender)
        == [robert.id, anna.id, robert.id])
  }

  @Test("different spellings of a name mean the same log")
  func spellings() throws {
    let store = try Fixture().open()
    let log = Self.head + "10:00 <ben> psst\n"
    #expect(try store.take([log], into: "@ben", as: "Jos\u{E9}").messages == 1)
    #expect(try store.take([log], into: "@ben", as: "Jose\u{301}").messages == 0)
    #expect(try store.take([log], into: "caf\u{E9}").messages == 1)
    #expect(try store.take([log], into: "cafe\u{301}").messages == 0)
  }

  @Test("someone who imports a log into an existing room is in it, unless they left it")
  func enters() throws {
    let store = try Fixture().open()
    let (anna, ben) = (
      try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id,
      try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
    )
    let tea = try store.writeDurablyIfNeeded { try $0.makeRoom("tea") }
    try store.writeDurablyIfNeeded { try $0.join(ben, tea.id) }
    try store.take([Self.head + "10:00 <ben> kettle\n"], into: "tea")
    #expect(try store.read { try $0.membership(of: anna, in: tea.id) } == .member)
    #expect(try store.read { try $0.listing(for: anna) }.map(\.unread) == [0])
    try store.writeDurablyIfNeeded { try $0.leave(anna, tea.id) }
    try store.take([Self.head + "10:00 <ben> kettle\n10:01 <ben> pot\n"], into: "tea")
    #expect(try store.read { try $0.membership(of: anna, in: tea.id) } == .left)
  }

  @Test("a missing day is not the last one; an action without a text is an event")
  func bareMarks() throws {
    let store = try Fixture().open()
    var said: [Int] = []
    let log = Self.head + "--- Day changed\n10:00 <anna> when\n"
    _ = try store.take([log], into: "tea", complain: { said.append($0.line) })
    #expect(said == [2, 3])
    let more = try store.take(
      [Self.head + "10:00  * anna \n10:00  * anna waves\n"], into: "tea")
    #expect(more.events == 1 && more.messages == 1)
    let weechat = "2026-11-21 10:00:02\t *\tanna \n"
    #expect(try store.take([weechat], into: "tea").events == 1)
    #expect(try bodies(store) == ["1 anna* waves"])
  }

  @Test("formats are recognised by their first lines")
  func formats() {
    func told(_ text: String) -> ImportFormat? {
      ImportFormat.format(of: text.split(separator: "\n").map { Array($0.utf8) })
    }
    #expect(told(Self.irssiLog) == .irssi)
    #expect(told(Self.weechatLog) == .weechat)
    #expect(told(" {\"hobnob\"") == .json)
    #expect(told("10:00 <anna> hi") == .irssi)
    #expect(told("hello") == nil)
    #expect(told("") == nil)
  }

  @Test(
    "irssi writes the months in the language of whoever ran it",
    arguments: [
      ("Sam Mär 05 23:59:01 2022", 3), ("mer. janv. 05 23:59:01 2022", 1),
      ("dim. juil. 05 23:59:01 2022", 7), ("dim. juin 05 23:59:01 2022", 6),
      ("lun ene 05 23:59:01 2022", 1), ("sáb dic 05 23:59:01 2022", 12),
      ("mar mag 05 23:59:01 2022", 5), ("za mrt 05 23:59:01 2022", 3),
      ("sáb out 05 23:59:01 2022", 10), ("lör maj 05 23:59:01 2022", 5),
      ("la marras 05 23:59:01 2022", 11), ("ma maalis 05 23:59:01 2022", 3),
      ("śro paź 05 23:59:01 2022", 10), ("Сб мая 05 23:59:01 2022", 5),
      ("土  3月 05 23:59:01 2022", 3), ("Sat Dec 05 23:59:01 2022", 12),
    ])
  func months(date: String, month: Int) throws {
    let store = try Fixture().open()
    let day = date.replacingOccurrences(of: " 23:59:01", with: "").replacingOccurrences(
      of: " 05", with: " 06")
    let report = try store.take(
      ["--- Log opened \(date)\n23:59 <ben> late\n--- Day changed \(day)\n00:01 <ben> early\n"],
      into: "tea")
    #expect(report.messages == 2 && report.leftOut == 0)
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let room = try #require(try store.read { try $0.room("tea") })
    let found = try store.read { try $0.messages(in: room.id, limit: 9, for: me) }.map { message in
      var (time, parts) = (time_t(message.createdAt / 1000), tm())
      localtime_r(&time, &parts)
      return "\(parts.tm_year + 1900)-\(parts.tm_mon + 1)-\(parts.tm_mday) \(message.body)"
    }
    #expect(found == ["2022-\(month)-5 late", "2022-\(month)-6 early"])
  }

  @Test("an unknown month is reported once, and a file without readable lines creates no room")
  func unknownMonths() throws {
    let store = try Fixture().open()
    var said: [String] = []
    let log = """
      --- Log opened Xyz Foo 05 23:59:01 2022
      23:59 <ben> one
      --- Day changed Xyz Bar 06 2022
      00:01 <ben> two

      """
    let report = try store.take([log], into: "tea", complain: { said.append($0.description) })
    #expect(
      said.count == 1 && said[0].hasPrefix("file:1: hobnob does not know the month “Foo”"),
      "\(said)")
    #expect(report.leftOut == 4 && report.conversations == 0 && report.people == 0)
    #expect(
      try store.read { try $0.rooms() }.isEmpty && store.read { try $0.participants() }.isEmpty)
    // What comes behind a day that is known is read.
    let rest = try store.take(
      [log + "--- Day changed Sun Mar 06 2022\n10:00 <ben> three\n"], into: "tea")
    #expect(rest.messages == 1 && rest.leftOut == 4 && rest.conversations == 1)
  }
}
