// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

/// A bar with an item in each zone, and what its listeners are told.
@MainActor
private final class Watched {
  let controller: BarController<TypedLine>
  private var heard: [BarEvent] = []
  var bells = 0

  init(registry: CompletionRegistry = CompletionRegistry()) {
    controller = BarController(TypedLine(prompt: "> "), registry: registry)
    for (zone, id) in [
      (Zone.above, "a"), (.toolbar, "t"), (.status, "s"), (.right, "r"), (.left, "l"),
    ] {
      controller.bar.zones[zone] = [Item(id: id, line: StyledLine(SafeText(line: id)))]
    }
    controller.ring = { [weak self] in self?.bells += 1 }
    controller.listen(self) { [weak self] in self?.heard.append($0) }
    controller.barChanged()
    _ = told()
  }

  /// What was told since the last look.
  func told() -> [BarEvent] {
    defer { heard = [] }
    return heard
  }

  func draw(rows: Int = 24) -> String {
    picture(controller.layout(rows: rows, columns: 40, widths: Widths()).frame)
  }
}

/// Two words for any line, an empty one too.
private final class EmptyWords: ArgumentSource {
  func argument(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], hint: SafeText?)? {
    (0..<text.utf8.count, text, [Candidate("one"), Candidate("two")], nil)
  }

  func bareWord(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], behindAtLineStart: String)? {
    nil
  }
}

@Suite("9.2 to 9.4: The controller of an input bar")
@MainActor
struct BarControllerTests {
  @Test("9.2: one change is reported once, in order: sending, items by zone, text, typing")
  func order() {
    let bar = Watched()
    bar.controller.type(.text(" x"))
    let items = ["l", "r", "s", "t", "a"].flatMap {
      [BarEvent.item($0, .editingBegan), .item($0, .textChanged)]
    }
    #expect(bar.told() == [.canSend(true)] + items + [.text(" x"), .typing])
    bar.controller.lineChanged(byHand: true)
    bar.controller.type(.left)
    #expect(bar.told() == [])
  }

  @Test("9.3: rows are reported when their number changes, after the text")
  func rows() {
    let bar = Watched()
    bar.controller.bar.zones = [:]
    bar.controller.type(.text("a\nb"))
    #expect(bar.told().last == .typing)
    _ = bar.draw()
    #expect(bar.told() == [.rows(2)])
    _ = bar.draw()
    #expect(bar.told() == [])
  }

  @Test("9.3: changes by the program are not typing; another spelling is another text")
  func typing() {
    let bar = Watched()
    bar.controller.bar.zones = [:]
    bar.controller.restore(LineDraft("é"))
    #expect(bar.told() == [.canSend(true), .text("é")])
    bar.controller.bar.composed = ComposedText("e")
    bar.controller.caretMoved()
    #expect(bar.told() == [.text("e")], "a line of the history, which no one typed")
    bar.controller.restore(LineDraft("e\u{301}"))
    #expect(bar.told() == [.text("e\u{301}")])
  }

