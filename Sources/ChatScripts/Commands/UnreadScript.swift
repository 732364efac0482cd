// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatSession
import Conversations
import Sentences
import StyledText

/// `hobnob unread` (rule 11.3): the conversations with unread messages, the one with the newest
/// message first.
package struct UnreadScript: Subcommand {
  package static let configuration = CommandConfiguration(
    commandName: "unread", abstract: translated("Print the conversations with unread messages."))
  @OptionGroup package var common: CommonOptions
  @Flag(help: .init(translated("Print only how many messages are unread.")))
  var count = false
  @Flag(help: .init(translated("Print one JSON object per line.")))
  var json = false

  package init() {}

  package func validate() throws {
    if count, json { throw ValidationError(translated("Give either --count or --json, not both.")) }
  }

  package func run(_ launch: Launch) throws -> Int32 {
    try launch.script { script in
      let found =
        script.isNobody
        ? []
        : try script.store.read {
          try $0.unread(
            mentioning: script.me, highlight: script.settings.highlightWords
          )
        }.sorted()
      if count {
        script.output.write(SafeText(found.reduce(0) { $0 + $1.count }))
        return 0
      }
      for entry in found {
        let name = entry.conversation.name
        if json {
          script.output.write(
            JSONLine.safe(
              "{\"conversation\":\(JSONLine.literal(name)),\"unread\":\(entry.count),\"mentions\":\(entry.mentions)}"
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
