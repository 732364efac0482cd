// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText
import Testing

@testable import ChatShell

@Suite("The people of hobnob demo")
struct DemoScriptTests {
  private static let deeds: [DemoScript.Deed] = [
    .spoke, .mentioned(.host), .mentioned(.friend), .confided(in: .host), .confided(in: .friend),
    .corrected, .reacted(to: .host), .reacted(to: .friend),
    .invited(.host), .invited(.friend),
  ]

  @Test("they answer whatever one does, never twice the same, and soon fall silent")
  func silence() {
    var script = DemoScript(host: "ada", friend: "ben")
    var said: [DemoScript.Words] = []
    for deed in Self.deeds {
      let first = script.replies(to: deed, of: "anna")
      #expect(!first.isEmpty, "\(deed)")
      said += first.map(\.words)
      for _ in 0..<3 { said += script.replies(to: deed, of: "anna").map(\.words) }
      #expect(script.replies(to: deed, of: "anna").isEmpty, "\(deed)")
    }
    #expect(said.count < 25)
  }

  @Test("whoever was addressed answers, with the guest's name of that moment")
  func speakers() {
    var script = DemoScript(host: "ada", friend: "ben")
    for role in DemoScript.Role.allCases {
      let deeds: [DemoScript.Deed] = [
        .mentioned(role), .confided(in: role), .reacted(to: role), .invited(role),
      ]
      for deed in deeds {
        #expect(script.replies(to: deed, of: "anna").map(\.speaker) == [role], "\(deed)")
      }
    }
    let welcome = script.replies(to: .spoke, of: "annie").map(\.words)
    #expect(
      welcome.contains {
        if case .text(let text) = $0 { text.string.contains("annie") } else { false }
      })
  }
}
