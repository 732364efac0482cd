// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a network has to do for a message.
package struct OutboxEntry: Identifiable, Hashable, Sendable {
  package enum Operation: Int, Hashable, Sendable {
    case send = 0
    case edit = 1
    case delete = 2
    /// Someone reacted to the message, not necessarily its sender; see `OutboxEntry.reaction`.
    case react = 3
  }

  /// How the network's attempt ended.
  package enum Outcome: Hashable, Sendable {
    /// The server has it.
    case sent
    /// hobnob will not try again by itself; the sender sees the reason.
    case failed(Remark, mayHaveArrived: Bool = false)
  }

  package var id: Int64
  /// The message as it was when the outbox was read. Pass the entry to `finish` unchanged: the
  /// difference shows whether the text was edited during the attempt.
  package var message: Message
  package var operation: Operation
  /// For `react`: what changed.
  package var reaction: OutgoingReaction?
  /// Its conversation, in the network's names.
  package var conversation: ConversationAddress
  /// The network's ids of the message. The owner's own messages have their final origin id from the
  /// start.
  package var name: MessageIDs
  /// Who wrote the message: for `react`, the author of the message reacted to.
  package var author: NetworkUser
  /// The message that it answers, if that still exists.
  package var answers: NetworkQuote?
  /// Whether the network may have it: it was handed over before (`noteTried`).
  package var wasTried: Bool
  /// The addresses of the message's uploaded files.
  package var links: [String]

  package init(
    id: Int64, message: Message, operation: Operation, reaction: OutgoingReaction? = nil,
    conversation: ConversationAddress = .direct(""), name: MessageIDs = MessageIDs(),
    author: NetworkUser = NetworkUser(identity: "", isOwner: true), answers: NetworkQuote? = nil,
    wasTried: Bool = false, links: [String] = []
  ) {
    self.id = id
    self.message = message
    self.operation = operation
    self.reaction = reaction
    self.conversation = conversation
    self.name = name
    self.author = author
    self.answers = answers
    self.wasTried = wasTried
    self.links = links
  }

  /// The id to send it under, the same for each attempt: a message uses its own id, a change to a
  /// message an id that belongs to this entry.
  package var origin: String {
    operation == .send ? name.origin ?? message.uid : "\(message.uid)-\(id)"
  }
}

/// A change to someone's reactions to a message, for the network.
package struct OutgoingReaction: Hashable, Sendable {
  package var participant: ID<Participant>
  /// The emoji that they gave or removed; empty if unknown.
  package var emoji: String
  package var isRemoved: Bool
  /// All reactions that they have now, in the order in which they gave them.
  package var all: [String]

  package init(
    participant: ID<Participant>, emoji: String, isRemoved: Bool = false, all: [String]
  ) {
    (self.participant, self.emoji, self.isRemoved, self.all) = (participant, emoji, isRemoved, all)
  }
}

/// An answered message, as the network knows it.
package struct NetworkQuote: Hashable, Sendable {
  package var name: MessageIDs
  package var speaker: NetworkUser
  /// All of its text.
  package var text: String

  package init(name: MessageIDs, speaker: NetworkUser, text: String) {
    self.name = name
    self.speaker = speaker
    self.text = text
  }
}
