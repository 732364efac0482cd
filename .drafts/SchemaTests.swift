// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import StoreFixture
import Testing

extension EndToEnd {
  @Suite("The schema of JSON")
  struct SchemaTests {
    @Test("what commands print with --json is as the schema says, with every type of lines")
    func allCommands() throws {
      let home = try Home()
      func run(_ words: String..., as name: String = "anna", input: String = "") throws -> String {
        try home.run(words + ["--as", name], input: input).output
      }
      for name in ["anna", "ben"] {
        _ = try home.run(["lobby", "--as", name], input: "/join tea\n")
      }
      let first = try Program(
        ["bash", "-c", "'\(Home.program)' watch --json --as anna | head -n1"],
        environment: home.environment
      ).finish()
      var lines = first.output
      let position = try #require(lines.firstMatch(of: /"position":([0-9]+)/)?.1)
      lines += try run("send", "lobby", "hello @anna", "--json", as: "ben")
      lines += try run("wait", "--json", "--after", String(position))
      for words in [
        ["edit", "lobby", "1", "hello @Anna"], ["react", "lobby", "1", ":tada:"],
        ["react", "lobby", "1", ":tada:", "--remove"],
      ] { #expect(try home.run(words + ["--as", "ben"]).status == 0) }
      _ = try run("send", "lobby", "hi", "--reply", "1")
      _ = try home.run(["lobby", "--as", "ben"], input: "/topic tea\n/join lobby\n/away lunch\n")
      lines += try run("read", "lobby", as: "ben")
      lines += try run("send", "lobby", "bye", as: "ben")
      lines += try run("unread", "--json")
      for words in [
        ["list"], ["who"], ["who", "lobby"], ["search", "hello"], ["log", "lobby", "--events"],
        ["log", "nowhere"],
      ] {
        let found = try home.run(words + ["--json", "--as", "anna"]).output
        #expect(!found.isEmpty, "\(words)")
        lines += found
      }
      let watch = try home.start(["watch", "--json", "--after", String(position), "--as", "anna"])
      #expect(watch.wait(for: 20) { $0.output.contains("\"text\":\"bye\"") })
      watch.kill(SIGTERM)
      lines += watch.finish().output
      #expect(try SchemaCheck.faults(of: lines.split(separator: "\n").map(String.init)) == [])
      let types = Set(lines.matches(of: /(?m)^\{"type":"([a-z]+)"/).map { String($0.1) })
      let printed = JSONTable.types.map(\.name).filter {
        !["member", "draft", "history", "file", "end"].contains($0)
      }
      #expect(types == Set(printed))
      let members = JSONTable.types.filter { types.contains($0.name) }.flatMap(\.members)
        .map(\.name.rawValue)
      for name in ["online", "unread", "change", "position", "mentions", "removed"] {
        #expect(members.contains(name) && lines.contains("\"\(name)\":"), "\(name)")
      }
    }
  }
}
