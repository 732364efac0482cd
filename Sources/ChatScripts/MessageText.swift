// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import Platform
import StyledText

/// The text of a message that a script sends.
enum MessageText {
  /// The words of a command line.
  static func of(_ words: [String]) -> String {
    LineRules.withoutNewlinesAtEnd(words.joined(separator: " "))
  }

  static func standardInput() throws -> String {
    do {
      let bytes = try readAll(0) { count in
        guard Memory.hasRoom(forText: count) else {
          throw Refusal(say("There is not enough memory for the text on standard input."))
        }
        return true
      }
      return LineRules.withoutNewlinesAtEnd(String(decoding: bytes, as: UTF8.self))
    } catch let failure as SystemFailure {
      throw Refusal(say("Standard input cannot be read: %1.", systemReason(failure.code)))
    }
  }
}

extension Script {
  /// Checks a text, as it is typed at the prompt.
  ///
  /// - Parameter mayBeEmpty: whether the message has files.
  func checked(_ body: String, mayBeEmpty: Bool = false) throws -> String {
    guard mayBeEmpty || body.contains(where: { !$0.isWhitespace }) else {
      throw Refusal(
        say("There is no text to send; give it after the conversation or on standard input."))
    }
    let (count, most) = (LineRules.characters(in: body), settings.messageLimit)
    guard most == 0 || count <= most else {
      throw Refusal(
        say(
          "The message has %1 characters; at most %2 are allowed.", SafeText(count),
          SafeText(most)))
    }
    return body
  }
}
