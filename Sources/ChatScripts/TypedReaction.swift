// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations

extension EmojiTable {
  /// An emoji, or the one with this name.
  func emoji(typed: String) -> String { emoji(named: typed) ?? self[typed] ?? typed }
}

extension DurableTransaction {
  /// Gives a reaction or removes it; does nothing if that is done already.
  func setReaction(
    _ emoji: String, of person: ID<Participant>, to message: ID<Message>, isThere wanted: Bool
  ) throws {
    let isThere = try reactions(of: message).contains {
      $0.participant.id == person && Reaction.same($0.emoji, emoji)
    }
    if isThere != wanted { _ = try react(message, by: person, with: emoji) }
  }
}
