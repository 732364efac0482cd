// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Exchange
import StyledText

/// `/export` (rule 10).
extension Shell {
  /// Writes the open conversation to a new file.
  func export(_ argument: String) throws {
    let conversation = try requireConversation()
    let here = WorkingFolder.path ?? "."
    var path =
      argument.isEmpty ? usualName(for: conversation) : RcFile.expanded(argument, environment)
    if !path.hasPrefix("/") { path = here + "/" + path }
    let report = try store.export([conversation.id], to: path)
    tell(
      say("Wrote %1 messages to %2", SafeText(report.messages), SafeText(line: path)))
    for name in report.missingFiles {
      tell(
        say(
          "The file %1 is gone or damaged; its message is exported without.", SafeText(name: name)))
    }
  }

  /// `lobby-2026-11-21.jsonl`
  private func usualName(for conversation: Conversation) -> String {
    let day = LocalTime.stamp(Store.wallClock()).string.prefix { $0 != " " }
    return Store.safeName(conversation.name.dropFirst() + "-\(day).jsonl")
  }
}
