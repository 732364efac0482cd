// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What a network process heard, in the words of the store. The store decides what of it counts: an
/// edit only from the author, a receipt only for what was sent there, nothing twice.
package enum NetworkEvent: Hashable, Sendable {
  /// Something was said.
  ///
  /// A message is known again by its archive id, else by its speaker and origin id; then it is not
  /// stored twice, but gets the archive id it lacked, and one of the owner's own that was `sending`
  /// is `sent`. What was said before the newest message that is there stands in its place by time, equal
  /// times in the order in which they are told.
  case messageReceived(NetworkMessage, in: NetworkPlace)
  /// The speaker gave a message of theirs another text. Ignored if the message is another's, or
  /// gone. This and the next three wait for a missing message, which may come with an older page of
  /// the archive. `change` is the network's id of the correction; a repeated one is ignored.
  /// Otherwise the last received one counts, whatever its time (rule 14.3).
  case edited(
    MessageIDs, by: NetworkUser, in: NetworkPlace, body: String, at: Milliseconds?,
    change: MessageIDs = MessageIDs())
  /// The speaker retracted a message of theirs.
  case retracted(MessageIDs, by: NetworkUser, in: NetworkPlace, at: Milliseconds?)
  /// The room itself says that a moderator removed the message of that archive id.
  case removed(archive: String, room: String, Removal, at: Milliseconds?)
  /// The speaker's reactions to a message are these now; none takes them back. `author` is who wrote
  /// the message, where that is known; `change` as above. One is kept of each person (rule 7.8): the
  /// first that is an emoji.
  case reacted(
    MessageIDs, author: NetworkUser?, by: NetworkUser, in: NetworkPlace, emoji: [String],
    at: Milliseconds?, change: MessageIDs = MessageIDs())
  case typing(NetworkUser, in: NetworkPlace, Bool)
  /// The speaker's program has the message, or showed it, and all before it. In a room only `.seen`
  /// counts, and any message of it will do; in a direct chat one of the owner's, from the other side.
  case receipt(MessageIDs, by: NetworkUser, in: NetworkPlace, DeliveryState)
  /// The owner read up to there on another device.
  case read(MessageIDs, in: NetworkPlace)
  /// The owner is in a room now, under a nickname; or is not any more, with the reason.
  case joined(room: String, nick: String)
  case left(room: String, reason: String?)
  /// A room cannot be reached for a while, or shuts down; the owner wants to be in it still.
  case lost(room: String, reason: String)
  /// What a room is to be shown as instead of `#` and its address: without the `#`, as the account's
  /// owner would type it. If another has that name, something is put behind it.
  case roomNamed(room: String, name: String)
  /// Who else is in a room: all at once when the owner has joined, in one batch with `joined` or
  /// before it, and one by one; again when they go away or come back. Those of the one batch are not
  /// told as coming. `away` is what they left word of, nil when they are not away; `removal` is how
  /// others made them leave, nil when they left by themselves.
  case present(NetworkUser, room: String, away: String? = nil)
  case absent(NetworkUser, room: String, removal: String? = nil)
  /// The speaker is called otherwise than `former` from now on. Where a nickname is all there is to
  /// know someone by, `NetworkUser.identity` is the new one.
  case renamed(NetworkUser, room: String, former: String)
  case topic(room: String, text: String, by: NetworkUser?, at: Milliseconds?)
  /// Somebody invites the owner into a room. It waits, as does what follows, until the owner takes it
  /// up (rule 14.5).
  case invited(room: String, by: NetworkUser)
  /// Someone of the contact list: what they are called and whether they are there, nil where they do
  /// not let it be seen; `away` is nil when they are not away.
  case contact(NetworkUser, isOnline: Bool?, away: String?)
  /// Someone asks to be a contact, and waits for the owner's leave.
  case wantsContact(NetworkUser)
  /// A minute has gone by since strangers sent something: what was not reported is counted.
  case countStrangers
  /// Someone whom the owner asked lets them see whether they are there, or does not.
  case answeredContact(NetworkUser, isYes: Bool)
  /// Someone is not in the contact list any more.
  case contactRemoved(NetworkUser)
  /// The connection is gone: nobody's presence is known until it is told again, nobody types, and
  /// the rooms are to be joined again.
  case offline
  /// The server has what an entry of the outbox asked for.
  case accepted(OutboxEntry, archive: String?)
  /// The server will not have an entry, or gave it back after it had it.
  case refused(OutboxEntry, reason: String)
  /// The same, for a message that is in the outbox no more.
  case bounced(MessageIDs, in: NetworkPlace, reason: String)
  /// All of an archive up to this id is in the store: of the account ("") or of a room's address.
  case caughtUp(archive: String, mark: String)
  /// The messages that follow in this batch are a page of a place's archive: all that it has from the
  /// id `from` up to before the id `until`. Empty: from its beginning; up to its end.
  case page(of: NetworkPlace, from: String, until: String)
  /// A room without an archive has told all that it tells of what is past.
  case toldHistory(room: String)
  /// What the answer to a request is; empty when it is done and there is nothing to say. The first
  /// one counts.
  case answered(NetworkRequest, String)
  /// The file that a request to fetch is about lies in the store's folder: it belongs to its message
  /// from here on, whose text loses a line that is nothing but its address.
  case fetched(NetworkRequest, Attachment)
  /// A sentence for the account's owner.
  case notice(String)
}
