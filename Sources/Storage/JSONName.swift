// SPDX-License-Identifier: GPL-3.0-or-later

/// The name of a member of a JSON object that other programs read or write. A name means the same
/// everywhere: in exports, in what commands print, and in what programs say.
package enum JSONName: String, CaseIterable, Hashable, Sendable {
  case absences, address, after, attachments, away, before, bytes, caret, change, conversation
  case conversations, count, cut, data, deleted, delivered, draft, edited, emoji, encrypted, end
  case exported, failure, files, first, forgotten, gone, hash, here, hobnob, identity, joined
  case keep, kind, last, line, maker, member, mentions, messages, name, network, number, offset
  case one, online, operation, other, outbox, participant, past, path, people, position, query
  case rank, reactions, read, reason, remove, removed, revisions, room, say, seen, sender, since
  case sort, spans, start, state, text, time, timeout, topic, type, uid, unread, unreadable, until
  case unverified, verified, version, with

  // Only programs that connect accounts say or read these; see hobnob-bridge(7).
  case account, activity, active, all, answer, archive, ask, author, batch, block, by
  case can, contact, edit, entry, example, file, fold, folder, former, history, id, ids, kept
  case links, mark, marks, maybe, message, mine, nick, percent, qr, react, received, receipt
  case reply, request, requests, rooms, secret, settings, tried, typing, value, verb, window
  case final, target, person, delete, from
  case authorMine = "author_mine"
  case canDirect = "can_direct"
  case repeatsTyping = "typing-again"

  case archiveID = "archive_id"
  case forYou = "for_you"
  case fromOthers = "from_others"
  case lastConversation = "last_conversation"
  case lastNumber = "last_number"
  case lastTime = "last_time"
  case mediaType = "media_type"
  case remoteID = "remote_id"
  case removedBy = "removed_by"
  case replyTo = "reply_to"
  case unreadMentions = "unread_mentions"
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
