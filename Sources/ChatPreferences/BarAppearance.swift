// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText

/// The look of the input bar: the settings that a theme consists of (rule 9).
package struct BarAppearance: Sendable, Equatable {
  package enum Prompt: String, CaseIterable, Sendable { case bold, plain, bracket, arrow }
  package enum Accent: String, CaseIterable, Sendable {
    case none, blue, green, magenta, cyan, yellow, red, white
  }
  package enum Send: String, CaseIterable, Sendable { case off, text, arrow }
  package enum Attach: String, CaseIterable, Sendable { case off, plus, clip }
  package enum Toolbar: String, CaseIterable, Sendable { case off, format, hints, conversations }
  package enum Side: String, CaseIterable, Sendable { case left, right }
  package enum Menu: String, CaseIterable, Sendable { case list, compact }

  package var prompt = Prompt.bold
  package var accent = Accent.none
  package var placeholder = true
  package var send = Send.off
  package var attach = Attach.off
  package var toolbar = Toolbar.off
  package var separator = false
  package var bubble = Side.left
  package var colourNames = true
  package var menu = Menu.list

  package init() {}

  /// The accent's colour; nil without an accent.
  package var color: Color? {
    switch accent {
    case .none: nil
    case .blue: .blue
    case .green: .green
    case .magenta: .magenta
    case .cyan: .cyan
    case .yellow: .yellow
    case .red: .red
    case .white: .white
    }
  }

  private var bold: Style { Style(.bold, foreground: color) }

  /// `#lobby> ` in the prompt's style.
  package func promptLine(_ name: SafeText, glyphs: Glyphs) -> StyledLine {
    switch prompt {
    case .bold: StyledLine(name + "> ", bold)
    case .plain: StyledLine(name + "> ", Style(foreground: color))
    case .bracket: StyledLine("[" + name + "] ", Style(foreground: color))
    case .arrow: StyledLine(name + " " + glyphs.prompt + " ", bold)
    }
  }

  /// The left zone: the item for files.
  package var leftItems: [Item] {
    switch attach {
    case .off: []
    case .plus: [Item(id: "attach", line: StyledLine("+", bold))]
    case .clip: [Item(id: "attach", line: StyledLine("@", bold))]
    }
  }

  /// The item that shows whether Return would send.
  package func sendItem(isEnabled: Bool, glyphs: Glyphs) -> Item? {
    let label: SafeText
    switch send {
    case .off: return nil
    case .text: label = say("Send")
    case .arrow: label = glyphs.send
    }
    return Item(id: "send", line: StyledLine(label, bold), isEnabled: isEnabled)
  }

  /// The toolbar's row, unless it depends on the session.
  package var toolbarItems: [Item] {
    switch toolbar {
    case .off, .conversations: []
    case .format:
      [
        Item(id: "bold", line: StyledLine("*" + say("bold") + "*", .bold)),
        Item(id: "italic", line: StyledLine("_" + say("italic") + "_", .italic)),
        Item(id: "strike", line: StyledLine("~" + say("strike") + "~", .strike)),
        Item(id: "code", line: StyledLine("`" + say("code") + "`", .dim)),
        Item(id: "quote", line: StyledLine("> " + say("quote"), .dim)),
      ]
    case .hints:
      [
        Item(id: "return", line: StyledLine(say("Return sends"), .dim)),
        Item(id: "newline", line: StyledLine(say("M-Return new line"), .dim)),
        Item(id: "tab", line: StyledLine(say("TAB completes"), .dim)),
        Item(id: "help", line: StyledLine(say("/help"), .dim)),
      ]
    }
  }
}
