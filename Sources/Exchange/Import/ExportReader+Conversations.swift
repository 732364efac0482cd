// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

// People, conversations, and people's state in them.
extension ExportReader {
  func add(participant object: JSONObject) throws {
    let person = try work.person(
      object.text(.identity), network: object.optionalText(.network) ?? "",
      name: object.text(.name))
    if let last = object[.lastConversation] { lastConversations.append((person, last)) }
    // People who are already here have a more recent away state.
    guard work.newcomers.contains(person) else { return }
    try database.run(
      "UPDATE participant SET away = ?, here = ifnull(?, here) WHERE id = ?",
      object.optionalText(.away), object.optionalTime(.here), person)
    for absence in try object.objects(.absences) {
      try database.run(
        "INSERT INTO absence(participant, since, until) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        person, absence.time(.since), absence.time(.until))
    }
  }

  func add(conversation object: JSONObject) throws {
    let conversation = try conversation(object)
    guard conversation.isNew else { return }
    let last = try object.optionalInteger(.lastNumber, in: 0...Message.numbers.upperBound) ?? 0
    conversation.lastNumber = max(conversation.lastNumber, last)
    let keep = try object.optionalInteger(.keep, in: 1...Int64.max)
    try database.run(
      """
      UPDATE conversation SET topic = ?, last_number = ?, last_at = ?, forgotten = ?, keep = ?,
        keep_from = ?, maker = ?, kind = iif(? AND kind = 0 AND network = '', \(Conversation.removed), kind)
      WHERE id = ?
      """, object.optionalText(.topic) ?? "", conversation.lastNumber,
      object.optionalTime(.lastTime),
      object.optionalInteger(.forgotten, in: 0...Message.numbers.upperBound) ?? 0, keep,
      // Do not remove imported messages on the same day (rule 7.12).
      keep == nil ? 0 : work.transaction.clock() + Upkeep.keepDelay,
      object[.maker] == nil ? nil : person(object, .maker),
      object.flag(.removed), conversation.id)
    if !conversation.isLocal, let address = try object.optionalText(.address) {
      try database.run(
        "UPDATE OR IGNORE conversation SET address = ? WHERE id = ? AND kind = 0", address,
        conversation.id
      )
    }
  }

  func add(member object: JSONObject) throws {
    let (conversation, person) = (try conversation(object), try person(object, .participant))
    let first = try object.integer(.first, in: 1...Message.numbers.upperBound + 1)
    let last = try object.optionalInteger(.last, in: 0...Message.numbers.upperBound)
    guard conversation.isNew else {
      if last == nil { work.entering.append((person, conversation)) }
      return
    }
    if last == nil {
      // Merges two open stays into one.
      try database.run(
        """
        UPDATE OR REPLACE membership SET first = min(first, ?)
        WHERE conversation = ? AND participant = ? AND last IS NULL
        """, first, conversation.id, person)
      if database.changedRows > 0 { return }
    }
    try database.run(
      """
      INSERT INTO membership(conversation, participant, first, last, joined)
      VALUES (?, ?, ?, ?, ifnull(?, 0))
      ON CONFLICT DO UPDATE SET last = excluded.last
      """, conversation.id, person, first, last, object.optionalTime(.joined))
  }

  func add(reader object: JSONObject) throws {
    let (conversation, person) = (try conversation(object), try person(object, .participant))
    let marks = try [JSONName.delivered, .seen, .read].map {
      try object.optionalInteger($0, in: 0...Message.numbers.upperBound) ?? 0
    }
    // The numbers of another store mean nothing here.
    guard conversation.isNew else { return }
    try database.run(
      """
      INSERT INTO reader(conversation, participant, delivered, seen, read, change)
      VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET delivered = excluded.delivered, seen = excluded.seen,
        read = excluded.read
      """, conversation.id, person, marks[0], marks[1], marks[2], try work.silentNumber())
  }

  func add(draft object: JSONObject) throws {
    let (conversation, person) = (try conversation(object), try person(object, .participant))
    var draft = Draft(
      text: try object.text(.text),
      caret: Int(try object.optionalInteger(.caret, in: 0...Int64(Int32.max)) ?? 0),
      spans: try object.mentions(.spans))
    draft.clampCaret()
    try database.run(
      """
      INSERT INTO draft(participant, conversation, text, caret, spans) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING
      """, person, conversation.id, draft.text, draft.caret, draft.spans.json)
    if database.changedRows == 0 { return }
    for (ordinal, file) in try object.objects(.files).enumerated() {
      try database.run(
        """
        INSERT INTO draft_file(participant, conversation, ordinal, path, name)
        VALUES (?, ?, ?, ?, ?)
        """, person, conversation.id, ordinal, file.text(.path), file.optionalText(.name))
    }
  }

  /// Adds an event only as often as the store lacks it: events have no ids to compare.
  ///
  /// - Returns: why it was left out; nil if it was added, or the store has it.
  func add(event object: JSONObject) throws -> LineFault? {
    let (conversation, person) = (try conversation(object), try person(object, .participant))
    let name = try object.text(.kind)
    guard let kind = JSONTable.eventKinds.number(of: name).flatMap(Event.Kind.init) else {
      return LineFault(
        "this version of hobnob does not know events of the kind “%1”", name)
    }
    let other = object[.other] == nil ? nil : try self.person(object, .other)
    if kind == .invitation, other == nil { throw LineFault.missing(.other) }
    let text: any Bindable =
      kind.hasRemark
      ? Remark(object[.text] ?? .null) : try object.optionalText(.text) ?? ""
    let time = try object.time(.time)
    try database.run(
      """
      UPDATE import_event SET count = count - 1 WHERE conversation = ? AND participant = ?
        AND other = ? AND kind = ? AND text = ? AND at = ? AND count > 0
      """, conversation.id, person, other?.rawValue ?? 0, kind.rawValue, text, time)
    if database.changedRows > 0 { return nil }
    try database.run(
      """
      INSERT INTO event(id, conversation, participant, other, kind, text, at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      """, try work.silentNumber(), conversation.id, person, other, kind.rawValue, text, time)
    return nil
  }

  /// Adds a line of the input history only as often as the store lacked it.
  func add(history object: JSONObject) throws {
    let (person, line) = (try person(object, .participant), try object.text(.line))
    try database.run(
      "UPDATE import_line SET count = count - 1 WHERE participant = ? AND line = ? AND count > 0",
      person, line)
    if database.changedRows > 0 { return }
    try database.run(
      "INSERT INTO history(participant, shell, change, line) VALUES (?, '', ?, ?)", person,
      try work.silentNumber(), line)
  }
}
