// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StoreFixture
import Testing

@testable import Conversations
@testable import Exchange

@Suite("hobnob-json(5) and the schema") struct ExchangeManualTests {
  private let manual: ManualTables

  init() throws {
    manual = try ManualTables(of: "man/hobnob-json.5")
  }

  /// The names of all members, at any depth.
  private func members(_ value: Any) -> Set<String> {
    if let list = value as? [Any] { return list.reduce(into: []) { $0.formUnion(members($1)) } }
    guard let object = value as? [String: Any] else { return [] }
    return object.values.reduce(into: Set(object.keys)) { $0.formUnion(members($1)) }
  }

  /// A store whose export has every member that an export can have.
  private func full() throws -> Lobby {
    let lobby = try Lobby()
    try lobby.fill()
    let gone = try lobby.store.writeDurablyIfNeeded { try $0.makeRoom("gone", for: lobby.anna) }.id
    try lobby.store.writeDurablyIfNeeded { try $0.join(lobby.anna, gone) }
    try lobby.store.writeDurably { try $0.remove(gone, by: lobby.anna) }
    let lost = #","kind":"unreadable","encrypted":true,"unreadable":"broken""#
    try lobby.store.take([export(line("", number: 99, more: lost))])
    return lobby
  }

  private func lines(_ store: Store) throws -> [String] {
    var text = ""
    try Export(of: store).write {
      text += String(decoding: $0, as: UTF8.self)
      return true
    }
    return text.split(separator: "\n").map(String.init)
  }

  /// The names of all members of a form, at any depth.
  private func names(_ form: JSONForm) -> Set<String> {
    switch form {
    case .list(let form): names(form)
    case .object(let members):
      members.reduce(into: []) { $0.formUnion(names($1.form).union([$1.name.rawValue])) }
    default: []
    }
  }

  /// An export follows the schema, which forbids here what it does not name, and has all that the
  /// table names for exports.
  @Test("an export has all members of the table, and no other")
  func wholeExport() throws {
    let lines = try lines(try full().store)
    #expect(try SchemaCheck.faults(of: lines) == [])
    let printed: Set<String> = [
      "online", "rank", "unread", "unread_mentions", "change", "position",
    ]
    for type in JSONTable.types.prefix(while: { $0.name != JSONTable.reaction.name }) {
      let found = try lines.filter { $0.hasPrefix("{\"type\":\"\(type.name)\"") }
        .reduce(into: Set<String>()) {
          $0.formUnion(members(try JSONSerialization.jsonObject(with: Data($1.utf8))))
        }
      let missing = names(.object(type.members)).subtracting(found).subtracting(printed)
      #expect(missing.isEmpty || type.name == "conversation" && missing == ["name"])
    }
  }

  @Test("the schema in share is made from the table, and allows what later versions may add")
  func schema() throws {
    #expect(try SchemaCheck.isWritten(JSONTable.schema))
    let later = [
      #"{"type":"poll","question":3}"#, #"{"type":"end","colour":"red"}"#,
      ##"{"type":"event","conversation":"#a","time":"2026-11-21T10:00:00.000Z","kind":"waved","##
        + #""participant":{"identity":"zoe","network":"x","id":1}}"#,
    ]
    #expect(try SchemaCheck.faults(of: later, strictly: false) == [])
    for wrong in [
      #"{"kind":"end"}"#, #"{"type":"history","participant":"anna"}"#,
      #"{"type":"position","position":"3"}"#,
      ##"{"type":"draft","conversation":"#a","participant":3,"text":"","caret":0}"##,
    ] {
      #expect(try SchemaCheck.faults(of: [wrong], strictly: false).count == 1, "\(wrong)")
    }
  }

  @Test("the page has a table of each type of lines, as the code has it")
  func tables() throws {
    let sections = try #require(manual.sections(below: "THE LINES"))
      .merging(try #require(manual.sections(below: "WHAT COMMANDS PRINT"))) { $1 }
    for type in JSONTable.types {
      let section = try #require(sections[type.name], "no \(type.name)")
      #expect(
        ManualTables.rows(of: section) == ManualTables.rows(of: type.members), "\(type.name)")
      let explained = section.split { !$0.isLetter && $0 != "_" && $0 != "-" }.map(String.init)
      for member in type.members {
        #expect(names(member.form).subtracting(explained) == [], "\(type.name)")
        switch member.form {
        case .word(let words), .growingWord(let words):
          let words = words.all.flatMap { $0.word.split(separator: " ").map(String.init) }
          #expect(Set(words).subtracting(explained) == [], "\(type.name)")
        default: break
        }
      }
    }
  }

  @Test("has examples that can be imported")
  func examples() throws {
    let examples = manual.page.components(separatedBy: ".Bd -literal\n").dropFirst()
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
