// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// What a network's service says by itself, as IRC's notices.
@MainActor
@Suite("7.10: Notices never ring")
struct NoticeTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.addedOnIRC()
    anna.say("/join #tea")
    try anna.store.inbox.apply([.joined(room: "#tea", nick: "anna")], of: account)
    anna.say("/set notify-command true")
    anna.say("/msg nickserv@irc.x.org")
    anna.say("/switch #lobby")
    _ = anna.news()
  }

  private func hear(
    _ body: String, _ kind: Message.Kind, in place: ConversationAddress = .direct("nickserv")
  ) throws {
    let said = NetworkMessage(
      speaker: NetworkUser(identity: "nickserv", name: "nickserv"), body: body, kind: kind)
    try anna.store.inbox.apply([.messageReceived(said, in: place)], of: account)
    anna.look()
  }

  private func unread() throws -> [Int] {
    try anna.store.read { try $0.unread(mentioning: anna.session.me, Highlights()) }
      .map(\.count)
  }

  @Test("one neither rings nor counts, in a direct chat, in a room and where everything rings")
  func isSilenced() throws {
    let bells = anna.bells
    try hear("anna: log in", .notice)
    try hear("@anna log in", .notice, in: .room("#tea"))
    #expect(anna.bells == bells && anna.notified.isEmpty)
    #expect(try unread() == [])
    anna.say("/switch #tea")
    anna.say("/set notify everything")
    try hear("anna: log in", .notice, in: .room("#tea"))
    #expect(anna.bells == bells && anna.notified.isEmpty)
    anna.say("/switch #lobby")
    // A text does all of that.
    try hear("log in", .text)
    #expect(anna.bells == bells + 1 && anna.notified.count == 1)
    #expect(try unread() == [1])
    let listed = try anna.store.read {
      try $0.unread(mentioning: anna.session.me, Highlights())
    }
    #expect(listed.map(\.mentions) == [0])
  }

  @Test("it is shown in a form of its own, also when its conversation opens later, and found")
  func isShown() throws {
    try hear("log in", .notice)
    anna.say("/switch @nickserv")
    #expect(anna.printed.contains { $0.hasSuffix("- nickserv: log in") }, "\(anna.printed)")
    _ = anna.news()
    try hear("logged\nin", .notice)
    #expect(anna.printed.contains { $0.hasSuffix("- nickserv: logged") }, "\(anna.printed)")
    anna.say("/search logged")
    #expect(anna.printed.last { $0.contains("logged") }?.contains("- nickserv: logged") == true)
    let place = try #require(anna.session.open.id)
    let newest = try anna.store.read {
      try $0.messages(in: place, limit: 1, for: anna.session.me.id)
    }
    var edited = try #require(newest.first)
    edited.editedAt = edited.createdAt
    var printer = anna.session.feed.renderer.printer
    let line = try #require(printer.revision(of: edited).first?.plain.string)
    #expect(line.hasSuffix("] - nickserv: logged"))
  }

  @Test("13.9: unread texts above two screens of notices are counted as hidden")
  func hidesNoText() throws {
    for number in 1...5 { try hear("text \(number)", .text, in: .room("#tea")) }
    for number in 1...60 { try hear("notice \(number)", .notice, in: .room("#tea")) }
    _ = anna.rows()
    anna.say("/switch #tea")
    let rows = anna.rows()
    #expect(rows.contains("5 more: /history") && !rows.contains { $0.contains("text ") })
  }
}
