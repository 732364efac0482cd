// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import Composer
import Conversations

/// What the shell asks about the text that somebody types.
extension Session {
  /// How many messages the open conversation's network makes of a typed text; at most 50.
  package func messageCount(of typed: String) -> Int {
    mode.isDraft ? open.messageCount(of: typed, preferences) : 1
  }

  package func candidates(after prefix: CompletionPrefix) -> [Candidate] {
    (try? store.read { completion.candidates(after: prefix, context, $0) }) ?? []
  }

  /// The command argument that the caret, in bytes, is in.
  package func commandArgument(
    in text: String, caret: Int
  ) -> (command: Command, range: Range<Int>, word: String, candidates: [Candidate])? {
    (try? store.read { completion.commandArgument(in: text, caret: caret, context, $0) }) ?? nil
  }

  /// A name without `@` before or around the caret, in bytes, in text for others (rule 2.12); nil
  /// if nobody here has the name.
  package func bareName(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate])? {
    (try? store.read { completion.bareName(in: text, caret: caret, context, $0) }) ?? nil
  }
}
