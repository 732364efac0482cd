// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// The conversations to choose by name, prepared once: there may be very many.
@MainActor
package struct SwitcherCandidates {
  /// All candidates, with a hint about unread messages. Conversations that were open recently are
  /// first, then those with the newest messages.
  private let all: [Candidate]
  private let rooms: [Candidate]
  private let directChats: [Candidate]
  private let named: [String: Conversation]

  /// - Parameters:
  ///   - listing: the conversations, the one with the newest message first.
  ///   - former: the conversations that were open recently, the latest last.
  ///   - mark: the mark before the name of a chat with a look-alike.
  init(of listing: [Listing], former: [ID<Conversation>], mark: (Conversation) -> String) {
    var recency: [ID<Conversation>: Int] = [:]
    for (index, entry) in listing.enumerated() {
      recency[entry.conversation.id] = listing.count - index
    }
    for (index, id) in former.enumerated() where recency[id] != nil {
      recency[id] = listing.count + index + 1
    }
    all = listing.map { entry in
      let name = entry.conversation.name
      return Candidate(
        name, recency: recency[entry.conversation.id] ?? 0,
        hint: entry.unread > 0 ? say("%1 unread", SafeText(entry.unread)).string : "",
        mark: mark(entry.conversation), name: String(name.dropFirst()))
    }.sorted { $0.recency > $1.recency }
    rooms = all.filter { $0.text.hasPrefix("#") }
    directChats = all.filter { $0.text.hasPrefix("@") }
    named = Dictionary(
      listing.map { ($0.conversation.name.lowercased(), $0.conversation) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The candidates for a text, and the word to compare: `#` and `@` choose the kind.
  package func candidates(for text: String) -> (list: [Candidate], word: String) {
    switch text.first {
    case "#": (rooms, String(text.dropFirst()))
    case "@": (directChats, String(text.dropFirst()))
    default: (all, text)
    }
  }

  /// The conversation with that name, else the first in the menu.
  package func conversation(meantBy name: String) -> Conversation? {
    let lower = name.lowercased()
    if let exact = ["", "#", "@"].lazy.compactMap({ named[$0 + lower] }).first { return exact }
    let (list, word) = candidates(for: name)
    let found = Ranking.candidates(list, matching: word)
    return (found.beginning.first ?? found.containing.first)
      .flatMap { named[$0.text.lowercased()] }
  }

  package static func isName(_ name: String, of conversation: Conversation?) -> Bool {
    conversation.map { [$0.name, String($0.name.dropFirst())].contains(name) } ?? false
  }

  /// Says what Return does.
  ///
  /// - Parameter present: the conversation of the line that the name replaced.
  package func hint(for text: String, in present: Conversation?) -> SafeText {
    let name = text.trimmingBlanks
    if Self.isName(name, of: present) {
      return say("You are in %1; Return and C-g go back", SafeText(name: present?.name ?? name))
    }
    if let found = conversation(meantBy: name) {
      return say("Return goes to %1, C-g goes back", SafeText(name: found.name))
    }
    return name.isEmpty
      ? say("You have no other conversation; C-g goes back")
      : say("You have no conversation by that name; Return searches all rooms, C-g goes back")
  }
}
