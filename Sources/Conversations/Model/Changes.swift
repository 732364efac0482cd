// SPDX-License-Identifier: GPL-3.0-or-later

/// Someone began or ceased to type, in one shell of theirs.
public struct TypingSignal: Hashable, Sendable {
  public var participant: Participant
  public var conversation: ID<Conversation>
  public var isTyping: Bool
  public var at: Milliseconds
  public var shell: ShellID

  public init(
    participant: Participant, conversation: ID<Conversation>, isTyping: Bool, at: Milliseconds,
    shell: ShellID
  ) {
    self.participant = participant
    self.conversation = conversation
    self.isTyping = isTyping
    self.at = at
    self.shell = shell
  }
}

/// What a process that last looked at a position has to know, as things stand now: a message that
/// was written and then edited since is one entry in `arrived`, with its newest text.
public struct Changes: Hashable, Sendable {
  /// Where to continue from.
  public var position: Int64
  /// Whether there is more than was asked for; ask again from `position`.
  public var hasMore = false
  /// New messages of the conversations I am in, my own from every shell included, in the order of
  /// arrival. Those taken back meanwhile are left out.
  public var arrived: [Message] = []
  /// Edited, deleted or taken back since, and arrived before.
  public var revised: [Message] = []
  /// My own messages that a network moved on or refused.
  public var moved: [Message] = []
  /// Reactions that were set, replaced or removed in the conversations I am in, my own included.
  public var reacted: [ReactionNews] = []
  /// What happened beside messages in the conversations I am in, and what I did.
  public var events: [Event] = []
  /// Conversations of mine in which a read marker or receipt moved, my own included.
  public var receiptsChanged: Set<ID<Conversation>> = []
  /// Those of them in which it was my own read marker.
  public var readElsewhere: Set<ID<Conversation>> = []
  /// Signals of others in my conversations.
  public var typing: [TypingSignal] = []
  /// Whether presence, names or memberships changed.
  public var peopleChanged = false
  /// Whether one of my accounts was added, set or removed, or its state is another.
  public var networkChanged = false
  /// What networks answered to what I asked for, in any shell of mine.
  package var answers: [NetworkAnswer] = []
  /// Whether another shell of mine added to the input history.
  public var historyChanged = false

  public init(position: Int64) {
    self.position = position
  }

  /// Whether nothing happened.
  public var isEmpty: Bool {
    arrived.isEmpty && revised.isEmpty && moved.isEmpty && reacted.isEmpty
      && events.isEmpty
      && receiptsChanged.isEmpty && typing.isEmpty && !peopleChanged && !historyChanged
      && !networkChanged && answers.isEmpty
  }
}
