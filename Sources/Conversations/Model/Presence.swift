// SPDX-License-Identifier: GPL-3.0-or-later

/// Who is there: one participant as the others in a conversation see them (rules 4 and 7.3).
public struct Presence: Hashable, Sendable {
  public var participant: Participant
  /// Whether a shell of theirs is running, or their network says that they are there.
  public var isHere: Bool
  /// Whether a shell of theirs shows this conversation and is not paused.
  public var isLooking: Bool
  /// When they began to type here, or nil.
  public var typingSince: Milliseconds?
  /// When they last signalled that they type; the reader decides how long that holds (rule 4.2).
  public var typingAt: Milliseconds?
  /// What they left word of while they are away, perhaps an empty text; else nil.
  public var away: String?
  /// Whether it can be known that they are here: a network tells it of contacts who let it be seen.
  public var isKnown: Bool

  public init(
    participant: Participant, isHere: Bool, isLooking: Bool, typingSince: Milliseconds? = nil,
    typingAt: Milliseconds? = nil, away: String? = nil, isKnown: Bool = true
  ) {
    self.participant = participant
    self.isHere = isHere
    self.isLooking = isLooking
    self.typingSince = typingSince
    self.typingAt = typingAt
    self.away = away
    self.isKnown = isKnown
  }
}
