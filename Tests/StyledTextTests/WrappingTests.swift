// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

@Suite("Breaking what the program says between words")
struct WrappingTests {
  @Test(
    "no word is cut, nothing is lost, later rows are indented",
    arguments: [
      ("one two three", 20, 0, ["one two three"]),
      ("one two three", 13, 0, ["one two three"]),
      ("one two three", 12, 0, ["one two", "three"]),
      ("one two three", 7, 2, ["one two", "  three"]),
      ("one two three", 3, 0, ["one", "two", "three"]),
      ("/list  what there is", 12, 7, ["/list  what", "       there", "       is"]),
      ("overlongword and", 5, 0, ["overlongword", "and"]),
      ("ab overlongword", 5, 1, ["ab", " overlongword"]),
      ("漢字 漢字 漢字", 9, 0, ["漢字 漢字", "漢字"]),
      ("  two blanks", 6, 0, ["  two", "blanks"]),
      ("🇩🇪 👨‍👩‍👧 flags", 5, 0, ["🇩🇪 👨‍👩‍👧", "flags"]),
      ("", 5, 0, [""]),
    ])
  func wrapping(text: String, columns: Int, indent: Int, rows: [String]) {
    let wrapped = StyledLine(SafeText(line: text)).wrapped(
      at: columns, indent: indent, widths: Widths(clusters: .graphemes))
    #expect(wrapped.map(\.plain.string) == rows)
  }

  @Test("each part keeps its style")
  func styles() {
    let line: StyledLine = [StyledRun("bold text ", .bold), StyledRun("and dim text", .dim)]
    let wrapped = line.wrapped(at: 9, indent: 2, widths: Widths())
    #expect(
      wrapped == [
        [StyledRun("bold text", .bold)], [StyledRun("  "), StyledRun("and dim", .dim)],
        [StyledRun("  "), StyledRun("text", .dim)],
      ])
  }
}
