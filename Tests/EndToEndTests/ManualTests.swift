// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

extension EndToEnd {
  @Suite("The manual")
  struct ManualTests {
    @Test("has every command with its usage, and no other (10)")
    func hasEveryCommand() throws {
      let help = try Home().run(["--no-rc"], input: "/help\n").output
      let usages = help.split(separator: "\n").compactMap { line in
        // `  /edit [N]  change your newest message`: the usage ends at two blanks.
        line.firstMatch(of: /^\s*(\/[a-z]+.*?)(?:\s{2,}|$)/).map { String($0.1) }
      }
      try #require(usages.count > 15, "\(help)")
      let manual = try Self.plain()
      for usage in usages {
        #expect(manual.contains { $0 == usage }, "the manual has no \(usage)")
      }
      let documented = manual.compactMap { $0.firstMatch(of: /^(\/[a-z]+)/)?.1 }
      let names = Set(usages.compactMap { $0.split(separator: " ").first })
      #expect(Set(documented).subtracting(names).isEmpty)
    }

    @Test("has every option of the command line, and no other (11.3)")
    func hasEveryOption() throws {
      let home = try Home()
      var options: Set<Substring> = []
      for command in [[], ["open"], ["send"], ["log"], ["check"]] {
        let help = try home.run(command + ["--help"])
        #expect(help.status == 0)
        options.formUnion(help.output.matches(of: /--[a-z][a-z-]+/).map(\.0))
      }
      try #require(options.count > 8)
      let text = try Self.plain().joined(separator: "\n")
      let documented = Set(text.matches(of: /--[a-z][a-z-]+/).map(\.0))
      // What an example hands to another program is none of ours.
      #expect(documented.subtracting(["--line-buffered"]) == options)
    }

    @Test("has every setting (10)")
    func hasEverySetting() throws {
      let shown = try Home().run(["--no-rc"], input: "/set\n").output
      let names = shown.split(separator: "\n").compactMap {
        $0.firstMatch(of: /^\s*([a-z-]+)\b/)?.1
      }
      try #require(names.count > 10, "\(shown)")
      let manual = try Self.plain()
      for name in names {
        #expect(
          manual.contains { $0 == name || $0.hasPrefix(name + " ") }, "the manual has no \(name)")
      }
    }

    /// The lines of the rendered page, without indentation.
    private static func plain() throws -> [String] {
      let page = Repository.root.appendingPathComponent("man/hobnob.1").path
      let rendered = try Program(
        ["mandoc", "-Tutf8", "-Owidth=200", page],
        environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
      ).finish()
      // Bold and underlined letters are overstruck.
      let text = rendered.output.replacing(/.\u{08}/.matchingSemantics(.unicodeScalar), with: "")
      return text.split(separator: "\n").map {
        // `/clear  Clear the screen`: a short tag shares its line with the text.
        let line = $0.trimmingCharacters(in: .whitespaces)
        return line.components(separatedBy: "  ")[0]
      }
    }
  }
}