  @Test("9.2: editing begins with the first character and ends when the line is emptied")
  func editing() {
    let bar = Watched()
    bar.controller.bar.zones = [.left: [Item(id: "l", line: []), .flexibleSpace]]
    bar.controller.type(.text("a"))
    _ = bar.told()
    bar.controller.type(.backspace)
    #expect(
      bar.told() == [
        .canSend(false), .item("l", .textChanged), .item("l", .editingEnded), .text(""), .typing,
      ])
  }

  @Test("9.2: selected, deselected, enabled and disabled are reported on change, not for new items")
  func selection() {
    let bar = Watched()
    bar.controller.bar.zones[.left]?[0].isSelected = true
    bar.controller.bar.zones[.status]?[0].isEnabled = false
    bar.controller.bar.zones[.status]?.append(Item(id: "new", line: [], isEnabled: false))
    bar.controller.barChanged()
    #expect(bar.told() == [.item("l", .selected), .item("s", .disabled)])
    bar.controller.barChanged()
    #expect(bar.told() == [])
    bar.controller.bar.zones[.left]?[0].isSelected = false
    bar.controller.bar.zones[.status]?[0].isEnabled = true
    bar.controller.barChanged()
    #expect(bar.told() == [.item("l", .deselected), .item("s", .enabled)])
  }

  @Test("9.2: an item that moves to another zone is the same item: what changed on it is reported")
  func moved() {
    let bar = Watched()
    bar.controller.bar.zones[.left] = []
    bar.controller.bar.zones[.toolbar]?.append(Item(id: "l", line: [], isSelected: true))
    bar.controller.bar.zones[.status] = [Item(id: "r", line: [], isEnabled: false)]
    bar.controller.bar.zones[.right] = [Item(id: "s", line: [])]
    bar.controller.barChanged()
    #expect(bar.told() == [.item("r", .disabled), .item("l", .selected)])
    bar.controller.bar.zones[.toolbar]?.removeLast()
    bar.controller.bar.zones[.left] = [Item(id: "l", line: [])]
    bar.controller.barChanged()
    #expect(bar.told() == [.item("l", .deselected)])
  }

  @Test("9.2: activation and keys reach only an enabled item with a name")
  func activation() {
    let bar = Watched()
    var item = Item(id: "l", line: [])
    bar.controller.activate(item)
    bar.controller.press("C-x a", on: item)
    #expect(bar.told() == [.item("l", .activated), .item("l", .key("C-x a"))])
    item.isEnabled = false
    bar.controller.activate(item)
    bar.controller.press("C-x a", on: item)
    bar.controller.activate(Item(id: "", line: StyledLine("label")))
    #expect(bar.told() == [])
  }

  @Test(
    "9.3: Return reports each sent text once, as typed, and empties the line; blanks are refused")
  func sending() {
    let bar = Watched()
    bar.controller.bar.zones = [:]
    bar.controller.type(.text("  "))
    bar.controller.type(.accept)
    #expect(bar.bells == 1)
    #expect(bar.told() == [.text("  "), .typing])
    bar.controller.type(.text("x \n"))
    _ = bar.told()
    bar.controller.type(.accept)
    #expect(bar.told() == [.sent("  x \n"), .canSend(false), .text("")])
    #expect(bar.draw() == "> |")
    bar.controller.type(.undo)
    #expect(bar.controller.draft.isEmpty, "what was sent is not undone (1.5)")
  }

  @Test("9.3: listeners are called in the order they were added; a released one vanishes")
  func listeners() {
    let controller = BarController(TypedLine())
    final class Owner {}
    final class Log { var lines: [String] = [] }
    let log = Log()
    let second = Owner()
    var first: Owner? = Owner()
    if let first { controller.listen(first) { _ in log.lines.append("first") } }
    controller.listen(second) { _ in log.lines.append("second") }
    controller.sent("x")
    #expect(log.lines == ["first", "second"])
    first = nil
    controller.sent("x")
    #expect(log.lines == ["first", "second", "second"])
  }

  @Test("A change that a listener makes is reported after the one it is handling")
  func nested() {
    let bar = Watched()
    bar.controller.bar.zones = [:]
    let owner = Watched()
    bar.controller.listen(owner) { [controller = bar.controller] event in
      if event == .text("a") { controller.type(.text("b")) }
    }
    bar.controller.type(.text("a"))
    #expect(bar.told() == [.canSend(true), .text("a"), .typing, .text("ab"), .typing])
  }

  @Test(
    "9.4: plugins are asked in order; the first to take a paste ends it, else it is inserted")
  func plugins() {
    let controller = BarController(TypedLine())
    final class Log { var lines: [String] = [] }
    let log = Log()
    controller.plugins = [
      { content, _ in
        log.lines.append("1 \(content)")
        return content == .path("/tmp/a b")
      },
      { _, pasted in
        log.lines.append("2 \(pasted)")
        return pasted == "y"
      },
    ]
    controller.paste("'/tmp/a b'\n") { $0 == "/tmp/a b" }
    #expect(log.lines == ["1 path(\"/tmp/a b\")"])
    controller.paste("y")
    controller.paste("x")
    #expect(log.lines.dropFirst() == ["1 text(\"y\")", "2 y", "1 text(\"x\")", "2 x"])
    #expect(controller.draft == LineDraft("x"))
  }

  @Test(
    "3.2, 3.4: Lines set aside come back with caret, undo and mentions, the newest first")
  func aside() {
    let controller = BarController(TypedLine())
    controller.type(.text("a"))
    controller.type(.text("b"))
    let mention = [Span(range: 0..<2, identity: "x")]
    controller.begin(with: mention)
    controller.setAside()
    controller.restore(LineDraft("the message"))
    controller.setAside()
    #expect(controller.draft.isEmpty)
    controller.bringBack()
    #expect(controller.draft == LineDraft("the message"))
    controller.bringBack()
    #expect(controller.draft == LineDraft("ab", spans: mention))
    controller.type(.undo)
    #expect(controller.draft.text == "a")
    controller.type(.redo)
    #expect(controller.draft.text == "ab")
  }

  @Test("2.7, 13.1: each line has its own menu, however alike the lines are")
  func asideWithMenu() {
    let controller = BarController(
      TypedLine(), registry: Typist.registry(), argumentSource: EmptyWords())
    controller.openMenu()
    #expect(controller.menu == .open)
    #expect(controller.press(.cancel) && controller.menu == .closed)
    // Closed there, not here.
    for _ in 0..<2 {
      controller.setAside()
      controller.openMenu()
      #expect(controller.menu == .open)
      controller.bringBack()
      #expect(controller.menu == .closed, "nobody typed, and it was closed")
    }
    controller.lineChanged(byHand: true)
    #expect(controller.menu == .closed)
    controller.openMenu()
    #expect(controller.menu == .open, "asked for")
    controller.setAside()
    #expect(controller.menu == .closed)
  }

  @Test("2.7: a closed menu stays closed after another line took its place for a while")
  func asideWithAWord() {
    let controller = BarController(TypedLine(), registry: Typist.registry())
    controller.type(.text("@an"))
    #expect(controller.menu == .open)
    #expect(controller.press(.cancel) && controller.menu == .closed)
    controller.setAside()
    controller.type(.text("@an"))
    #expect(controller.menu == .open, "closed there, not here")
    controller.bringBack()
    controller.type(.text("n"))
    #expect(controller.menu == .closed)
  }

  @Test(
    "13.1: where arrows enter the menu, Down goes to the first, Up to the last; TAB fills in first",
    arguments: [(BarKey.down, "@Anna"), (.up, "@Nathan Tannar")])
  func arrowsEnter(key: BarKey, name: String) {
    let bar = Watched(registry: Typist.registry())
    bar.controller.type(.text("@an"))
    bar.controller.type(key)
    #expect(bar.controller.menu != .entered)
    bar.controller.completion.arrowsEnter = true
    bar.controller.type(.lineEnd)
    bar.controller.type(key)
    #expect(bar.controller.menu == .entered)
    bar.controller.type(.accept)
    #expect(bar.controller.draft.text == name + ": ")
    bar.controller.type(key)
    #expect(bar.controller.menu == .closed, "nothing to enter")
  }

  @Test("2.7, 2.10: TAB completes, the menu hangs below, an accepted mention knows who is meant")
  func completing() {
    let bar = Watched(registry: Typist.registry())
    bar.controller.bar.zones = [.above: [Item(id: "a", line: StyledLine("above"))]]
    bar.controller.type(.text("x @an"))
    #expect(
      bar.draw()
        == "above\n> x @an|\n@Anna\n@Annabel\n@Hanna\n@Nathan Tannar")
    bar.controller.type(.complete)
    bar.controller.type(.complete)
    #expect(bar.controller.menu == .entered)
    bar.controller.type(.accept)
    #expect(
      bar.controller.draft
        == LineDraft("x @Anna ", spans: [Span(range: 2..<7, identity: "anna@host")]))
    #expect(bar.controller.menu == .closed)
    bar.controller.type(.undo)
    #expect(bar.controller.draft.text == "x @Anna" && bar.controller.spans.count == 1)
    bar.controller.type(.undo)
    #expect(bar.controller.draft.text == "x @an" && bar.controller.spans.isEmpty)
  }

  @Test("2.11: Readline's own functions complete what the menu would")
  func listed() throws {
    let controller = BarController(
      TypedLine(), registry: Typist.registry(), argumentSource: TestArguments())
    let one = try #require(controller.completions(in: "/attach ph", caret: 10))
    #expect(one.common == "photos/" && !one.stepsOverSpace)
    let stepped = try #require(controller.completions(in: "/join kit x", caret: 9))
    #expect(stepped.common == "kitchen" && stepped.stepsOverSpace)
    let several = try #require(controller.completions(in: "/join l", caret: 7))
    #expect(several.choices.map(\.text) == ["lobby", "loud"] && several.common == "lo")
    #expect(controller.completions(in: "/join", caret: 5)?.common == "/join ")
    #expect(controller.completions(in: "@be", caret: 3)?.common == "@Ben: ")
    #expect(controller.completions(in: "x", caret: 1) == nil)
  }

  @Test("2.3: nothing is listed for a word just accepted, nor while the region is active")
  func notListed() {
    let controller = BarController(TypedLine(), registry: Typist.registry())
    func listed() -> String? {
      let line = controller.line.composed
      return controller.completions(in: line.text, caret: line.caret)?.common
    }
    for key in [BarKey.text("@be"), .complete, .backspace] { controller.type(key) }
    #expect(controller.line.composed.text == "@Ben:")
    #expect(listed() == nil)
    controller.type(.backspace)
    controller.type(.backspace)
    #expect(listed() == "@Ben: ")
    controller.line.bar.composed.region = 0..<2
    #expect(listed() == nil)
  }
}
