// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("2.1 to 2.4: When the menu opens")
struct CompletionOpeningTests {
  @Test(
    "2.4: It opens by itself after 0 characters for @ and /, 1 for #, 2 for : and +:",
    arguments: [
      ("hi @", true), ("@", true), ("hi @an", true), ("/", true), ("/j", true),
      ("#", false), ("#l", true), (":", false), (":b", false), (":bo", true),
      ("+:", false), ("+:t", false), ("+:ta", true), ("(@a", true), ("@ZO", true),
      // Graphemes, not bytes: one letter is not two.
      (":é", false), (":👨‍👩‍👧", false),
      // Nothing that matches: nothing is shown.
      ("@xyz", false), ("#x", false),
      // 2.1, 2.3: only at the start of the line; no names.
      (" /", false), ("x /", false), ("a@b", false), ("10:30", false), ("http://x", false),
      ("@@", false), ("@a@b", false), ("hello", false), ("", false), ("@an ", false),
    ])
  func opens(_ keys: String, _ isOpen: Bool) {
    var typist = Typist()
    typist.type(keys)
    #expect(typist.session.isOpen == isOpen)
    #expect(typist.session.rows(columns: 40, widths: Widths()).isEmpty == !isOpen)
    #expect(!typist.session.isEntered)
  }

  @Test("It follows the word, and closes where there is none")
  func follows() {
    var typist = Typist()
    typist.type("hi @an")
    #expect(typist.menu == "@[An]na\n@[An]nabel\n@H[an]na\n@Nath[an] Tannar")
    typist.type("nab")
    #expect(typist.menu == "@[Annab]el")
    typist.type("⌫⌫⌫⌫")
    #expect(typist.session.count == 4)
    typist.type("⌫")
    #expect(typist.session.count == 7)
    typist.type("a←")
    #expect(typist.session.isOpen, "behind the prefix, in front of the word")
    typist.type("←")
    #expect(!typist.session.isOpen, "in front of the prefix (2.3)")
    typist.type("→")
    #expect(typist.session.isOpen)
    typist.type("→ ")
    #expect(!typist.session.isOpen)
  }

  @Test("2.4: A menu that is too short for its prefix closes again, unless TAB opened it")
  func shorter() {
    var typist = Typist()
    typist.type(":bo⌫")
    #expect(!typist.session.isOpen)
    typist.type("⇥")
    #expect(typist.line == ":boa|")
    typist.type("⌫⌫⌫")
    #expect(typist.line == ":|")
    #expect(typist.session.isOpen)
  }

  @Test("2.3: No session with an active region")
  func region() {
    var typist = Typist()
    typist.type("@a")
    typist.regionActive = true
    typist.type("n")
    #expect(!typist.session.isOpen)
    typist.type("⇥")
    #expect(typist.notMine == "⇥")
    typist.regionActive = false
    typist.type("n")
    #expect(typist.session.isOpen)
  }

  @Test("5.2: A restored draft and a change by the program open no menu and close an open one")
  func byProgram() {
    var typist = Typist()
    typist.restore("hi @an|")
    #expect(!typist.session.isOpen)
    typist.type("n")
    #expect(typist.session.isOpen)
    typist.restore("hi @ann| and more")
    #expect(!typist.session.isOpen)
    typist.paste("hi @be|")
    #expect(typist.menu == "@[Be]n\n@Anna[be]l")
  }

  @Test("1.14: A change that changes nothing leaves the menu alone")
  func undisturbed() {
    var typist = Typist()
    typist.type("@⇥↓↓")
    #expect(typist.session.selected == 2)
    typist.tell(byHand: false)
    typist.tell(byHand: true)
    #expect(typist.session.selected == 2)
  }

