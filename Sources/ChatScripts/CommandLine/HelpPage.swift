// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Sentences
import StyledText

/// The help of a command, in rows as wide as the terminal.
struct HelpPage {
  private(set) var rows: [SafeText] = []
  private let columns: Int
  private let widths = Widths()
  /// The column of the explanations in a table.
  private static let margin = 26

  init() {
    var size = winsize()
    columns = ioctl(1, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  mutating func addText(_ text: SafeText, margin: Int = 0) {
    for line in text.lines {
      rows += StyledLine(line).with(margin: margin).wrapped(at: columns, widths: widths)
        .map(\.plain)
    }
  }

  mutating func addUsage(_ lines: [SafeText]) {
    addText("")
    let heading = say("USAGE: ")
    let margin = widths.columns(of: heading.string)
    for (number, line) in lines.enumerated() {
      addText((number == 0 ? heading : blanks(margin)) + line, margin: margin)
    }
  }

  mutating func addTable(_ heading: SafeText, _ entries: [(label: SafeText, help: SafeText)]) {
    if entries.isEmpty { return }
    addText("")
    addText(heading)
    for (label, help) in entries {
      let gap = Self.margin - 2 - widths.columns(of: label.string)
      if gap > 0 {
        addText("  " + label + blanks(gap) + help, margin: Self.margin)
      } else {
        addText("  " + label)
        addText(blanks(Self.margin) + help, margin: Self.margin)
      }
    }
  }

  private func blanks(_ count: Int) -> SafeText {
    SafeText(line: String(repeating: " ", count: count))
  }
}

extension Subcommand {
  /// `hobnob log [OPTIONS] [--lines <n>] CONVERSATION`.
  ///
  /// - Parameter isShort: whether to leave out the options.
  static func usage(isShort: Bool = false) -> SafeText {
    let options = isShort ? [] : ["[OPTIONS]"] + parameters.filter(\.isOption).map(\.usage)
    let words = ["hobnob", name] + options + parameters.filter { !$0.isOption }.map(\.usage)
    return SafeText(line: words.filter { !$0.isEmpty }.joined(separator: " "))
  }

  static func describe(on page: inout HelpPage) {
    page.addText(say("OVERVIEW: ") + SafeText(body: translated(abstract)))
    page.addUsage([usage()])
    let all = Invocation<Self>.parameters
    page.addTable(
      say("ARGUMENTS:"),
      all.filter { !$0.isOption }.map { (SafeText(line: $0.label), $0.explanation) })
    page.addTable(
      say("OPTIONS:"),
      all.filter(\.isOption).map { option in
        let value = option.usual.map { " " + say("(default: ") + SafeText(line: $0) + ")" }
        return (SafeText(line: option.label), option.explanation + (value ?? ""))
      } + HelpRequest.options)
  }
}

extension HelpRequest {
  static var options: [(label: SafeText, help: SafeText)] {
    [("--version", say("Show the version.")), ("-h, --help", say("Show help information."))]
  }
}
