// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import StyledText

/// A program that takes part in conversations under a name of its own (rule 11.9). Each function is
/// what a ``Tool`` does, by the code of the command for scripts that does the same.
@MainActor
struct Agent {
  let script: Script
  let rooms: AgentRooms
  let emoji: EmojiTable

  private var store: Store { script.store }
  private var me: ID<Participant> { script.me.id }

  // MARK: Reading

  func list() throws -> Tool.Answer {
    let allowed = Set(try rooms.all().map(\.id))
    return try answer(.conversations) { snapshot in
      try script.listed().filter { allowed.contains($0.entry.conversation.id) }.map {
        let line = try script.jsonLine(of: $0.entry, $0.unread)
        let object = try line.flatMap { try JSON($0, snapshot.database) } ?? [:]
        return .members([
          .conversation: object[.name], .topic: object[.topic], .unread: object[.unread],
          .mentions: object[.mentions], .lastNumber: object[.lastNumber],
        ])
      }
    }
  }

  func read(_ arguments: ToolArguments) throws -> Tool.Answer {
    let conversation = try rooms.conversation(arguments.text(.conversation))
    let count = arguments.number(.count) ?? 20
    if let number = arguments.number(.number) {
      let message = try script.message(number, in: conversation)
      return try answer(.messages) { [try object(message, in: $0, isWhole: true)] }
    }
    if let after = arguments.number(.after) {
      return try changed(in: conversation, after: Int64(after), count: count)
    }
    return try answer(.messages) { snapshot in
      try snapshot.messages(
        in: conversation.id, before: arguments.number(.before), limit: count, for: me,
        receipts: false, andIgnored: false
      ).map { try object($0, in: snapshot) }
    }
  }

  /// What was written, edited or deleted after a position, up to the position of the answer.
  private func changed(
    in conversation: Conversation, after start: Int64, count: Int
  ) throws -> Tool.Answer {
    var reader = try ChangeReader(script, of: [conversation], after: start)
    var (found, position): ([ID<Message>], Int64) = ([], start)
    repeat {
      for change in try reader.next() where found.count < count {
        position = change.position
        switch change.what {
        case .new(let id), .edited(let id), .deleted(let id):
          if !found.contains(id) { found.append(id) }
        case .state, .reaction, .event, .reached: continue
        }
      }
    } while reader.hasMore && found.count < count
    return try answer(.messages, at: found.count < count ? reader.position : position) { snapshot in
      try found.compactMap { id in
        try snapshot.message(id, for: me).map { try object($0, in: snapshot) }
      }
    }
  }

  func wait(_ arguments: ToolArguments) throws -> MessageWait {
    let places =
      try arguments.has(.conversation)
      ? [rooms.conversation(arguments.text(.conversation))] : rooms.all()
    return MessageWait(
      reader: try ChangeReader(script, of: places, after: arguments.number(.after).map(Int64.init)),
      isForMe: arguments.isSet(.forYou), seconds: arguments.number(.timeout) ?? 30)
  }

  /// The message that an agent waits for; nil if it has not arrived.
  func message(for wait: inout MessageWait) throws -> Tool.Answer? {
    guard let found = try wait.reader.firstMessage(isMention: wait.isForMe)
    else { return nil }
    return try answer(.messages, at: found.change.position) {
      [try object(found.message, in: $0)]
    }
  }

  func nothing(for wait: MessageWait) throws -> Tool.Answer {
    try answer(.messages, at: wait.reader.position) { _ in [] }
  }

  func search(_ arguments: ToolArguments) throws -> Tool.Answer {
    var query = try SearchQuery.parse(arguments.text(.query))
    // Only allowed conversations have a name here.
    let names =
      query.conversations + (arguments.has(.conversation) ? [arguments.text(.conversation)] : [])
    let places = try names.isEmpty ? rooms.all() : names.map { try rooms.conversation($0) }
    query.conversations = []
    let (allowed, count) = (Set(places.map(\.id)), arguments.number(.count) ?? 10)
    return try answer(.messages) { snapshot in
      var (found, last): ([Message], ID<Message>?) = ([], nil)
      repeat {
        let page = try snapshot.search(
          query, for: me, limit: Script.page, before: last, anyRoom: true
        ).map(\.message)
        found += page.filter { allowed.contains($0.conversation) }
        last = page.count == Script.page ? page.last?.id : nil
      } while last != nil && found.count < count
      return try found.prefix(count).map { try object($0, in: snapshot) }
    }
  }

