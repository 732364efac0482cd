// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Emulator
import Glibc
import LineEditing
import Platform
import StyledText
import Terminal
import Testing

/// A line editor on a pseudo-terminal, and what its handler was told. readline is one per process.
@MainActor
private final class KeyTypist {
  static let shared = Result { try KeyTypist() }

  let pair: PseudoTerminalPair
  let loop: EventLoop
  let editor: LineEditor
  /// How much later it is for the loop than it is.
  private let skipped: Skipped
  private final class Skipped { var milliseconds: Int64 = 0 }
  private let emulator = Emulator(rows: 10, columns: 40)
  /// What was told but `willDraw`, `resized` and `focusChanged`, since the last look.
  private var told: [LineEvent] = []
  /// What the handler deals with.
  var deals: (LineEvent) -> Bool = { _ in false }

  private init() throws {
    setenv("INPUTRC", "/dev/null", 1)
    pair = try PseudoTerminalPair(rows: 10, columns: 40)
    let skipped = Skipped()
    self.skipped = skipped
    loop = EventLoop { Clock.steady() + skipped.milliseconds }
    let terminal = pair.openTerminal()
    editor = LineEditor(
      displayMode: .tty, loop: loop, device: try TerminalDevice(input: terminal, output: terminal),
      widths: Widths(), capabilities: Painter.TerminalCapabilities())
    editor.handler = { [unowned self] event in
      switch event {
      case .willDraw, .resized, .focusChanged: return false
      default:
        told.append(event)
        return deals(event)
      }
    }
    editor.start(prompt: StyledLine("> "))
    loop.endOfTurn { [loop] in loop.stop() }
  }

  /// One turn of the loop with these keys typed.
  func type(_ keys: String) { type(Array(keys.utf8)) }

  func type(_ keys: [UInt8]) {
    send(keys)
    loop.after(milliseconds: 0) {}
    loop.run()
  }

  /// The keys lie at the terminal, and nobody has read them.
  private func send(_ keys: [UInt8]) {
    pair.send(keys)
    var arrived: Int32 = 0
    while arrived < keys.count {
      var ready = pollfd(fd: pair.terminal, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, 10_000) > 0, ioctl(pair.terminal, UInt(FIONREAD), &arrived) == 0 else {
        Issue.record("The keys do not come through the pseudo-terminal.")
        return
      }
    }
  }

  /// Types keys, and then nothing for so long.
  func type(_ keys: [UInt8], pausing milliseconds: Int64) {
    type(keys)
    skipped.milliseconds += milliseconds
    type([])
    _ = screen
  }

  /// The window gets another size, of which the terminal is asked.
  func resize(columns: Int) {
    emulator.feed(pair.received())
    emulator.resize(rows: emulator.rows, columns: columns)
    pair.resize(rows: emulator.rows, columns: columns)
    editor.resizeProbe.windowResized()
  }

  /// The terminal answers what it was asked.
  func answer() {
    emulator.feed(pair.received())
    defer { emulator.answers = [] }
    type(String(decoding: emulator.answers, as: UTF8.self))
  }

  /// Keys come before and after what the terminal answers.
  func answer(after first: String, before last: String) {
    emulator.feed(pair.received())
    send(Array(first.utf8) + emulator.answers + Array(last.utf8))
    emulator.answers = []
  }

  /// Until something is written.
  func wait() {
    var ready = pollfd(fd: pair.controller, events: Int16(POLLIN), revents: 0)
    while poll(&ready, 1, 0) == 0 { loop.run() }
  }

  func events() -> [LineEvent] {
    defer { told = [] }
    return told
  }

  /// An empty line, no history, a handler that deals with nothing, and a terminal that has marked a
  /// paste.
  func begin() {
    type("\u{1B}[201~")
    deals = { _ in false }
    editor.question = nil
    editor.menu = { .closed }
    editor.completions = nil
    editor.nameWordStart = nil
    editor.setHistory([])
    editor.setLine("")
    // Whatever the line before this one still had to be told.
    type("\u{01}")
    _ = (events(), screen)
  }

  /// The rows of the screen, without blanks at their ends.
  var screen: [String] {
    emulator.feed(pair.received())
    return emulator.screen.map { row in
      String(row.reversed().drop { $0 == " " }.reversed())
    }
  }

