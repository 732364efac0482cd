// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// In what form history comes.
package enum ImportFormat: String, Sendable, CaseIterable {
  /// JSON Lines as `hobnob export` writes them, hobnob-json(5).
  case json
  /// The logs of irssi, in the form it writes them if nothing was set.
  case irssi
  /// The logs of WeeChat's logger plugin, in the form it writes them if nothing was set.
  case weechat
}

/// What an import did.
package struct ImportReport: Hashable, Sendable {
  /// Messages that were not here before.
  package var messages = 0
  /// Messages that were here, and stayed as they were.
  package var known = 0
  /// Messages that were here, and came in a newer state: edited, deleted, sent.
  package var changed = 0
  /// Messages that did not come, since their conversation keeps none that are so old.
  package var tooOld = 0
  /// Conversations that were made.
  package var conversations = 0
  /// People who were not here before.
  package var people = 0
  /// Files of attachments that were not here before.
  package var files = 0
  /// Lines of a log that are not messages: who came, who went, what was switched on.
  package var events = 0
  /// Lines that were left out, each of which was complained about.
  package var leftOut = 0

  package init() {}
}

/// What is wrong with a line of an import.
package struct ImportFault: Error, Sendable, CustomStringConvertible {
  /// The name of the file, as given; empty for standard input.
  package var file: String
  /// The number of the line, from 1; 0 for the file as a whole.
  package var line: Int
  /// What is wrong, without the place.
  package var sentence: Sentence

  init(_ file: String, _ line: Int, _ sentence: Sentence) {
    (self.file, self.line, self.sentence) = (file, line, sentence)
  }

  package var description: String {
    (file.isEmpty ? "standard input" : file) + (line > 0 ? ":\(line)" : "") + ": "
      + filled(sentence)
  }
}

/// What is wrong with a line, said by those who do not know which it is.
struct LineFault: Error {
  var sentence: Sentence

  /// Whether it is reported only once for a file, since many lines have the same fault.
  var isSaidOnce = false

  init(_ key: StaticString, _ arguments: String...) { sentence = (key, arguments) }

  /// The same, said only once for a file.
  var once: LineFault {
    var fault = self
    fault.isSaidOnce = true
    return fault
  }
}
