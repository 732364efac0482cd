// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// What the status line says of other conversations, and of my newest message.
@MainActor
@Suite("Unread messages elsewhere, and who has my messages")
struct UnreadElsewhereTests {
  // MARK: The count (rules 7.4 and 7.7)

  @Test("7.7: what was deleted elsewhere, or seen in another shell, is no longer unread")
  func lessUnread() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/join tea")
    anna.say("one")
    anna.say("two")
    ben.look()
    #expect(ben.status().hasSuffix("#lobby 2"))
    anna.say("/delete")
    ben.look()
    #expect(ben.status().hasSuffix("#lobby 1"))
    try town.person("ben").look()
    ben.look()
    #expect(!ben.status().contains("#lobby"))
  }

  @Test("7.4: when many messages arrive at once, each is counted once, whoever sees them")
  func longCatchUp() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    let carl = try town.person("carl")
    ben.say("/join tea")
    anna.say("one")
    ben.look()
    for number in 2...10 { anna.say("line \(number)") }
    carl.look()
    for number in 11...620 { anna.say("line \(number)") }
    ben.look()
    #expect(ben.status().hasSuffix("#lobby 620"))
    carl.look()
    ben.look()
    #expect(ben.status().hasSuffix("#lobby 620"))
  }

  @Test("7.4: a room left or opened in another shell is not unread")
  func leftElsewhere() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    let other = try town.person("ben", in: "tea")
    ben.say("/join tea")
    anna.say("hello")
    ben.look()
    #expect(ben.status().hasSuffix("#lobby 1"))
    other.say("/leave lobby")
    ben.look()
    #expect(!ben.status().contains("#lobby"))
    anna.say("nobody hears it")
    ben.look()
    #expect(!ben.status().contains("#lobby"))
  }

  @Test("7.4: a person's new name appears in the status line, too")
  func renamed() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/msg ben psst")
    ben.look()
    #expect(ben.status().hasSuffix("@anna 1"))
    // That it came here is no news any more.
    ben.look()
    anna.say("/nick annette")
    ben.look()
    #expect(ben.status().hasSuffix("@annette 1"))
  }

  @Test("7.4: in a direct chat, the status line shows that the other is away or has no shell")
  func absent() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/msg ben psst")
    anna.say("/switch @ben")
    #expect(anna.status().hasPrefix("anna, with 1 other here"))
    ben.say("/away in a meeting")
    anna.look()
    #expect(anna.status().hasPrefix("ben is away: in a meeting"))
    ben.say("/back")
    ben.tell(.leave(status: 0))
    try ben.store.shells.detach()
    anna.look()
    #expect(anna.status().hasPrefix("ben does not have hobnob open"))
  }

  @Test("7.6, 7.7: what was paused when the conversation was left is unread there")
  func heldIsUnread() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/pause")
    anna.say("held")
    ben.look()
    #expect(ben.status().hasSuffix("| 1 new"))
    ben.look()
    ben.say("/join tea")
    #expect(ben.status().hasSuffix("#lobby 1"))
  }

  // MARK: The row of conversations

  @Test("9.1: the toolbar has my conversations in the order of /list, as many as fit, with counts")
  func toolbar() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    func row(_ columns: Int = 80) -> String {
      StatusLine(session: anna.session).toolbarItems(columns: columns)
        .map { $0.line.plain.string }.joined(separator: "  ")
    }
    #expect(row() == "")
    anna.say("/set toolbar conversations")
    #expect(row() == "1 #lobby")
    anna.say("/join tea")
    ben.say("hello")
    ben.say("@anna: hello")
    ben.say("/msg anna psst")
    anna.look()
    #expect(row() == "1 #lobby 2!  2 #tea  3 @ben 1")
    #expect(row(29) == "1 #lobby 2!  2 #tea  +1")
    #expect(row(21) == "1 #lobby 2!  +2")
    for columns in 3..<40 { #expect(row(columns).count < columns) }
    ben.say("/nick benno")
    anna.look()
    anna.say("/leave lobby")
    anna.look()
    #expect(row() == "1 #tea  2 @benno 1")
    anna.say("/switch @benno")
    #expect(row() == "1 #tea  2 @benno")
    let bold = StatusLine(session: anna.session).toolbarItems(columns: 80)[1].line.runs[1].style
    #expect(bold == .bold)
    let other = try town.person("anna")
    other.say("/join cake")
    anna.look()
    #expect(row() == "1 #lobby  2 #tea  3 @benno  4 #cake")
    anna.say("/set toolbar off")
    #expect(row() == "")
  }

  @Test("9.1: the toolbar's conversations are not read again because I left the open one")
  func toolbarAfterLeaving() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/join tea")
    anna.say("/leave")
    let me = anna.session.me.id
    let tea = try #require(try anna.store.read { try $0.room("tea", for: me) })
    var joined = JoinedConversations()
    func read(_ open: Conversation) throws -> [String] {
      try anna.store.read { try joined.read(for: me, open: open, $0) }
      return joined.shown.map(\.conversation.name)
    }
    #expect(try read(tea) == ["#lobby"])
    let milk = try anna.store.writeDurablyIfNeeded { try $0.makeRoom("milk") }
    try anna.store.writeDurablyIfNeeded { try $0.join(me, milk.id) }
    #expect(try read(tea) == ["#lobby"])
    #expect(try read(milk) == ["#lobby", "#milk"])
  }

  // MARK: The order (rules 7.4 and 13.1)

  /// Ben in #here, and what others said meanwhile, the oldest first.
  private func busy() throws -> (town: Town, ben: Person) {
    let town = try Town()
    let ben = try town.person("ben", in: "one")
    for room in ["two", "three", "four", "here"] { ben.say("/join \(room)") }
    for (room, text) in [
      ("two", "first"), ("one", "second"), ("three", "hello @ben"), ("four", "fourth"),
      ("two", "fifth"),
    ] {
      try town.person("anna", in: room).say(text)
    }
    try town.person("carl").say("/msg ben psst")
    ben.look()
    return (town, ben)
  }

  @Test("7.4, 13.1: mentions and direct chats first, in each group the oldest first")
  func urgency() throws {
    let ben = try busy().ben
    #expect(ben.status().hasSuffix("#three 1!, @carl 1, #two 2, #one 1, #four 1"))
    _ = ben.news()
    ben.say("/unread")
    #expect(
      ben.news() == [
        "  #three  1 unread  1 mention [1]", "  @carl   1 unread", "  #two    2 unread",
        "  #one    1 unread", "  #four   1 unread",
      ])
    for place in ["#three", "@carl", "#two", "#one", "#four"] {
      ben.say("/next")
      #expect(ben.picture[0] == "\(place)> |")
    }
    ben.say("/next")
    #expect(ben.printed.last == "Nothing is unread elsewhere.")
  }

  @Test("7.4: as many as fit, the urgent ones longest, then how many more")
  func width() throws {
    let ben = try busy().ben
    func right(_ columns: Int) -> String {
      String(ben.status(columns: columns).split(separator: "| ").last ?? "")
    }
    #expect(right(100) == "#three 1!, @carl 1, #two 2, #one 1, #four 1")
    #expect(right(60) == "#three 1!, @carl 1, #two 2, #one 1, +1")
    #expect(right(50) == "#three 1!, @carl 1, #two 2, +2")
    #expect(right(30) == "#three 1!, +4")
    for columns in 10...120 {
      #expect(ben.status(columns: columns).count <= columns + 2, "\(columns)")
    }
  }

  @Test("7.4: urgent ones stand out in the accent colour; the others do not")
  func accent() throws {
    let ben = try busy().ben
    ben.say("/set accent green")
    let runs = StatusLine(session: ben.session).items(notice: nil, columns: 100)
      .flatMap(\.line.runs)
    func style(_ text: String) -> Style? { runs.first { $0.text.string.contains(text) }?.style }
    #expect(style("#three 1!") == Style(.bold, foreground: .green))
    #expect(style("@carl 1") == Style(.bold, foreground: .green))
    #expect(style("#two 2") == .plain)
  }

  @Test("7.4: a brief notice hides neither typing people nor urgent conversations")
  func notice() throws {
    let (town, ben) = try busy()
    let anna = try town.person("anna", in: "here")
    anna.type("half")
    ben.look()
    let hint: SafeText = "To leave: C-d on the empty line, or /quit"
    #expect(
      ben.status(notice: hint, columns: 120)
        == "anna is typing · To leave: C-d on the empty line, or /quit | "
        + "#three 1!, @carl 1, #two 2, #one 1, #four 1")
    #expect(
      ben.status(notice: hint, columns: 100)
        == "anna is typing · To leave: C-d on the empty line, or /quit | "
        + "#three 1!, @carl 1, #two 2, #one 1, +1")
    // Where there is no room for both, it is what was said last.
    #expect(
      ben.status(notice: hint)
        == "To leave: C-d on the empty line, or /quit | #three 1!, @carl 1, #two 2, +2")
    #expect(
      ben.status(notice: hint, columns: 60)
        == "To leave: C-d on the empty line, or /quit | #three 1!, +4")
  }

  @Test("7.4, 13.1: /list has the same marks, in the order in which rooms were joined")
  func list() throws {
    let (_, ben) = try busy()
    _ = ben.news()
    ben.say("/list")
    let names = ben.news().map { $0.replacing(#/  \d{4}-\d\d-\d\d \d\d:\d\d$/#, with: "") }
    #expect(
      names == [
        "    Name    Unread  Last message", "  1 #one    1     ", "  2 #two    2     ",
        "  3 #three  1!    ", "  4 #four   1     ", "* 5 #here", "  6 @carl   1     ",
        "    #lobby          not joined",
      ])
    #expect(
      try ben.store.read { try $0.joined(by: ben.session.me.id) }.count == 6,
      "the order that keys can follow")
  }

  // MARK: My newest message (rule 7.2)

  @Test("7.2: in a room the status line counts until everyone has the message")
  func deliveryCounts() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let others = try ["ben", "carl", "dora"].map { try town.person($0) }
    anna.say("hello")
    #expect(anna.status().hasSuffix("[1] ✓ sent"))
    others[0].tell(.focus(false))
    others[0].look()
    anna.look()
    #expect(anna.status().hasSuffix("[1] ✓ delivered to 1 of 3"))
    others[1].look()
    anna.look()
    #expect(anna.status().hasSuffix("[1] seen by 1 of 3"))
    anna.say("/status")
    #expect(anna.printed.contains("Your newest message here, [1], is seen by 1 of 3."))
    others[2].look()
    anna.look()
    #expect(anna.status().hasSuffix("[1] seen by 2 of 3"))
    others[0].tell(.focus(true))
    others[0].tell(.turnEnded)
    anna.look()
    #expect(anna.status().hasSuffix("[1] seen"))
  }

  @Test("7.8: a reaction to an action names the person who did it")
  func reactionToAnAction() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("/me yawns")
    anna.look()
    anna.say("tea?")
    anna.say("/react 1 ☕")
    #expect(anna.news().last == "☕ anna [1] ben yawns")
  }

  @Test("1.11: messages quote a filter exactly as it was typed")
  func unknownContent() throws {
    let anna = try Town().person("anna")
    anna.say("/search has:file/x")
    #expect(anna.news().last == "There is no filter has:file/x; use has:file.")
  }
}
