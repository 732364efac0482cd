// SPDX-License-Identifier: GPL-3.0-or-later

/// The documented JSON of hobnob-json(5), as SQL expressions. The order of members is fixed;
/// members without a value are left out.
///
/// Nothing in it depends on row ids: messages are identified by their uid, people by identity and
/// network, rooms by name and network, direct chats by their two people.
package enum JSONShape {
  /// The version that the first line of an export gives.
  package static let version = 2

  /// The longest line that an import accepts, in bytes: while it is stored, a line takes many times
  /// its size in memory.
  package static let longestLine = 16_000_000

  /// A line of this type, without the members that are NULL.
  package static func line(
    _ type: JSONType, _ values: KeyValuePairs<JSONName, String>
  ) -> String {
    object(type.members, values, first: "'type', '\(type.name)', ")
  }

  /// An object of these members, without those that are NULL.
  package static func object(
    _ members: [JSONMember], _ values: KeyValuePairs<JSONName, String>, first: String = ""
  ) -> String {
    members.check(values.map(\.key))
    let list = values.map { "'\($0.key.rawValue)', \($0.value)" }.joined(separator: ",\n  ")
    let object = "json_object(\(first)\(list))"
    return members.allSatisfy(\.isAlways) ? object : "json_patch('{}', \(object))"
  }

  /// The word for the number in a column; the first word for any other number.
  package static func word(_ column: String, _ words: JSONWords) -> String {
    let cases = words.all.dropFirst().map { "WHEN \($0.number) THEN '\($0.word)'" }
    let usual = words.all.first.map { "ELSE '\($0.word)'" } ?? ""
    return "CASE \(column) \(cases.joined(separator: " ")) \(usual) END"
  }

  /// `2026-11-21T10:00:00.000Z`. An impossible time, which only another program can have stored,
  /// becomes the nearest possible one.
  package static func time(_ column: String) -> String {
    """
    strftime('%Y-%m-%dT%H:%M:%fZ',
      min(max(\(column), \(Message.times.lowerBound)), \(Message.times.upperBound)) / 1000.0, 'unixepoch')
    """
  }

  /// A message number, or a count, limited to the range that an import accepts: only another
  /// program can have stored a number outside it.
  package static func boundedNumber(_ column: String, from least: Int = 0) -> String {
    "min(max(\(column), \(least)), \(Message.numbers.upperBound))"
  }

  /// A person: a text for a person of this machine, an object for one on a network.
  package static func personObject(_ row: String) -> String {
    let elsewhere = object(
      JSONTable.networkPerson, [.identity: "\(row).identity", .network: "\(row).network"])
    return """
      json(CASE \(row).network WHEN '' THEN json_quote(\(row).identity) ELSE \(elsewhere) END)
      """
  }

  /// A person by the id of the participant's row.
  package static func personObject(id: String) -> String {
    "(SELECT \(personObject("w")) FROM participant w WHERE w.id = \(id))"
  }

  /// A room: a text for one in this store, an object for one on a network. A direct chat: an object
  /// with the two people.
  package static func conversationObject(_ row: String) -> String {
    let people = [personObject(id: "\(row).one"), personObject(id: "\(row).other")]
    let chat = object(
      JSONTable.chat,
      [
        .people: "json_array(\(people.joined(separator: ", ")))",
        .network: "nullif(\(row).network, '')",
      ])
    let elsewhere = object(
      JSONTable.networkRoom, [.room: "\(row).name", .network: "\(row).network"])
    return """
      json(CASE \(row).kind WHEN 1 THEN \(chat)
        ELSE CASE \(row).network WHEN '' THEN json_quote(\(row).name) ELSE \(elsewhere) END END)
      """
  }

  /// The JSON in a column; NULL if there is none.
  package static func value(_ column: String) -> String {
    "iif(json_valid(\(column)), \(column), NULL)"
  }

  /// The rows of a table that belong to message `m`, in order, as an array; NULL if there are none.
  package static func list(_ each: String, from rows: String) -> String {
    """
    (SELECT CASE WHEN count(*) > 0 THEN json_group_array(json(line)) END
      FROM (SELECT \(each) AS line FROM \(rows)))
    """
  }

  /// Message `m` of sender `p` in conversation `c`.
  package static let message = line(
    JSONTable.message,
    [
      .uid: "lower(hex(m.uid))",
      .conversation: conversationObject("c"),
      .number: "m.number",
      .time: time("m.created_at"),
      .sender: personObject("p"),
      .name: Participant.name(of: "p", in: "m.conversation"),
      .kind: word("m.kind", JSONTable.messageKinds),
      .state: word("m.state", JSONTable.messageStates),
      .failure: "json(\(value("m.failure")))",
      .edited: time("m.edited_at"),
      .deleted: time("m.deleted_at"),
      .removedBy: "m.removed_by",
      .reason: "nullif(m.removal_reason, '')",
      .gone: "iif(m.gone <> 0, \(word("min(m.gone, 2)", JSONTable.gone)), NULL)",
      .replyTo: boundedNumber("m.reply_to", from: 1),
      .text: "m.body",
      .mentions: "json(\(value("m.mentions")))",
      .remoteID: "m.remote_id",
      .archiveID: "m.archive_id",
      .unverified: "nullif(m.unverified <> 0, 0)",
      .encrypted: "iif(m.encrypted > 0, json('true'), NULL)",
      .verified: "CASE m.encrypted WHEN 2 THEN json('true') WHEN 3 THEN json('false') END",
      .unreadable:
        "iif(m.encrypted BETWEEN 4 AND 6, \(word("m.encrypted", JSONTable.obstacles)), NULL)",
      .past: "nullif(m.brought = 2, 0)",
      .sort: """
      iif(\(SortKey.isSound),
        nullif(CAST(m.sort AS INTEGER), \(SortKey.expression(for: "m.created_at"))), NULL)
      """,
      .revisions: list(
        object(JSONTable.revision, [.time: time("v.at"), .text: "v.body"]),
        from: "revision v WHERE v.message = m.id ORDER BY v.ordinal"),
      .reactions: list(
        object(
          JSONTable.givenReaction,
          [.sender: personObject("q"), .emoji: "r.emoji", .time: time("r.at")]),
        from: """
          reaction r JOIN participant q ON q.id = r.participant
          WHERE r.message = m.id AND r.removed = 0 ORDER BY r.at, r.change
          """),
      .attachments: "CASE WHEN m.attachments > 0 THEN "
        + list(
          object(
            JSONTable.attachment,
            [
              .hash: "lower(hex(a.hash))", .name: "a.name", .mediaType: "a.type",
              .bytes: "max(CAST(a.bytes AS INTEGER), 0)",
            ]),
          from: "attachment a WHERE a.message = m.id ORDER BY a.ordinal") + " END",
      .outbox: list(
        object(
          JSONTable.entry,
          [
            .operation: word("x.operation", JSONTable.operations),
            .sender: personObject(id: "x.participant"), .emoji: "nullif(x.emoji, '')",
          ]),
        from: "outbox x WHERE x.message = m.id ORDER BY x.id"),
    ])

  package static let messageTables = """
    message m JOIN participant p ON p.id = m.sender JOIN conversation c ON c.id = m.conversation
    """
}
