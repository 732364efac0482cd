// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Exchange

extension Script {
  /// The person's conversations and their unread messages, the most recent conversation first.
  func listed() throws -> [(entry: Listing, unread: Unread?)] {
    // One state of the store, so that the counts fit.
    try store.read { snapshot in
      let unread = Dictionary(
        try snapshot.unread(mentioning: me, settings.highlights).map { ($0.conversation.id, $0) }
      ) { $1 }
      return try snapshot.listing(for: me.id).map { ($0, unread[$0.conversation.id]) }
    }
  }

  /// Nil if the conversation was removed a moment ago.
  func jsonLine(of entry: Listing, _ unread: Unread?) throws -> String? {
    let object = try store.read { try $0.jsonLine(ofConversation: entry.conversation.id) }
    return object.map {
      JSONTable.conversation.adding(
        [
          .name: .text(entry.conversation.name), .unread: .integer(Int64(entry.unread)),
          .unreadMentions: .integer(Int64(unread?.mentions ?? 0)),
        ], to: $0)
    }
  }
}