  @Test("2.3: A word just accepted opens no menu until it is edited")
  func acceptedWord() {
    var typist = Typist()
    typist.type("x @annab⇥")
    #expect(typist.line == "x @Annabel |")
    typist.type("⌫")
    #expect(typist.line == "x @Annabel|")
    #expect(!typist.session.isOpen)
    typist.type("⇥")
    #expect(typist.notMine == "⇥")
    // Text before and behind it is not editing, and moves it along.
    typist.type("←←←←←←←←")
    typist.type("yy →→→→→")
    #expect(typist.line == "x yy @Anna|bel")
    #expect(!typist.session.isOpen)
    typist.type("⌫")
    #expect(!typist.session.isOpen, "nobody is called Annbel")
    typist.type("a")
    #expect(typist.session.isOpen)
  }

  @Test("2.3: A word edited back to what it was counts as edited")
  func editedAndBack() {
    var typist = Typist()
    typist.type("x @annab⇥⌫")
    #expect(!typist.session.isOpen)
    typist.type("x⌫")
    #expect(typist.menu == "@[Annabel]")
  }

  @Test(
    "2.3, 2.6: The colon behind a mention is not part of the word; removing it is not an edit")
  func colonOfMention() {
    var typist = Typist()
    typist.type("@annab⇥")
    #expect(typist.line == "@Annabel: |")
    typist.type("⌫")
    #expect(!typist.session.isOpen)
    typist.type("⌫")
    #expect(typist.line == "@Annabel|")
    #expect(!typist.session.isOpen)
    typist.type("⌫")
    #expect(typist.session.isOpen)
  }

  @Test("2.3: An accepted name of two words opens no menu in either of them")
  func acceptedTwoWords() {
    var typist = Typist()
    typist.type("x @nat⇥")
    #expect(typist.line == "x @Nathan Tannar |")
    for _ in 0..<16 {
      typist.type("←")
      #expect(!typist.session.isOpen, "\(typist.line)")
    }
  }

  @Test("2.7: With live-menu off only TAB opens it; then it follows the word")
  func notLive() {
    var typist = Typist()
    typist.session.isLive = false
    typist.type("hi @an")
    #expect(!typist.session.isOpen)
    typist.type("⇥")
    #expect(typist.line == "hi @Anna|")
    #expect(typist.session.isOpen)
    typist.type("b")
    #expect(typist.menu == "@[Annab]el")
    typist.type(" @an")
    #expect(!typist.session.isOpen)
  }

  @Test("2.1: Without a registered prefix nothing happens")
  func nothingRegistered() {
    var typist = Typist(CompletionSession(registry: CompletionRegistry()))
    typist.type("@an⇥/⇥⏎↑↓⇤⎋")
    #expect(typist.notMine == "⇥⇥⏎↑↓⇤⎋")
    #expect(typist.line == "@an/|")
    #expect(typist.bells == 0)
    #expect(typist.session.registry.source(for: "@") == nil)
  }

  @Test(
    "2.1: The longest prefix wins; a second registration replaces; an empty prefix is ignored")
  func registry() {
    var registry = Typist.registry()
    #expect(registry.word(in: "+:ta", caret: 4)?.prefix == "+:")
    let rooms = ListSource(Typist.rooms)
    registry.register("@", source: rooms)
    registry.register("", source: rooms)
    #expect(registry.source(for: "@") === rooms)
    #expect(registry.source(for: "") == nil)
  }

  @Test("2.3: A name may hold its prefix where the source says so")
  func networkAddresses() {
    var registry = CompletionRegistry()
    let list = ListSource([Candidate("ann@host"), Candidate("ann@home")])
    registry.register("@", source: list, PrefixRules(namesMayContainPrefix: true))
    var typist = Typist(CompletionSession(registry: registry))
    typist.type("@ann⇥")
    #expect(typist.line == "@ann@ho|")
    typist.type("m")
    #expect(typist.menu == "@[ann@hom]e")
  }
}

