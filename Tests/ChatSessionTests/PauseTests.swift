// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import ChatSession

@MainActor
@Suite("7.6: Paused output")
struct PauseTests {
  private let anna: Person
  private let ben: Person

  init() throws {
    let town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
  }

  private func printed(_ person: Person) -> String { person.printed.joined(separator: "\n") }

  @Test("7.6: /pause holds and counts, typing changes nothing, /bottom prints in order")
  func holds() {
    anna.say("/pause")
    ben.say("one")
    ben.say("two")
    anna.look()
    ben.say("/edit")
    ben.say("2")
    anna.look()
    anna.type("half a line")
    #expect(anna.picture[1].contains("2 new") && !printed(anna).contains("ben: one"))
    ben.look()
    #expect(ben.picture[1].hasSuffix("[2] ✓✓ delivered"))
    _ = anna.news()
    anna.say("/bottom")
    let rows = anna.news()
    let order = ["ben: one", "2      two", "✎ [2] ben: 2"].map { part in
      rows.firstIndex { $0.contains(part) } ?? -1
    }
    #expect(!order.contains(-1) && order == order.sorted(), "\(rows)")
    #expect(!anna.picture[1].contains(" new"))
    ben.look()
    #expect(ben.picture[1].hasSuffix("[2] seen"))
    ben.say("three")
    anna.look()
    #expect(printed(anna).contains("three"))
  }

  @Test("7.6: /pause counts nothing if nothing is held")
  func nothingHeld() {
    anna.say("/pause")
    anna.say("/status")
    #expect(!anna.picture[1].contains("0 new"))
    ben.say("held")
    anna.look()
    #expect(anna.picture[1].contains("1 new"))
  }

  @Test("7.6: sending resumes, and held messages stand above the sent one")
  func sendingResumes() throws {
    anna.say("/pause")
    ben.say("held")
    anna.look()
    anna.say("mine")
    let rows = anna.news()
    let held = try #require(rows.firstIndex { $0.hasSuffix("ben: held") })
    let mine = try #require(rows.firstIndex { $0.hasSuffix("anna: mine") })
    #expect(held < mine)
    ben.say("live")
    anna.look()
    #expect(printed(anna).contains("live"))
  }
}
