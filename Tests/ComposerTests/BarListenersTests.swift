// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

/// Writes down what it is told.
private final class Diary: BarDelegate {
  var name: String
  var log: Log

  init(_ name: String, _ log: Log) {
    self.name = name
    self.log = log
  }

  func bar(didSend text: String) { log.lines.append("\(name): sent \(text)") }
  func bar(textDidChange text: String) { log.lines.append("\(name): text \(text)") }
  func bar(rowsDidChange rows: Int) { log.lines.append("\(name): rows \(rows)") }
  func bar(canSendDidChange canSend: Bool) { log.lines.append("\(name): can send \(canSend)") }
  func barUserIsTyping() { log.lines.append("\(name): typing") }
}

private final class Log {
  var lines: [String] = []

  /// What was written since the last look.
  func take() -> [String] {
    defer { lines = [] }
    return lines
  }
}

/// Cares about nothing.
private final class Indifferent: BarDelegate {}

private func zoned(_ text: String) -> InputBar {
  var bar = InputBar()
  bar.composed = ComposedText(text)
  for (zone, id) in [(Zone.toolbar, "t"), (.status, "s"), (.right, "r"), (.left, "l")] {
    bar.zones[zone] = [Item(id: id, line: StyledLine(SafeText(line: id)))]
  }
  return bar
}

extension BarHooks {
  fileprivate func tell(_ old: InputBar, _ new: InputBar, byHand: Bool = true) {
    let rules = LineRules()
    var (before, after) = (old, new)
    var (one, two) = (LayoutCache(), LayoutCache())
    let widths = Widths()
    tell(
      from: old, to: new,
      canSend: (
        rules.allowsSending(old.composed.text), rules.allowsSending(new.composed.text)
      ),
      rows: (
        before.layout(size: 24, columns: 40, widths: widths, cache: &one).inputRows,
        after.layout(size: 24, columns: 40, widths: widths, cache: &two).inputRows
      ),
      byHand: byHand)
  }
}

@Suite("Listeners and hooks of items (9.2, 9.3)")
struct BarListenersTests {
  private let log = Log()
  private let hooks = BarHooks()

  /// Writes down everything that the items are told.
  private func watch(_ items: [String]) {
    for item in items {
      for hook in ItemHook.allCases {
        hooks.on(item, hook) { [log] in log.lines.append("\(item) \(hook) \($0.id == item)") }
      }
    }
  }

