// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Reads what `export` wrote, hobnob-json(5), into an import: one export, or several, one behind the
/// other.
final class ExportReader {
  private let work: Import
  private var hasBegun = false
  private var hasEnded = false
  /// By what they are called in the file.
  private var places: [JSONObject.Value: ImportedPlace] = [:]
  private var people: [JSONObject.Value: ID<Participant>] = [:]
  /// Where people were last: conversations that may come later.
  private var lastPlaces: [(ID<Participant>, JSONObject.Value)] = []
  private var file: IncomingFile?

  init(_ work: Import) { self.work = work }

  private var database: Database { work.database }

  /// - Parameter name: of the file, for what is said about it.
  /// - Throws: `ImportFault`, `LineFault`; then nothing of the import may stay.
  func read(_ lines: LineReader, _ name: String) throws {
    while let unknown = try lines.next({ try read(line: $0) }) {
      if let unknown { work.leaveOut(name, lines.number, unknown) }
    }
    if !hasEnded {
      throw ImportFault(
        name, 0,
        lines.number == 0
          ? ("there is nothing in it", [])
          : ("its last line is missing: the export was cut off", []))
    }
    if file != nil { throw LineFault("the last file is not whole") }
    try returnToPlaces()
  }

  /// - Returns: what of it is not known here, so that it is left out.
  private func read(line: UnsafeBufferPointer<UInt8>) throws -> LineFault? {
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
    let object = try JSONObject(line: line, database)
    if let kind = try object.optionalText("hobnob") {
      try begin(kind, object)
      (hasBegun, hasEnded) = (true, false)
      return nil
    }
    if !hasBegun {
      throw LineFault("the first line is not that of an export of hobnob; name the --format")
    }
    switch try object.text("type") {
    case "message": try add(message: object)
    case "participant": try add(participant: object)
    case "conversation": try add(conversation: object)
    case "member": try add(member: object)
    case "reader": try add(reader: object)
    case "event": return try add(event: object)
    case "draft": try add(draft: object)
    case "history": try add(history: object)
    case "file": try add(file: object)
    case "end": hasEnded = true
    case let type:
      return LineFault("a line of the type “%1”, which this version of hobnob does not know", type)
    }
    return nil
  }

