// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A change that waits for its message, as the store has it. `speaker` and `author` are empty for
/// the owner.
struct WaitingChange {
  /// The store holds the raw values.
  enum Kind: Int {
    case correction = 0
    case retraction = 1
    case removal = 2
    case reaction = 3
  }

  var kind: Kind
  var message: MessageIDs
  var conversation: ConversationAddress
  var author: String?
  var speaker = ""
  /// The name of the speaker, or of the moderator who removed the message.
  var name: String
  var isVerified = true
  /// The new text or the reason.
  var text = ""
  var reaction: NetworkReaction?
  var reported: Milliseconds?
  /// The network's ids of the change itself.
  var change = MessageIDs()
}

extension WaitingChange {
  /// Nil for a change that could not apply to any message.
  init?(_ event: NetworkEvent) {
    switch event {
    case .edited(
      let message, let speaker, let conversation, let body, let reported, let change, let whole,
      _):
      self.init(.correction, of: message, by: speaker, in: conversation, reported, change)
      text = whole ?? body
    case .retracted(let message, let speaker, let conversation, let reported):
      self.init(.retraction, of: message, by: speaker, in: conversation, reported)
    case .removed(let archive, let room, let removal, let reported):
      self.init(
        kind: .removal, message: MessageIDs(archive: archive), conversation: .room(room),
        name: removal.moderator, text: removal.reason, reported: reported)
    case .reacted(
      let message, let author, let speaker, let conversation, let emoji, let reported, let change):
      guard let known = emoji.known else { return nil }
      self.init(.reaction, of: message, by: speaker, in: conversation, reported, change)
      reaction = known
      self.author = author.map { Self.storedIdentity($0) }
    default:
      return nil
    }
  }

  private init?(
    _ kind: Kind, of message: MessageIDs, by speaker: NetworkUser,
    in conversation: ConversationAddress, _ reported: Milliseconds?,
    _ change: MessageIDs = MessageIDs()
  ) {
    if case .direct(let address) = conversation, !speaker.isOwner, speaker.identity != address {
      return nil
    }
    guard speaker.isOwner || !speaker.identity.isEmpty,
      message.archive != nil || message.origin != nil
    else { return nil }
    self.init(
      kind: kind, message: message, conversation: conversation,
      speaker: Self.storedIdentity(speaker), name: speaker.name, isVerified: speaker.isVerified,
      reported: reported, change: change)
  }

  private static func storedIdentity(_ speaker: NetworkUser) -> String {
    speaker.isOwner ? "" : speaker.identity
  }

  /// A change as the network sent it; nil for a row that only another program could have stored.
  static func event(_ row: Row, in conversation: ConversationAddress) -> NetworkEvent? {
    let message = MessageIDs(
      origin: row.optionalText("origin_id"), archive: row.optionalText("archive_id"))
    let change = MessageIDs(
      origin: row.optionalText("change_origin"), archive: row.optionalText("change_archive"))
    let (name, text, time) = (row.text("name"), row.text("text"), row.time("at"))
    var speaker = someone(row.text("speaker"))
    (speaker.name, speaker.isVerified) = (name, row.bool("verified"))
    switch (Kind(rawValue: row.int("kind")), conversation) {
    case (.correction?, _):
      return .edited(message, by: speaker, in: conversation, body: text, at: time, change: change)
    case (.retraction?, _):
      return .retracted(message, by: speaker, in: conversation, at: time)
    case (.removal?, .room(let room)):
      guard let archive = message.archive else { return nil }
      return .removed(
        archive: archive, room: room, Removal(moderator: name, reason: text), at: time)
    case (.reaction?, _):
      guard let emoji = NetworkReaction(row.json("reaction")) else { return nil }
      return .reacted(
        message, author: row.optionalText("author").map { someone($0) }, by: speaker,
        in: conversation, emoji: emoji, at: time, change: change)
    case (.removal?, .direct), (nil, _):
      return nil
    }
  }

  private static func someone(_ stored: String) -> NetworkUser {
    NetworkUser(identity: stored, isOwner: stored.isEmpty)
  }
}

extension NetworkReaction {
  /// The same with the emoji that this program knows; nil if it has none of them.
  fileprivate var known: NetworkReaction? {
    switch self {
    case .all: applied(to: [], asOne: false).map { .all($0) }
    case .given(let emoji), .removed(let emoji): Reaction.isEmoji(emoji) ? self : nil
    }
  }

  var json: JSON {
    switch self {
    case .all(let all): .object(["all": .array(all.map { .text($0) })])
    case .given(let emoji): .object(["given": .text(emoji)])
    case .removed(let emoji): .object(["removed": .text(emoji)])
    }
  }

  /// Nil for anything else.
  fileprivate init?(_ json: JSON) {
    if let emoji = json["given"].text {
      self = .given(emoji)
    } else if let emoji = json["removed"].text {
      self = .removed(emoji)
    } else if case .array(let all) = json["all"] {
      self = .all(all.compactMap(\.text))
    } else {
      return nil
    }
  }
}
