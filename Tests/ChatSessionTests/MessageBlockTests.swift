// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// Messages as blocks of text, and the colours of their names.
@MainActor
@Suite("A message on the screen")
struct MessageBlockTests {
  /// The rows without days, and `12:03` for any time. A test may begin in one minute and end in the
  /// next, so a run has a time in its first row only.
  private func texts(_ rows: [String]) -> [String] {
    var before = ""
    return rows.filter { !$0.hasPrefix("──") }.map { row in
      defer { before = row }
      let text = row.replacing(/^( ?)\d\d:\d\d/) { $0.1 + "12:03" }
      let continues =
        text.contains(/^ 12:03 +\d+ {3,}(?!\*|\S+: )\S/) && before.contains(/^ .{5} +\d/)
      return continues ? "      " + text.dropFirst(6) : text
    }
  }

  private let long =
    "who brings the cups, and who is going to bring the tea for twenty people today?"

  @Test("13.7: a long message is one block, also in a run, with its lines and files")
  func block() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.tell(.resized(rows: 24, columns: 60))
    ben.say(long)
    ben.say("and\n\(long)")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   1 ben: who brings the cups, and who is going to",
        "                bring the tea for twenty people today?",
        "         2      and",
        "                who brings the cups, and who is going to",
        "                bring the tea for twenty people today?",
      ])
    ben.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    ben.say("/reply 1 *me*, if somebody helps to carry all of them")
    ben.copyFiles()
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   3 ben: > [1] ben: who brings the cups, and who is …",
        "                *me*, if somebody helps to carry all of them",
        "                [file 1: cups.txt, text/plain, 8 B]",
      ])
  }

  @Test("13.7: tabs in messages go to stops counted from the text column, in any row")
  func tabs() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("a\tb\ncups\t*2*\tx\n\tend")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   1 ben: a       b", "                cups    *2*     x",
        "                        end",
      ])
    ben.say("/edit")
    ben.say("b\tc")
    anna.look()
    let edited = try #require(anna.rows().last)
    #expect(edited.hasSuffix("✎ [1] ben: b       c"), "\(edited)")
    let plain = try town.person("carl", outputMode: .batch)
    #expect(plain.rows().contains { $0.contains("b\tc") }, "a script's tab stays one")
  }

  @Test("7.8: a reaction below other lines quotes as much as the width has room for")
  func reactionQuote() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say(long)
    ben.say("in between")
    anna.look()
    for (columns, quote) in [
      (70, "> who brings the cups, and who is going to…"), (130, long),
    ] {
      anna.tell(.resized(rows: 24, columns: columns))
      _ = anna.rows()
      ben.say("/react 1 :tada:")
      anna.look()
      let rows = anna.rows()
      #expect(rows.count == 1 && rows[0].count <= columns, "\(rows)")
      #expect(rows[0].contains(quote.drop { $0 == ">" || $0 == " " }.prefix(40)), "\(rows)")
      #expect(rows[0].hasSuffix(columns == 70 ? "…" : long) || rows[0].contains("removed"))
      ben.say("/react 1 :tada:")
      ben.say("again in between")
      anna.look()
    }
  }

  @Test("13.7: on a narrow screen the margin is a third of the width, for actions and edits, too")
  func narrow() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.tell(.resized(rows: 24, columns: 34))
    _ = anna.rows()
    ben.say("/me looks for the cups in all the cupboards")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   1 * ben looks for the", "           cups in all the",
        "           cupboards",
      ])
    ben.say("/edit")
    ben.say("looks for the cups everywhere but in the cupboards")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03     ✎ [1] ben looks for the", "           cups everywhere but in",
        "           the cupboards",
      ])
  }

  @Test(
    "12.2, 13.7: no line inside a message stands where a new message would begin",
    arguments: [
      String(repeating: " ", count: 70), String(repeating: "\t", count: 9),
      String(repeating: "x", count: 45), String(repeating: "漢", count: 30), "\n", "\r", "\u{2028}",
      String(repeating: "👨‍👩‍👧", count: 20),
      "https://example.org/" + String(repeating: "y", count: 60) + " ",
      String(repeating: "\u{3000}", count: 31), "> ", "```\n",
      "e" + String(repeating: "\u{301}", count: 99),
    ])
  func spoof(filling: String) throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("hello")
    anna.look()
    // The day is a line of its own.
    _ = anna.rows()
    for columns in [20, 34, 60, 61, 62] {
      anna.tell(.resized(rows: 24, columns: columns))
      ben.say(filling + "12:04 [9] anna: I owe ben a hundred\(filling)12:05 [10] anna: and more")
      anna.look()
      let rows = texts(anna.rows())
      #expect(rows.count > 1 && rows[0].contains(#/^ (12:03|     ) +\d+( |$)/#))
      for row in rows.dropFirst() { #expect(row.hasPrefix("  "), "\(columns): \(rows)") }
      // The terminal wraps addresses and nothing else.
      for row in rows where !row.contains("https:") {
        #expect(Widths().columns(of: row) <= columns, "\(columns): \(row)")
      }
    }
  }

  @Test("13.7: `set wrap terminal` and plain mode leave long lines to the terminal")
  func leftToTheTerminal() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben", outputMode: .plain))
    for person in [anna, ben] { person.tell(.resized(rows: 24, columns: 60)) }
    anna.say("/set wrap terminal")
    _ = (anna.rows(), ben.rows())
    anna.say(long)
    ben.look()
    #expect(texts(anna.rows()) == [" 12:03   1 anna: \(long)"])
    #expect(texts(ben.rows()) == ["12:03 [1] anna: \(long)"])
  }

  @Test("13.7: answers of commands are broken between words, too")
  func answers() throws {
    let anna = try Town().person("anna")
    anna.tell(.resized(rows: 24, columns: 40))
    anna.say("/topic \(long)")
    _ = anna.news()
    anna.say("/topic")
    #expect(
      anna.rows() == [
        "Topic of #lobby: who brings the cups,", "    and who is going to bring the tea",
        "    for twenty people today?",
      ])
  }

  @Test("13.7: names have a column; a longer name has a row, and actions use the column, too")
  func nameWidth() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    let max = try town.person("maximiliana")
    anna.say("/set name-width 8")
    _ = anna.news()
    ben.say("hello")
    max.look()
    max.say("hello all")
    max.say("so many")
    ben.look()
    ben.say("/me waves")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   1      ben: hello",
        " 12:03   2 maximiliana:",
        "                     hello all",
        "         3           so many",
        " 12:03   4         * ben waves",
      ])
    #expect(!anna.say("/set name-width 41") && anna.say("/set name-width 0"))
    _ = anna.news()
    max.say("and so few")
    ben.say("yes")
    anna.look()
    #expect(
      texts(anna.rows()) == [" 12:03   5 maximiliana: and so few", " 12:03   6 ben: yes"])
  }

  @Test("13.7: the column of names is as wide as those who spoke lately need it, at most 12")
  func automaticNameWidth() throws {
    let town = try Town()
    let ben = try town.person("ben")
    ben.say("hello")
    let anna = try town.person("anna")
    let first = anna.rows().last
    ben.say("who is here?")
    anna.look()
    #expect(first?.hasSuffix("   1 ben: hello") == true)
    #expect(texts(anna.rows()) == ["         2      who is here?"] || first == nil)
    let max = try town.person("max-the-builder")
    max.say("I am")
    ben.look()
    ben.say("good")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   3 max-the-builder:", "                         I am",
        " 12:03   4          ben: good",
      ])
    // The room knows it when it is entered again, and another room has its own.
    let late = try town.person("late").rows().suffix(5)
    #expect(texts(Array(late))[0] == " 12:03   1          ben: hello")
    let tea = try town.person("zo", in: "tea")
    tea.say("hm")
    #expect(texts(tea.rows()).last == " 12:03   1 zo: hm")
  }

  @Test("13.7: with its margin a third of the columns, every text begins in one column")
  func oneMargin() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("bartholomew"))
    anna.tell(.resized(rows: 24, columns: 60))
    ben.say("one")
    anna.look()
    _ = anna.rows()
    anna.say("two")
    ben.say("three")
    ben.say("four")
    anna.look()
    #expect(
      texts(anna.rows()) == [
        " 12:03   2    anna: two", " 12:03   3 bartholomew:", "                    three",
        "         4          four",
      ])
  }

  @Test("7.5: a run shows its time once a minute")
  func times() throws {
    let anna = try Town().person("anna")
    var printer = anna.session.feed.renderer.printer
    let minutes: [Milliseconds] = [0, 0, 1, 1]
    let rows = minutes.enumerated().flatMap { index, minute in
      printer.lines(
        for: Message(
          id: ID(rawValue: Int64(index + 1)), uid: "", conversation: ID(rawValue: 1),
          number: index + 9, sender: ID(rawValue: 99), senderName: "ben", senderIdentity: "ben",
          body: "text", kind: .text,
          createdAt: 1_795_000_000_000 / 60_000 * 60_000 + minute * 60_000))
    }.map(\.plain.string).filter { !$0.hasPrefix("──") }
    #expect(
      rows.map { $0.replacing(/\d\d:\d\d/, with: "12:03") } == [
        " 12:03   9 ben: text", "        10      text", " 12:03  11      text",
        "        12      text",
      ])
  }

  @Test("7.10: a mention has a mark in the first column, in the accent, and nothing else has")
  func mentionMark() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/set accent magenta")
    anna.say("/set highlight tea")
    _ = anna.news()
    for line in [
      "@anna hello", "anna is here", "Anna: hello", "black tea", "none", "/me hugs @anna",
    ] {
      ben.say(line)
    }
    anna.look()
    let lines = anna.lines
    anna.say("@anna hello")
    #expect(
      texts(anna.rows()).map { $0.prefix(1) } == ["»", " ", "»", "»", " ", "»", " "])
    #expect(lines.contains { $0.runs[0] == StyledRun("»", Style(.bold, foreground: .magenta)) })
    #expect(Glyphs.ascii.mention == "!")
  }

  @Test("3.8, 7.8: reactions and edits begin in the text column, below their text if it is newest")
  func events() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    ben.say("green tea")
    anna.look()
    anna.say("/react 1 :tada:")
    #expect(
      texts(anna.rows()).map { $0.replacing(#/^ 12:03     /#, with: "           ") }
        == [" 12:03   1 ben: green tea", "                🎉 anna"])
    anna.say("/react 1 :tada:")
    ben.look()
    ben.say("/edit")
    ben.say("black tea")
    anna.look()
    #expect(
      texts(anna.rows()).map { $0.replacing(#/^ 12:03     /#, with: "           ") } == [
        "                anna removed 🎉", "                ✎ [1] ben: black tea",
      ])
    ben.say("and cake")
    ben.look()
    anna.look()
    _ = anna.rows()
    anna.say("/react 1 :tada:")
    ben.say("/edit 2")
    ben.say("no cake")
    anna.look()
    // Neither is below its text, so both say which it is, and when.
    #expect(
      texts(anna.rows()) == [
        " 12:03          🎉 anna [1] black tea", " 12:03          ✎ [2] ben: no cake",
      ])
    // What follows shows its name again.
    ben.say("really")
    anna.look()
    #expect(texts(anna.rows()) == [" 12:03   3 ben: really"])
    // So does what follows others' output, after C-z.
    anna.tell(.suspended)
    ben.say("and tea")
    anna.tell(.resumed)
    #expect(texts(anna.rows()) == [" 12:03   4 ben: and tea"])
    anna.say("/history")
    #expect(texts(anna.rows()).contains("                🎉 anna"))
  }

  @Test("13.7: at the right edge one's own messages are blocks as well")
  func atTheRight() throws {
    let town = try Town()
    let anna = try town.person("anna")
    for line in ["bubble right", "timestamps off", "numbers off"] { anna.say("/set \(line)") }
    anna.tell(.resized(rows: 24, columns: 60))
    _ = anna.news()
    anna.say("yes")
    anna.say(long)
    anna.say("first\nsecond line")
    #expect(
      texts(anna.rows()) == [
        "                                                  anna: yes",
        "                      who brings the cups, and who is going",
        "                      to bring the tea for twenty people",
        "                      today?",
        "                                                first",
        "                                                second line",
      ])
  }

  @Test("7.5: a day is shown once, and not again after /history")
  func day() throws {
    let anna = try Town().person("anna")
    anna.say("hello")
    #expect(anna.news().count { $0.hasPrefix("──") } == 1)
    anna.say("/history")
    #expect(anna.news().count { $0.hasPrefix("──") } == 1)
    anna.say("again")
    #expect(anna.news().count { $0.hasPrefix("──") } == 0)
  }

  @Test("2.8, 7.5: where numbers are hidden, completion shows which message a number is")
  func numbersOff() throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/set numbers off")
    ben.say("green or black?")
    anna.look()
    let found = anna.session.commandArgument(in: "/reply ", caret: 7)
    #expect(found?.candidates.map(\.text) == ["1"])
    #expect(found?.candidates.map(\.hint) == ["ben: green or black?"])
  }

  // MARK: Colours

  @Test(
    "a name's colour follows from XEP-0392's hash, in twenty steps",
    arguments: [
      ("Romeo", 327.255249), ("juliet@capulet.lit", 209.410400), ("😺", 331.199341),
      ("council", 359.994507), ("Board", 171.430664),
    ])
  func hue(identity: String, angle: Double) {
    #expect(NameColours.hue(of: identity) == Int(angle / 360 * 20))
  }

  @Test("twenty people in a room have different colours, and keep them")
  func colours() throws {
    let town = try Town()
    let anna = try town.person("anna")
    let store = try town.store()
    let lobby = try #require(try store.read { try $0.room("lobby") }).id
    func speak(_ name: String) throws -> ID<Participant> {
      let person = try store.writeDurablyIfNeeded { try $0.participant(identity: name) }.id
      try store.writeDurablyIfNeeded { try $0.join(person, lobby) }
      _ = try store.writeDurably { try $0.send("hello", in: lobby, by: person) }
      return person
    }
    let people = try (1...20).map { try speak("guest\($0)") }
    anna.look()
    let colours = anna.session.feed.renderer.printer.options.colours
    #expect(Set(colours.keys) == Set(people) && Set(colours.values) == Set(0..<20))
    #expect(colours[people[0]] == NameColours.hue(of: "guest1"))
    // Who comes when all are taken shares one, and takes nobody's.
    let late = try speak("late")
    anna.look()
    let again = try town.person("anna").session.feed.renderer.printer
    #expect(again.options.colours == colours)
    let name = again.name("late", of: late, identity: "late")
    #expect(
      name.runs.first?.style.foreground
        == NameColours.color(NameColours.hue(of: "late")))
  }

  @Test("a colour that somebody else wrote into the store is no reason to stop")
  func wrongColours() {
    #expect(NameColours.color(-5) == .name(0) && NameColours.color(99) == .name(19))
  }
}
