// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("The manual")
  struct ManualTests {
    @Test("10: hobnob-commands(7) has every command with its usage, and no other")
    func hasEveryCommand() throws {
      let help = try Home().run(["--no-rc"], input: "/help\n").output
      let usages = help.split(separator: "\n").compactMap { line in
        // `  /edit [N]  change your newest message`: the usage ends at two blanks.
        line.firstMatch(of: /^\s*(\/[a-z]+.*?)(?:\s{2,}|$)/).map { String($0.1) }
      }
      try #require(usages.count > 15, "\(help)")
      let tags = try Page("hobnob-commands.7").section("COMMANDS").map(\.tag)
      // Of /keys help says once more what it lists.
      for usage in usages where usage != "/keys" {
        #expect(tags.contains(usage), "the manual has no \(usage)")
      }
      let documented = tags.filter { $0.hasPrefix("/") }
      #expect(Set(documented).subtracting(usages).isEmpty)
    }

    @Test("10: hobnob-commands(7) has every function of hobnob's, with the keys it is bound to")
    func hasEveryFunction() throws {
      let functions = try Self.functions()
      let documented = try Page("hobnob-commands.7").section("FUNCTIONS")
      let home = try Home()
      let shell = try home.shellInLobby(as: "anna", ["--no-rc"], rows: 200, columns: 160)
      shell.send("/keys\r")
      try shell.expect("yank-pop")
      let bindings = shell.emulator.screen
      let own = bindings.drop { $0 != "hobnob" }.dropFirst().prefix { $0.hasPrefix("  ") }
      #expect(Set(own.compactMap { Self.parts($0).first }).isSubset(of: functions), "\(own)")
      for function in functions {
        let line = try #require(
          documented.first { $0.tag == function }, "the manual has no \(function)")
        let bound = bindings.map(Self.parts).first { $0.first == function }?.dropFirst().first
        let columns = line.rest.split(separator: /\s{2,}/)
        let keys = columns.count > 1 ? String(columns[0]) : nil
        #expect(keys == bound, "the keys of \(function)")
      }
      // Nine that differ in a number share a sentence.
      #expect(documented.contains { $0.tag.contains("conversation-1 to conversation-9") })
      let named = documented.map(\.tag).filter { $0.wholeMatch(of: /[a-z]+(-[a-z]+)*/) != nil }
      #expect(Set(named) == Set(functions))
    }

    @Test("11.3: hobnob(1) has every option of the command line, and no other")
    func hasEveryOption() throws {
      let home = try Home()
      var options: Set<Substring> = []
      let commands = [
        "", "open", "send", "edit", "delete", "react", "log", "search", "unread", "read", "list",
        "who", "wait", "watch", "mcp", "export", "import", "check", "account", "connect", "bridge",
        "demo",
      ]
      for command in commands {
        let help = try home.run((command.isEmpty ? [] : [command]) + ["--help"])
        #expect(help.status == 0)
        options.formUnion(help.output.matches(of: /--[a-z][a-z-]+/).map(\.0))
      }
      try #require(options.count > 8)
      let page = try Page("hobnob.1")
      let tags = try (page.section("DESCRIPTION") + page.section("OPTIONS")).map(\.tag)
      let explained = Set(tags.compactMap { $0.firstMatch(of: /^--[a-z][a-z-]+/)?.0 })
      #expect(explained == options)
      let named = Set(page.text.matches(of: /--[a-z][a-z-]+/).map(\.0))
      // What an example hands to another program is none of ours.
      #expect(
        named.subtracting(["--line-buffered", "--generate-completion-script"]) == options)
    }

    @Test("the synopsis of hobnob(1) has the usage of every command")
    func hasEveryUsage() throws {
      // Both may set options in another order, and join those that exclude each other.
      func words(_ usage: some StringProtocol) -> [String] {
        usage.split { " []|<>".contains($0) }.map { $0.lowercased() }.sorted()
      }
      let synopsis = try Page("hobnob.1").usages
      try #require(synopsis.count > 10)
      for usage in synopsis {
        let name = usage.split(separator: " ").dropFirst().prefix { !$0.hasPrefix("[") }
        let help = try Home().run(["help"] + name.prefix(1).map(String.init)).output
        let told = try #require(help.firstMatch(of: /USAGE: ((?:.+\n)+)/)?.1)
        let own = name.isEmpty ? told.prefix { $0 != "\n" } : told
        #expect(words(own.replacing("\n", with: " ")) == words(usage), "\(usage)")
      }
    }

    @Test("10: hobnobrc(5) has every setting with its values, the default first")
    func hasEverySetting() throws {
      let home = try Home()
      let settings = try Self.settings(of: home)
      try #require(settings.count > 10)
      let tags = try Page("hobnobrc.5").section("SETTINGS").map(\.tag)
      for setting in settings {
        let name = setting[0]
        let tag = try #require(
          tags.first { $0.hasPrefix(name + " ") }, "the manual has no \(name)")
        let values = tag.dropFirst(name.count + 1).components(separatedBy: " | ")
        // A setting without a value of its own has its help in that place; the name is a person's.
        if setting.count > 2, name != "nick" { #expect(values[0] == setting[1], "\(tag)") }
        let refusal = try home.run(["--no-rc"], input: "/set \(name) .\n").errors
        guard let taken = refusal.firstMatch(of: /; use (.*)\./)?.1, taken != "a number" else {
          continue
        }
        // The manual has a word for the number that can stand there.
        let number = name == "name-width" ? "columns" : "rows"
        let words = taken.split(separator: ", ").map { $0 == "or a number" ? number : String($0) }
        #expect(Set(values) == Set(words), "\(tag)")
      }
      let names = settings.map { $0[0] }
      let documented = tags.filter { $0.contains(" | ") || $0 == "nick name" }
        .map { String($0.prefix { $0 != " " }) }
      #expect(documented.sorted() == names.sorted())
    }

    @Test("hobnobrc(5) has every command that the file may contain, and every theme")
    func hasEveryCommandOfTheFile() throws {
      let home = try Home()
      try home.write("/join tea\n", to: "rc")
      let refusal = try home.run(["--rc", home.path + "/rc"]).errors
      let allowed = try #require(refusal.firstMatch(of: /rc file; (.*) do\./)?.1, "\(refusal)")
      let page = try Page("hobnobrc.5")
      let commands = Set(
        try page.section("DESCRIPTION").map(\.tag).compactMap {
          $0.firstMatch(of: /^\/[a-z]+/)?.0
        })
      #expect(commands == Set(allowed.matches(of: /\/[a-z]+/).map(\.0)))
      let themes = Repository.files(below: "share/hobnob/themes", endings: [".theme"]).map {
        URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent
      }
      try #require(!themes.isEmpty)
      let documented = try page.section("THEMES").map(\.tag)
      for theme in themes { #expect(documented.contains(theme), "the manual has no \(theme)") }
    }

    @Test("the sample hobnobrc has every setting, and each of its lines is valid")
    func sampleSettingsAreTaken() throws {
      let home = try Home()
      let sample = try Repository.text(of: "share/hobnob/hobnobrc")
      let lines = sample.matches(of: /(?m)^# (\/.*)$/).map { String($0.1) }
      let settings = try Self.settings(of: home).map { $0[0] }
      let set = lines.compactMap { $0.firstMatch(of: /^\/set ([a-z-]+)\s/)?.1 }.map(String.init)
      #expect(set.sorted() == settings.sorted())
      try home.write("/set bell on\n", to: ".config/hobnob/work")
      try home.write(lines.joined(separator: "\n"), to: "rc")
      let share = Repository.root.appendingPathComponent("share/hobnob").path
      let finished = try home.run(
        ["--rc", home.path + "/rc"], environment: ["HOBNOB_SHARE": share])
      #expect(finished.errors == "")
    }

    @Test("the sample inputrc has every function, and changes no key")
    func sampleKeysAreThoseOfTheProgram() throws {
      let home = try Home()
      func bindings() throws -> [String] {
        let shell = try home.shellInLobby(as: "anna", ["--no-rc"], rows: 200, columns: 160)
        shell.send("/keys\r")
        // The prompt comes behind the last of them.
        try #require(
          shell.wait(for: 10) {
            $0.picture.contains("yank-pop") && $0.picture.contains("#lobby> |")
          })
        let lines = shell.emulator.screen.filter { $0.hasPrefix("  ") }
        try #require(lines.count > 50)
        return lines
      }
      // Without a file of the person's own, readline reads the system's.
      try home.write("", to: ".inputrc")
      let without = try bindings()
      let sample = try Repository.text(of: "share/hobnob/inputrc")
      try home.write(sample, to: ".inputrc")
      #expect(try bindings() == without)
      let bound = sample.matches(of: /(?m)^(?:# )?"[^"]+": ([a-z1-9-]+)$/).map { String($0.1) }
      let numbered = (1...9).map { "conversation-\($0)" }
      #expect(Set(bound) == Set(try Self.functions() + numbered))
    }

    /// The functions that hobnob adds to readline's.
    private static func functions() throws -> [String] {
      let source = try Repository.text(of: "Sources/CReadline/commands.c")
      let tables = source.matches(
        of: /(?s)(?:#define COMMANDS\(COMMAND\)|\} added\[\] = \{)(.*?)\n(?:\n|\};)/)
      let names = tables.flatMap { $0.1.matches(of: /"([a-z-]+)"/).map { String($0.1) } }
      try #require(names.count > 5)
      return names
    }

    /// The lines of `/set`, but for what belongs to a conversation and cannot stand in a file.
    private static func settings(of home: Home) throws -> [[String]] {
      let lines = try home.run(["--no-rc"], input: "/set\n").output.split(separator: "\n")
        // Headings stand at the margin, and a long name has its help on a line of its own.
        .filter { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.map { line in
          // The name and its value stand together.
          let columns = parts(String(line))
          return columns[0].split(separator: " ", maxSplits: 1).map(String.init)
            + columns.dropFirst()
        }
      #expect(lines.suffix(2).map { $0[0] } == ["keep", "notify"])
      return lines.dropLast(2)
    }

    /// A line cut where two blanks or more stand.
    private static func parts(_ line: String) -> [String] {
      line.split(separator: /\s{2,}/).map { $0.trimmingCharacters(in: .whitespaces) }
    }
  }

  /// A page of the manual, as `man` shows it.
  private struct Page {
    /// A line: what stands before the first two blanks, and what behind them.
    struct Line {
      var tag: String
      var rest: String
    }

    let text: String

    init(_ name: String) throws {
      let page = Repository.root.appendingPathComponent("man/" + name).path
      let rendered = try Program(
        ["mandoc", "-Tutf8", "-Owidth=200", page],
        environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"]
      ).finish()
      // Bold and underlined letters are overstruck.
      text = rendered.output.replacing(/.\u{08}/.matchingSemantics(.unicodeScalar), with: "")
    }

    /// Each usage of the section SYNOPSIS, in one line.
    var usages: [String] {
      let lines = text.components(separatedBy: "\n").drop { $0 != "SYNOPSIS" }.dropFirst()
      return lines.prefix { $0 != "DESCRIPTION" }.reduce(into: []) { usages, line in
        let line = line.trimmingCharacters(in: .whitespaces)
        if line.hasPrefix("hobnob") { usages.append("") }
        if !line.isEmpty { usages[usages.count - 1] += " " + line }
      }
    }

    /// The lines below a heading, without indentation.
    func section(_ heading: String) throws -> [Line] {
      let lines = text.components(separatedBy: "\n")
      let start = try #require(lines.firstIndex(of: heading), "no section \(heading)")
      return lines[(start + 1)...].prefix { $0.isEmpty || $0.hasPrefix(" ") }
        .filter { !$0.isEmpty }.map { line in
          // `/clear  Clear the screen`: a short tag shares its line with the text.
          let parts = line.trimmingCharacters(in: .whitespaces).split(
            separator: /\s{2,}/, maxSplits: 1)
          return Line(tag: String(parts[0]), rest: parts.count > 1 ? String(parts[1]) : "")
        }
    }
  }
}
