// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `hobnob unread` (rule 11.3).
extension Launch {
  /// Prints the conversations that hold something unread, the one with the newest message first.
  ///
  /// - Parameters:
  ///   - countsOnly: prints one number: the unread messages of all of them.
  ///   - isJSON: prints one JSON object a line instead of text.
  public func unread(countsOnly: Bool, isJSON: Bool) throws -> Int32 {
    try script { script in
      let found = script.isNobody ? [] : try script.store.unread(mentioning: script.me)
      if countsOnly {
        script.output.write(SafeText(found.reduce(0) { $0 + $1.count }))
        return 0
      }
      for entry in found {
        let name = entry.conversation.name
        if isJSON {
          script.output.write(
            JSONLine.safe(
              "{\"conversation\":\(JSONLine.string(name)),\"unread\":\(entry.count),\"mentions\":\(entry.mentions)}"
            ))
        } else if entry.mentions > 0 {
          script.output.write(
            say(
              "%1: %2 unread, %3", SafeText(name: name), SafeText(entry.count),
              UnreadCommands.mentions(entry.mentions)))
        } else {
          script.output.write(
            say("%1: %2 unread", SafeText(name: name), SafeText(entry.count)))
        }
      }
      return 0
    }
  }
}
