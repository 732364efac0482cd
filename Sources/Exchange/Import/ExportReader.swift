// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Reads hobnob-json(5), the format of `export`, into an import: one export, or several in
/// sequence.
final class ExportReader {
  let work: Import
  private var hasBegun = false
  private var hasEnded = false
  /// The conversations by their names in the file.
  private var conversations: [JSON: ImportedConversation] = [:]
  private var people: [JSON: ID<Participant>] = [:]
  /// The last conversations of people, which may come later in the file.
  var lastConversations: [(ID<Participant>, JSON)] = []
  var file: IncomingFile?

  init(_ work: Import) { self.work = work }

  var database: Database { work.database }

  /// - Parameter name: the name of the file, for error messages.
  /// - Throws: `ImportFault`, `LineFault`; then roll back the import.
  func read(_ lines: LineReader, _ name: String) throws {
    while let unknown = try lines.next({ try read(line: $0) }) {
      if let unknown { work.leaveOut(name, lines.number, unknown) }
    }
    if !hasEnded {
      throw ImportFault(
        name, 0,
        lines.number == 0
          ? ("it is empty", [])
          : ("its last line is missing: the export was cut off", []))
    }
    if file != nil { throw LineFault("the last file is incomplete") }
    try returnToConversations()
  }

  /// - Returns: why the line is left out as unknown; nil if it is not.
  private func read(line: UnsafeBufferPointer<UInt8>) throws -> LineFault? {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
    let object = try JSONObject(line: line, database)
    if let kind = try object.optionalText(.hobnob) {
      try begin(kind, object)
      (hasBegun, hasEnded) = (true, false)
      return nil
    }
    if !hasBegun {
      throw LineFault(
        "the first line is not the beginning of a hobnob export; give the format with --format")
    }
    switch try object.text(.type) {
    case JSONTable.message.name: try add(message: object)
    case JSONTable.participant.name: try add(participant: object)
    case JSONTable.conversation.name: try add(conversation: object)
    case JSONTable.member.name: try add(member: object)
    case JSONTable.reader.name: try add(reader: object)
    case JSONTable.event.name: return try add(event: object)
    case JSONTable.draft.name: try add(draft: object)
    case JSONTable.history.name: try add(history: object)
    case JSONTable.file.name: try add(file: object)
    case JSONTable.end.name: hasEnded = true
    case let type:
      return LineFault("this version of hobnob does not know lines of the type “%1”", type)
    }
    return nil
  }

  private func begin(_ kind: String, _ object: JSONObject) throws {
    guard kind == "export" else { throw LineFault("“%1” is not an export of hobnob", kind) }
    let version = try object.integer(.version, in: 1...Int64.max)
    if version > JSONShape.version {
      throw LineFault(
        "a newer hobnob wrote this export (version %1, this one reads up to %2); use the newer one",
        String(version), String(JSONShape.version))
    }
    try returnToConversations()
    (conversations, people) = ([:], [:])
    try work.beginSource()
    // Count how often the store has each event and each line of the input history.
    try database.execute(
      """
      DELETE FROM import_event;
      INSERT INTO import_event
      SELECT conversation, participant, ifnull(other, 0), kind, text, at, count(*) FROM event
      GROUP BY 1, 2, 3, 4, 5, 6;
      DELETE FROM import_line;
      INSERT INTO import_line SELECT participant, line, count(*) FROM history GROUP BY 1, 2;
      """)
  }

  private func returnToConversations() throws {
    for (person, name) in lastConversations {
      guard let conversation = conversations[name] else { continue }
      try database.run(
        "UPDATE participant SET last_conversation = ifnull(last_conversation, ?) WHERE id = ?",
        conversation.id, person)
    }
    lastConversations = []
  }

  func person(_ object: JSONObject, _ name: JSONName) throws -> ID<Participant> {
    guard let value = object[name] else { throw LineFault.missing(name) }
    return try person(value, object, name)
  }

  private func person(
    _ value: JSON, _ object: JSONObject, _ name: JSONName
  ) throws -> ID<Participant> {
    if let known = people[value] { return known }
    let found: ID<Participant>
    if case .text(let identity) = value {
      found = try work.person(identity, network: "")
    } else if let parts = JSONObject(value) {
      found = try work.person(
        parts.text(.identity), network: parts.optionalText(.network) ?? "")
    } else {
      throw LineFault("the field “%1” does not say who is meant", name.rawValue)
    }
    people[value] = found
    return found
  }

  func conversation(_ object: JSONObject) throws -> ImportedConversation {
    guard let value = object[.conversation] else {
      throw LineFault.missing(.conversation)
    }
    if let known = conversations[value] { return known }
    let found: ImportedConversation
    if case .text(let name) = value {
      found = try work.room(name, network: "")
    } else if let parts = JSONObject(value) {
      let network = try parts.optionalText(.network) ?? ""
      if let name = try parts.optionalText(.room) {
        found = try work.room(name, network: network)
      } else {
        let two = try parts.values(.people).map { try person($0, parts, .people) }
        guard two.count == 2 else {
          throw LineFault("the field “%1” does not say who is meant", JSONName.people.rawValue)
        }
        found = try work.direct(two[0], two[1], network: network)
      }
    } else {
      throw LineFault(
        "the field “%1” does not say which conversation is meant", JSONName.conversation.rawValue)
    }
    conversations[value] = found
    return found
  }
}
