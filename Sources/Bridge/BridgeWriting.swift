// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Storage

/// Makes the lines for a program.
struct BridgeWriting: Sendable {
  /// The folder of the files that messages have, without a slash at its end.
  let attachments: @Sendable (_ hash: String) -> String

  /// A line of this type, without the members that have no value.
  static func line(_ type: String, _ members: [JSONName: JSON]) -> String {
    var members = members
    members[.type] = .text(type)
    return JSON.members(members).line
  }

  // MARK: The outbox

  func line(for entry: OutboxEntry) -> String {
    var members: [JSONName: JSON] = [
      .entry: .integer(entry.id), .uid: .text(entry.origin),
      .conversation: Self.place(entry.conversation), .tried: entry.wasTried ? .flag(true) : .null,
    ]
    if entry.operation != .send { members[.id] = entry.name.archive.map(JSON.text) ?? .null }
    switch entry.operation {
    case .send:
      members.merge(content(of: entry)) { $1 }
      return Self.line("send", members)
    case .edit:
      members[.text] = .text(entry.message.body)
      members[.mentions] = entry.message.mentions.json
      return Self.line("edit", members)
    case .delete: return Self.line("delete", members)
    case .react:
      members.merge(Self.reaction(of: entry)) { $1 }
      return Self.line("react", members)
    }
  }

  private func content(of entry: OutboxEntry) -> [JSONName: JSON] {
    let message = entry.message
    let kind =
      switch message.kind {
      case .action: 1
      case .notice: 2
      case .text, .unreadable: 0
      }
    return [
      .text: .text(message.body), .kind: BridgeTable.kinds[kind].map(JSON.text) ?? .null,
      .mentions: message.mentions.json,
      .replyTo: entry.answers.map(Self.quote) ?? .null,
      .files: message.attachments.isEmpty
        ? .null
        : .array(
          message.attachments.map { file in
            .members([
              .path: .text(attachments(file.hash)), .name: .text(file.name),
              .mediaType: .text(file.type), .bytes: .integer(Int64(file.bytes)),
            ])
          }),
    ]
  }

  private static func quote(_ quote: NetworkQuote) -> JSON {
    guard let id = quote.name.archive else { return .null }
    return .members(
      who(quote.speaker, .sender, .mine).merging([.id: .text(id), .text: .text(quote.text)]) { $1 })
  }

  private static func reaction(of entry: OutboxEntry) -> [JSONName: JSON] {
    let reaction = entry.reaction
    return who(entry.author, .author, .authorMine).merging([
      .emoji: reaction.map { .text($0.emoji) } ?? .null,
      .removed: reaction?.isRemoved == true ? .flag(true) : .null,
      .all: .array((reaction?.all ?? []).map(JSON.text)),
    ]) { $1 }
  }

  /// The owner as a flag, another person by their identity.
  private static func who(
    _ user: NetworkUser, _ member: JSONName, _ flag: JSONName
  ) -> [JSONName: JSON] {
    user.isOwner ? [flag: .flag(true)] : [member: .text(user.identity)]
  }

  static func place(_ conversation: ConversationAddress) -> JSON {
    switch conversation {
    case .room(let address): .members([.room: .text(address)])
    case .direct(let address): .members([.person: .text(address)])
    }
  }

  // MARK: Requests and signals

  static func line(for request: NetworkRequest) -> String {
    func known(_ text: String) -> JSON { text.isEmpty ? .null : .text(text) }
    return line(
      "request",
      [
        .request: .integer(request.id), .verb: .text(request.verb.rawValue),
        .target: known(request.target), .person: known(request.person),
        .text: known(request.text), .secret: known(request.secret),
        .count: request.count > 0 ? .integer(Int64(request.count)) : .null,
        .tried: request.wasTried ? .flag(true) : .null,
      ])
  }

  /// Nil for what a program is not told.
  static func line(for signal: NetworkSignal) -> String? {
    switch signal {
    case .typing(let conversation, let isTyping):
      return line("typing", [.conversation: place(conversation), .active: .flag(isTyping)])
    case .receipt(let conversation, let ids, let author, let state):
      guard let id = ids.archive else { return nil }
      return line(
        "receipt",
        [
          .conversation: place(conversation), .id: .text(id),
          .sender: author.isOwner ? .null : .text(author.identity),
          .state: .text(state == .seen ? "seen" : "delivered"),
        ])
    case .open: return nil
    }
  }
}
