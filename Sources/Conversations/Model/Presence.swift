// SPDX-License-Identifier: GPL-3.0-or-later

/// One participant's presence, as the others in a conversation see it (rules 4 and 7.3).
public struct Presence: Hashable, Sendable {
  public var participant: Participant
  /// Whether they have a shell open, or their network reports them as online.
  public var isHere: Bool
  /// Whether a shell of theirs shows this conversation and is not paused.
  public var isLooking: Bool
  /// When they began to type in this conversation, or nil.
  public var typingSince: Milliseconds?
  /// Their last typing signal; the reader decides how long it holds (rule 4.2).
  public var typingAt: Milliseconds?
  /// Their away message, maybe empty; nil if they are not away.
  public var away: String?
  /// Whether their presence is known: a network reports it of contacts who allow it.
  public var isKnown = true
  /// The words for what they may do in the room, such as `operator, bot`; empty for the usual.
  public var rank = ""

  /// The rank of a program.
  package static let bot = "bot"
}
