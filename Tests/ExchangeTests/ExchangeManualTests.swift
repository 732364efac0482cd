// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("hobnob-json(5)") struct ExchangeManualTests {
  private let page: String

  init() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    page = try String(
      contentsOf: root.appendingPathComponent("man/hobnob-json.5"), encoding: .utf8)
  }

  /// The names of all members, at any depth.
  private func members(_ value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(members($1)) } }
    guard let object = value as? [String: Any] else { return [] }
    return object.values.reduce(into: Set(object.keys)) { $0.formUnion(members($1)) }
  }

  @Test("has every type and every member of an export")
  func everyMember() throws {
    let lobby = try Lobby()
    try lobby.fill()
    let gone = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("gone", for: lobby.anna) }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, gone) }
    try lobby.store.writeDurably { try $0.remove(gone, by: lobby.anna) }
    var text = ""
    try Export(of: lobby.store).write {
      text += String(decoding: $0, as: UTF8.self)
      return true
    }
    let objects = try text.split(separator: "\n").map {
      try #require(JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
    let all = objects.reduce(into: Set<String>()) { $0.formUnion(members($1)) }
    try #require(all.count > 45, "\(all.sorted())")
    let explained = page.split(separator: "\n")
      .filter { $0.hasPrefix(".Li ") || $0.hasPrefix(".It Li ") }
      .flatMap { $0.split { !$0.isLetter && $0 != "_" } }.map(String.init)
    #expect(all.subtracting(explained) == [])
    let headings = page.split(separator: "\n").filter { $0.hasPrefix(".Ss ") }
      .map { String($0.dropFirst(4)) }
    #expect(Set(objects.compactMap { $0["type"] as? String }).subtracting(headings) == [])
    // And what the shape can say at all is in that store.
    let shape =
      [JSONShape.participants, JSONShape.conversations, JSONShape.members]
      + [JSONShape.readers, JSONShape.messages, JSONShape.events]
      + [JSONShape.drafts, JSONShape.inputHistory]
    for sql in shape {
      for member in sql.matches(of: #/'([a-z_]+)', /#) where member.1 != "people" {
        #expect(all.contains(String(member.1)), "no \(member.1) in the full store")
      }
    }
  }

  @Test("has examples that can be imported")
  func examples() throws {
    let examples = page.components(separatedBy: ".Bd -literal\n").dropFirst()
      .compactMap { $0.components(separatedBy: "\n.Ed").first }
      .map {
        $0.replacingOccurrences(of: "\n", with: "")
          .replacingOccurrences(of: "\\[u1F44D]", with: "👍")
      }
    #expect(examples.count == 11)
    let store = try Fixture().open()
    let report = try store.take([examples.joined(separator: "\n")])
    #expect(report.messages == 1 && report.files == 1 && report.leftOut == 0)
  }
}
