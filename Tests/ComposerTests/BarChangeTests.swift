// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("What listeners are told (9.2, 9.3)")
struct BarChangeTests {
  private var bar: InputBar {
    var bar = InputBar()
    bar.zones = [
      .toolbar: [Item(id: "t", line: StyledLine("t"))],
      .left: [Item(id: "l", line: StyledLine("l")), .flexibleSpace],
      .status: [Item(id: "s", line: StyledLine("s"))],
      .right: [Item(id: "r", line: StyledLine("r"))],
    ]
    return bar
  }

  @Test("Send-enabled, items by zone, text, rows: in this order")
  func order() {
    var new = bar
    new.composed = ComposedText(" x\ny")
    let changes = new.changes(from: bar, canSend: (false, true), rows: (1, 2))
    let items = ["l", "r", "s", "t"].flatMap {
      [BarChange.item(id: $0, .editingBegan), .item(id: $0, .textChanged)]
    }
    #expect(changes == [.sendEnabled(true)] + items + [.textChanged(" x\ny"), .rowsChanged(2)])
  }

  @Test("Nothing has changed, nothing is told; the caret is no change")
  func nothing() {
    var new = bar
    new.composed.caret = 0
    new.composed.region = 0..<0
    #expect(new.changes(from: bar, canSend: (true, true), rows: (1, 1)) == [])
  }

  @Test("Editing begins with the first character, ends with the last")
  func editing() {
    var one = bar
    one.zones = [.left: [Item(id: "l", line: StyledLine("l"))]]
    var two = one
    one.composed = ComposedText("a")
    two.composed = ComposedText("ab")
    func told(_ new: InputBar, _ old: InputBar) -> [BarChange] {
      new.changes(from: old, canSend: (true, true), rows: (1, 1))
    }
    var empty = one
    empty.composed = ComposedText()
    #expect(told(one, empty).first == .item(id: "l", .editingBegan))
    #expect(told(two, one) == [.item(id: "l", .textChanged), .textChanged("ab")])
    #expect(
      told(empty, one)
        == [.item(id: "l", .textChanged), .item(id: "l", .editingEnded), .textChanged("")])
  }

  @Test("Selected and enabled are told on change only, and not of a new item")
  func selection() {
    var new = bar
    new.zones[.left]?[0].isSelected = true
    new.zones[.status]?[0].isEnabled = false
    new.zones[.status]?.append(Item(id: "new", line: StyledLine("n"), isEnabled: false))
    let changes = new.changes(from: bar, canSend: (true, true), rows: (1, 1))
    #expect(changes == [.item(id: "l", .selected), .item(id: "s", .disabled)])
    let back = bar.changes(from: new, canSend: (true, true), rows: (1, 1))
    #expect(back == [.item(id: "l", .deselected), .item(id: "s", .enabled)])
  }
}
