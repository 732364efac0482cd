// SPDX-License-Identifier: GPL-3.0-or-later

/// What network processes do: they take from the outbox, and store what they hear (decision 5).
extension Store {
  /// What waits for a network, oldest first.
  package func outbox(of network: String) throws -> [OutboxEntry] {
    try database.rows(
      """
      SELECT \(Store.messageColumns), x.id AS entry, x.operation,
        \(Store.outboxReactionColumns)
      FROM outbox x
      JOIN message m ON m.id = x.message JOIN participant p ON p.id = m.sender\(Store.quoteJoins)
      JOIN conversation c ON c.id = m.conversation\(Store.outboxReactionJoins)
      WHERE c.network = ? ORDER BY x.id
      """, network
    ) {
      OutboxEntry(
        id: $0.int64("entry"), message: Store.message($0),
        operation: OutboxEntry.Operation(rawValue: $0.int("operation")) ?? .send,
        reaction: Store.outboxReaction($0))
    }
  }

  /// Reports how it went. What changed while the network was at it follows by itself: a text edited
  /// meanwhile is posted as an edit, a message taken back meanwhile as a deletion.
  ///
  /// - Parameter entry: as `outbox(of:)` gave it.
  package func finish(_ entry: OutboxEntry, as outcome: OutboxEntry.Outcome) throws {
    try write(durable: true) {
      guard let message = try stored(entry.message.id) else { return }
      try database.run("DELETE FROM outbox WHERE id = ?", entry.id)
      switch (outcome, entry.operation) {
      case (.sent, .send):
        // A retry that was posted after a time-out has become needless.
        try database.run(
          "DELETE FROM outbox WHERE message = ? AND operation = 0", message.id)
        if message.isRecalled || message.deletedAt != nil {
          try post(.delete, message.id)
          return
        }
        if message.state < .sent { try setState(.sent, failure: nil, of: message.id) }
        if !message.body.utf8.elementsEqual(entry.message.body.utf8) {
          try post(.edit, message.id)
        }
      case (.sent, .edit), (.sent, .delete), (.sent, .react):
        break
      case (.failed(let reason), .react):
        if let reaction = entry.reaction { try refuse(reaction, on: message.id, reason) }
      case (.failed(let reason), .send):
        let waits = try database.exists(
          "SELECT 1 FROM outbox WHERE message = ? AND operation = 0", message.id)
        // Another attempt is under way, or the message is gone: nobody waits for this one.
        if waits || message.state != .sending || message.isRecalled { return }
        try setState(.failed, failure: reason, of: message.id)
      case (.failed(let reason), .edit), (.failed(let reason), .delete):
        try setState(message.state, failure: reason, of: message.id)
      }
    }
  }

  /// Where a message from a network belongs.
  package enum NetworkPlace: Hashable, Sendable {
    /// A room under the network's name for it; made if missing.
    case room(String)
    /// The direct chat with this participant of the machine; made if missing.
    case direct(with: ID<Participant>)
  }

  /// Stores what someone on a network said; the sender and the conversation are made if missing, and
  /// the sender is in the conversation from then on. On the disk before it returns, so that the
  /// network may be told.
  ///
  /// - Parameters:
  ///   - identity: the sender's address, `name` what they call themselves; both as received.
  ///   - time: when it was said, now by default.
  ///   - remoteID: the network's own name for the message: what comes twice is stored once.
  ///   - attachments: what `keep` gave for the files that came with it.
  ///   - replyTo: the message it answers, in the same conversation.
  /// - Throws: `RuleError.badName` for an empty identity or network; `AttachmentError.gone`.
  @discardableResult
  package func receive(
    _ body: String, kind: Message.Kind = .text, from identity: String, name: String,
    network: String, in place: NetworkPlace, at time: Milliseconds? = nil, remoteID: String? = nil,
    attachments: [Attachment] = [], replyTo: ID<Message>? = nil
  ) throws -> Message {
    guard !identity.isEmpty, !network.isEmpty else { throw RuleError.badName(identity) }
    return try write(durable: true) {
      let sender = try networkParticipant(identity, name: name, network: network)
      let conversation =
        switch place {
        case .room(let name): try networkRoom(name, network: network)
        case .direct(let other): try direct(sender.id, with: other)
        }
      if let remoteID {
        let known = try database.first(
          Store.messageSelect + "WHERE m.conversation = ? AND m.remote_id = ?", conversation.id,
          remoteID, read: Store.message)
        if let known { return known }
      }
      try enter(sender.id, conversation.id)
      let message = try insert(
        body, kind: kind, in: conversation, by: sender, state: .sent, at: time ?? clock(),
        remoteID: remoteID, attachments: attachments, replyTo: replyTo)
      try endTyping(of: sender.id, in: conversation.id)
      return message
    }
  }

  func networkParticipant(
    _ identity: String, name: String, network: String
  ) throws -> Participant {
    let known = try database.first(
      "SELECT \(Store.participantColumns) FROM participant p WHERE network = ? AND identity = ?",
      network, identity
    ) { Store.participant($0) }
    guard var known else {
      return try insert(identity: identity, name: name.isEmpty ? identity : name, network: network)
    }
    if !name.isEmpty, known.name != name {
      try setName(of: known.id, to: name)
      known.name = name
    }
    return known
  }
}
