// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StyledText
import Testing

@testable import Composer

@Suite("2.7: The menu")
struct CompletionMenuTests {
  static let ten = (0..<10).map { Candidate("n\($0)") }

  @Test("Before it is entered every key is the line's, and Return sends")
  func beforeEntering() {
    var typist = Typist()
    typist.type("x @an↑↓⇤⏎")
    #expect(typist.notMine == "↑↓⇤⏎")
    #expect(typist.line == "x @an|")
    #expect(typist.session.isOpen)
    #expect(typist.session.selected == nil)
  }

  @Test(
    "Up to four, then the number of others; the selected one stays visible; both ends wrap",
    arguments: [
      ("", "@n0\n@n1\n@n2\n@n3\n(+6 more)"),
      ("⇥", "@[n]0\n@[n]1\n@[n]2\n@[n]3\n(+6 more)"),
      ("⇥⇥", "▸@[n]0\n@[n]1\n@[n]2\n@[n]3\n(+6 more)"),
      ("⇥⇥↓↓↓", "@[n]0\n@[n]1\n@[n]2\n▸@[n]3\n(+6 more)"),
      ("⇥⇥↓↓↓↓", "@[n]1\n@[n]2\n@[n]3\n▸@[n]4\n(+6 more)"),
      ("⇥⇥↓↓↓↓↑↑↑", "▸@[n]1\n@[n]2\n@[n]3\n@[n]4\n(+6 more)"),
      ("⇥⇥↓↓↓↓↑↑↑↑", "▸@[n]0\n@[n]1\n@[n]2\n@[n]3\n(+6 more)"),
      ("⇥⇥↑", "@[n]6\n@[n]7\n@[n]8\n▸@[n]9\n(+6 more)"),
      ("⇥⇥⇤⇥", "▸@[n]0\n@[n]1\n@[n]2\n@[n]3\n(+6 more)"),
      ("⇥⇥⇤⇤⇤⇤⇤", "▸@[n]5\n@[n]6\n@[n]7\n@[n]8\n(+6 more)"),
    ])
  func window(_ keys: String, _ picture: String) {
    var typist = Typist(people: Self.ten.shuffled())
    typist.type("@" + keys)
    #expect(typist.menu == picture)
  }

  @Test("12.3: a candidate with a warning shows it in front, and comes last")
  func marked() {
    var typist = Typist(people: [Candidate("b\u{435}n", recency: 9, mark: "≈"), Candidate("ben")])
    typist.type("@b⇥")
    #expect(typist.menu == "▸@[b]en\n[≈]@[b]\u{435}n")
  }

  @Test("max-menu-rows, also while the menu is open; never less than one")
  func rows() {
    var typist = Typist(people: Self.ten)
    typist.session.maxRows = 2
    typist.type("@")
    #expect(typist.menu == "@n0\n@n1\n(+8 more)")
    typist.type("⇥⇥↓↓↓")
    typist.session.maxRows = 3
    #expect(typist.session.selected == 3)
    #expect(typist.menu == "@[n]2\n▸@[n]3\n@[n]4\n(+7 more)")
    typist.session.maxRows = 0
    #expect(typist.menu == "▸@[n]3\n(+9 more)")
  }

  @Test("Any other key leaves the menu, which goes on with the text")
  func leaving() {
    var typist = Typist()
    typist.type("x @an⇥⇥↓")
    #expect(typist.session.isEntered)
    typist.type("b")
    #expect(!typist.session.isEntered)
    #expect(typist.menu == "@[Annab]el")
    typist.type("⏎")
    #expect(typist.notMine == "⏎")
    typist.type("⌫⇥")
    #expect(typist.session.selected == 0)
    typist.session.leaveSelection()
    #expect(typist.session.isOpen && !typist.session.isEntered)
  }

  @Test("Esc closes it until the word's start changes; TAB opens it all the same")
  func escaping() {
    var typist = Typist()
    typist.type("x @a⎋")
    #expect(!typist.session.isOpen)
    #expect(typist.menu == "")
    typist.type("n⌫ ⌫")
    #expect(!typist.session.isOpen, "the same word")
    typist.type("⎋")
    #expect(typist.notMine == "⎋", "there is nothing to close")
    typist.type(" @a")
    #expect(typist.session.isOpen, "another word")
    typist.type("←←←")
    #expect(typist.line == "x @a| @a")
    #expect(typist.session.isOpen, "the first one again")
    typist.type("→→→⎋⌫⌫@a")
    #expect(typist.session.isOpen, "begun anew")
    typist.type("⎋⇥")
    #expect(typist.line == "x @a @Anna|")
    #expect(typist.session.isOpen)
    typist.type("⇥⎋")
    #expect(!typist.session.isOpen && !typist.session.isEntered)
  }