  @Test("One change is told in the order of 9.2: send-enabled, items by zone, text, rows")
  func order() {
    let diary = Diary("d", log)
    hooks.add(diary)
    watch(["t", "s", "r", "l"])
    hooks.tell(zoned(""), zoned(" x\ny"))
    let items = ["l", "r", "s", "t"].flatMap {
      ["\($0) editingBegan true", "\($0) textChanged true"]
    }
    #expect(
      log.lines == ["d: can send true"] + items + ["d: text  x\ny", "d: typing", "d: rows 2"])
  }

  @Test(
    "Selected, deselected, enabled and disabled are told on change only (9.2)",
    arguments: [
      (false, false, []), (false, true, ["l selected true"]), (true, false, ["l deselected true"]),
      (true, true, []),
    ])
  func selection(_ before: Bool, _ after: Bool, _ expected: [String]) {
    watch(["l"])
    var (old, new) = (zoned("x"), zoned("x"))
    old.zones[.left]?[0].isSelected = before
    new.zones[.left]?[0].isSelected = after
    hooks.tell(old, new)
    #expect(log.take() == expected)
    (old, new) = (zoned("x"), zoned("x"))
    old.zones[.left]?[0].isEnabled = !before
    new.zones[.left]?[0].isEnabled = !after
    hooks.tell(old, new)
    #expect(
      log.take() == expected.map { $0 == "l selected true" ? "l disabled true" : "l enabled true" })
  }

  @Test("A hook gets the item as it is after the change")
  func itemsAfterTheChange() {
    var new = zoned("x")
    new.zones[.right] = [Item(id: "r", line: StyledLine("new"), isSelected: true)]
    hooks.on("r", .selected) { [log] in log.lines.append($0.line.plain.string) }
    hooks.tell(zoned("x"), new)
    #expect(log.lines == ["new"])
  }

  @Test("Editing begins with the first character and ends when the line is emptied (9.2)")
  func editing() {
    watch(["s"])
    hooks.tell(zoned(""), zoned("a"))
    hooks.tell(zoned("a"), zoned("ab"))
    hooks.tell(zoned("ab"), zoned(""), byHand: false)
    #expect(
      log.lines == [
        "s editingBegan true", "s textChanged true", "s textChanged true", "s textChanged true",
        "s editingEnded true",
      ])
  }

  @Test("An item with a name and no text, or in a zone of width 0, is told all the same")
  func hiddenItems() {
    var (old, new) = (zoned(""), zoned("a"))
    for zone in Zone.allCases { (old.zoneWidths[zone], new.zoneWidths[zone]) = (0, 0) }
    new.zones[.toolbar] = [Item(id: "t", line: [])]
    watch(["l", "t"])
    hooks.tell(old, new)
    #expect(log.lines.count == 4)
    #expect(new.drawn(24, 40) == "a|")
    #expect(new.items.map(\.id) == ["l", "r", "s", "t"])
    #expect(new.item("t") != nil && new.item("x") == nil && new.item("") == nil)
  }

  @Test("The user is typing for changes by hand only, rows and sending only when they change (9.3)")
  func onlyOnChange() {
    let diary = Diary("d", log)
    hooks.add(diary)
    hooks.tell(zoned("a"), zoned("a b"), byHand: false)
    #expect(log.take() == ["d: text a b"])
    hooks.tell(zoned("a"), zoned("a"))
    #expect(log.take() == [])
    hooks.tell(zoned("a"), zoned("e\u{301}"))
    hooks.tell(zoned("é"), zoned("e\u{301}"))
    #expect(log.take().count == 4, "other bytes are another text")
    hooks.tell(zoned("a\nb"), zoned("a"))
    #expect(log.take() == ["d: text a", "d: typing", "d: rows 1"])
  }

  @Test("didSend comes once for each sent text, as typed, to every listener in order (9.3)")
  func sending() {
    let (first, second) = (Diary("1", log), Diary("2", log))
    hooks.add(first)
    hooks.add(second)
    hooks.add(first)
    hooks.sent(" //x \n")
    #expect(log.take() == ["1: sent  //x \n", "2: sent  //x \n"])
    hooks.remove(first)
    hooks.remove(first)
    hooks.sent("y")
    #expect(log.take() == ["2: sent y"])
  }

  @Test("A released listener vanishes and is not kept alive (9.3)")
  func released() {
    var diary: Diary? = Diary("d", log)
    weak let seen = diary
    if let diary { hooks.add(diary) }
    hooks.sent("1")
    diary = nil
    #expect(seen == nil)
    hooks.sent("2")
    #expect(log.lines == ["d: sent 1"])
  }

  @Test("One that has nothing to say needs to say nothing")
  func defaults() {
    let indifferent = Indifferent()
    hooks.add(indifferent)
    hooks.tell(zoned(""), zoned("x\ny"))
    hooks.sent("x")
  }

  @Test("Who is removed during a round is not told any more, who is added hears of the next one")
  func changesDuringARound() {
    final class Remover: BarDelegate {
      var body: () -> Void = {}
      func bar(textDidChange text: String) { body() }
    }
    let (remover, old, new) = (Remover(), Diary("old", log), Diary("new", log))
    remover.body = { [hooks] in
      hooks.remove(old)
      hooks.add(new)
      hooks.removeHooks(of: "s")
    }
    hooks.add(remover)
    hooks.add(old)
    hooks.on("s", .textChanged) { [hooks, log] _ in
      log.lines.append("s")
      hooks.removeHooks(of: "s")
    }
    hooks.on("s", .textChanged) { [log] _ in log.lines.append("never") }
    hooks.tell(zoned("a"), zoned("b"))
    #expect(log.lines.filter { !$0.hasPrefix("new") } == ["s"])
    hooks.sent("x")
    #expect(log.lines.last == "new: sent x")
  }

  @Test("A change made by a listener is told after the one it has heard of")
  func nestedChanges() {
    let diary = Diary("d", log)
    hooks.add(diary)
    hooks.on("l", .textChanged) { [hooks, log] _ in
      log.lines.append("l")
      var selected = zoned("b")
      selected.zones[.left]?[0].isSelected = true
      hooks.tell(zoned("b"), selected)
    }
    hooks.on("l", .selected) { [log] _ in log.lines.append("selected") }
    hooks.tell(zoned("a"), zoned("b"))
    #expect(log.lines == ["l", "d: text b", "d: typing", "selected"])
  }

  @Test("Activation and keys reach an enabled item only; the first that takes a key ends it")
  func activationAndKeys() {
    watch(["l"])
    hooks.onKey("l", "C-x a") { [log] _ in
      log.lines.append("first")
      return false
    }
    for name in ["second", "third"] {
      hooks.onKey("l", "C-x a") { [log] _ in
        log.lines.append(name)
        return true
      }
    }
    let item = Item(id: "l", line: StyledLine("l"))
    hooks.activate(item)
    #expect(log.take() == ["l activated true"])
    #expect(hooks.press("C-x a", on: item))
    #expect(log.take() == ["l key true", "first", "second"])
    #expect(!hooks.press("C-x b", on: item))
    #expect(log.take() == ["l key true"])
    var disabled = item
    disabled.isEnabled = false
    hooks.activate(disabled)
    #expect(!hooks.press("C-x a", on: disabled))
    #expect(!hooks.press("C-x a", on: Item(id: "other", line: [])))
    #expect(log.take() == [])
  }

  @Test("An item without a name has no hooks")
  func nameless() {
    watch([""])
    var (old, new) = (zoned("a"), zoned("b"))
    old.zones[.left] = [Item(id: "", line: StyledLine("label")), .fixedSpace(2)]
    new.zones[.left] = old.zones[.left]
    hooks.tell(old, new)
    hooks.activate(Item(id: "", line: StyledLine("label")))
    #expect(log.lines == [])
  }
}
