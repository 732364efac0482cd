// SPDX-License-Identifier: GPL-3.0-or-later

/// How many people a message is for; kept for the last message asked about.
struct KnownRecipients {
  struct Key: Equatable {
    var conversation: ID<Conversation>
    var sender: ID<Participant>
    /// The id of the message; or, if `isNew`, the value of `meta.people`, which covers all later
    /// messages.
    var asOf: Int64
    var isNew: Bool
  }

  /// How long it stays valid, in milliseconds: someone stops being a recipient after a week without
  /// a sign of life, and no number in the store changes then.
  static let lifetime: Milliseconds = 60_000

  var key: Key
  var count: Int
  var countedAt: Milliseconds
}