  private func begin(_ kind: String, _ object: JSONObject) throws {
    guard kind == "export" else { throw LineFault("“%1” is not an export of hobnob", kind) }
    let version = try object.integer("version", in: 1...Int64.max)
    if version > JSONShape.version {
      throw LineFault(
        "this export was written by a newer hobnob (version %1, this one reads up to %2); use that one",
        String(version), String(JSONShape.version))
    }
    try returnToPlaces()
    (places, people) = ([:], [:])
    try work.beginSource()
    // How often each event and each line of the input history stands here.
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

  private func returnToPlaces() throws {
    for (person, name) in lastPlaces {
      guard let place = places[name] else { continue }
      try database.run(
        "UPDATE participant SET last_conversation = ifnull(last_conversation, ?) WHERE id = ?",
        place.id, person)
    }
    lastPlaces = []
  }

  // MARK: Names

  private func person(_ object: JSONObject, _ name: String) throws -> ID<Participant> {
    guard let value = object[name] else { throw LineFault("“%1” is missing", name) }
    return try person(value, object, name)
  }

  private func person(
    _ value: JSONObject.Value, _ object: JSONObject, _ name: String
  ) throws -> ID<Participant> {
    if let known = people[value] { return known }
    let found: ID<Participant>
    if case .text(let identity) = value {
      found = try work.person(identity, network: "")
    } else if let parts = try object.object(value) {
      found = try work.person(
        parts.text("identity"), network: parts.optionalText("network") ?? "")
    } else {
      throw LineFault("“%1” names nobody", name)
    }
    people[value] = found
    return found
  }

  private func place(_ object: JSONObject) throws -> ImportedPlace {
    guard let value = object["conversation"] else {
      throw LineFault("“%1” is missing", "conversation")
    }
    if let known = places[value] { return known }
    let found: ImportedPlace
    if case .text(let name) = value {
      found = try work.room(name, network: "")
    } else if let parts = try object.object(value) {
      let network = try parts.optionalText("network") ?? ""
      if let name = try parts.optionalText("room") {
        found = try work.room(name, network: network)
      } else {
        let two = try parts.values("people").map { try person($0, parts, "people") }
        guard two.count == 2 else { throw LineFault("“%1” names nobody", "people") }
        found = try work.direct(two[0], two[1], network: network)
      }
    } else {
      throw LineFault("“%1” names no conversation", "conversation")
    }
    places[value] = found
    return found
  }

  // MARK: People and conversations

  private func add(participant object: JSONObject) throws {
    let person = try work.person(
      object.text("identity"), network: object.optionalText("network") ?? "",
      name: object.text("name"))
    if let last = object["last_conversation"] { lastPlaces.append((person, last)) }
    // Whoever is here already knows best whether they are away.
    guard work.newcomers.contains(person) else { return }
    try database.run(
      "UPDATE participant SET away = ?, here = ifnull(?, here) WHERE id = ?",
      object.optionalText("away"), object.optionalTime("here"), person)
    for absence in try object.objects("absences") {
      try database.run(
        "INSERT INTO absence(participant, since, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        person, absence.time("since"), absence.time("until"))
    }
  }

  private func add(conversation object: JSONObject) throws {
    let place = try place(object)
    guard place.isNew else { return }
    let last = try object.optionalInteger("last_number", in: 0...Message.numbers.upperBound) ?? 0
    place.lastNumber = max(place.lastNumber, last)
    try database.run(
      "UPDATE conversation SET topic = ?, last_number = ?, last_at = ?, forgotten = ?, keep = ? WHERE id = ?",
      object.optionalText("topic") ?? "", place.lastNumber, object.optionalTime("last_time"),
      object.optionalInteger("forgotten", in: 0...Message.numbers.upperBound) ?? 0,
      object.optionalInteger("keep", in: 1...Int64.max), place.id)
    if !place.isLocal, let address = try object.optionalText("address") {
      try database.run(
        "UPDATE OR IGNORE conversation SET address = ? WHERE id = ? AND kind = 0", address, place.id
      )
    }
  }

  private func add(member object: JSONObject) throws {
    let (place, person) = (try place(object), try person(object, "participant"))
    let first = try object.integer("first", in: 1...Message.numbers.upperBound + 1)
    let last = try object.optionalInteger("last", in: 0...Message.numbers.upperBound)
    guard place.isNew else {
      if last == nil { work.entering.append((person, place)) }
      return
    }
    try database.run(
      """
      INSERT INTO membership(conversation, participant, first, last, joined)
      VALUES (?, ?, ?, ?, ifnull(?, 0))
      ON CONFLICT DO UPDATE SET last = excluded.last
      """, place.id, person, first, last, object.optionalTime("joined"))
  }

  private func add(reader object: JSONObject) throws {
    let (place, person) = (try place(object), try person(object, "participant"))
    let marks = try ["delivered", "seen", "read"].map {
      try object.optionalInteger($0, in: 0...Message.numbers.upperBound) ?? 0
    }
    // Numbers elsewhere are none here.
    guard place.isNew else { return }
    try database.run(
      """
      INSERT INTO reader(conversation, participant, delivered, seen, read, change)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET delivered = excluded.delivered, seen = excluded.seen,
        read = excluded.read
      """, place.id, person, marks[0], marks[1], marks[2], try work.silentNumber())
  }

  private func add(draft object: JSONObject) throws {
    let (place, person) = (try place(object), try person(object, "participant"))
    var draft = Draft(
      text: try object.text("text"),
      caret: Int(try object.optionalInteger("caret", in: 0...Int64(Int32.max)) ?? 0),
      spans: try object.optionalText("spans") ?? "")
    draft.placeCaret()
    try database.run(
      """
      INSERT INTO draft(participant, conversation, text, caret, spans) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, person, place.id, draft.text, draft.caret, draft.spans)
    if database.changedRows == 0 { return }
    for (ordinal, file) in try object.objects("files").enumerated() {
      try database.run(
        """
        INSERT INTO draft_file(participant, conversation, ordinal, path, name)
        VALUES (?, ?, ?, ?, ?)
        """, person, place.id, ordinal, file.text("path"), file.optionalText("name"))
    }
  }

  /// As often as it stands in the export, less how often it is here: events have no names.
  ///
  /// - Returns: what of it is not known here.
  private func add(event object: JSONObject) throws -> LineFault? {
    let (place, person) = (try place(object), try person(object, "participant"))
    let kinds: [(name: String, kind: Event.Kind)] = [
      ("topic", .topic), ("invitation", .invitation), ("joined", .joined), ("left", .left),
      ("renamed", .renamed),
    ]
    let name = try object.text("kind")
    guard let kind = kinds.first(where: { $0.name == name })?.kind else {
      return LineFault(
        "an event of the kind “%1”, which this version of hobnob does not know", name)
    }
    let other = object["other"] == nil ? nil : try self.person(object, "other")
    if kind == .invitation, other == nil { throw LineFault("“%1” is missing", "other") }
    let text = try object.optionalText("text") ?? ""
    let time = try object.time("time")
    try database.run(
      """
      UPDATE import_event SET count = count - 1 WHERE conversation = ? AND participant = ?
        AND other = ? AND kind = ? AND text = ? AND at = ? AND count > 0
      """, place.id, person, other?.rawValue ?? 0, kind.rawValue, text, time)
    if database.changedRows > 0 { return nil }
    try database.run(
      """
      INSERT INTO event(id, conversation, participant, other, kind, text, at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, try work.silentNumber(), place.id, person, other, kind.rawValue, text, time)
    return nil
  }

  /// As often as it stands in the export, less how often it stood here before.
  private func add(history object: JSONObject) throws {
    let (person, line) = (try person(object, "participant"), try object.text("line"))
    try database.run(
      "UPDATE import_line SET count = count - 1 WHERE participant = ? AND line = ? AND count > 0",
      person, line)
    if database.changedRows > 0 { return }
    try database.run(
      "INSERT INTO history(participant, shell, change, line) VALUES (?, '', ?, ?)", person,
      try work.silentNumber(), line)
  }

  // MARK: Messages

  private func add(message object: JSONObject) throws {
    let digits = try object.text("uid")
    guard digits.utf8.count == 32, let uid = bytes(ofHexadecimal: digits) else {
      throw LineFault("“%1” is not 32 hexadecimal digits in lower case", "uid")
    }
    let place = try place(object)
    let attachments = try object.objects("attachments")
    let revisions = try object.objects("revisions").map {
      try Revision(body: $0.text("text"), at: $0.time("time"))
    }
    var message = ImportedMessage(
      uid: uid, number: try object.integer("number", in: Message.numbers),
      sender: try person(object, "sender"), createdAt: try object.time("time"),
      body: try object.text("text"))
    message.state =
      [.sent, .sending, .failed][
        try object.choice("state", of: ["sent", "sending", "failed"])]
    message.gone = try object.choice("gone", of: ["", "deleted", "taken back"])
    message.editedAt = try object.optionalTime("edited")
    message.deletedAt = try object.optionalTime("deleted")
    message.failure = try object.optionalText("failure")
    message.remoteID = try object.optionalText("remote_id")
    message.archiveID = try object.optionalText("archive_id")
    message.isUnverified = try object.optionalInteger("unverified", in: 0...1) == 1
    message.replyTo = try object.optionalInteger("reply_to", in: Message.numbers)
    message.mentions = try object.optionalText("mentions") ?? ""
    message.attachments = attachments.count
    try setKind(of: &message, object)
    message.isPast = try object.optionalInteger("past", in: 0...1) == 1
    if message.gone > 0 { message.body = "" }
    switch try work.add(message, in: place) {
    case .known(let known):
      try work.update(known, to: message, revisions)
      if known.gone == 0, message.gone == 0 { try add(reactionsIn: object, on: known.id) }
    case .new(let id):
      try work.add(revisions, to: id)
      try add(reactionsIn: object, on: id)
      for (ordinal, attachment) in attachments.enumerated() {
        try add(attachment: attachment, at: ordinal, of: id)
      }
      if !place.isLocal { try add(outboxIn: object, of: id) }
    case .tooOld: break
    }
  }

  /// What a newer hobnob wrote of another kind becomes a line that says so.
  private func setKind(of message: inout ImportedMessage, _ object: JSONObject) throws {
    switch try object.optionalText("kind") ?? "text" {
    case "text": message.kind = .text
    case "action": message.kind = .action
    case let kind:
      let note = "[a message of the kind “\(kind)”, which this version of hobnob does not know]"
      message.body = message.body.isEmpty ? note : note + " " + message.body
      message.mentions = ""
    }
  }

  private func add(reactionsIn object: JSONObject, on message: ID<Message>) throws {
    for reaction in try object.objects("reactions") {
      let emoji = try reaction.text("emoji")
      if emoji.isEmpty { throw LineFault("“%1” is missing", "emoji") }
      try database.run(
        """
        INSERT INTO reaction(message, participant, emoji, at, change) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET emoji = excluded.emoji, at = excluded.at, failure = NULL
        WHERE excluded.at > at
        """, message, try person(reaction, "sender"), emoji, try reaction.time("time"),
        try work.silentNumber())
    }
  }

  private func add(
    attachment object: JSONObject, at ordinal: Int, of message: ID<Message>
  ) throws {
    let digits = try object.text("hash")
    guard digits.utf8.count == 64, let hash = bytes(ofHexadecimal: digits) else {
      throw LineFault("“%1” is not 64 hexadecimal digits in lower case", "hash")
    }
    let type = try object.optionalText("media_type").flatMap(FileType.checked)
    try database.run(
      "INSERT INTO attachment(message, ordinal, hash, name, type, bytes) VALUES (?, ?, ?, ?, ?, ?)",
      message, ordinal, hash, Store.safeName(try object.text("name")), type ?? FileType.unknown,
      try object.integer("bytes", in: 0...Int64.max))
  }

  /// What still waits for a network goes on waiting here.
  private func add(outboxIn object: JSONObject, of message: ID<Message>) throws {
    for entry in try object.objects("outbox") {
      let operation = try entry.choice("operation", of: ["send", "edit", "delete", "react"])
      let person = entry["sender"] == nil ? nil : try person(entry, "sender")
      try database.run(
        "INSERT INTO outbox(id, message, operation, participant) VALUES (?, ?, ?, ?)",
        try work.store.nextChange(), message, operation, person)
    }
  }

  // MARK: Files

  /// - Throws: `LineFault`, `AttachmentError`.
  private func add(file object: JSONObject) throws {
    let hash = try object.text("hash")
    guard AttachmentFolder.place(of: hash) != nil else {
      throw LineFault("“%1” is not 64 hexadecimal digits in lower case", "hash")
    }
    let bytes = try object.integer("bytes", in: 0...Int64.max)
    let offset = try object.integer("offset", in: 0...Int64.max)
    guard let piece = Base64.decoded(try object.text("data")) else {
      throw LineFault("“%1” is not base64", "data")
    }
    let folder = work.store.attachmentFolder
    if file == nil, folder.size(of: hash).map(Int64.init) == bytes { return }
    do {
      if file == nil, offset == 0 { file = try IncomingFile(hash, bytes: bytes, into: folder) }
      guard let incoming = file, incoming.hash == hash, incoming.bytes == bytes,
        incoming.offset == offset
      else { throw LineFault("the pieces of file %1 do not fit together", hash) }
      if try incoming.append(piece) {
        work.report.files += 1
        file = nil
      }
    } catch let failure as SystemFailure {
      throw AttachmentCopy.refusal(of: failure, at: folder.path)
    }
  }
}
