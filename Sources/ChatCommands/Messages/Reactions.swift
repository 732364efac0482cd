// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// `/react`, and `+:tada:` alone on a line (rule 7.8).
@MainActor
package struct Reactions {
  let context: CommandContext

  package init(context: CommandContext) { self.context = context }

  func react(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 2 else { throw usage("react") }
    guard
      let found = context.preferences.emoji.emoji(named: words[1])
        ?? context.preferences.emoji[words[1]]
    else {
      throw unknown(
        say(
          "%1 is not an emoji; /react %2 :tada: reacts with one.", SafeText(line: words[1]),
          SafeText(line: words[0])))
    }
    return react(to: try context.message(named: words[0], snapshot), with: found)
  }

  /// The emoji of a line that is a reaction: `+:tada:`, or `+` and the emoji itself.
  ///
  /// - Throws: for an unknown shortcode, which was hardly meant as a message.
  package func reactionEmoji(in line: String) throws -> String? {
    let line = line.trimmingBlanks
    guard line.hasPrefix("+"), !line.contains(where: \.isWhitespace) else { return nil }
    let name = String(line.dropFirst())
    guard !name.isEmpty, name.hasPrefix(":") ? name.count > 2 && name.hasSuffix(":") : !name.isASCII
    else { return nil }
    if let found = context.preferences.emoji.emoji(named: name) { return found }
    guard EmojiTable.isShortcode(name) else { return nil }
    throw unknown(
      say(
        "%1 is not an emoji, so nothing was sent. To send this line as text, add a word to it.",
        SafeText(line: name)))
  }

  /// Refuses an unknown emoji. Without the table hobnob knows no emoji, and says that instead.
  private func unknown(_ sentence: SafeText) -> Refusal {
    guard context.preferences.emoji.candidates.isEmpty else { return Refusal(sentence) }
    return Refusal(
      say(
        "hobnob found no list of emoji, so it sent no reaction; the list belongs in share/hobnob/emoji.tsv beside the program."
      ))
  }

  package func react(to message: Message, with emoji: String) -> Step {
    .change([.tutorialAction(.reacted)]) {
      _ = try $0.react(message.id, by: context.me.id, with: emoji)
    }
  }
}
