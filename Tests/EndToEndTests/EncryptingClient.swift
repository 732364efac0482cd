// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

// A client of another project that encrypts; see `encrypting.py`.
extension ForeignClient {
  /// Where `make test-deps` puts slixmpp-omemo.
  private static let packages = Repository.root.appendingPathComponent(".build/omemo").path

  /// - Parameters:
  ///   - state: the file with the keys of its device. If it is missing, the account gets a new
  ///     device.
  ///   - versions: what its device publishes and reads: `legacy`, `2` or both.
  convenience init(
    encrypting name: String, at server: LocalServer, state: String, versions: [String]
  ) throws {
    try self.init(
      script: "encrypting.py", "\(name)@\(LocalServer.domain)", "secret", "127.0.0.1",
      String(server.port), server.folder + "/certs/ca.crt", state, versions.joined(separator: ","),
      packages: Self.packages)
  }

  /// What it has received: everything that has a text, a reaction or something encrypted.
  var messages: [ForeignMessage] { lines.compactMap(ForeignMessage.init(line:)) }

  /// Waits until it has received a message with a text that it could read.
  @discardableResult
  func hear(
    _ text: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> ForeignMessage {
    try receive("“\(text)”", sourceLocation: sourceLocation) { $0.text == text }
  }

  /// Waits until it has received a message that meets the condition.
  ///
  /// - Parameter what: what is missing if it does not.
  @discardableResult
  func receive(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation,
    where condition: (ForeignMessage) -> Bool
  ) throws -> ForeignMessage {
    let isThere = program.wait(for: 20) { _ in messages.contains(where: condition) }
    try #require(
      isThere, "no \(what) in:\n\(program.output.suffix(3000))\(program.errors.suffix(500))",
      sourceLocation: sourceLocation)
    let found = messages.first(where: condition)
    return try #require(found, sourceLocation: sourceLocation)
  }

  /// Tells it to do something, and waits until the server has what it sends for that.
  func carryOut(_ command: String, _ words: String...) throws {
    let data = try JSONSerialization.data(withJSONObject: [command] + words)
    let doneBefore = lines.count { $0.hasPrefix("[\"done\"") }
    program.type(String(decoding: data, as: UTF8.self) + "\n")
    let isDone = program.wait(for: 20) { _ in
      lines.count { $0.hasPrefix("[\"done\"") } > doneBefore
    }
    try #require(
      isDone, "\(command) in:\n\(program.output.suffix(3000))\(program.errors.suffix(500))")
  }
}

/// A message that another client has received. `encrypting.py` explains its members.
struct ForeignMessage: Decodable {
  var id: String?
  var from: String?
  /// That of the encryption; nil if there was none.
  var version: String?
  var text: String?
  var inside: [String]
  var empty: Bool
  var unreadable: String?
  var replaces: String?
  var reactsTo: String?
  var reactions: [String]?

  enum CodingKeys: String, CodingKey {
    case id, from, version, text, inside, empty, unreadable, replaces, reactions
    case reactsTo = "reacts-to"
  }

  /// Reads a line of the client's output; nil if it is about something else.
  init?(line: String) {
    let beginning = "[\"message\", "
    guard line.hasPrefix(beginning), line.hasSuffix("]") else { return nil }
    let members = line.dropFirst(beginning.count).dropLast()
    guard let message = try? JSONDecoder().decode(Self.self, from: Data(members.utf8)) else {
      return nil
    }
    self = message
  }
}
