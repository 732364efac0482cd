// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The lines that wait for the throttle, the most urgent first and otherwise in order (rule 14.12).
struct LineQueue: Sendable {
  enum Urgency: Int, Comparable, Sendable {
    /// A shell waits for the answer.
    case request
    /// What the owner does, and what their messages wait for.
    case owner
    /// What the client asks about the people in a room that is open in a shell.
    case open
    /// What the client does by itself, such as reading histories.
    case background
    /// For times when nothing else waits: read markers, and questions about people.
    case idle

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
  }

  private struct Entry: Sendable {
    var line: IRCLine
    var urgency: Urgency
    var since: Milliseconds

    var isOwners: Bool { urgency <= .owner }
  }

  /// After how many milliseconds a read marker no longer waits for a time when nothing else does.
  private static let patience: Milliseconds = 30_000
  private static let marker = "MARKREAD"

  private var entries: [Entry] = []

  var isEmpty: Bool { entries.isEmpty }
  /// Whether a line of the owner waits, and whether one of the client's own does.
  var hasOwners: Bool { entries.first?.isOwners ?? false }
  var hasOthers: Bool { entries.last.map { !$0.isOwners } ?? false }
  /// How many lines wait whose answers a shell waits for.
  var requests: Int { entries.count { $0.urgency == .request } }

  func has(_ command: String) -> Bool { entries.contains { $0.line.command == command } }

  mutating func removeAll() { entries = [] }

  /// Adds a line. A read marker takes the place of the one before it that waits for the same
  /// conversation.
  mutating func add(_ line: IRCLine, _ urgency: Urgency, at now: Milliseconds) {
    if line.command == Self.marker, line.parameters.count > 1,
      let index = entries.firstIndex(where: {
        $0.line.command == Self.marker && $0.line.parameters.count > 1 && $0.line[0] == line[0]
      })
    {
      entries[index].line = line
      return
    }
    let index = entries.firstIndex { $0.urgency > urgency } ?? entries.count
    entries.insert(Entry(line: line, urgency: urgency, since: now), at: index)
  }

  /// Adds a room without a password to a JOIN that waits.
  ///
  /// - Parameter most: the most rooms in one JOIN.
  /// - Returns: false if there is none with space for it.
  mutating func addRoom(_ name: String, most: Int) -> Bool {
    let index = entries.lastIndex {
      $0.line.command == "JOIN" && $0.line.parameters.count == 1 && $0.urgency == .owner
    }
    guard let index else { return false }
    let names = entries[index].line[0].split(separator: ",").map(String.init)
    if names.contains(name) { return true }
    let lists = (names + [name]).packed(",", most: most)
    if lists.count == 1 { entries[index].line.parameters = lists }
    return lists.count == 1
  }

  /// Makes the questions about a room's people more urgent.
  mutating func hurry(who isRoom: (String) -> Bool) {
    let lines = entries.filter { $0.line.command == "WHO" && isRoom($0.line[0]) }
    entries.removeAll { $0.line.command == "WHO" && isRoom($0.line[0]) }
    for entry in lines { add(entry.line, min(entry.urgency, .open), at: entry.since) }
  }

  /// Takes the next line of the owner.
  mutating func takeOwners() -> (line: IRCLine, urgency: Urgency)? {
    hasOwners ? take(0) : nil
  }

  /// Takes the next line of the client's own: first a read marker that has waited for long.
  mutating func takeOthers(at now: Milliseconds) -> (line: IRCLine, urgency: Urgency)? {
    guard let first = entries.firstIndex(where: { !$0.isOwners }) else { return nil }
    let overdue = entries.firstIndex {
      $0.line.command == Self.marker && now - $0.since >= Self.patience
    }
    return take(overdue ?? first)
  }

  private mutating func take(_ index: Int) -> (line: IRCLine, urgency: Urgency) {
    let entry = entries.remove(at: index)
    return (entry.line, entry.urgency)
  }

  /// Gives the lines the new name of a room.
  ///
  /// - Parameter isFormer: whether a parameter is the room's former name.
  mutating func rename(to name: String, _ isFormer: (String) -> Bool) {
    for index in entries.indices {
      let place = entries[index].line.parameters.firstIndex(where: isFormer)
      if let place { entries[index].line.parameters[place] = name }
    }
  }
}