  @Test("Text before a closed word moves it and does not open it")
  func escapedWordMoves() {
    var typist = Typist()
    typist.type("x @a⎋←←yy →")
    #expect(typist.line == "x yy @|a")
    #expect(!typist.session.isOpen)
  }

  @Test("The matching part is marked, the selected one reversed, hints and the rest dim")
  func styles() {
    var typist = Typist()
    typist.type(":b⇥⇥")
    let marked = Style([.bold, .underline, .reverse])
    let rows = typist.session.rows(columns: 40, widths: Widths())
    let selected: StyledLine = [
      StyledRun("boa", marked), StyledRun("r  ", .reverse),
      StyledRun("🐗", Style([.reverse, .dim])),
    ]
    #expect(rows.first == selected)
    typist = Typist(people: Self.ten)
    typist.type("@")
    #expect(typist.session.rows(columns: 40, widths: Widths()).last?.runs.map(\.style) == [.dim])
  }

  @Test("No row is wider than the limit, whatever it contains")
  func cut() {
    var typist = Typist(people: [
      Candidate("漢字漢字漢字漢字漢字", hint: "a long hint"), Candidate("👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧"),
      Candidate(String(repeating: "a", count: 100_000), hint: String(repeating: "h", count: 9999)),
      Candidate("e" + String(repeating: "\u{301}", count: 1000)), Candidate("z"),
    ])
    typist.type("@")
    for columns in 0...30 {
      let rows = typist.session.rows(columns: columns, widths: Widths())
      #expect(rows.count == (columns > 0 ? 5 : 0))
      for row in rows { #expect(row.columns(Widths()) <= columns) }
    }
    #expect(typist.picture(columns: 12).hasPrefix("@aaaaaaaaaa…\n"))
  }

  @Test("2.5: Beginning first, then containing; recent speakers first; the order of Ranking")
  func order() {
    var dice = FixedRandom(seed: 5)
    for round in 0..<60 {
      let people = (0..<Int.random(in: 1...40, using: &dice)).map { number in
        let name = (0..<3).map { _ in
          ["a", "n", "A", "é", "ß", "漢", "-", "e\u{301}", "🇩🇪", "annab"].randomElement(using: &dice)!
        }.joined()
        return Candidate(
          name, identity: "\(number)", recency: Int.random(in: 0...2, using: &dice))
      }
      let word = ["", "a", "an", "ann", "e", "n", "anna", "x"].randomElement(using: &dice)!
      let expected = ranked(people, matching: word)
      var typist = Typist(people: people)
      typist.session.maxRows = Int.random(in: 1...5, using: &dice)
      typist.paste("@\(word)|")
      #expect(typist.session.count == expected.count)
      guard expected.count > 1 else { continue }
      typist.type("⇥")
      // TAB has accepted the only one, or filled in a common part.
      guard typist.session.isEntered, typist.text == "@" + word else { continue }
      var walked: [Candidate] = []
      for _ in expected {
        walked += [typist.session.selectedCandidate].compactMap { $0 }
        typist.type("↓")
      }
      #expect(walked == expected, "round \(round)")
      #expect(typist.session.selected == 0)
      for candidate in expected.reversed() {
        typist.type("↑")
        #expect(typist.session.selectedCandidate == candidate, "round \(round)")
      }
    }
  }

  @Test("A different list is searched anew, however similar it is to the last")
  func anotherList() {
    let source = ListSource(Self.ten)
    var registry = CompletionRegistry()
    registry.register("@", source: source)
    var typist = Typist(CompletionSession(registry: registry))
    typist.type("@")
    source.list[9] = Candidate("$a")
    typist.type("$")
    #expect(typist.menu == "@[$]a")
    typist.paste("@$a\0|")
    #expect(!typist.session.isOpen)
  }

  @Test("2.5: The menu depends on the word, not on how it was typed and corrected")
  func narrowing() {
    var dice = FixedRandom(seed: 8)
    let letters = ["a", "n", "ß", "é", "漢", "-", "7"]
    for round in 0..<40 {
      let people = (0..<30).map { _ in
        let count = Int.random(in: 0...14, using: &dice)
        return Candidate(
          (0..<count).map { _ in letters.prefix(round % 6 + 2).randomElement(using: &dice)! }
            .joined(),
          recency: Int.random(in: 0...1, using: &dice))
      }
      var typist = Typist(people: people)
      typist.type("@")
      for _ in 0..<30 {
        let name = people.randomElement(using: &dice)!.text
        switch Int.random(in: 0..<4, using: &dice) {
        case 0: typist.paste("@\(name.prefix(Int.random(in: 0...14, using: &dice)))|")
        case 1 where typist.caret > 1: typist.type("⌫")
        default: typist.type(letters.randomElement(using: &dice)!)
        }
        let expected = ranked(people, matching: String(typist.text.dropFirst()))
        #expect(typist.session.count == expected.count, "\(typist.line) in round \(round)")
        let rows = typist.session.rows(columns: 200, widths: Widths()).map(\.plain)
        #expect(
          Array(rows.prefix(4)) == expected.prefix(4).map { "@" + SafeText(name: $0.text) },
          "\(typist.line) in round \(round)")
      }
    }
  }
}

