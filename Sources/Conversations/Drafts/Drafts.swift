// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// The draft of a participant in a conversation (rule 5.1).
  public func draft(
    of me: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> Draft? {
    var found = try database.first(
      "SELECT text, caret, spans FROM draft WHERE participant = ? AND conversation = ?", me,
      conversation
    ) { Draft($0) }
    if found != nil { found?.files = try draftFiles(of: me, in: conversation) }
    return found
  }

  fileprivate func draftFiles(
    of me: ID<Participant>, in conversation: ID<Conversation>
  ) throws -> [DraftFile] {
    try database.rows(
      "SELECT path, name FROM draft_file WHERE participant = ? AND conversation = ? ORDER BY ordinal",
      me, conversation
    ) { DraftFile(path: $0.text("path"), name: $0.optionalText("name")) }
  }

  /// All drafts of a person, with their conversations (`/drafts`).
  public func drafts(of me: ID<Participant>) throws -> [(Conversation, Draft)] {
    let found = try database.rows(
      """
      SELECT conversation, text, caret, spans FROM draft WHERE participant = ?
      ORDER BY conversation
      """, me
    ) {
      ($0.id("conversation") as ID<Conversation>, Draft($0))
    }
    return try found.compactMap { id, draft in
      guard let conversation = try conversation(id, for: me) else { return nil }
      var draft = draft
      draft.files = try draftFiles(of: me, in: id)
      return (conversation, draft)
    }
  }
}

extension DurableTransaction {
  /// Saves a draft; it is on disk on return. Nil, or an empty text without files, removes it; an
  /// equal draft causes no write. Of two shells, the one that saves last wins (rule 5.3).
  public func setDraft(
    _ draft: Draft?, of me: ID<Participant>, in conversation: ID<Conversation>
  ) throws {
    try savepoint {
      var wanted = draft.flatMap { $0.text.isEmpty && $0.files.isEmpty ? nil : $0 }
      wanted?.clampCaret()
      if let old = try self.draft(of: me, in: conversation) {
        // To Swift, composed and decomposed letters are equal; the draft keeps the bytes as typed.
        if let wanted, old == wanted, old.text.utf8.elementsEqual(wanted.text.utf8),
          zip(old.files, wanted.files).allSatisfy({ $0.isSame(as: $1) })
        {
          return
        }
      } else if wanted == nil {
        return
      }
      guard let wanted else {
        try database.run(
          "DELETE FROM draft WHERE participant = ? AND conversation = ?", me, conversation)
        return
      }
      try database.run(
        """
        INSERT INTO draft(participant, conversation, text, caret, spans) VALUES (?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET text = excluded.text, caret = excluded.caret,
          spans = excluded.spans
        """, me, conversation, wanted.text, wanted.caret, wanted.spans.json)
      try database.run(
        "DELETE FROM draft_file WHERE participant = ? AND conversation = ?", me, conversation)
      for (ordinal, file) in wanted.files.enumerated() {
        try database.run(
          """
          INSERT INTO draft_file(participant, conversation, ordinal, path, name)
          VALUES (?, ?, ?, ?, ?)
          """, me, conversation, ordinal, file.path, file.name)
      }
    }
  }

  /// Removes all drafts of a person (`/drafts clear`).
  public func clearDrafts(of me: ID<Participant>) throws {
    try savepoint {
      try database.run("DELETE FROM draft WHERE participant = ?", me)
    }
  }
}
