// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

/// `Sources/RULES.md`, and who cites it: the title of a test begins with the numbers of its rules,
/// as in "7.2, 7.4: …" and "3.1 to 3.3: …"; a comment says "rule 7.2", or "(7.2)" alone.
@Suite("The rules")
struct RuleTests {
  @Test("every number that a comment or the title of a test cites is a rule")
  func citedRulesExist() throws {
    let rules = try Self.rules()
    let known = rules.union(rules.map(\.section))
    let comments = try Self.comments()
    #expect(comments.count > 400)
    for (file, citation) in comments + (try Self.titles()) {
      #expect(Self.numbers(in: citation).subtracting(known) == [], "in \(file)")
    }
  }

  @Test("every rule has a test whose title begins with its number")
  func rulesAreTested() throws {
    let rules = try Self.rules()
    try #require(rules.count > 100)
    var tested: Set<Rule> = []
    for (_, citation) in try Self.titles() {
      tested.formUnion(Self.numbers(in: citation))
      for range in citation.matches(of: /(\d+)\.(\d+) to \d+\.(\d+)/) {
        let (first, last) = (Int(range.2) ?? 0, Int(range.3) ?? 0)
        try #require(first < last, "\(citation)")
        tested.formUnion((first...last).map { Rule(text: "\(range.1).\($0)") })
      }
    }
    #expect(rules.subtracting(tested) == [])
  }

  @Test("the rules of a section are numbered from 1 on, without a gap")
  func rulesAreInOrder() throws {
    var previous = (section: 0, number: 0)
    for match in try Self.text().matches(of: /(?m)^(?:## (\d+)\. |\*\*(\d+)\.(\d+) )/) {
      if let section = match.1.flatMap({ Int($0) }) {
        #expect(section == previous.section + 1)
        previous = (section, 0)
      } else if let section = match.2.flatMap({ Int($0) }),
        let number = match.3.flatMap({ Int($0) })
      {
        #expect((section, number) == (previous.section, previous.number + 1))
        previous.number = number
      }
    }
    #expect(previous.section == 14)
  }

  /// A rule, such as `7.2`, or a section, such as `7`.
  private struct Rule: Hashable, CustomStringConvertible {
    var text: String
    var section: Rule { Rule(text: String(text.prefix { $0 != "." })) }
    var description: String { text }
  }

  private static func text() throws -> String { try Repository.text(of: "Sources/RULES.md") }

  private static func rules() throws -> Set<Rule> {
    var rules = Set(
      try text().matches(of: /(?m)^\*\*(\d+\.\d+)\b/).map { Rule(text: String($0.1)) })
    // The table of commands has no rules of its own.
    rules.insert(Rule(text: "10"))
    return rules
  }

  private static func numbers(in citation: String) -> Set<Rule> {
    Set(citation.matches(of: /\d+(?:\.\d+)?/).map { Rule(text: String($0.0)) })
  }

  /// What comments cite, with the file of each.
  private static func comments() throws -> [(file: String, citation: String)] {
    // The parentheses hold nothing else, so that they are no section of another document.
    let cited =
      /\b[Rr]ules? (\d+(?:\.\d+)?(?:(?:, and |, | and | to )\d+(?:\.\d+)?)*)|\((\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)\)/
    return try Repository.files(below: "Sources", endings: [".swift", ".c", ".h"]).flatMap { file in
      let comments = try Repository.text(of: file).matches(of: /\/\/+ ?(.*)/)
        .map { String($0.1) }.joined(separator: " ")
      return comments.matches(of: cited).map { (file, String($0.1 ?? $0.2 ?? "")) }
    }
  }

  /// The numbers at the beginning of titles, with the file of each.
  private static func titles() throws -> [(file: String, citation: String)] {
    let title = /@(?:Test|Suite)\(\s*"(\d+(?:\.\d+)?(?:(?:, | to )\d+(?:\.\d+)?)*):/
    return try Repository.files(below: "Tests", endings: [".swift"]).flatMap { file in
      try Repository.text(of: file).matches(of: title).map { (file, String($0.1)) }
    }
  }
}
