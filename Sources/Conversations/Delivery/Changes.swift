// SPDX-License-Identifier: GPL-3.0-or-later

/// Someone started or stopped typing, in one of their shells.
public struct TypingSignal: Hashable, Sendable {
  public var participant: Participant
  public var conversation: ID<Conversation>
  public var isTyping: Bool
  public var at: Milliseconds
  public var shell: ShellID
}

/// What changed since a position, in its current state: a message that arrived and was then edited
/// is one entry in `arrived`, with its newest text.
public struct Changes: Hashable, Sendable {
  /// Where to continue from.
  public var position: Int64
  /// Whether there is more than the limit; continue from `position`.
  public var hasMore = false
  /// New messages in the viewer's conversations, also those from their own shells, as they arrived.
  /// Leaves out messages that were recalled in the meantime.
  public var arrived: [Message] = []
  /// Older messages that were edited, deleted or recalled.
  public var revised: [Message] = []
  /// The viewer's messages that a network accepted, delivered or refused.
  public var moved: [Message] = []
  /// Reactions set, replaced or removed in the viewer's conversations, their own included.
  public var reacted: [ReactionUpdate] = []
  /// Events other than messages in the viewer's conversations, and their own actions.
  public var events: [Event] = []
  /// The viewer's conversations in which a read marker or receipt moved, their own included.
  public var receiptsChanged: Set<ID<Conversation>> = []
  /// Conversations in which the viewer's own read marker moved.
  public var readElsewhere: Set<ID<Conversation>> = []
  /// Other people's signals in the viewer's conversations.
  public var typing: [TypingSignal] = []
  /// Whether presence, names or memberships changed.
  public var peopleChanged = false
  /// Whether one of the viewer's accounts was added, changed or removed, or its state changed.
  public var networkChanged = false
  /// What networks answered to requests from any shell of the viewer.
  package var answers: [NetworkAnswer] = []
  /// Notices from the networks of the viewer's accounts for which no shell asked.
  package var notices: [AccountNotice] = []
  /// Whether another shell of the viewer added to the input history.
  public var historyChanged = false

  /// Whether nothing happened.
  public var isEmpty: Bool {
    arrived.isEmpty && revised.isEmpty && moved.isEmpty && reacted.isEmpty
      && events.isEmpty
      && receiptsChanged.isEmpty && typing.isEmpty && !peopleChanged && !historyChanged
      && !networkChanged && answers.isEmpty && notices.isEmpty
  }
}
