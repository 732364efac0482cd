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
    /// It will not be tried again by itself; the reason is shown to the sender.
    case failed(String)
  }

  package var id: Int64
  /// The message as it was when the outbox was read. Give the entry back to `Store.finish`
  /// unchanged: a text that was edited meanwhile is noticed by the difference.
  package var message: Message
  package var operation: Operation
  /// With the operation `react`: who reacted, and with what now.
  package var reaction: Reaction?
  /// Where it belongs, in the network's names.
  package var place: NetworkPlace
  /// What the network knows the message by. Of the owner's own the origin id is there from Return
  /// on, and never changes.
  package var name: MessageIDs
  /// Who wrote the message: for `react` the one who is reacted to.
  package var author: NetworkUser
  /// What the message answers, if that is still there.
  package var answers: NetworkQuote?
  /// Whether it was handed to the network before (`Store.noteTried`): then the network may have it.
  package var wasTried: Bool
  /// Where the files that belong to the message can be fetched by now.
  package var links: [String]

  package init(
    id: Int64, message: Message, operation: Operation, reaction: Reaction? = nil,
    place: NetworkPlace = .direct(""), name: MessageIDs = MessageIDs(),
    author: NetworkUser = NetworkUser(identity: "", isOwner: true), answers: NetworkQuote? = nil,
    wasTried: Bool = false, links: [String] = []
  ) {
    self.id = id
    self.message = message
    self.operation = operation
    self.reaction = reaction
    self.place = place
    self.name = name
    self.author = author
    self.answers = answers
    self.wasTried = wasTried
    self.links = links
  }

  /// The id to send it under, the same however often it is tried: for a message its own, for what is
  /// done to a message one that belongs to this entry.
  package var origin: String {
    operation == .send ? name.origin ?? message.uid : "\(message.uid)-\(id)"
  }
}

/// A message that another one answers, as the network knows it.
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
