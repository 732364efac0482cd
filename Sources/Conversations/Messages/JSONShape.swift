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

  /// An object of these members, without those that are NULL.
  package static func jsonObject(_ pairs: (name: String, value: String)...) -> String {
    let list = pairs.map { "'\($0.name)', \($0.value)" }.joined(separator: ",\n  ")
    return "json_patch('{}', json_object(\(list)))"
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
    """
    json(CASE \(row).network WHEN '' THEN json_quote(\(row).identity)
      ELSE json_object('identity', \(row).identity, 'network', \(row).network) END)
    """
  }

  /// A person by the id of the participant's row.
  package static func personObject(id: String) -> String {
    "(SELECT \(personObject("w")) FROM participant w WHERE w.id = \(id))"
  }

  /// A room: a text for one in this store, an object for one on a network. A direct chat: an object
  /// with the two people.
  package static func conversationObject(_ row: String) -> String {
    """
    json(CASE \(row).kind
      WHEN 1 THEN json_patch('{}', json_object(
        'people', json_array(\(personObject(id: "\(row).one")), \(personObject(id: "\(row).other"))),
        'network', nullif(\(row).network, '')))
      ELSE CASE \(row).network WHEN '' THEN json_quote(\(row).name)
        ELSE json_object('room', \(row).name, 'network', \(row).network) END END)
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
  package static let message = jsonObject(
    ("type", "'message'"),
    ("uid", "lower(hex(m.uid))"),
    ("conversation", conversationObject("c")),
    ("number", "m.number"),
    ("time", time("m.created_at")),
    ("sender", personObject("p")),
    ("name", Participant.name(of: "p", in: "m.conversation")),
    (
      "kind",
      """
      CASE m.kind WHEN 1 THEN 'action' WHEN 2 THEN 'notice' WHEN 3 THEN 'unreadable' ELSE 'text' END
      """
    ),
    ("state", "CASE m.state WHEN 0 THEN 'failed' WHEN 1 THEN 'sending' ELSE 'sent' END"),
    ("failure", "json(\(value("m.failure")))"),
    ("edited", time("m.edited_at")),
    ("deleted", time("m.deleted_at")),
    ("removed_by", "m.removed_by"),
    ("reason", "nullif(m.removal_reason, '')"),
    ("gone", "CASE WHEN m.gone = 1 THEN 'deleted' WHEN m.gone <> 0 THEN 'taken back' END"),
    ("reply_to", boundedNumber("m.reply_to", from: 1)),
    ("text", "m.body"),
    ("mentions", "json(\(value("m.mentions")))"),
    ("remote_id", "m.remote_id"),
    ("archive_id", "m.archive_id"),
    ("unverified", "nullif(m.unverified <> 0, 0)"),
    ("past", "nullif(m.brought = 2, 0)"),
    (
      "sort",
      """
      iif(\(SortKey.isSound), nullif(CAST(m.sort AS INTEGER), \(SortKey.expression(for: "m.created_at"))),
        NULL)
      """
    ),
    (
      "revisions",
      list(
        "json_object('time', \(time("v.at")), 'text', v.body)",
        from: "revision v WHERE v.message = m.id ORDER BY v.ordinal")
    ),
    (
      "reactions",
      list(
        """
        json_object('sender', \(personObject("q")), 'emoji', r.emoji, 'time', \(time("r.at")))
        """,
        from: """
          reaction r JOIN participant q ON q.id = r.participant
          WHERE r.message = m.id AND r.removed = 0 ORDER BY r.at, r.change
          """)
    ),
    (
      "attachments",
      "CASE WHEN m.attachments > 0 THEN "
        + list(
          """
          json_object('hash', lower(hex(a.hash)), 'name', a.name, 'media_type', a.type,
            'bytes', max(CAST(a.bytes AS INTEGER), 0))
          """,
          from: "attachment a WHERE a.message = m.id ORDER BY a.ordinal") + " END"
    ),
    (
      "outbox",
      list(
        """
        json_patch('{}', json_object(
          'operation', CASE x.operation WHEN 0 THEN 'send' WHEN 1 THEN 'edit' WHEN 2 THEN 'delete'
            ELSE 'react' END,
          'sender', \(personObject(id: "x.participant")), 'emoji', nullif(x.emoji, '')))
        """,
        from: "outbox x WHERE x.message = m.id ORDER BY x.id")
    ))

  package static let messageTables = """
    message m JOIN participant p ON p.id = m.sender JOIN conversation c ON c.id = m.conversation
    """
}
