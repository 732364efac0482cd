// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What each kind of event changes, and where a batch's transaction ends.
extension IncomingBatch {
  /// Applies an event completely, or skips it: if it contradicts the store or a rule, the next try
  /// would end in the same way (rule 14.6).
  ///
  /// - Returns: why it was skipped; nil if it was not.
  func applyWhole(_ event: NetworkEvent) throws -> (any Error)? {
    try whole { try apply(event) }
  }

  /// Applies the changes that now find their messages, and adds the new texts to the search index.
  ///
  /// - Returns: why a part of it was skipped; nil if none was.
  func finish() throws -> (any Error)? {
    let reason = try whole { try applyWaitingChanges() }
    try index()
    return reason
  }

  private func apply(_ event: NetworkEvent) throws {
    switch event {
    case .messageReceived(let message, let conversation):
      try applyMessage(message, in: conversation)
    case .edited, .retracted, .removed, .reacted:
      if try !applyChange(event) { try storeWaiting(event) }
    case .typing(let speaker, let conversation, let isTyping):
      try applyTyping(speaker, in: conversation, isTyping)
    case .receipt(let name, let speaker, let conversation, let state, let isAlone):
      try applyReceipt(name, by: speaker, in: conversation, state, isAlone: isAlone)
    case .read(let name, let conversation): try read(name, in: conversation)
    case .readUntil(let time, let conversation): try read(until: time, in: conversation)
    case .named(let nick, let scope): try store.setOwnNick(nick, scope: scope, of: account)
    case .joined(let room, let nick): try applyEntry(room, as: nick)
    case .left(let room, let reason): try applyLeave(room, reason)
    case .lost(let room, let reason): try applyLoss(room, reason)
    case .roomNamed(let room, let name): try applyRoomName(room, name)
    case .roomMoved(let room, let new, let speaker, let words):
      try applyMove(room, to: new, by: speaker, words)
    case .forwarded(let room, let new, let reason): try applyForwarding(room, to: new, reason)
    case .present(let speaker, let room, let away, let rank, let arrival):
      try applyPresence(speaker, in: room, away: away, rank: rank, arrival: arrival)
    case .ranked(let speaker, let room, let rank): try setRank(of: speaker, in: room, rank)
    case .moderated(let sentence, let room, let speaker, let isAboutOwner):
      try applyModeration(sentence, in: room, by: speaker, isAboutOwner: isAboutOwner)
    case .absent(let speaker, let room, let removal):
      try applyAbsence(speaker, in: room, removal: removal)
    case .renamed(let speaker, let room?, let former):
      try applyRename(speaker, in: room, from: former)
    case .renamed(let speaker, nil, let former): try applyRename(speaker, from: former)
    case .topic(let room, let text, let speaker, _): try applyTopic(of: room, text, by: speaker)
    case .invited(let room, let speaker): try applyInvitation(to: room, by: speaker)
    case .contact(let speaker, let isOnline, let away):
      try applyContact(speaker, isOnline: isOnline, away: away)
    case .wantsContact(let speaker): try applyContactRequest(speaker)
    case .countStrangers: try reportStrangers()
    case .answeredContact(let speaker, let isYes):
      try store.tell(
        filled(
          (
            isYes
              ? "%1 lets you see when they are online."
              : "%1 does not let you see when they are online.", [speaker.identity]
          )), account)
    case .contactRemoved(let speaker): try applyContactRemoved(speaker)
    case .offline(let scope): try forgetPresence(on: scope)
    case .accepted(let entry, let archive): try applyAcceptance(entry, archive)
    case .acceptedPart(let entry, let id):
      try store.noteApplied(MessageIDs(archive: id), to: entry.message.id, by: owner.id)
    case .refused(let entry, let reason, let mayHaveArrived):
      try applyRefusal(entry, reason, mayHaveArrived)
    case .neverSent(let entry): try applyNeverSent(entry)
    case .bounced(let name, let conversation, let reason):
      try applyBounce(name, in: conversation, reason)
    case .caughtUp(let archive, let mark): try applyCatchUp(archive, mark)
    case .missing(let conversation): try noteMissing(in: conversation)
    case .complete(let conversation): try noteComplete(in: conversation)
    case .unanswered(let conversation): try noteUnanswered(in: conversation)
    case .page(let conversation, let from, let until):
      try page(of: conversation, from: from, until: until)
    case .historySent(let room): try applyHistoryMark(room)
    case .answered(let request, let text): try store.answer(request, of: account, text)
    case .fetched(let request, let file): try applyFetched(request, file)
    case .notice(let sentence): try store.tell(sentence, account)
    case .noticeAbout(let speaker, let sentence):
      let known = try person(speaker, knownIn: .direct(speaker.identity))
      let ignored = try store.attention(of: owner.id).ignoredPeople
      if known.map({ ignored.contains($0.id) }) != true { try store.tell(sentence, account) }
    case .rules(let rules): try setRules(rules)
    case .abilities(let abilities): try store.setAbilities(of: account, abilities)
    case .abilitiesHere(let abilities, let network):
      try store.setAbilities(of: batchConversation(network).id, abilities)
    }
  }
}
