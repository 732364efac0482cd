// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatPreferences
import ChatRendering
import Conversations
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

extension Unread {
  /// `#tea: 3 unread, 1 mention`.
  @MainActor var sentence: SafeText {
    let name = SafeText(name: conversation.name)
    return mentions > 0
      ? say("%1: %2 unread, %3", name, SafeText(count), UnreadCommands.mentions(mentions))
      : say("%1: %2 unread", name, SafeText(count))
  }
}
