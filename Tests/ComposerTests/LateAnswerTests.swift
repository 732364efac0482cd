// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Repeatable
import StyledText
import Testing

private struct Refused: Error, CustomStringConvertible {
  var description: String { "the server\u{1B}[2J refused" }
}

@Suite("2.9: Slow and failing sources")
struct LateAnswerTests {
  private let source = ListSource([])

  private func typist() -> Typist {
    var registry = CompletionRegistry()
    registry.register("@", source: source)
    registry.register("#", source: source, PrefixRules(opensAfter: 1))
    return Typist(CompletionSession(registry: registry))
  }

  /// The source has these by now.
  private func bring(_ list: [Candidate], to typist: inout Typist) {
    source.list = list
    typist.candidatesChanged()
  }

  private let people = ["Anna", "Annabel", "Ben"].map { Candidate($0) }

  @Test("The menu shows what is there, and more when the source delivers more")
  func fuller() {
    var typist = typist()
    source.list = [people[2]]
    typist.type("@")
    #expect(typist.menu == "@Ben")
    bring(people, to: &typist)
    #expect(typist.menu == "@Anna\n@Annabel\n@Ben")
    bring([], to: &typist)
    #expect(typist.menu == "")
    bring(people, to: &typist)
    #expect(typist.session.count == 3)
  }

  @Test("Late candidates match the current word, and a closed menu stays closed")
  func superseded() {
    var typist = typist()
    typist.type("@an")
    bring(people, to: &typist)
    #expect(typist.menu == "@[An]na\n@[An]nabel")
    typist.type("⎋")
    bring(people, to: &typist)
    typist.type(" ")
    bring(people, to: &typist)
    #expect(typist.menu == "")
    #expect(source.asked == ["", "a", "an", "an"])
  }

  @Test("A late list opens the menu and never changes the text, even when one candidate is left")
  func opensLate() {
    var typist = typist()
    typist.type("x @be⇥")
    #expect(typist.bells == 1)
    bring(people, to: &typist)
    #expect(typist.line == "x @be|")
    #expect(typist.menu == "@[Be]n\n@Anna[be]l")
    typist.type("⏎")
    #expect(typist.notMine == "⏎")
  }

  @Test("The selected candidate stays selected; one that is gone gives way to the first")
  func selection() {
    var typist = typist()
    source.list = [people[0], people[2]]
    typist.type("@⇥↓")
    #expect(typist.session.selectedCandidate?.text == "Ben")
    bring(people.shuffled(), to: &typist)
    #expect(typist.menu == "@Anna\n@Annabel\n▸@Ben")
    #expect(typist.session.selected == 2)
    bring([people[0], people[1]], to: &typist)
    #expect(typist.session.selectedCandidate?.text == "Anna")
  }

  @Test("Moving the caret asks no source again; every change of the text does")
  func questions() {
    var typist = typist()
    source.list = people
    typist.type("@a←→n")
    #expect(source.asked == ["", "a", "an"])
  }

  @Test("A failing source is reported once; the line and other candidates go on")
  func failing() {
    var typist = typist()
    source.failure = Refused()
    typist.type("@a")
    typist.type(" #a")
    #expect(typist.line == "@a #a|")
    let complaints = typist.session.takeComplaints()
    #expect(complaints == ["Completing @ failed: the server^[[2J refused"])
    #expect(typist.session.takeComplaints().isEmpty)
    source.failure = nil
    source.list = people
    typist.type("n")
    #expect(typist.session.isOpen)
  }

  @Test("A late failure is reported once and leaves the menu as it is")
  func failingLate() {
    var typist = typist()
    source.list = people
    typist.type("@")
    source.failure = Refused()
    for _ in 1...2 { typist.candidatesChanged() }
    #expect(typist.session.takeComplaints().count == 1)
    #expect(typist.session.count == 3)
  }
}

@Suite("Any text, any key")
struct CompletionFuzzTests {
  @Test("2.7: Never a crash; whole graphemes are replaced; before entering, Return sends")
  func anything() {
    var dice = FixedRandom(seed: 11)
    let keys = Array("⇥⇥⇥⇤↑↓⏎⎋←→⌫ @#:+/(an漢é🇩🇪👨‍👩‍👧")
    for round in 0..<300 {
      let people = (0..<Int.random(in: 0...6, using: &dice)).map { _ in
        Candidate(hardText(&dice, pieces: Int.random(in: 0...3, using: &dice)))
      }
      var registry = Typist.registry(emojiAsCharacter: Bool.random(using: &dice))
      registry.register(
        "@", source: ListSource(people + Typist.people),
        PrefixRules(
          namesMayContainPrefix: Bool.random(using: &dice),
          allowsBlanks: Bool.random(using: &dice), behindAtLineStart: ":"))
      let arguments = TestArguments()
      arguments.files += people.map(\.text)
      var typist = Typist(CompletionSession(registry: registry, argumentSource: arguments))
      typist.session.isLive = Int.random(in: 0..<4, using: &dice) > 0
      for _ in 0..<40 {
        switch Int.random(in: 0..<12, using: &dice) {
        case 0:
          let text = ["", "x @", "@", "/attach ", "(", "+:"].randomElement(using: &dice)!
          typist.text = text + hardText(&dice, pieces: 4)
          typist.caret = Motion.clampedToGrapheme(
            in: typist.text, offset: Int.random(in: 0...typist.text.utf8.count, using: &dice))
          typist.regionActive = false
          typist.tell(byHand: Bool.random(using: &dice))
        case 1: typist.regionActive = Int.random(in: 0..<4, using: &dice) == 0
        case 2:
          let wasEntered = typist.session.isEntered
          let action = typist.session.returnKey(ComposedText(typist.text, caret: typist.caret))
          #expect((action == .notMine) == !wasEntered, "round \(round)")
          // The line took no notice: nor may the session need it to.
          typist.press("⎋")
        case 3:
          let piece = hardText(&dice, pieces: 1)
          typist.paste(marking(typist.text + piece, (typist.text + piece).utf8.count))
        default: typist.press(keys.randomElement(using: &dice)!)
        }
        let columns = Int.random(in: 0...20, using: &dice)
        let rows = typist.session.rows(columns: columns, widths: Widths())
        #expect(rows.count <= typist.session.maxRows + 2)
        for row in rows { #expect(row.columns(Widths()) <= columns) }
        #expect(typist.session.isEntered == (typist.session.selected != nil))
        if let selected = typist.session.selected {
          #expect((0..<typist.session.count).contains(selected))
        }
      }
    }
  }

  @Test("Offsets outside the text or inside a letter do no harm")
  func oddOffsets() {
    for caret in -3...12 {
      var typist = Typist()
      let line = ComposedText("@漢 @é", caret: caret)
      typist.session.textChanged(line, edition: 1, byHand: true)
      _ = typist.session.tab(line, edition: 1)
    }
  }
}
