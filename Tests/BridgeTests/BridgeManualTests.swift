// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Platform
import Storage
import StoreFixture
import Testing

@testable import Bridge

@Suite("hobnob-bridge(7) and the schema") struct BridgeManualTests {
  private static let schema = SchemaCheck.root.appending(path: "share/hobnob/schema/bridge.json")
  private let manual: ManualTables
  private var page: String { manual.page }

  init() throws {
    manual = try ManualTables(of: "man/hobnob-bridge.7")
  }

  // MARK: The tables

  private func tables(below heading: String) throws -> [String: [String]] {
    try #require(manual.sections(below: heading)).mapValues(ManualTables.rows(of:))
  }

  @Test("the page has a table of each type of lines, as the code has it")
  func hasEachType() throws {
    for (heading, types) in [
      ("LINES FROM THE PROGRAM", BridgeTable.fromProgram),
      ("LINES FROM HOBNOB", BridgeTable.fromHobnob),
    ] {
      let tables = try tables(below: heading)
      #expect(tables.keys.sorted() == types.map(\.name).sorted())
      for type in types {
        #expect(tables[type.name] == ManualTables.rows(of: type.members), "\(type.name)")
      }
    }
  }

  @Test("the page has a table of each object within a line")
  func hasEachPart() throws {
    var parts: [String: [String]] = [:]
    for member in (BridgeTable.fromProgram + BridgeTable.fromHobnob).flatMap(\.members) {
      // Two members of hello have the same parts.
      let name = member.name == .canDirect ? "can" : member.name.rawValue
      switch member.form {
      case .object(let members), .list(.object(let members)):
        let rows = ManualTables.rows(of: members)
        #expect(parts[name] == nil || parts[name] == rows, "\(name)")
        parts[name] = rows
      default: break
      }
    }
    #expect(try tables(below: "PARTS OF LINES") == parts)
  }

  @Test("the page has each word that a member can be, and the limits")
  func hasWordsAndLimits() {
    for words in [BridgeTable.kinds, BridgeTable.receipts] {
      for (_, word) in words.all { #expect(page.contains(word), "\(word)") }
    }
    let limits = [
      "a line of the program Ta \(BridgeLimits.line >> 20) MiB",
      "an id or an address Ta \(BridgeLimits.id.formatted(.number.locale(.init(identifier: "en")))) bytes",
      "a name of a person Ta \(BridgeLimits.name) characters",
      "a file Ta \(BridgeLimits.file / 1_000_000) MB",
      "a value to keep Ta \(BridgeLimits.keptValue / 1_000),\(BridgeLimits.keptValue % 1_000) bytes, as JSON; \(BridgeLimits.keptValues) values",
      "the files of a message Ta \(BridgeLimits.files)",
      "a batch Ta \(BridgeLimits.batchLines / 1000),000 lines and \(BridgeLimits.batchBytes >> 20) MiB",
      "time from begin to commit Ta \(BridgeLimits.batchTime / 1000) s",
      "typing outside of batches Ta \(BridgeLimits.passingLines) lines a second",
      "other lines outside of batches Ta \(BridgeLimits.lines / 1_000),000 a second",
      "questions Ta \(BridgeLimits.questions) a minute",
    ]
    for limit in limits { #expect(page.contains(limit + "\n"), "\(limit)") }
    let answerTime = "answers none of them for \(BridgeLimits.answerTime / 60_000) minutes"
    #expect(page.contains(answerTime))
  }

  @Test(
    "the programs in the page are those that are installed, and short",
    arguments: [("echo", 17), ("folder", 57)])
  func hasExamples(name: String, length: Int) throws {
    let examples = page.matches(of: /\n\.Bd -literal\n(#!(?s:.*?)\n)\.Ed\n/).map {
      // A backslash of troff's.
      String($0.1).replacing("\\e", with: "\\")
    }
    let program = try String(
      contentsOf: SchemaCheck.root.appending(path: "share/networks/hobnob-net-" + name),
      encoding: .utf8)
    #expect(examples.count == 2 && examples.contains(program))
    let lines = program.split(separator: "\n")
    #expect(lines.allSatisfy { $0.count <= 80 })
    // Without the interpreter, the licence and what it is for.
    #expect(lines.count - 3 <= length)
  }

  @MainActor
  @Test("the page has each form that `hobnob bridge try` takes, and each check")
  func hasFormsAndChecks() throws {
    let section = try #require(
      page.components(separatedBy: "\n.Sh TRYING AND CHECKING\n").last?
        .components(separatedBy: "\n.Sh ").first)
    let forms = try #require(
      section.firstMatch(of: /\n\.Bd -literal[^\n]*\n(send (?s:.*?)\n)\.Ed\n/)?.1)
    #expect(forms.split(separator: "\n").map(String.init) == TypedLine.forms)
    let checks = section.matches(of: /\n\.It Sy (.+)/).map { String($0.1) }
    #expect(checks == ProgramCheck.names)
  }

  // MARK: The schema

  @Test("14.14: the schema in share is made from the table, and allows what later versions add")
  func hasTheSchema() throws {
    #expect(try SchemaCheck.isWritten(BridgeTable.schema, in: Self.schema))
    let later = [
      #"{"type":"poll","question":3}"#, #"{"type":"up","colour":"red"}"#,
      #"{"type":"start","version":2,"account":"x:y","address":"y","settings":{},"kept":{},"#
        + #""marks":{},"rooms":[{"room":"a","id":3}],"folder":"/"}"#,
    ]
    #expect(try faults(of: later) == [])
    for wrong in [
      #"{"kind":"up"}"#, #"{"type":"down"}"#, #"{"type":"sent","entry":"1"}"#,
      #"{"type":"send","entry":1,"conversation":{"room":"a"},"text":"x"}"#,
      #"{"type":"typing","conversation":{"room":"a"},"active":"no"}"#,
      #"{"type":"hello","version":1,"network":"X","can":{"file":"big"}}"#,
    ] {
      #expect(try faults(of: [wrong]).count == 1, "\(wrong)")
    }
  }

  private func faults(of lines: [String], strictly: Bool = false) throws -> [String] {
    try SchemaCheck.faults(of: lines, strictly: strictly, schema: Self.schema)
  }

  /// Strictly: what the schema does not name is wrong here.
  @MainActor
  @Test("what programs write follows the schema", arguments: ["stub", "echo", "folder"])
  func programsFollowIt(name: String) throws {
    let folder = FileManager.default.temporaryDirectory.path + "/hobnob-test-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let path = name == "stub" ? "Tests/BridgeTests" : "share/networks"
    let program = try #require(
      StartedProgram(SchemaCheck.root.path + "/\(path)/hobnob-net-\(name)", in: folder))
    program.write(
      BridgeWriting.line(
        "start",
        [
          .address: .text("you"), .marks: .object([:]), .rooms: .array([]), .folder: .text(folder),
          .settings: .object(["log": .text(folder + "/log")]),
        ]))
    program.write(BridgeWriting(attachments: { $0 }).line(for: entry(.send)))
    program.write(
      BridgeWriting.line(for: NetworkRequest(id: 1, verb: .join, target: "tea")))
    program.write(
      BridgeWriting.line(
        "send",
        [
          .entry: .integer(2), .uid: .text("u2"), .text: .text("to all"),
          .conversation: BridgeWriting.place(.room("tea")),
        ]))
    program.write(
      BridgeWriting.line(for: NetworkRequest(id: 2, verb: .history, target: "tea", count: 3)))
    program.closeInput()
    var lines: [String] = []
    while case .line(let line) = program.next(within: 20_000) {
      lines.append(String(decoding: line, as: UTF8.self))
    }
    #expect(lines.count >= 7, "\(lines)")
    #expect(try faults(of: lines, strictly: true) == [])
  }

  @Test("what hobnob writes follows the schema")
  func hobnobFollowsIt() throws {
    let writing = BridgeWriting { "/files/" + $0 }
    let tea = ConversationAddress.room("tea")
    var lines = [OutboxEntry.Operation.send, .edit, .delete, .react].map {
      writing.line(for: entry($0))
    }
    lines += [true, false].compactMap { BridgeWriting.line(for: .typing(tea, $0)) }
    lines += [DeliveryState.delivered, .seen].compactMap {
      BridgeWriting.line(
        for: .receipt(tea, MessageIDs(archive: "m1"), by: NetworkUser(identity: "ben"), $0))
    }
    lines += [
      BridgeWriting.line(
        for: NetworkRequest(id: 1, verb: .invite, target: "tea", person: "ben", count: 3)),
      BridgeWriting.line(
        for: NetworkRequest(
          id: 2, verb: .join, target: "tea", text: "ben", secret: "x", wasTried: true)),
      BridgeWriting.line("stored", [.batch: .integer(1)]),
      BridgeWriting.line("reply", [.ask: .text("code"), .text: .text("123")]),
      BridgeWriting.line("stop", [:]),
    ]
    #expect(lines.count == 13)
    #expect(try faults(of: lines, strictly: true) == [])
  }

  private func entry(_ operation: OutboxEntry.Operation) -> OutboxEntry {
    var message = Message(
      id: ID(rawValue: 1), uid: "u1", conversation: ID(rawValue: 1), number: 1,
      sender: ID(rawValue: 1), senderName: "anna", senderIdentity: "anna", body: "hello @ben",
      createdAt: 0, state: .sending)
    message.mentions = [Mention(range: 6..<10, identity: "ben")]
    message.attachments = [Attachment(hash: "9f86", name: "cup.png", type: "image/png", bytes: 4)]
    return OutboxEntry(
      id: 1, message: message, operation: operation,
      reaction: operation == .react
        ? OutgoingReaction(
          participant: ID(rawValue: 1), emoji: "👍", isRemoved: true, all: ["👍"]) : nil,
      conversation: .direct("bot"), name: MessageIDs(origin: "u1", archive: "m1"),
      answers: NetworkQuote(
        name: MessageIDs(archive: "m0"), speaker: NetworkUser(identity: "ben"), text: "cups?"),
      wasTried: true)
  }
}
