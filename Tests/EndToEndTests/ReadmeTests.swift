// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("The README")
  struct ReadmeTests {
    @Test("its first conversation can be repeated word by word in two terminals")
    func theConversationCanBeRepeated() throws {
      let steps = try Self.steps(of: Repository.text(of: "README.md"))
      try #require(steps.count > 10)
      let home = try Home()
      // `hobnob` as the README calls it, in a shell like a reader's.
      try FileManager.default.createDirectory(
        atPath: home.path + "/bin", withIntermediateDirectories: true)
      try FileManager.default.createSymbolicLink(
        atPath: home.path + "/bin/hobnob", withDestinationPath: Home.program)
      var environment = home.environment
      environment["PATH"] = home.path + "/bin:/usr/bin:/bin"
      environment["PS1"] = "$ "
      var terminals: [String: PseudoTerminal] = [:]
      for person in Set(steps.map(\.person)) {
        let terminal = try PseudoTerminal(
          command: ["bash", "--norc", "-i"], environment: environment)
        try terminal.expect("$ |")
        terminals[person] = terminal
      }
      // By its first command, or by the one that the text names.
      let anna = try #require(terminals["anna"])
      anna.send("hobnob --as anna\r")
      try anna.expect("#lobby> |")
      for step in steps {
        try #require(terminals[step.person], "\(step)").send(step.keys)
        let watched = try #require(terminals[step.watcher], "\(step)")
        let isThere = watched.wait(for: 10) { terminal in
          terminal.screen.contains { $0.contains(step.seen) }
            && (step.watcher != step.person
              || terminal.screen[terminal.cursor.row].contains(step.seen))
        }
        try #require(isThere, "\(step)\n\(watched.emulator.picture)")
      }
    }

    /// One row of the README's table.
    private struct Step: CustomStringConvertible {
      var person: String
      var keys: String
      var watcher: String
      var seen: String
      var description: String {
        "\(person) types \(keys.debugDescription), \(watcher) sees \(seen)"
      }
    }

    private static func steps(of readme: String) throws -> [Step] {
      try readme.matches(of: /(?m)^\| (\w+) +\| (.+?) *\| (\w+): `(.+)` *\|$/).map { row in
        var keys = ""
        for part in row.2.matches(of: /`([^`]+)`|<kbd>([^<]+)<\/kbd>/) {
          if let text = part.1 {
            keys += text
          } else if let name = part.2 {
            keys += try #require(Self.named[String(name)], "no key \(name)")
          }
        }
        // Each with Return, unless it ends in another key.
        if row.2.last == "`" { keys += "\r" }
        return Step(
          person: String(row.1), keys: keys, watcher: String(row.3), seen: String(row.4))
      }
    }

    private static let named = [
      "Return": "\r", "Space": " ", "TAB": "\t", "C-c": "\u{03}", "C-w": "\u{17}",
    ]
  }
}