  var line: String {
    let (text, caret) = (Array(editor.text.utf8), editor.caret)
    return String(decoding: text[..<caret], as: UTF8.self) + "|"
      + String(decoding: text[caret...], as: UTF8.self)
  }
}

@Suite("The line editor", .serialized)
@MainActor
struct LineEditorTests {
  private let typist: KeyTypist
  private var editor: LineEditor { typist.editor }

  init() throws {
    typist = try KeyTypist.shared.get()
    typist.begin()
  }

  @Test("1.1: Return asks; an accepted line goes, with its undo, another one stays")
  func accepting() {
    typist.type("hello\r")
    #expect(typist.events().contains(.accepted("hello")))
    #expect(typist.line == "hello|")
    typist.deals = { $0 == .accepted("hello") }
    typist.type("\r")
    #expect(typist.line == "|")
    _ = typist.events()
    typist.type("\u{1F}")
    #expect(typist.line == "|")
  }

  @Test("1.1: the text for the next line is put there when it begins")
  func nextLine() {
    typist.deals = { [editor] event in
      guard case .accepted(let text) = event else { return false }
      editor.whenLineBegins { editor.insert(text + "!") }
      return true
    }
    typist.type("a\r")
    #expect(typist.line == "a!|")
  }

  @Test("A change by keys is reported, motions are reported as one, the program's changes are not")
  func changes() {
    // Letters are told when no more of them come, or before another key.
    typist.type("ab")
    #expect(typist.events() == [])
    typist.type("\u{02}")
    #expect(typist.events() == [.changed, .moved])
    typist.type("\u{01}")
    #expect(typist.events() == [.moved])
    typist.type("\u{04}")
    #expect(typist.events() == [.changed])
    editor.insert("x")
    typist.type("")
    #expect(typist.events() == [])
    #expect(typist.line == "x|b")
  }

  @Test("The text's number changes with the text, and only then")
  func edition() {
    typist.type("ab")
    let first = editor.edition
    #expect(editor.text == "ab" && editor.edition == first)
    typist.type("\u{02}\u{06}")
    #expect(editor.edition == first)
    typist.type("c")
    #expect(editor.text == "abc" && editor.edition != first)
    let second = editor.edition
    editor.replace(0..<1, with: "é", caret: 2)
    #expect(typist.line == "é|bc" && editor.edition != second)
  }

  @Test("1.5: undo is asked about first; redo restores what undo took, a change forgets it")
  func undoing() {
    typist.type("one")
    editor.replace(0..<3, with: "two", caret: 3)
    typist.type("\u{1F}")
    #expect(typist.events().contains(.undoing))
    #expect(typist.line == "one|")
    typist.type("\u{1B}/")
    #expect(typist.line == "two|")
    #expect(editor.lastKeyWasUndo)
    typist.type("\u{1F}x\u{1B}/")
    #expect(typist.line == "onex|")
    typist.deals = { $0 == .undoing }
    typist.type("\u{1F}")
    #expect(typist.line == "onex|")
  }

  @Test("1.6: C-c empties the line unless the program handles it; C-_ restores it")
  func clearing() {
    typist.type("\u{03}")
    #expect(typist.events() == [.clearing(isEmpty: true)])
    typist.type("text\u{03}")
    #expect(typist.events().contains(.clearing(isEmpty: false)))
    #expect(typist.line == "|")
    typist.type("\u{1F}")
    #expect(typist.line == "text|")
    typist.deals = { $0 == .clearing(isEmpty: false) }
    typist.type("\u{03}")
    #expect(typist.line == "text|")
  }

  @Test(
    "1.11: typing, a paste or C-y replaces a selected line; C-_ brings it back",
    arguments: [
      ("h", "h|"), ("é", "é|"), ("\u{1B}[200~two words\u{1B}[201~", "two words|"),
      ("\u{19}", "cut|"),
    ])
  func selectionReplaced(keys: String, line: String) {
    typist.type("cut\u{15}/serch tea\u{02}")
    editor.select()
    typist.type("")
    #expect(editor.region == 0..<10 && typist.line == "/serch te|a")
    _ = typist.events()
    typist.type(keys)
    #expect(typist.line == line && editor.region == nil)
    #expect(typist.events().contains(.selectionEnded(replacing: "/serch tea")))
    typist.type("\u{1F}\u{1F}")
    #expect(editor.text == "/serch tea")
  }

