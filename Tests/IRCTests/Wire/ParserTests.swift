// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import IRCFixture
import Testing

@testable import IRC

/// The cases of irc-parser-tests, which many clients and libraries share.
@Suite("irc-parser-tests", IRCPackage.python.isNeeded)
struct ParserTests {
  struct Cases<Case: Decodable>: Decodable { var tests: [Case] }
  struct Atoms: Decodable {
    var tags: [String: String]?
    var source: String?
    var verb: String
    var params: [String]?
  }

  /// A file of the package, whose YAML Python turns into JSON.
  private func cases<Case: Decodable>(_ name: String) throws -> [Case] {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = [
      "/usr/bin/python3", "-c",
      "import json, sys, yaml; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)",
      "\(IRCPackage.python.folder)/parser_tests/data/\(name).yaml",
    ]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    let cases = try JSONDecoder().decode(Cases<Case>.self, from: data).tests
    try #require(cases.count > 5)
    return cases
  }

  @Test("every line is split as its case says")
  func splitsLines() throws {
    struct Case: Decodable {
      var input: String
      var atoms: Atoms
    }
    for (input, atoms) in try cases("msg-split").map({ (one: Case) in (one.input, one.atoms) }) {
      let line = try #require(IRCLine(input), "\(input)")
      #expect(line.tags == atoms.tags ?? [:], "\(input)")
      #expect(line.source?.text == atoms.source, "\(input)")
      #expect(line.command == atoms.verb.uppercased(), "\(input)")
      #expect(line.parameters == atoms.params ?? [], "\(input)")
    }
  }

  @Test("every line is written in a way that its case allows")
  func joinsLines() throws {
    struct Case: Decodable {
      var atoms: Atoms
      var matches: [String]
    }
    for (atoms, matches) in try cases("msg-join").map({ (one: Case) in (one.atoms, one.matches) }) {
      let line = IRCLine(
        atoms.verb, atoms.params ?? [], tags: atoms.tags ?? [:],
        source: atoms.source.map { IRCLine.Source(nick: $0) })
      #expect(matches.contains(line.text), "\(line.text) is none of \(matches)")
    }
  }

  @Test("a source is split into nick, user and host")
  func splitsSources() throws {
    struct Case: Decodable {
      var source: String
      var atoms: [String: String]
    }
    for (source, atoms) in try cases("userhost-split").map({ (one: Case) in (one.source, one.atoms)
    }) {
      let found = try #require(IRCLine(":\(source) PING")?.source)
      #expect(found.nick == atoms["nick"] ?? "", "\(source)")
      #expect(found.user ?? "" == atoms["user"] ?? "", "\(source)")
      #expect(found.host ?? "" == atoms["host"] ?? "", "\(source)")
    }
  }
}
