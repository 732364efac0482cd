// SPDX-License-Identifier: GPL-3.0-or-later

/// A piece of a line in one style.
public struct StyledRun: Hashable, Sendable {
  public var text: SafeText
  public var style: Style
  /// Where it leads, in settled lines on terminals that know links.
  public var link: Link?

  public init(_ text: SafeText, _ style: Style = .plain, link: Link? = nil) {
    self.text = text
    self.style = style
    self.link = link
  }
}

/// A line with styles, as the printer takes it. It should not contain a newline; one that slips in
/// is drawn as a blank.
///
/// ```swift
/// var line = StyledLine(name, .bold)
/// line.append(" is typing", .dim)
/// ```
public struct StyledLine: Hashable, Sendable, ExpressibleByArrayLiteral {
  public var runs: [StyledRun]
  /// The column in which the second and later rows of a wrapped line begin: the column of its text,
  /// after time and name. Never the first column, where only new lines begin (rule 12.2).
  public var margin = 2

  public init(_ text: SafeText, _ style: Style = .plain) {
    runs = text.isEmpty ? [] : [StyledRun(text, style)]
  }

  public init(arrayLiteral runs: StyledRun...) {
    self.runs = runs
  }

  public init(runs: [StyledRun] = []) {
    self.runs = runs
  }

  /// Adds text at the end; extends the last run if it has the same style and link.
  public mutating func append(_ text: SafeText, _ style: Style = .plain, link: Link? = nil) {
    if text.isEmpty { return }
    if let last = runs.indices.last, runs[last].style == style, runs[last].link == link {
      runs[last].text += text
    } else {
      runs.append(StyledRun(text, style, link: link))
    }
  }

  /// Adds another line at the end.
  public mutating func append(_ line: StyledLine) {
    for run in line.runs { append(run.text, run.style, link: run.link) }
  }

  /// This line with another margin, in columns.
  public func with(margin: Int) -> StyledLine {
    var line = self
    line.margin = margin
    return line
  }

  public static func + (left: StyledLine, right: StyledLine) -> StyledLine {
    var line = left
    line.append(right)
    return line
  }

  public static func += (left: inout StyledLine, right: StyledLine) {
    left.append(right)
  }

  public var isEmpty: Bool { runs.allSatisfy(\.text.isEmpty) }

  /// The text without styles.
  public var plain: SafeText { runs.count == 1 ? runs[0].text : runs.map(\.text).joined() }

  /// The line with blanks in place of tabs, which reach to the next multiple of 8 from the line's
  /// beginning, so that they keep their width wherever the line is put.
  public func withoutTabs(_ widths: Widths) -> StyledLine {
    guard runs.contains(where: { $0.text.string.utf8.contains(0x09) }) else { return self }
    var line = StyledLine()
    line.margin = margin
    var column = 0
    for run in runs {
      var text = ""
      for character in run.text.string {
        let next = widths.column(after: character, at: column)
        if character == "\t" {
          text += String(repeating: " ", count: next - column)
        } else {
          text.append(character)
        }
        column = next
      }
      line.append(SafeText(unchecked: text), run.style, link: run.link)
    }
    return line
  }

  /// The columns that the line takes; tabs reach to the next multiple of 8.
  public func columns(_ widths: Widths) -> Int {
    widths.columns(of: plain.string)
  }
}