@Suite("2.8: Arguments of commands")
struct CompletionArgumentTests {
  @Test(
    "The usage in the menu row, the candidates below",
    arguments: [
      ("/join ", "/join |", "/join ROOM\nkitchen\nlobby\nloud"),
      ("/join l", "/join l|", "/join ROOM\n[l]obby\n[l]oud"),
      ("/join xyz", "/join xyz|", "/join ROOM"),
      ("/join l⇥", "/join lo|", "/join ROOM\n[lo]bby\n[lo]ud"),
      ("/join l⇥⇥", "/join lo|", "/join ROOM\n▸[lo]bby\n[lo]ud"),
      ("/join l⇥⇥↓⏎", "/join loud |", "/join ROOM"),
      ("/join k⇥", "/join kitchen |", "/join ROOM"),
      // Accepted and not edited since: the usage stays.
      ("/join k⇥←←", "/join kitche|n ", "/join ROOM"),
      ("/join k⇥←⌫", "/join kitche| ", "/join ROOM\n[kitche]n"),
      // A folder goes on; its name is not finished.
      ("/attach p⇥", "/attach photos/|", "/attach FILE\n[photos/]"),
      ("/attach n⇥", "/attach notes.txt |", "/attach FILE\nnotes.txt\nphotos/"),
      // A prefix inside comes first.
      ("/join @be", "/join @be|", "@[Be]n\n@Anna[be]l"),
      ("/unknown x", "/unknown x|", ""),
      // A range that is none of the line.
      ("/odd x", "/odd x|", ""),
    ])
  func argument(_ keys: String, _ line: String, _ menu: String) {
    var typist = Typist()
    typist.type(keys)
    #expect(typist.line == line)
    #expect(typist.menu == menu)
  }

  @Test("A usage alone takes no keys, and TAB on it rings the bell")
  func usageAlone() {
    var typist = Typist()
    typist.type("/join xyz")
    #expect(typist.session.hint == "/join ROOM")
    #expect(!typist.session.isOpen)
    typist.type("⎋⏎↑⇥")
    #expect(typist.notMine == "⎋⏎↑")
    #expect(typist.bells == 1)
  }

  @Test("With live-menu off TAB shows usage and candidates")
  func notLive() {
    var typist = Typist()
    typist.session.isLive = false
    typist.type("/join ")
    #expect(typist.menu == "")
    typist.type("⇥")
    #expect(typist.menu == "/join ROOM\nkitchen\nlobby\nloud")
    #expect(typist.bells == 0)
    typist.type("k")
    #expect(typist.menu == "/join ROOM\n[k]itchen")
  }

  @Test("Esc closes usage and candidates until the next argument")
  func escape() {
    var typist = Typist()
    typist.type("/join l⎋")
    #expect(typist.menu == "")
    typist.type("o⌫⌫l")
    #expect(typist.menu == "")
    typist.type(" ")
    #expect(typist.menu == "/join ROOM")
  }
}

/// What the menu should list, found the slow way (2.5).
private func ranked(_ all: [Candidate], matching word: String) -> [Candidate] {
  let word = Array(MatchFolding.folded(word).utf8)
  let found = all.enumerated().compactMap { place, candidate -> (Int, Int, Candidate)? in
    let text = Array(candidate.folded.utf8)
    guard let start = (0...text.count).first(where: { text[$0...].starts(with: word) }) else {
      return nil
    }
    return (start == 0 ? 0 : 1, place, candidate)
  }
  return found.sorted { left, right in
    let (a, b) = (left.2, right.2)
    if left.0 != right.0 { return left.0 < right.0 }
    if a.rank != b.rank { return a.rank > b.rank }
    for (a, b) in [(a.folded, b.folded), (a.text, b.text)] where !a.utf8.elementsEqual(b.utf8) {
      return a.utf8.lexicographicallyPrecedes(b.utf8)
    }
    return left.1 < right.1
  }.map(\.2)
}
