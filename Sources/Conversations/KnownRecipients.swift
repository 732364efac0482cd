// SPDX-License-Identifier: GPL-3.0-or-later

/// How many people a message is for; kept for the last message asked about.
struct KnownRecipients {
  struct Key: Equatable {
    var conversation: ID<Conversation>
    var sender: ID<Participant>
    /// The message; if `isNew`, `meta.people`, which covers all later messages.
    var asOf: Int64
    var isNew: Bool
  }

  /// How long it stays valid, in milliseconds: no number in the store changes when someone stops
  /// counting after a week without a sign of life.
  static let lifetime: Milliseconds = 60_000

  var key: Key
  var count: Int
  var countedAt: Milliseconds
}