@Suite("2.4 to 2.7: What TAB does")
struct CompletionTabTests {
  @Test(
    "It accepts a certain candidate, fills in a common part, opens, then enters",
    arguments: [
      // The only one that begins with the word; contained ones do not count then (2.5).
      ("@be⇥", "@Ben: |", ""),
      ("x @ben⇥", "x @Ben |", ""),
      ("x @zoe⇥", "x @Zoë |", ""), ("x @JOSE⇥", "x @José |", ""),
      // None begins with it: the only one that contains it.
      ("x @abel⇥", "x @Annabel |", ""),
      // Several: the common part, in the candidate's letters.
      ("x @AN⇥", "x @Anna|", "@[Anna]\n@[Anna]bel\n@H[anna]\n@Nathan T[anna]r"),
      // Again: the menu is entered.
      ("x @an⇥⇥", "x @Anna|", "▸@[Anna]\n@[Anna]bel\n@H[anna]\n@Nathan T[anna]r"),
      ("x @an⇥⇥⇥", "x @Anna|", "@[Anna]\n▸@[Anna]bel\n@H[anna]\n@Nathan T[anna]r"),
      ("x @an⇥⇥⏎", "x @Anna |", ""),
      ("x @an⇥⇥⇥⏎", "x @Annabel |", ""),
      // Nothing in common: entered at once, for it is open.
      ("#l⇥", "#lo|", "#[lo]bby\n#[lo]ud"),
      ("#l⇥⇥", "#lo|", "▸#[lo]bby\n#[lo]ud"),
      // From any length (2.4): closed, so TAB opens it, and TAB again enters.
      ("#⇥", "#|", "#kitchen\n#lobby\n#loud"),
      ("#⇥⇥", "#|", "▸#kitchen\n#lobby\n#loud"),
      (":⇥", ":|", "boar  🐗\nboat  ⛵\nfamily  👨‍👩‍👧\nplain\n(+1 more)"),
      (":b⇥", ":boa|", "[boa]r  🐗\n[boa]t  ⛵"),
      // The whole word goes, on both sides of the caret (2.2, 2.6).
      ("x @annab←←⇥", "x @Annabel |", ""),
      // An exact command is accepted though others begin with it (2.5).
      ("/join⇥", "/join |", "/join ROOM\nkitchen\nlobby\nloud"),
      ("/me⇥", "/me |", ""),
      ("/jo⇥", "/join|", "/[join]  ROOM\n/[join]t"),
      // A person's name in full is not a command.
      ("x @anna⇥", "x @anna|", "▸@[Anna]\n@[Anna]bel\n@H[anna]\n@Nathan T[anna]r"),
    ])
  func tab(_ keys: String, _ line: String, _ menu: String) {
    var typist = Typist()
    typist.type(keys)
    #expect(typist.line == line)
    #expect(typist.menu == menu)
    #expect(typist.bells == 0)
    #expect(typist.notMine == "")
  }

  @Test("A word that nothing matches rings the bell; where there is no word TAB is the line's")
  func nothing() {
    var typist = Typist()
    typist.type("hi @xyz⇥")
    #expect(typist.bells == 1)
    typist.type(" ⇥")
    #expect(typist.notMine == "⇥")
    #expect(typist.line == "hi @xyz |")
  }

  @Test("The common part ends before white space: the rest would be another word")
  func commonPartOfTwoWords() {
    var typist = Typist(people: ["Nathan Tannar", "Nathan Tyler"].map { Candidate($0) })
    typist.type("@n⇥")
    #expect(typist.line == "@Nathan|")
    #expect(typist.menu == "@[Nathan] Tannar\n@[Nathan] Tyler")
    typist.type("⇥↓⏎")
    #expect(typist.line == "@Nathan Tyler: |")
  }

  @Test("2.3: A common part that would end the word is not filled in")
  func commonPartWithPrefix() {
    var typist = Typist(people: ["ann@host", "ann@home"].map { Candidate($0) })
    typist.type("@an⇥")
    #expect(typist.line == "@an|")
    #expect(typist.session.isEntered)
  }

