// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The colour of each name in a conversation, as numbers that the front end defines.
  package func colours(in conversation: ID<Conversation>) throws -> [ID<Participant>: Int] {
    let rows: [(ID<Participant>, Int)] = try database.rows(
      "SELECT participant, colour FROM name_colour WHERE conversation = ?", conversation
    ) { ($0.id("participant"), $0.int("colour")) }
    return Dictionary(rows) { first, _ in first }
  }
}

extension Access where Mode: MayWrite {
  /// Saves colours for the next time; people keep theirs, and a taken colour is not given again.
  package func setColours(
    _ colours: [ID<Participant>: Int], in conversation: ID<Conversation>
  ) throws {
    for (person, colour) in colours {
      try database.run(
        "INSERT OR IGNORE INTO name_colour(conversation, participant, colour) VALUES (?, ?, ?)",
        conversation, person, colour)
    }
  }
}
