// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// An event on a network, in the store's terms. The store decides what is valid: only authors can
/// edit, receipts count only for messages that were sent there, and nothing counts twice.
package enum NetworkEvent: Hashable, Sendable {
  /// A message.
  ///
  /// The archive id, or else speaker and origin id, identify a repeated message; the store then
  /// only adds a missing archive id, and sets one of the owner's own from `sending` to `sent`. A
  /// message older than the newest stored one is placed by its time; messages with equal times are
  /// placed in the order of these events. See also `NewMessage.playback`.
  case messageReceived(NetworkMessage, in: ConversationAddress)
  /// The speaker edited a message of theirs. Ignored if someone else wrote the message, or if it
  /// was removed. If the message is missing, this event and the next three wait for it, since it
  /// may arrive with an older page of the archive. `change` is the network's id of the correction;
  /// the store ignores repetitions. Of different corrections, the one received last counts,
  /// whatever its time (rule 14.3). `bodyWithQuote` is as in `NewMessage`. The message is then
  /// encrypted as its new text was; nil if that is unknown.
  case edited(
    MessageIDs, by: NetworkUser, in: ConversationAddress, body: String, at: Milliseconds?,
    change: MessageIDs = MessageIDs(), bodyWithQuote: String? = nil,
    encryption: Message.Encryption? = nil)
  /// The speaker deleted a message of theirs.
  case retracted(MessageIDs, by: NetworkUser, in: ConversationAddress, at: Milliseconds?)
  /// A moderator removed the message with that archive id, according to the room.
  case removed(archive: String, room: String, Removal, at: Milliseconds?)
  /// The speaker's reactions to a message, or a change to them. `author` wrote the message, if
  /// known; `change` as above. The store ignores texts that are not emoji, and keeps only the first
  /// emoji if people have one reaction each there (rule 7.8).
  case reacted(
    MessageIDs, author: NetworkUser?, by: NetworkUser, in: ConversationAddress,
    emoji: NetworkReaction,
    at: Milliseconds?, change: MessageIDs = MessageIDs())
  case typing(NetworkUser, in: ConversationAddress, Bool)
  /// The speaker's client has received or shown the message and all before it. In a room only
  /// `.seen` counts, for any message; in a direct chat, only the other person's receipts for the
  /// owner's messages. `isAlone`: it says nothing of the messages before.
  case receipt(
    MessageIDs, by: NetworkUser, in: ConversationAddress, DeliveryState, isAlone: Bool = false)
  /// The owner has read up to this message on another device.
  case read(MessageIDs, in: ConversationAddress)
  /// The owner has read everything up to this time on another device.
  case readUntil(Milliseconds, in: ConversationAddress)
  /// What people on the network call the owner, unless a room gives another name (rule 14.9);
  /// `scope` as in `offline`.
  case named(nick: String, scope: String = "")
  /// The owner is now in a room, under a nickname; or is no longer in it, with the reason.
  case joined(room: String, nick: String)
  case left(room: String, reason: Remark?)
  /// A room is unreachable for a while, or shuts down; the owner still wants to be in it.
  case lost(room: String, reason: Remark)
  /// A room's name to show instead of its address, as the account's owner would type it: without
  /// the `#`, unless it is part of addresses there. It may have blanks; the store keeps 128
  /// graphemes. If another has that name, the store adds a suffix.
  case roomNamed(room: String, name: String)
  /// A room that the owner is in has another address. Its messages and the shells in it stay with
  /// it. `words` says so in a sentence, for the case that the store has another room with that
  /// address.
  case roomMoved(room: String, to: String, by: NetworkUser?, words: Remark)
  /// The owner wanted to enter a room and is sent to another one instead; with a sentence that says
  /// so, or nil if the owner knows.
  case forwarded(room: String, to: String, reason: Remark?)
  /// Who else is in a room: all people at once when the owner has joined, in one batch with
  /// `joined` or before it, and later each person who joins; once more for a person who goes away
  /// or comes back. People in the batch with `joined` do not count as joining. If people are the
  /// same in all rooms, all of them must be in the batch with `joined`: anyone else is no longer
  /// there. `away` is their away message, nil if they are not away; `rank` has the words for
  /// what they may do there, such as `operator, bot`, empty for the usual; `arrival` says why the
  /// network brought them in, such as the end of a netsplit, and is empty if they joined by
  /// themselves; `removal` says who removed them and why, nil if they left by themselves.
  case present(
    NetworkUser, room: String, away: String? = nil, rank: String = "", arrival: Remark = "")
  /// Someone in a room, maybe the owner, has another rank now.
  case ranked(NetworkUser, room: String, rank: String)
  /// Somebody changed what people may do in a room, or the server did (nil): a sentence without a
  /// full stop.
  case moderated(Remark, room: String, by: NetworkUser?, isAboutOwner: Bool)
  case absent(NetworkUser, room: String, removal: Remark? = nil)
  /// The speaker changed their name from `former`, in a room, or on the whole network if `room` is
  /// nil, which it is not for the owner. If only a nickname identifies the speaker,
  /// `NetworkUser.identity` is the new one. If the name is the same on the whole network, only the
  /// identity changed: they logged in to an account or out of it.
  case renamed(NetworkUser, room: String?, former: String)
  case topic(room: String, text: String, by: NetworkUser?, at: Milliseconds?)
  /// Somebody invites the owner into a room. This request, like the following, waits until the
  /// owner accepts it (rule 14.5).
  case invited(room: String, by: NetworkUser)
  /// Someone is in the contact list, with their name and whether they are online, nil if they hide
  /// it; `away` is nil if they are not away.
  case contact(NetworkUser, isOnline: Bool?, away: String?)
  /// Someone asks to be a contact. The request waits for the owner's consent.
  case wantsContact(NetworkUser)
  /// A minute has passed since strangers sent something: report the number of unreported requests.
  case countStrangers
  /// Someone whom the owner asked shares their presence, or refuses.
  case answeredContact(NetworkUser, isYes: Bool)
  /// Someone is no longer in the contact list.
  case contactRemoved(NetworkUser)
  /// The connection broke: everybody's presence is unknown until the network reports it again,
  /// nobody types, and the rooms must be joined again. `scope` is the end of the addresses that
  /// this concerns, if the account has several connections; empty for all.
  case offline(scope: String = "")
  /// The server accepted an entry of the outbox.
  ///
  /// - `device`: the one that encrypted a message; nil if it was not encrypted.
  case accepted(OutboxEntry, archive: String?, device: SealingDevice? = nil)
  /// The server accepted another part of a long message, under this id.
  case acceptedPart(OutboxEntry, archive: String)
  /// The server refused an entry, or returned it after accepting it. Or hobnob does not try again
  /// by itself since a message may have arrived: then the owner cannot take it back (rule 14.2).
  case refused(OutboxEntry, reason: Remark, mayHaveArrived: Bool = false)
  /// Nobody has a message that the owner took out of the outbox after the store had recorded it as
  /// tried.
  case neverSent(OutboxEntry)
  /// The server returned a message that is no longer in the outbox.
  case bounced(MessageIDs, in: ConversationAddress, reason: Remark)
  /// The store has all of an archive up to this id: of the account ("") or of a room's address.
  case caughtUp(archive: String, mark: String)
  /// Messages may be missing after those that a conversation has now, since the connection was
  /// broken. Comes once for each break, before anything that arrives afterwards: from now on,
  /// messages with a time that are not `isPast` are those of the archive, in its order, and the
  /// store places them before everything that arrived since the break. It finds its own messages in
  /// this order by their ids, so report also those that it has.
  case missing(in: ConversationAddress)
  /// The store has everything of a conversation, or, with nil, of all direct chats.
  case complete(in: ConversationAddress?)
  /// The network does not send what is missing in a conversation, or, with nil, in direct chats;
  /// maybe it does later.
  case unanswered(in: ConversationAddress?)
  /// The messages that follow in this batch are a page of a conversation's archive: all from the id
  /// `from` up to, but not including, the id `until`. Empty ids mean its beginning and its end.
  case page(of: ConversationAddress, from: String, until: String)
  /// A room without an archive has sent all its past messages.
  case historySent(room: String)
  /// The answer to a request; empty if it is done and there is nothing to add. The first answer
  /// counts.
  case answered(NetworkRequest, Remark)
  /// The file that a request asked to fetch is in the store's folder. It now belongs to its
  /// message, and a line that consists of its address is removed from the message's text.
  case fetched(NetworkRequest, Attachment)
  /// A sentence for the account's owner.
  case notice(Remark)
  /// A sentence for the account's owner that rings.
  case alert(Remark)
  /// A sentence for the owner about what somebody has done, unless the owner ignores that person.
  case noticeAbout(NetworkUser, Remark)
  /// How the network names people and rooms. Must come before anything that depends on it.
  case rules(AddressRules)
  /// What people can do in the account's conversations.
  case abilities(NetworkAbilities)
  /// What people can do in one of the account's conversations, which is created if it is missing;
  /// nil if the abilities of the account apply.
  case abilitiesHere(Abilities?, in: ConversationAddress)
}