  @Test(
    "1.11: any other key keeps a selected line, and the next letter goes into it",
    arguments: [
      ("\u{1B}[D", "/serch tx|ea"), ("\u{01}", "x|/serch tea"), ("\u{05}", "/serch teax|"),
      ("\u{7F}", "/serch tx|a"), ("\u{0B}", "/serch tex|"), ("\u{07}", "/serch tex|a"),
      ("\r", "/serch tex|a"), ("\u{1B}b", "/serch x|tea"), ("\u{1B}\r", "/serch te\nx|a"),
    ])
  func selectionEnds(key: String, line: String) {
    typist.type("/serch tea\u{02}")
    editor.select()
    _ = typist.events()
    typist.type(key)
    #expect(editor.region == nil)
    #expect(typist.events().contains(.selectionEnded(replacing: nil)))
    typist.type("x")
    #expect(typist.line == line)
  }

  @Test("1.11, 1.14: a selection stays while lines are printed, and ends with another text")
  func selectionStays() {
    editor.setLine("/serch")
    editor.select()
    editor.print([StyledLine("a message")])
    typist.type("")
    #expect(editor.region == 0..<6)
    editor.replace(0..<6, with: "/search", caret: 7)
    #expect(editor.region == nil)
    typist.type("!")
    #expect(typist.line == "/search!|")
  }

  @Test("1.9: a paste is one change, or none if the program takes it")
  func pasting() {
    typist.type("\u{1B}[200~a\nb\u{1B}[201~")
    #expect(typist.events().prefix(2) == [.pasted("a\nb"), .changed])
    #expect(typist.line == "a\nb|")
    typist.type("\u{1F}")
    #expect(typist.line == "|")
    typist.deals = { $0 == .pasted("x") }
    typist.type("\u{1B}[200~x\u{1B}[201~")
    #expect(typist.line == "|")
  }

  @Test("1.9: what has arrived of a paste when the program ends is in the line")
  func pasteCutShort() {
    typist.type("\u{1B}[200~a\nb")
    #expect(typist.line == "|")
    _ = typist.events()
    editor.handleLastKeys()
    #expect(typist.events().contains(.changed))
    #expect(typist.line == "a\nb|")
  }

  @Test("1.4, 3.1: Up on an empty line is asked about, in a text it moves up")
  func up() {
    editor.setHistory(["before"])
    typist.deals = { $0 == .upOnEmptyLine }
    typist.type("\u{1B}[A")
    #expect(typist.events() == [.upOnEmptyLine])
    #expect(typist.line == "|")
    typist.deals = { _ in false }
    typist.type("\u{1B}[A")
    #expect(typist.line == "before|")
    typist.type("\u{1B}[B")
    editor.setLine("a\nbc")
    typist.type("\u{1B}[A")
    #expect(typist.line == "a|\nbc")
  }

  @Test("2.11: TAB belongs to the menu, or readline completes with the program's answer")
  func completing() {
    editor.completions = { text, caret in
      text == "@an" && caret == 3
        ? Completions(
          word: 0..<3, choices: [.init(text: "@Anna: ", label: "@Anna")], common: "@Anna: ")
        : nil
    }
    typist.deals = { $0 == .completing }
    typist.type("@an\t")
    #expect(typist.line == "@an|")
    typist.deals = { _ in false }
    // A second TAB in a row would list what is possible.
    typist.type("\u{02}\u{06}\t")
    #expect(typist.line == "@Anna: |")
  }

