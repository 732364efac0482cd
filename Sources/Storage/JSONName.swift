// SPDX-License-Identifier: GPL-3.0-or-later

/// The name of a member of a JSON object that other programs read or write. A name means the same
/// everywhere: in exports, in what commands print, and in what programs say.
package enum JSONName: String, CaseIterable, Hashable, Sendable {
  case absences, address, attachments, away, bytes, caret, change, conversation, count, data
  case deleted, delivered, draft, edited, emoji, end, exported, failure, files, first, forgotten
  case gone, hash, here, hobnob, identity, joined, keep, kind, last, line, maker, member, mentions
  case name, network, number, offset, one, online, operation, other, outbox, participant, past
  case path, people, position, rank, reactions, read, reason, removed, revisions, room, say, seen
  case sender, since, sort, spans, start, state, text, time, topic, type, uid, unread, until
  case unverified, version, with
  case archiveID = "archive_id"
  case lastConversation = "last_conversation"
  case lastNumber = "last_number"
  case lastTime = "last_time"
  case mediaType = "media_type"
  case remoteID = "remote_id"
  case removedBy = "removed_by"
  case replyTo = "reply_to"
}

extension JSON {
  /// An object without the members that are null.
  package static func members(_ members: [JSONName: JSON]) -> JSON {
    .object(Dictionary(uniqueKeysWithValues: members.map { ($0.key.rawValue, $0.value) }))
  }

  /// Null for nil.
  package init(text: String?) { self = text.map { .text($0) } ?? .null }

  package subscript(_ name: JSONName) -> JSON { self[name.rawValue] }
}