  @Test(
    "Names of any letters",
    arguments: [
      (["漢字", "漢文"], "@⇥", "@漢|"), (["漢字"], "@漢⇥", "@漢字: |"),
      (["👨‍👩‍👧x", "👨‍👩‍👧y"], "@⇥", "@👨‍👩‍👧|"), (["🇩🇪", "🇩🇰"], "@⇥", "@|"),
      (["e\u{301}cole", "école2"], "@ec⇥", "@e\u{301}cole|"), (["한국"], "@ㅎ⇥", "@ㅎ|"),
      (["한국"], "@\u{1112}⇥", "@한국: |"), (["Łódź"], "@lod⇥", "@Łódź: |"),
    ])
  func letters(_ names: [String], _ keys: String, _ line: String) {
    var typist = Typist(people: names.map { Candidate($0) })
    typist.type(keys)
    #expect(typist.line == line)
  }
}

@Suite("2.6, 2.10: Accepting in a session")
struct CompletionAcceptingTests {
  @Test(
    "Emoji are replaced by the character, or keep their shortcode",
    arguments: [
      ("x :tad⇥", true, "x 🎉 |"), ("x :tad⇥", false, "x :tada: |"), ("+:tad⇥", true, "+🎉 |"),
      ("+:tad⇥", false, "+:tada: |"), (":fam⇥", true, "👨‍👩‍👧 |"),
      // Without a character there is only the shortcode.
      (":pl⇥", true, ":plain: |"),
      ("#ki⇥", true, "#kitchen |"), ("x (@be)←⇥", true, "x (@Ben|)"),
      ("x @be y←←⇥", true, "x @Ben |y"),
    ])
  func line(_ keys: String, _ asCharacter: Bool, _ line: String) {
    let registry = Typist.registry(emojiAsCharacter: asCharacter)
    var typist = Typist(CompletionSession(registry: registry, argumentSource: TestArguments()))
    typist.type(keys)
    #expect(typist.line == line)
    #expect(!typist.session.isOpen)
  }

  @Test(
    "It says where the mention is, without the colon and the space",
    arguments: [
      ("@ben⇥", "@Ben", "@"), ("hi @ben⇥", "@Ben", "@"), ("@ben x←←⇥", "@Ben", "@"),
      ("x @nat⇥", "@Nathan Tannar", "@"), ("x :tad⇥", "🎉", ":"), ("+:tad⇥", "+🎉", "+:"),
      ("/mes⇥", "/message", "/"), ("/join kit⇥", "kitchen", ""), ("(@ben)←⇥", "@Ben", "@"),
    ])
  func mention(_ keys: String, _ mention: String, _ prefix: String) throws {
    var typist = Typist()
    typist.type(keys)
    let accepted = try #require(typist.accepted.last)
    let bytes = Array(typist.text.utf8)[accepted.range]
    #expect(String(decoding: bytes, as: UTF8.self) == mention)
    #expect(accepted.prefix == prefix)
  }

  @Test("2.10: It carries the person it means")
  func identity() {
    var typist = Typist()
    typist.type("x @an⇥⇥⏎")
    #expect(typist.accepted.map(\.candidate.identity) == ["anna@host"])
    #expect(typist.accepted.map(\.range) == [2..<7])
  }

  @Test("An empty candidate changes nothing")
  func emptyCandidate() {
    var typist = Typist(people: [Candidate("")])
    typist.type("hi @⇥")
    #expect(typist.line == "hi @|")
    #expect(typist.accepted.isEmpty)
    #expect(!typist.session.isOpen)
  }

  @Test("12.2: Control characters in a name are shown and inserted as marks")
  func hostileName() {
    var typist = Typist(people: [Candidate("a\u{1B}[2J\r\nb\u{202E}")])
    typist.type("x @")
    #expect(typist.menu == "@a^[[2J^M^Jb")
    typist.type("⇥")
    #expect(typist.line.hasPrefix("x @a^[[2J^M^Jb"))
  }

  @Test("A space that carries a mark does not count as a space")
  func markedSpace() {
    var typist = Typist()
    typist.paste("x @be| \u{301}y")
    typist.type("⇥")
    #expect(typist.line == marking("x @Ben  \u{301}y", 7))
  }
}
