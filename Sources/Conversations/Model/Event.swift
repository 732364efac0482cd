// SPDX-License-Identifier: GPL-3.0-or-later

/// An action in a conversation that is not a message (rule 10).
public struct Event: Hashable, Sendable {
  /// What the participant did.
  public enum Kind: Int, CaseIterable, Hashable, Sendable {
    /// Gave the room another topic; `Event.text` is the topic, empty for none.
    case topic = 0
    /// Added somebody.
    case invitation = 1
    /// `Event.remark` says why the network brought them in; empty for an ordinary join.
    case joined = 2
    /// `Event.remark` says who removed them and why; empty if they left.
    case left = 3
    /// Changed their name; `Event.text` is the old name.
    case renamed = 4
    /// Set how long the conversation keeps its messages; `Event.text` is the time in milliseconds,
    /// empty for ever (rule 7.12).
    case keep = 7
    /// Renamed the room; `Event.text` is the old name, with its sign (rule 13.10).
    case roomRenamed = 8
    /// Removed the room; `Event.text` is its old name.
    case roomRemoved = 9
    /// Changed what people may do in a network's room; `Event.remark` is the sentence, and
    /// `Event.other` the owner of the account if it is about them. If a server did it, that owner
    /// is the participant.
    case moderated = 10

    /// Whether it comes with `Event.remark` and not with `Event.text`.
    package var hasRemark: Bool { [.joined, .left, .moderated].contains(self) }
  }

  public var conversation: ID<Conversation>
  public var participant: Participant
  /// The person that `actor` added.
  public var other: Participant?
  public var kind: Kind
  /// A name or another value.
  public var text = ""
  public var at: Milliseconds
  /// A sentence.
  public var remark: Remark = ""
}