  @Test("2.7: an entered menu is asked first; the line gets the other keys")
  func menuKeys() {
    typist.type("x")
    editor.menu = { .entered }
    typist.deals = { $0 == .menuKey(.accept) }
    _ = typist.events()
    typist.type("\r\u{10}y")
    #expect(
      typist.events().filter { $0 != .changed }
        == [.menuKey(.accept), .menuKey(.previous), .menuKey(.other)])
    #expect(typist.line == "xy|")
    typist.type("\t\u{0E}")
    #expect(
      typist.events().filter { $0 != .changed }
        == [.menuKey(.complete), .completing, .menuKey(.next)])
  }

  @Test("13.1: a hidden history is not found, and returns whole with what was added meanwhile")
  func hiddenHistory() {
    editor.setHistory(["old one", "new one"])
    editor.hidesHistory = true
    for keys in ["\u{10}", "\u{1B}<", "\u{1B}[A", "\u{12}o\u{07}", "\u{1B}.", "\u{1B}p"] {
      typist.type(keys)
      typist.type("\u{07}")
      #expect(typist.line == "|", "\(keys.debugDescription)")
    }
    editor.addHistory("newest")
    editor.hidesHistory = false
    typist.type("\u{10}")
    #expect(typist.line == "newest|")
    typist.type("\u{1B}<")
    #expect(typist.line == "old one|" || typist.line == "|old one")
    editor.hidesHistory = true
    editor.setHistory(["other"])
    typist.type("\u{10}")
    #expect(typist.line == "|")
    editor.hidesHistory = false
    typist.type("\u{10}")
    #expect(typist.line == "other|")
  }

  @Test("2.10: M-Backspace deletes what the program says, otherwise a word")
  func nameWords() {
    typist.type("@Nathan Tannar")
    editor.nameWordStart = { $0 == 14 ? 7 : nil }
    typist.type("\u{1B}\u{7F}")
    #expect(typist.line == "@Nathan|")
    typist.type("\u{1B}\u{7F}")
    #expect(typist.line == "@|")
  }

  @Test("3.2: a line set aside comes back with its caret and undo")
  func aside() {
    typist.type("one")
    editor.replace(0..<3, with: "three", caret: 2)
    let aside = editor.setAside()
    #expect(typist.line == "|")
    typist.type("other")
    editor.bringBack(aside)
    #expect(typist.line == "th|ree")
    typist.type("\u{1F}")
    #expect(editor.text == "one")
  }

  @Test("3.4: C-g is asked about; in a search it ends the search first")
  func cancelling() {
    typist.deals = { $0 == .cancelled }
    typist.type("a\u{07}")
    #expect(typist.events().contains(.cancelled))
    typist.type("\u{12}x\u{07}")
    #expect(!typist.events().contains(.cancelled))
    #expect(typist.line == "a|")
  }

  @Test("3.4: a lone Esc with nothing to end does nothing; the next key is itself")
  func loneEscape() {
    typist.deals = { $0 == .cancelled }
    typist.type("ab")
    // As terminals send it that report Escape as a key of its own.
    typist.type("\u{1B}[27u")
    #expect(typist.events().contains(.cancelled))
    typist.deals = { _ in false }
    typist.type("\u{1B}[27u")
    typist.type("b")
    #expect(typist.line == "abb|")
    // readline's own in a search and behind an argument.
    typist.type("\u{12}a\u{1B}[27u")
    #expect(!typist.screen.contains { $0.contains("i-search") })
    typist.type("\u{05}\u{1B}5\u{1B}[27u")
    typist.type("b")
    #expect(typist.line == "|abb")
  }

  @Test("2.3: motions that come with a change are reported after it")
  func motionsBehindChange() {
    typist.type("@an\u{1B}[D\u{1B}[D\u{1B}[D")
    #expect(typist.events() == [.changed, .moved])
    #expect(typist.line == "|@an")
  }

  @Test("1.8: no placeholder while something stands in place of the prompt")
  func placeholder() {
    editor.bar.placeholder = "Message #lobby"
    defer { editor.bar.placeholder = "" }
    typist.type("")
    #expect(typist.screen.contains("> Message #lobby"))
    typist.type("\u{1B}5")
    #expect(typist.screen.contains("(arg: 5)"))
    typist.type("\u{07}\u{12}")
    #expect(typist.screen.contains("(reverse-i-search)`':"))
    typist.type("\u{07}")
    #expect(typist.screen.contains("> Message #lobby"))
  }

  @Test("1.12: Up and Down pass over an entry of many lines until it is changed")
  func wholeEntries() {
    editor.setHistory(["one", "a\nb", "three"])
    typist.type("\u{1B}[A\u{1B}[A")
    #expect(typist.line == "a\nb|")
    typist.type("\u{1B}[A")
    #expect(typist.line == "one|")
    typist.type("\u{1B}[B")
    #expect(typist.line == "a\nb|")
    typist.type("c\u{1B}[A")
    #expect(typist.line == "a|\nbc")
    typist.type("\u{1B}[A\u{1B}[B")
    #expect(typist.line == "a\nbc|")
    typist.type("\u{1B}[A")
    #expect(typist.line == "a|\nbc")
  }

  @Test("1.12: Up finds an entry of over 4 KiB, and searches skip it")
  func longEntries() {
    let long = String(repeating: "x", count: 84_000) + " needle"
    editor.setHistory(["a needle", long])
    typist.type("\u{12}needle\u{05}")
    #expect(typist.line == "a needle|")
    editor.setLine("")
    typist.type("\u{1B}[A")
    #expect(editor.text == long)
    // A search that is given up leaves it where it is.
    typist.type("\u{12}q\u{07}")
    #expect(editor.text == long)
    editor.setLine("")
    _ = editor.bind("set editing-mode vi")
    defer { _ = editor.bind("set editing-mode emacs") }
    typist.type("\u{1B}[27u")
    typist.type("/needle\r")
    #expect(editor.text == "a needle")
    typist.type("/nothing of this\r")
    typist.type("kj")
    #expect(editor.text == long)
  }

  @Test("13.8: keys do not wait for the answer to a resize, and it is not read as keys")
  func resizing() {
    typist.type("a")
    for (columns, text) in [(30, "abc"), (40, "abcbc")] {
      typist.resize(columns: columns)
      typist.type("b")
      typist.answer()
      typist.type("c")
      #expect(typist.line == text + "|")
      typist.wait()
      typist.answer()
      #expect(typist.line == text + "|")
      #expect(editor.display.columns == columns)
      #expect(typist.screen.count { $0.hasPrefix("> ") } == 1)
      #expect(typist.screen.contains("> " + text))
    }
  }

  @Test("1.15, 13.8: keys around the answer to a resize are kept when another program comes")
  func resizingBeforeAnotherProgram() {
    for columns in [30, 40] {
      typist.resize(columns: columns)
      typist.answer(after: "a", before: "b")
      editor.withTerminalReleased {}
      typist.type("c")
      typist.wait()
      typist.answer()
    }
    #expect(typist.line == "abcabc|")
    #expect(editor.display.columns == 40)
  }

  @Test("6.3: two spaces are reported when both are in the text")
  func secondSpace() {
    typist.type("a ")
    #expect(!typist.events().contains(.secondSpace))
    typist.type(" ")
    #expect(typist.events().contains(.secondSpace))
    #expect(typist.line == "a  |")
  }

  @Test("A key of hobnob's own is a command; C-d on an empty line is the end of input")
  func commands() {
    typist.type("\u{1B}e")
    #expect(typist.events() == [.command("edit-last")])
    typist.type("\u{18}*")
    #expect(typist.events() == [.command("format-bold")])
    typist.type("\u{04}")
    #expect(typist.events() == [.endOfInput])
  }

  @Test("A question takes the next key, and nothing of it goes into the line")
  func questions() {
    var answers: [Answer] = []
    for key in ["y", "N", "\r", "\u{07}", "3"] {
      editor.question = {
        answers.append($0)
        return true
      }
      typist.type(key)
    }
    #expect(answers == [.letter("y"), .letter("n"), .accept, .leave, .letter("3")])
    #expect(answers.map(\.isYes) == [true, false, true, false, false])
    #expect(typist.line == "|")
    for key in ["h", "é", "\u{01}", "\u{7F}", "\u{07}", "\u{1B}[A"] {
      editor.question = { _ in false }
      typist.type(key)
    }
    #expect(typist.line == "hé|", "a character that is no answer is typed")
  }

  @Test("What is typed is on the screen, printed lines stand above it")
  func drawing() throws {
    // In one piece, on an empty line.
    typist.type("hello")
    #expect(typist.screen.contains("> hello"))
    editor.print([StyledLine("above")])
    typist.type("")
    // Soon after a resize the terminal is asked first.
    typist.answer()
    let rows = typist.screen
    let above = try #require(rows.firstIndex(of: "above"))
    #expect(rows[above + 1] == "> hello")
  }
  @Test("13.7: printed lines are broken between words, or left to the terminal; full rows too")
  func settledLines() throws {
    defer { editor.display.wrapsAtWords = true }
    // The first row is as wide as the screen.
    let line = StyledLine("12:03 [1] ben: the first row is all full and this is the second")
      .with(margin: 15)
    func rows() throws -> ArraySlice<String> {
      editor.display.clear()
      editor.print([line, StyledLine("next")])
      typist.type("")
      // Another test may have resized it just now.
      typist.answer()
      let rows = typist.screen
      return try rows[...#require(rows.firstIndex(of: "next"))]
    }
    #expect(
      try rows() == [
        "12:03 [1] ben: the first row is all full", "             and this is the second", "next",
      ])
    editor.display.wrapsAtWords = false
    #expect(
      try rows() == [
        "12:03 [1] ben: the first row is all full", " and this is the second", "next",
      ])
  }

  // MARK: 1.15

  /// Keys of every kind: letters, a paste, an answer, an arrow, one that ends what is under way.
  private static let everyKind = Array(
    "5日\u{1B}[200~p \u{1B}[201~\u{1B}]11;rgb:0/0/0\u{1B}\\\u{1B}[A\u{7}".utf8)

  @Test(
    "1.15: no function of readline waits for ever, wherever its keys are torn",
    arguments: ["emacs", "vi"])
  func everyFunctionTornAnywhere(mode: String) {
    defer { for line in ["set editing-mode emacs", "set keymap emacs"] { _ = editor.bind(line) } }
    for function in Set(editor.bindings.map(\.function)).sorted() {
      _ = editor.bind("set editing-mode \(mode)")
      if mode == "vi" { _ = editor.bind("set keymap vi-insert") }
      _ = editor.bind("\"\\C-x\\C-y\": \(function)")
      for at in 0...Self.everyKind.count {
        editor.setLine("xy (z) 日\nb")
        typist.type([0x18, 0x19] + Self.everyKind[..<at], pausing: 250)
        // C-g and C-c end whatever is under way.
        typist.type(Array(Self.everyKind[at...]) + [0x07, 0x07, 0x03, 0x03, 0x03])
        _ = editor.bind("set editing-mode \(mode)")
        editor.setLine("")
        typist.type("ok")
        #expect(editor.text.hasSuffix("ok"), "\(function) at \(at)")
      }
    }
    _ = editor.bind("\"\\C-x\\C-y\": abort")
  }

  @Test("1.15: a key bound to the beginning of a paste, or a macro with one, waits for no end")
  func pasteByHand() {
    _ = editor.bind("\"\\C-xP\": bracketed-paste-begin")
    _ = editor.bind("\"\\C-xM\": \"\\e[200~one\\rtwo\\e[201~!\"")
    _ = editor.bind("\"\\C-xO\": \"\\e[200~open\"")
    typist.type("a\u{18}Pb")
    #expect(typist.line == "ab|")
    typist.type("\u{18}M")
    #expect(typist.line == "abone\ntwo!|")
    typist.type("\u{18}Oc")
    #expect(typist.line == "abone\ntwo!openc|")
    #expect(!typist.events().contains { if case .accepted = $0 { true } else { false } })
  }

  @Test("1.15: a macro that contains its own key, or a key that is its own lower case, ends")
  func endlessMacro() {
    _ = editor.bind("\"\\C-xq\": \"z\\C-xq\"")
    _ = editor.bind("\"\\C-xd\": do-lowercase-version")
    typist.type("\u{18}q")
    #expect(editor.text.utf8.count < 1 << 18)
    editor.setLine("")
    typist.type("a\u{18}d")
    typist.type("b")
    #expect(typist.line == "ab|")
  }

  @Test(
    "1.15, 13.3: insert-comment puts the line away, and vi's C-d does nothing; neither sends",
    arguments: [("emacs", "\u{1B}#"), ("vi", "\u{1B}[27u#"), ("vi", "\u{1B}[27u\u{04}")])
  func onlyReturnSends(mode: String, keys: String) {
    _ = editor.bind("set editing-mode \(mode)")
    defer { _ = editor.bind("set editing-mode emacs") }
    typist.type("a text")
    _ = typist.events()
    typist.type(keys)
    let events = typist.events()
    #expect(editor.text == "a text")
    #expect(!events.contains { if case .accepted = $0 { true } else { false } })
    #expect(events.contains(.command("set-aside")) == (keys.last == "#"))
  }

  @Test(
    "1.9: a paste in a search goes into what is searched for, and sends nothing",
    arguments: [("emacs", "\u{12}"), ("emacs", "\u{1B}p"), ("vi", "\u{1B}[27u/")])
  func pasteIntoASearch(mode: String, search: String) {
    _ = editor.bind("set editing-mode \(mode)")
    defer { _ = editor.bind("set editing-mode emacs") }
    editor.setHistory(["one two three", "other"])
    typist.type("typed")
    typist.type(search)
    typist.type("one \u{1B}[200~two\nth\n\u{1B}[201~")
    #expect(typist.screen.contains { $0.contains("one two th") })
    typist.type(search == "\u{12}" ? "\u{05}" : "\r")
    #expect(editor.text == "one two three")
    #expect(
      !typist.events().contains {
        switch $0 {
        case .accepted, .pasted: true
        default: false
        }
      })
  }

  @Test(
    "1.4: replacing takes whole graphemes, and one undo gives them back",
    arguments: [
      ("vi", "👩‍👩‍👧b", "\u{1B}[27u0rx", "|xb"), ("vi", "👩‍👩‍👧b", "\u{1B}[27u0r日", "|日b"),
      ("vi", "🇩🇪🇫🇷b", "\u{1B}[27u02rx", "x|xb"), ("vi", "e\u{301}\u{302}é", "\u{1B}[27u0Rz", "z|é"),
      ("vi", "👩‍👩‍👧🇩🇪b", "\u{1B}[27u0Rxy", "xy|b"),
      ("emacs", "👩‍👩‍👧b", "\u{01}\u{18}ox", "x|b"), ("emacs", "👩‍👩‍👧🇩🇪b", "\u{01}\u{18}o\u{1B}2x", "xx|b"),
      ("emacs", "ab🇩🇪", "\u{02}\u{18}o\u{7F}", "a| 🇩🇪"), ("emacs", "a👩‍👩‍👧", "\u{14}", "👩‍👩‍👧a|"),
      ("emacs", "a👩‍👩‍👧🇩🇪", "\u{01}\u{06}\u{14}", "👩‍👩‍👧a|🇩🇪"),
    ])
  func replacingGraphemes(mode: String, text: String, keys: String, line: String) {
    _ = editor.bind("set editing-mode \(mode)")
    _ = editor.bind("\"\\C-xo\": overwrite-mode")
    defer {
      // Overwrite mode lasts until the line ends.
      if keys.contains("\u{18}o") { typist.type("\u{18}o") }
      _ = editor.bind("set editing-mode emacs")
    }
    editor.setLine(text)
    typist.type(keys)
    #expect(typist.line == line)
    if keys.contains("R") {
      typist.type("\u{1B}[27u")
      #expect(!editor.text.contains("👩‍👩‍👧"))
    }
    typist.type(mode == "vi" ? "u" : "\u{1F}")
    if !keys.hasSuffix("y") { #expect(editor.text == text) }
  }

  @Test("1.4: Backspace in vi's R gives back whole graphemes")
  func backspaceInReplace() {
    _ = editor.bind("set editing-mode vi")
    defer { _ = editor.bind("set editing-mode emacs") }
    editor.setLine("👩‍👩‍👧🇩🇪b")
    typist.type("\u{1B}[27u0Rxy\u{7F}")
    #expect(typist.line == "x|🇩🇪b")
    typist.type("\u{7F}")
    #expect(typist.line == "|👩‍👩‍👧🇩🇪b")
    typist.type("\r")
    #expect(typist.events().contains(.accepted("👩‍👩‍👧🇩🇪b")))
    typist.type("\u{1B}[27u")
  }

  @Test("1.11: only the selected part of a line is replaced")
  func partSelected() {
    typist.type("my draft/unread\u{01}")
    editor.select(from: 8)
    typist.type("")
    #expect(editor.region == 8..<15)
    _ = typist.events()
    typist.type("/list")
    #expect(typist.line == "my draft/list|")
    #expect(typist.events().contains(.selectionEnded(replacing: "/unread")))
  }
}
