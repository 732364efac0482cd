// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Storage

/// The lines for a program in short forms, which a person can type; hobnob-bridge(7) lists them.
struct TypedLine {
  static let forms = [
    "send CONVERSATION TEXT", "edit CONVERSATION ID TEXT", "delete CONVERSATION ID",
    "react CONVERSATION ID EMOJI", "typing CONVERSATION on|off", "seen CONVERSATION ID",
    "request history CONVERSATION [COUNT [ID]]",
    "request invite|kick|ban|unban|op|deop ROOM PERSON [TEXT]",
    "request VERB [TARGET [TEXT]]", "reply ASK TEXT", "stop",
  ]
  private static let aboutPeople = ["invite", "kick", "ban", "unban", "op", "deop"]

  private let noMembers: [JSONName: JSON] = [:]
  private var lastEntry: Int64 = 0

  /// The type and the members of the line that is meant.
  ///
  /// - Returns: nil if no form fits.
  mutating func meaning(of typed: String) -> (String, [JSONName: JSON])? {
    let words = typed.split(separator: " ").map(String.init)
    /// All from the word of this number on.
    func rest(_ number: Int) -> JSON {
      let parts = typed.split(separator: " ", maxSplits: number)
      return parts.count > number ? .text(String(parts[number])) : .null
    }
    switch (words.first, words.count) {
    case ("stop", 1): return ("stop", noMembers)
    case ("send", 3...): return ("send", entry(words, [.text: rest(2), .kind: .text("text")]))
    case ("edit", 4...): return ("edit", entry(words, [.id: .text(words[2]), .text: rest(3)]))
    case ("delete", 3): return ("delete", entry(words, [.id: .text(words[2])]))
    case ("react", 4):
      let emoji = JSON.text(words[3])
      return ("react", entry(words, [.id: .text(words[2]), .emoji: emoji, .all: .array([emoji])]))
    case ("typing", 3) where ["on", "off"].contains(words[2]):
      return ("typing", [.conversation: place(words[1]), .active: .flag(words[2] == "on")])
    case ("seen", 3):
      return (
        "receipt", [.conversation: place(words[1]), .id: .text(words[2]), .state: .text("seen")]
      )
    case ("request", 2...):
      return request(words, rest).map { ("request", $0) }
    case ("reply", 3...): return ("reply", [.ask: .text(words[1]), .text: rest(2)])
    default: return nil
    }
  }

  private mutating func entry(
    _ words: [String], _ members: [JSONName: JSON]
  ) -> [JSONName: JSON] {
    lastEntry += 1
    return members.merging([
      .entry: .integer(lastEntry), .uid: .text("try-\(lastEntry)-" + randomName()),
      .conversation: place(words[1]),
    ]) { $1 }
  }

  private mutating func request(
    _ words: [String], _ rest: (Int) -> JSON
  ) -> [JSONName: JSON]? {
    var members: [JSONName: JSON] = [.verb: .text(words[1])]
    switch words[1] {
    case "history":
      // As many as /history without an argument shows.
      guard (3...5).contains(words.count), let count = words.count > 3 ? Int64(words[3]) : 20,
        count > 0
      else { return nil }
      members[.target] = .text(words[2].hasPrefix("@") ? String(words[2].dropFirst()) : words[2])
      (members[.count], members[.text]) = (.integer(count), rest(4))
    case _ where Self.aboutPeople.contains(words[1]):
      guard words.count > 3 else { return nil }
      (members[.target], members[.person]) = (.text(words[2]), .text(words[3]))
      members[.text] = rest(4)
    default:
      members[.target] = words.count > 2 ? .text(words[2]) : .null
      members[.text] = rest(3)
    }
    lastEntry += 1
    members[.request] = .integer(lastEntry)
    return members
  }

  /// A room, or with `@` before it, a person.
  private func place(_ written: String) -> JSON {
    written.hasPrefix("@")
      ? .members([.person: .text(String(written.dropFirst()))]) : .members([.room: .text(written)])
  }
}
