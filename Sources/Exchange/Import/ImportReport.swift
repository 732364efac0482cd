// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// The format of the history to import.
package enum ImportFormat: String, Sendable, CaseIterable {
  /// JSON Lines as `hobnob export` writes them, hobnob-json(5).
  case json
  /// irssi's logs, in their default format.
  case irssi
  /// The logs of WeeChat's logger plugin, in their default format.
  case weechat
}

/// What an import did.
package struct ImportReport: Hashable, Sendable {
  /// New messages.
  package var messages = 0
  /// Messages that the store already had, unchanged.
  package var known = 0
  /// Messages that the store had, updated to a newer state: edited, deleted, sent.
  package var changed = 0
  /// Messages left out, since their conversation keeps none that old.
  package var tooOld = 0
  /// Conversations that it created.
  package var conversations = 0
  /// New people.
  package var people = 0
  /// New files of attachments.
  package var files = 0
  /// Lines of a log that are not messages: joins, leaves, mode changes.
  package var events = 0
  /// Rooms of this machine that had an `@` in their name, and their new names.
  package var renamedRooms: [String: String] = [:]
  /// Lines left out, each with a complaint.
  package var leftOut = 0

  package init() {}
}

/// What is wrong with a line of an import.
package struct ImportFault: Error, Sendable, CustomStringConvertible {
  /// The name of the file, as given; empty for standard input.
  package var file: String
  /// The number of the line, from 1; 0 for the file as a whole.
  package var line: Int
  /// What is wrong, without file and line.
  package var sentence: Sentence

  init(_ file: String, _ line: Int, _ sentence: Sentence) {
    (self.file, self.line, self.sentence) = (file, line, sentence)
  }

  package var description: String {
    (file.isEmpty ? "standard input" : file) + (line > 0 ? ":\(line)" : "") + ": "
      + filled(sentence)
  }
}

/// What is wrong with a line, from code that does not know its number.
struct LineFault: Error {
  var sentence: Sentence

  /// Whether to report it only once for a file, since many lines have the same fault.
  var isSaidOnce = false

  init(_ key: StaticString, _ arguments: String...) { sentence = (key, arguments) }

  static func missing(_ name: JSONName) -> LineFault {
    LineFault("“%1” is missing", name.rawValue)
  }

  /// This fault, reported only once for a file.
  var once: LineFault {
    var fault = self
    fault.isSaidOnce = true
    return fault
  }
}
