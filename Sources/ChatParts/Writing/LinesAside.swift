// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// The lines that were set aside, by conversation, the latest last (rule 13.3).
package struct LinesAside {
  private var lines: [ID<Conversation>: [Conversations.Draft]] = [:]
  /// When to store a line that was set aside; nil once stored.
  var deadline: MonotonicTime?
  /// The conversation where a line was just sent or run: the next line there is the one that was
  /// set aside last.
  package var runIn: ID<Conversation>?

  func all(in conversation: ID<Conversation>) -> [Conversations.Draft] {
    lines[conversation] ?? []
  }

  /// The lines that were set aside in a conversation, as one draft.
  func draft(in conversation: ID<Conversation>) -> Conversations.Draft? {
    Conversations.Draft.joined(all(in: conversation))
  }

  mutating func add(_ line: Conversations.Draft, in conversation: ID<Conversation>) {
    lines[conversation, default: []].append(line)
  }

  /// Removes the line that was set aside last.
  mutating func takeLast(in conversation: ID<Conversation>) -> Conversations.Draft? {
    lines[conversation]?.popLast()
  }

  /// `/drafts clear`: lines that were set aside elsewhere do not come back.
  package mutating func forget(elsewhereThan here: ID<Conversation>?) {
    lines = lines.filter { $0.key == here }
  }
}
