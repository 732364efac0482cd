// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// A PRIVMSG, a NOTICE or a TAGMSG in the store's terms.
struct SpokenLine: Sendable {
  var conversation: ConversationAddress
  var speaker: NetworkUser
  var kind: Message.Kind
  /// The text. An action comes without CTCP's wrapping; other CTCP stays wrapped.
  var text: String
  var id: String?
  /// The time from the server.
  var time: Milliseconds?
  /// The id of the message that it answers.
  var answers: String?
  var line: IRCLine

  /// A question or an answer of CTCP: its name in upper case, and the rest.
  var ctcp: (name: String, rest: String)? {
    guard let words = Self.unwrapped(text) else { return nil }
    let name = words.prefix { $0 != " " }
    return (name.uppercased(), String(words.dropFirst(name.count + 1)))
  }

  /// An id that comes from outside; nil if it is empty or too long.
  private static func bounded(_ id: String?) -> String? {
    id.flatMap { (1...1_024).contains($0.utf8.count) ? $0 : nil }
  }

  /// The commands with which people say something.
  static let commands: Set<String> = ["PRIVMSG", "NOTICE", "TAGMSG", "REDACT"]

  /// - Parameters:
  ///   - isLive: false for an old line; somebody else may have its nick now.
  ///   - partner: the other person's nick in a direct chat's history; nil for other lines.
  /// - Returns: nil if the line is from the server or its target does not concern the owner.
  init?(
    _ line: IRCLine, isLive: Bool = true, partner: String? = nil, _ people: People,
    _ context: IRCContext
  ) {
    guard Self.commands.contains(line.command), let source = line.source, !source.nick.isEmpty
    else { return nil }
    let target = context.support.withoutStatus(line[0])
    if target.isEmpty { return nil }
    self.line = line
    var login = line.tags["account"].map { People.Login($0) }
    if login == nil, !isLive { login = context.has(Capabilities.accountTag) ? .no : .unknown }
    speaker = people.user(source.nick, login: login, context)
    if !isLive {
      // Either side may have had another nick.
      speaker.isOwner =
        People.isOwnersNick(source.nick, login ?? .unknown, context)
        || partner.map { context.fold($0) == context.fold(target) } ?? false
    }
    if context.isRoom(target) {
      conversation = .room(context.fold(target))
    } else if speaker.isOwner {
      let identity =
        isLive
        ? people.storedIdentity(of: target, context.names)
        : people.formerIdentity(of: target, context.names)
      conversation = .direct(identity)
    } else if context.isMe(target) || partner != nil {
      // Lines from servers have no user name.
      guard source.user != nil || source.host != nil || !source.nick.contains(".") else {
        return nil
      }
      conversation = .direct(speaker.identity)
    } else {
      return nil
    }
    id = Self.bounded(line.tags["msgid"])
    answers = Self.bounded(line.tags["+reply"] ?? line.tags["+draft/reply"])
    time = line.time
    kind = line.command == "NOTICE" ? .notice : .text
    text = line[1]
    if let words = Self.unwrapped(text), words.hasPrefix("ACTION ") || words == "ACTION" {
      kind = .action
      text = String(words.dropFirst("ACTION ".count))
    }
    if target != line[0], ctcp == nil { text = line[0] + ": " + text }
  }

  /// CTCP is wrapped in U+0001; the second one may be missing.
  static func unwrapped(_ text: String) -> String? {
    guard text.hasPrefix("\u{01}") else { return nil }
    let words = text.dropFirst()
    return String(words.hasSuffix("\u{01}") ? words.dropLast() : words)
  }

  /// The message for the store.
  var message: NetworkMessage {
    NetworkMessage(
      name: MessageIDs(archive: id), speaker: speaker,
      body: Formatting.marked(text), kind: kind, time: time,
      answers: answers.map { MessageIDs(archive: $0) })
  }
}
