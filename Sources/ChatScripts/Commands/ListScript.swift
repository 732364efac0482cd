// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatPreferences
import ChatRendering
import Conversations
import Exchange
import StyledText

/// `hobnob list`: prints the person's conversations, the one with the newest message first.
struct ListScript: JSONSubcommand {
  static let name = "list"
  static let abstract: StaticString = "Print your conversations."
  static var parameters: [Parameter<Self>] {
    [Parameter("--json", \.json, "Print one JSON object per line.")]
  }

  var json = false

  func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      if script.isNobody { return 0 }
      for (entry, unread) in try script.listed() {
        if json {
          if let line = try script.jsonLine(of: entry, unread) {
            script.output.write(JSONLine.safe(line))
          }
        } else {
          let name = SafeText(name: entry.conversation.name)
          script.output.write(unread?.sentence ?? name)
        }
      }
      return 0
    }
  }
}

extension Script {
  /// The person's conversations, the one with the newest message first, and what is unread there.
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

extension Unread {
  /// `#tea: 3 unread, 1 mention`.
  @MainActor var sentence: SafeText {
    let name = SafeText(name: conversation.name)
    return mentions > 0
      ? say("%1: %2 unread, %3", name, SafeText(count), UnreadCommands.mentions(mentions))
      : say("%1: %2 unread", name, SafeText(count))
  }
}
