// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// One batch of events on its way into the store: what each kind of event changes, and where the
/// batch's transaction ends.
final class IncomingBatch {
  let book: AddressBook
  let outline: BatchOutline
  let fetchesFiles: Bool
  let attendance: Attendance
  let strangers: Strangers
  let gaps: Gaps
  private let receipts: Receipts
  let results: OutboxResults
  var repetitions: Repetitions
  var newMessages: NewMessages
  var pages: ArchivePages

  init(
    _ running: borrowing Access<some MayWrite>, _ account: Account, _ outline: BatchOutline,
    _ playbacks: [ConversationAddress: Playback], fetchesFiles: Bool
  ) throws {
    (self.outline, self.fetchesFiles) = (outline, fetchesFiles)
    book = try AddressBook(running, account)
    attendance = Attendance(book: book, outline: outline)
    (strangers, gaps) = (Strangers(book: book), Gaps(book: book))
    (receipts, results) = (Receipts(book: book), OutboxResults(book: book))
    repetitions = Repetitions(book: book, outline: outline, playbacks: playbacks)
    (newMessages, pages) = (NewMessages(book: book), ArchivePages(book: book))
  }

  /// Makes a change completely or not at all: if the change contradicts the store or a rule, it
  /// returns the reason.
  private func whole(_ body: () throws -> Void) throws -> (any Error)? {
    let former = (repetitions, newMessages, pages, book.missingInNew, book.account.rules)
    do {
      try book.store.savepoint(body)
      return nil
    } catch {
      switch error {
      case is RuleError, StoreError.contradiction:
        (repetitions, newMessages, pages, book.missingInNew, book.account.rules) = former
        book.forget()
        return error
      default: throw error
      }
    }
  }

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
    try newMessages.index()
    return reason
  }

  private func apply(_ event: NetworkEvent) throws {
    switch event {
    case .messageReceived(let message, let conversation):
      try applyMessage(message, in: conversation)
    case .edited, .retracted, .removed, .reacted:
      if try !applyChange(event) { try storeWaiting(event) }
    case .typing(let speaker, let conversation, let isTyping):
      try receipts.setTyping(speaker, in: conversation, isTyping)
    case .receipt(let name, let speaker, let conversation, let state, let isAlone):
      try receipts.note(name, by: speaker, in: conversation, state, isAlone: isAlone)
    case .read(let name, let conversation): try receipts.read(name, in: conversation)
    case .readUntil(let time, let conversation): try receipts.read(until: time, in: conversation)
    case .named(let nick, let scope):
      try book.store.setOwnNick(nick, scope: scope, of: book.account)
    case .joined(let room, let nick): try applyEntry(room, as: nick)
    case .left(let room, let reason): try applyLeave(room, reason)
    case .lost(let room, let reason): try applyLoss(room, reason)
    case .roomNamed(let room, let name): try applyRoomName(room, name)
    case .roomMoved(let room, let new, let speaker, let words):
      try applyMove(room, to: new, by: speaker, words)
    case .forwarded(let room, let new, let reason): try applyForwarding(room, to: new, reason)
    case .present(let speaker, let room, let away, let rank, let arrival):
      try attendance.applyArrival(speaker, in: room, away: away, rank: rank, arrival: arrival)
    case .ranked(let speaker, let room, let rank):
      try attendance.setRank(of: speaker, in: room, rank)
    case .moderated(let sentence, let room, let speaker, let isAboutOwner):
      try attendance.applyModeration(sentence, in: room, by: speaker, isAboutOwner: isAboutOwner)
    case .absent(let speaker, let room, let removal):
      try attendance.applyAbsence(speaker, in: room, removal: removal)
    case .renamed(let speaker, let room?, let former):
      try attendance.applyRename(speaker, in: room, from: former)
    case .renamed(let speaker, nil, let former): try attendance.applyRename(speaker, from: former)
    case .topic(let room, let text, let speaker, let time):
      try applyTopic(of: room, text, by: speaker, at: time)
    case .invited(let room, let speaker): try strangers.applyInvitation(to: room, by: speaker)
    case .contact(let speaker, let isOnline, let away):
      try attendance.applyContact(speaker, isOnline: isOnline, away: away)
    case .wantsContact(let speaker): try strangers.applyContactRequest(speaker)
    case .countStrangers: try strangers.report()
    case .answeredContact(let speaker, let isYes):
      try book.tell(
        filled(
          (
            isYes
              ? "%1 lets you see when they are online."
              : "%1 does not let you see when they are online.", [speaker.identity]
          )))
    case .contactRemoved(let speaker): try attendance.applyContactRemoved(speaker)
    case .offline(let scope): try book.forgetPresence(on: scope)
    case .accepted(let entry, let archive, let device):
      try results.accept(entry, archive, device)
    case .acceptedPart(let entry, let id):
      try book.store.noteApplied(MessageIDs(archive: id), to: entry.message.id, by: book.owner.id)
    case .refused(let entry, let reason, let mayHaveArrived):
      try results.refuse(entry, reason, mayHaveArrived)
    case .neverSent(let entry): try results.recall(entry)
    case .bounced(let name, let conversation, let reason):
      try results.bounce(name, in: conversation, reason)
    case .caughtUp(let archive, let mark): try applyCatchUp(archive, mark)
    case .missing(let conversation): try gaps.noteMissing(in: conversation)
    case .complete(let conversation): try gaps.noteComplete(in: conversation)
    case .unanswered(let conversation): try gaps.noteUnanswered(in: conversation)
    case .page(let conversation, let from, let until):
      // Finish the page before this one first: the changes on this one are older.
      try applyWaitingChanges()
      try pages.begin(conversation, from: from, until: until)
    case .historySent(let room): try applyHistoryMark(room)
    case .answered(let request, let text): try book.store.answer(request, of: book.account, text)
    case .fetched(let request, let file): try applyFetched(request, file)
    case .notice(let sentence): try book.tell(sentence)
    case .alert(let sentence): try book.tell(sentence, as: .ringing)
    case .noticeAbout(let speaker, let sentence):
      let known = try book.person(speaker, knownIn: .direct(speaker.identity))
      let ignored = try book.store.attention(of: book.owner.id).ignoredPeople
      if known.map({ ignored.contains($0.id) }) != true { try book.tell(sentence) }
    case .rules(let rules):
      try book.store.setRules(of: book.account, rules)
      book.account.rules = rules
    case .abilities(let abilities): try book.store.setAbilities(of: book.account, abilities)
    case .abilitiesHere(let abilities, let network):
      try book.store.setAbilities(of: book.conversation(network).id, abilities)
    }
  }
}
