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
      // One state of the store, so that the counts fit.
      let (listing, unread) = try script.store.read {
        (
          try $0.listing(for: script.me.id),
          Dictionary(
            try $0.unread(mentioning: script.me, script.settings.highlights).map {
              ($0.conversation.id, $0)
            }
          ) { $1 }
        )
      }
      for entry in listing {
        let unread = unread[entry.conversation.id]
        if json {
          try script.printJSON(entry, unread)
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
  fileprivate func printJSON(_ entry: Listing, _ unread: Unread?) throws {
    let object = try store.read { try $0.jsonLine(ofConversation: entry.conversation.id) }
    guard let object else { return }
    let line = JSONTable.conversation.adding(
      [
        .name: .text(entry.conversation.name), .unread: .integer(Int64(entry.unread)),
        .mentions: .integer(Int64(unread?.mentions ?? 0)),
      ], to: object)
    output.write(JSONLine.safe(line))
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
