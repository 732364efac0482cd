// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences
import StyledText

/// The help that the argument parser prints. The parser's own words, such as headings, are English;
/// here they get the language of the rest.
package enum HelpText {
  /// - Parameter help: what the parser prints for `--help`.
  package static func inUsersLanguage(_ help: String) -> String {
    guard Catalogue.isOpen else { return help }
    let beginnings = [
      ("OVERVIEW: ", translated("OVERVIEW: ")), ("USAGE: ", translated("USAGE: ")),
      ("ARGUMENTS:", translated("ARGUMENTS:")), ("OPTIONS:", translated("OPTIONS:")),
      ("SUBCOMMANDS:", translated("SUBCOMMANDS:")),
      ("  open (default)", "  open " + translated("(default)")),
    ]
    let endings = [
      ("Show the version.", translated("Show the version.")),
      ("Show help information.", translated("Show help information.")),
      (
        "See 'hobnob help <subcommand>' for detailed help.",
        translated("See 'hobnob help <subcommand>' for detailed help.")
      ),
    ]
    let usage = beginnings[1]
    var isUsage = false
    return help.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      if let (english, own) = beginnings.first(where: { line.hasPrefix($0.0) }) {
        isUsage = line.hasPrefix(usage.0)
        return own + moved(line.dropFirst(english.count), by: -growth(english, own))
      }
      isUsage = isUsage && !line.isEmpty
      if isUsage { return moved(line, by: growth(usage.0, usage.1)) }
      if let (english, own) = endings.first(where: { line.hasSuffix($0.0) }) {
        return String(line.dropLast(english.count)) + own
      }
      return String(line).replacing("(default: ", with: translated("(default: "))
    }.joined(separator: "\n")
  }

  /// The columns by which a word is wider than the English one.
  private static func growth(_ english: String, _ own: String) -> Int {
    Widths().columns(of: own) - english.count
  }

  /// A text with more or fewer blanks before it, if it has any.
  private static func moved(_ text: Substring, by columns: Int) -> String {
    let blanks = text.prefix { $0 == " " }.count
    guard blanks > 0 else { return String(text) }
    return String(repeating: " ", count: max(1, blanks + columns)) + text.dropFirst(blanks)
  }
}