  // MARK: Writing

  /// Sends a message, which may answer another one.
  func send(_ arguments: ToolArguments) throws -> Tool.Answer {
    let conversation = try rooms.conversation(arguments.text(.conversation))
    let answered = try arguments.number(.number).map { try script.message($0, in: conversation) }
    let text = try script.checked(arguments.text(.text))
    return try done(
      store.writeDurably {
        try $0.send(text, in: conversation.id, by: me, replyTo: answered?.id)
      })
  }

  func edit(_ arguments: ToolArguments) throws -> Tool.Answer {
    let conversation = try rooms.conversation(arguments.text(.conversation))
    let message = try script.messageToChange(
      arguments.number(.number) ?? 0, in: conversation, missing: .nothingToEdit)
    let text = try script.checked(arguments.text(.text))
    return try done(store.writeDurably { try $0.edit(message.id, to: text, by: me) })
  }

  func react(_ arguments: ToolArguments) throws -> Tool.Answer {
    let conversation = try rooms.conversation(arguments.text(.conversation))
    let message = try script.message(arguments.number(.number) ?? 0, in: conversation)
    let emoji = emoji.emoji(typed: arguments.text(.emoji))
    try store.writeDurably {
      try $0.setReaction(emoji, of: me, to: message.id, isThere: !arguments.isSet(.remove))
    }
    return try done(message)
  }

  func markAsRead(_ arguments: ToolArguments) throws -> Tool.Answer {
    let conversation = try rooms.conversation(arguments.text(.conversation))
    try script.markAsRead(conversation, until: arguments.number(.until))
    return .result(
      .members([
        .conversation: .text(conversation.name),
        .position: .integer(try store.read { try $0.position }),
      ]))
  }

  // MARK: Answers

  /// A list, and the position up to which it is complete.
  private func answer(
    _ name: JSONName, at position: Int64? = nil,
    _ list: (borrowing Snapshot) throws -> [JSON]
  ) throws -> Tool.Answer {
    try store.read {
      .result(
        .members([
          name: .array(try list($0)), .position: .integer(try position ?? $0.position),
        ]))
    }
  }

  /// That something was done to a message.
  private func done(_ message: Message) throws -> Tool.Answer {
    try store.read {
      .result(
        .members([
          .conversation: JSON(text: try $0.conversation(message.conversation, for: me)?.name),
          .number: .integer(Int64(message.number)), .position: .integer(try $0.position),
        ]))
    }
  }

  /// The longest text in a list, in characters.
  private static let longest = 2000

  /// A message as a model needs it: of hobnob-json(5), only what says something.
  private func object(
    _ message: Message, in snapshot: borrowing Snapshot, isWhole: Bool = false
  ) throws -> JSON {
    let line = try snapshot.jsonLine(of: message.id).flatMap { try JSON($0, snapshot.database) }
    guard let line else { return [:] }
    let text = line[.text].text ?? ""
    let isCut = !isWhole && text.count > Self.longest
    return .members([
      .conversation: JSON(text: try snapshot.conversation(message.conversation, for: me)?.name),
      .number: line[.number], .time: line[.time], .sender: line[.sender],
      .name: line[.name] == line[.sender] ? .null : line[.name],
      .kind: message.kind == .text ? .null : line[.kind],
      .fromOthers: message.sender == me ? .null : .flag(true),
      .forYou: message.sender != me && script.isForMe(message) ? .flag(true) : .null,
      .edited: line[.edited], .deleted: line[.deleted], .replyTo: line[.replyTo],
      .text: isCut ? .text(String(text.prefix(Self.longest))) : line[.text],
      .cut: isCut ? .integer(Int64(text.count)) : .null,
      .reactions: parts([.sender, .emoji], of: line[.reactions]),
      .attachments: parts([.name, .mediaType, .bytes], of: line[.attachments]),
    ])
  }

  private func parts(_ names: [JSONName], of list: JSON) -> JSON {
    if list.items.isEmpty { return .null }
    return .array(
      list.items.map { item in
        .members(Dictionary(uniqueKeysWithValues: names.map { ($0, item[$0]) }))
      })
  }
}

/// A call that waits for a message.
struct MessageWait {
  var reader: ChangeReader
  let isForMe: Bool
  let seconds: Int
}
