// SPDX-License-Identifier: GPL-3.0-or-later

/// The network's names for what is in the store.
extension Access {
  /// The network's own name for a conversation, and whom it is with; nil for one of this machine.
  package func conversationAddress(
    of conversation: ID<Conversation>
  ) throws -> ConversationAddress? {
    try database.first(
      "SELECT \(ConversationAddress.columns) FROM conversation c WHERE c.id = ? AND c.network <> ''",
      conversation, read: { ConversationAddress($0) })
  }

  /// The network's own name for a conversation; empty for one of this machine.
  package func networkAddress(of conversation: ID<Conversation>) throws -> String {
    try conversationAddress(of: conversation)?.address ?? ""
  }

  /// Identifies a conversation even after someone renames it: the network, and the address of the
  /// room or of the other person in a direct chat. Nil for a room of this machine.
  package func lastingAddress(
    of conversation: ID<Conversation>, for me: ID<Participant>
  ) throws -> String {
    try database.first(
      """
      SELECT c.network || ' ' || coalesce(c.address, p.identity, '') FROM conversation c
      LEFT JOIN participant p ON p.id = iif(c.one = ?2, c.other, c.one) WHERE c.id = ?1
      """, conversation, me
    ) { $0.text() } ?? ""
  }
}

extension NetworkUser {
  /// The columns that describe a person in a row.
  package struct Columns {
    let identity, name, network, given: StaticString

    package static let sender = Columns(
      identity: "by_identity", name: "by_name", network: "by_network", given: "by_given")
    /// The author of the answered message.
    package static let quoted = Columns(
      identity: "quoted_identity", name: "quoted_speaker", network: "quoted_network",
      given: "quoted_given")

    package func select(from row: String) -> String {
      "\(row).identity AS \(identity), \(row).name AS \(name), \(row).network AS \(network), "
        + "\(row).given AS \(given)"
    }
  }

  /// In a network's conversation, the account's owner is the only person of this machine.
  package init(_ row: Row, _ columns: Columns, network: String) {
    let isOwner = row.text(columns.network).isEmpty
    self.init(
      identity: isOwner
        ? Account(id: ID(rawValue: 0), owner: ID(rawValue: 0), network: network).address
        : row.optionalText(columns.given) ?? row.text(columns.identity),
      name: row.text(columns.name), isOwner: isOwner)
  }

}

extension ConversationAddress {
  /// The columns for the network's name of conversation `c`.
  package static let columns = """
    c.kind AS place_kind, ifnull(c.address, substr(c.name, 2)) AS place_address,
    (SELECT w.identity FROM participant w WHERE w.id IN (c.one, c.other) AND w.network <> ''
      ORDER BY w.id DESC LIMIT 1) AS place_person
    """

  package init(_ row: Row) {
    self =
      row.int("place_kind") == Conversation.Kind.room.rawValue
      ? .room(row.text("place_address")) : .direct(row.text("place_person"))
  }
}
