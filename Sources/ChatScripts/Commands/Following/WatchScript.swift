// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Exchange
import Glibc
import StyledText

/// `hobnob watch` (rule 11.3): prints what happens in conversations, each change with its position.
/// It marks nothing as seen or read (rule 7.3).
struct WatchScript: JSONSubcommand {
  static let name = "watch"
  static let abstract: StaticString = "Print what happens in your conversations, until it is ended."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "CONVERSATION", \.conversations, completes: .conversations,
        "Rooms' names, or @name of a person; without any, all your conversations."),
      .after(\.after),
      Parameter("--json", \.json, "Print one JSON object per line."),
    ]
  }

  var conversations: [String] = []
  var after: Int64?
  var json = false

  func validate() throws { try validPosition(after) }

  func run(_ launch: Launch) throws -> Int32 {
    // A line that is being written may be cut, as by any other end.
    signal(SIGTERM) { _ in _exit(0) }
    return try launch.script { script in
      let named = try conversations.map { try script.conversation($0) }
      // Open the bell before reading, so that no change is missed.
      let bell = try BellWait(script.store, seconds: nil, watchesReader: true)
      let reader = try ChangeReader(script, of: named.isEmpty ? nil : named, after: after)
      if json, after == nil {
        script.printPosition(reader.position)
      }
      var watch = Watch(script: script, reader: reader, isJSON: json)
      repeat { try watch.printNew() } while !script.output.isClosed && bell.next() == .rang
      return 0
    }
  }
}

/// Prints changes in the order of their positions.
@MainActor
private struct Watch {
  /// A person in a conversation, and how far they had got when that was printed last.
  private struct Place: Hashable {
    var conversation: ID<Conversation>
    var person: ID<Participant>
  }
  private struct Reached: Equatable { var delivered = 0, seen = 0 }

  let script: Script
  var reader: ChangeReader
  let isJSON: Bool
  private var reached: [Place: Reached] = [:]
  private var printer: LoggedUpdates

  init(script: Script, reader: ChangeReader, isJSON: Bool) {
    (self.script, self.reader, self.isJSON) = (script, reader, isJSON)
    printer = LoggedUpdates(script)
  }

  mutating func printNew() throws {
    repeat {
      let changes = try reader.next().filter { isNews($0) }
      if isJSON {
        let lines = try script.store.read { snapshot in
          try changes.compactMap { try snapshot.jsonLine(of: $0) }
        }
        for line in lines { script.output.write(JSONLine.safe(line)) }
      } else {
        for change in changes { try print(change) }
      }
      script.output.flush()
    } while reader.hasMore && !script.output.isClosed
  }

  /// Whether a change can matter to the person. People read other messages than the person's, too,
  /// and may keep to themselves what they read.
  private mutating func isNews(_ change: OrderedChange) -> Bool {
    guard case .reached(let delivered, let seen) = change.what else { return true }
    let place = Place(conversation: change.conversation, person: change.person)
    let now = Reached(delivered: delivered, seen: seen)
    return reached.updateValue(now, forKey: place) ?? Reached() != now
  }

  private mutating func print(_ change: OrderedChange) throws {
    let name = try script.name(of: change.conversation)
    func message(_ id: ID<Message>) throws -> Message? {
      try script.store.read { try $0.message(id, for: script.me.id) }
    }
    switch change.what {
    case .new(let id):
      if let found = try message(id) { try script.print([found], in: name, isJSON: false) }
    case .edited(let id), .deleted(let id):
      if let found = try message(id) { try printer.print(.revised(found), in: name) }
    case .state(let id):
      guard let found = try message(id), found.state == .failed else { return }
      script.output.write(
        name + " " + script.glyphs.lead(script.glyphs.failed) + "[\(found.number)] "
          + found.notSent)
    case .reaction(let id, let emoji, let isRemoved):
      guard let found = try message(id) else { return }
      let person = try script.store.read { try $0.participant(change.person) }
      try printer.print(
        .reacted(
          ReactionUpdate(
            message: found, participant: person, emoji: isRemoved ? nil : emoji,
            removed: isRemoved ? emoji : nil, at: found.createdAt)), in: name)
    case .event:
      let events = try script.store.read {
        try $0.events(
          in: change.conversation, after: change.position - 1, upTo: change.position)
      }
      try script.print(events, in: name, isJSON: false)
    // The shell prints no line for it either.
    case .reached: break
    }
  }
}
