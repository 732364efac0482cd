// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import ChatSession

@MainActor
@Suite("7.1, 7.5: /history")
struct HistoryTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    let ben = try town.person("ben")
    for number in 1...5 { ben.say("number \(number)") }
    anna = try town.person("anna")
  }

  private func history(_ argument: String) -> [String] {
    _ = anna.news()
    anna.say("/history \(argument)")
    return anna.news()
  }

  @Test(
    "7.1: it takes a count, a range, an open range",
    arguments: [
      ("", [1, 2, 3, 4, 5]), ("2", [4, 5]), ("2-3", [2, 3]), ("4-", [4, 5]), ("5-5", [5]),
      ("4-900", [4, 5]),
    ])
  func ranges(argument: String, numbers: [Int]) {
    let shown = history(argument).flatMap { $0.matches(of: /number (\d)/).compactMap { Int($0.1) } }
    #expect(shown == numbers)
  }

  @Test(
    "10: a range without messages is refused, or said to be empty",
    arguments: [
      ("x", "neither a count nor a range"), ("0", "neither a count nor a range"),
      ("3-2", "neither a count nor a range"), ("-3", "is not a range"),
      ("1-2-3", "neither a count nor a range"), ("99999999", "too many"),
      ("9223372036854775807-", "neither a count nor a range"),
      ("1-99999999999999999999", "neither a count nor a range"),
    ])
  func refusals(argument: String, reason: String) {
    #expect(!anna.say("/history \(argument)"))
    #expect(anna.printed.joined(separator: " ").contains(reason))
    #expect(history("40-50").joined(separator: " ").contains("There are no such messages"))
  }

  @Test("7.8: reactions stand below their message, with the names of the people")
  func reactions() throws {
    let cleo = try town.person("cleo")
    anna.say("/react 2 :tada:")
    for line in ["/react 2 :tada:", "/react 3 :tea:"] { cleo.say(line) }
    anna.look()
    let lines = history("")
    let second = try #require(lines.firstIndex { $0.contains("number 2") })
    #expect(lines[second + 1].contains("🎉 anna, cleo"))
  }

  @Test("7.5: ages stand in place of times where they are set, and nowhere else")
  func ages() throws {
    anna.say("/set timestamps relative")
    try town.person("ben").say("live")
    _ = anna.news()
    anna.look()
    #expect(anna.news().contains { $0.contains(/^ \d\d:\d\d   6/) })
    let shown = history("2")
    #expect(shown.contains { $0.contains("now   6") || $0.contains("now   5") }, "\(shown)")
  }
}
