// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// Catching up with archives, and fetching older messages from them (XEP-0313, XEP-0059).
struct Archives: Sendable {
  private(set) var byKey: [ArchiveKey: Archive] = [:]
  private(set) var queries: [String: ArchiveQuery] = [:]
  /// The conversations in which the store knows that messages may be missing since the break before
  /// this connection.
  private var gaps: Set<ConversationAddress> = []

  /// - Parameters:
  ///   - marks: the last `caughtUp` of each archive.
  ///   - newest: for each archive, when the newest message that it has delivered was sent.
  init(marks: [String: String], newest: [String: Milliseconds]) {
    for (text, mark) in marks {
      guard let key = ArchiveKey(text) else { continue }
      byKey[key] = Archive(mark: mark)
      byKey[key]?.knownUntil = newest[text] ?? .min
    }
  }

  subscript(_ key: ArchiveKey) -> Archive? { byKey[key] }

  /// Whether everything in an archive is known, so that what is sent now is new.
  func isRead(_ key: ArchiveKey) -> Bool { byKey[key]?.isCatchingUp == false }

  // MARK: The connection

  mutating func beginAll() {
    for key in byKey.keys { byKey[key]?.begin() }
    byKey[.account, default: Archive()].begin()
  }

  mutating func resetAll() {
    (queries, gaps) = ([:], [])
    for key in Array(byKey.keys) { byKey[key]?.reset() }
  }

  mutating func reset(_ key: ArchiveKey) {
    byKey[key]?.reset()
    gaps = gaps.filter { !key.holds($0) }
  }

  mutating func beginAccount(exists: Bool, in context: inout ClientContext) {
    if exists {
      startCatchUp(with: .account, in: &context)
    } else {
      byKey[.account]?.state = .absent
    }
  }

  /// Begins to read a room's archive, since the owner is in the room now.
  mutating func beginRoom(_ room: Room, at address: Address, in context: inout ClientContext) {
    let key = ArchiveKey.room(address)
    context.needsPump = true
    guard room.hasArchive else {
      byKey[key, default: Archive()].state = .absent
      return
    }
    byKey[key, default: Archive()].begin()
    noteActivity(in: .room(address.description), of: key, &context)
    if room.isNew, byKey[key]?.mark == nil {
      // Everything in the archive of a new room is new, for a later process as well.
      setMark("", of: key, in: &context)
    }
    startCatchUp(with: key, in: &context)
  }

  // MARK: Asking

  private mutating func startCatchUp(with key: ArchiveKey, in context: inout ClientContext) {
    byKey[key, default: Archive()].state = .catchingUp
    askNextPage(of: key, in: &context)
  }

  /// - Parameter isEarly: whether to ask before this step's events are stored. False for the first
  ///   page: live messages must be able to arrive before it is asked for, or a message in between
  ///   would arrive neither way.
  mutating func askNextPage(
    of key: ArchiveKey, early isEarly: Bool = false, in context: inout ClientContext
  ) {
    guard context.isUp, let archive = byKey[key], archive.state == .catchingUp else { return }
    guard archive.hasLostMark else {
      return ask(ArchiveQuery(key, .catchUp(after: archive.mark)), early: isEarly, in: &context)
    }
    // Clocks differ, so ask for more; the store recognises by their ids the messages that it
    // already has.
    let since = archive.knownUntil > .min ? archive.knownUntil - Limits.clockError : nil
    ask(ArchiveQuery(key, .catchUp(after: "", since: since)), in: &context)
  }

  /// - Parameter isRoom: whether the owner knows the address as a room.
  mutating func fetchHistory(
    _ request: NetworkRequest, of address: Address, isRoom: Bool, in context: inout ClientContext
  ) {
    let key = isRoom ? ArchiveKey.room(address) : .account
    guard let archive = byKey[key], archive.state != .absent else {
      return context.answer(
        request,
        isRoom
          ? filled(("%1 keeps no archive.", [request.target]))
          : translated("The server keeps no archive of your messages."))
    }
    guard queries.count < Limits.queries else {
      return context.answer(
        request, translated("There are too many requests at once. Try again in a moment."))
    }
    ask(
      ArchiveQuery(key, .history(HistoryRequest(request, of: address, isRoom: isRoom))),
      in: &context)
  }

  private mutating func ask(
    _ query: ArchiveQuery, early isEarly: Bool = false, in context: inout ClientContext
  ) {
    let id = context.newID()
    queries[id] = query
    queries[id]?.iq = context.sendIQ(
      "set", query.makePayload(id: id), to: query.archive.address, .page(id), early: isEarly)
  }

  // MARK: Pages

  /// Adds a message to a page. It counts only if it comes from the archive that was asked, for a
  /// query of ours.
  mutating func addResult(_ result: Element, from: Address?, in context: inout ClientContext) {
    guard let id = result["queryid"], let query = queries[id],
      query.archive == .account
        ? context.owner.isAccount(from) : from == query.archive.address
    else { return }
    queries[id]?.add(result)
    context.noteProgress(of: query.iq)
  }

  /// Takes a page whose rest has arrived, or an error in its place. Interpret its messages next;
  /// then give it to `finish`.
  mutating func takePage(
    _ id: String, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) -> ArchivePage? {
    guard let query = queries.removeValue(forKey: id), let archive = byKey[query.archive] else {
      return nil
    }
    switch query.scope {
    case .history(let history):
      let page = ArchivePage(
        query, answer, isBackfill: true, knownUntil: .min, now: context.clock.wall)
      if case .result = answer, !Archives.isStuck(page, history) {
        context.tell(
          .page(
            of: history.conversation, from: page.isComplete ? "" : page.first ?? "",
            until: history.older.before))
      }
      return page
    case .catchUp(let after, _):
      guard archive.state == .catchingUp else { return nil }
      let isBackfill = after == nil && !archive.hasLostMark
      let page = ArchivePage(
        query, answer, isBackfill: isBackfill, knownUntil: archive.knownUntil,
        now: context.clock.wall)
      if case .result = answer, isBackfill, let room = query.archive.address, let first = page.first
      {
        context.tell(
          .page(
            of: .room(room.description), from: page.isLast ? "" : first, until: ""))
      }
      return page
    }
  }

  /// Asks for the next page, or ends.
  ///
  /// - Parameter count: how many new messages the page had.
  mutating func finish(
    _ page: ArchivePage, messages count: Int, in context: inout ClientContext
  ) {
    switch page.query.scope {
    case .history(let history): continueHistory(history, page, count, in: &context)
    case .catchUp(let after, _): continueCatchUp(page, after: after, in: &context)
    }
  }

  /// An archive that promises more and sends nothing would be asked for ever.
  private static func isStuck(_ page: ArchivePage, _ history: HistoryRequest) -> Bool {
    !page.isComplete && (page.first == nil || page.first == history.older.before)
  }

  private mutating func continueHistory(
    _ history: HistoryRequest, _ page: ArchivePage, _ count: Int, in context: inout ClientContext
  ) {
    var history = history
    let request = history.older.request
    switch page.answer {
    case .result:
      let isEnd = page.isComplete || Archives.isStuck(page, history)
      if history.older.note(count, from: page.first, isEnd: isEnd) {
        ask(ArchiveQuery(page.query.archive, .history(history)), in: &context)
      } else {
        context.answer(request, history.sentence(isEnd: isEnd))
      }
    case .error(let error) where error.condition == "item-not-found":
      context.answer(
        request, filled(("The archive of %1 has no older messages.", [request.target])))
    case .error, .silence:
      context.answer(request, page.answer.failure(at: request.target))
    }
  }

  private mutating func continueCatchUp(
    _ page: ArchivePage, after: String?, in context: inout ClientContext
  ) {
    let key = page.query.archive
    guard byKey[key]?.state == .catchingUp else { return }
    switch page.answer {
    case .result:
      byKey[key]?.note(page.messages, of: page.ids.count)
      let isFirst = after == nil
      // Even an empty archive gets a mark: what is in it next time is new.
      let last = page.last ?? (isFirst ? "" : nil)
      if let last, last != after { setMark(last, of: key, in: &context) }
      // An archive that promises more and sends nothing would be asked for ever.
      let isEnd =
        !page.query.isTruncated && isFirst || page.isComplete || page.last == nil
        || page.last == after
      if !isEnd { return askNextPage(of: key, early: true, in: &context) }
      byKey[key]?.state = .live
      byKey[key]?.knownUntil = context.clock.wall
      context.needsPump = true
      gaps = gaps.filter { !key.holds($0) }
      context.tell(.complete(in: key.conversation))
    case .error(let error) where error.condition == "item-not-found" && after?.isEmpty == false:
      // The archive has removed the message of the mark; the remaining messages are newer, or
      // known.
      byKey[key]?.hasLostMark = true
      askNextPage(of: key, in: &context)
    case .error(let error) where !error.isTemporary: fail(key, in: &context)
    case .error, .silence:
      byKey[key]?.failures += 1
      guard Retry.archivePage.allowsAnotherTry(after: byKey[key]?.failures ?? 0) else {
        return fail(key, in: &context)
      }
      if byKey[key]?.failures == 1 { context.tell(.unanswered(in: key.conversation)) }
      context.clock.set(.archive(key), in: Retry.archivePage.pause)
    }
  }

  private mutating func fail(_ key: ArchiveKey, in context: inout ClientContext) {
    byKey[key]?.state = .failed
    context.needsPump = true
    context.tell(.unanswered(in: key.conversation))
  }

  // MARK: Live messages

  /// Tells the store that messages may be missing in a conversation. Call this before anything that
  /// arrives there on this connection.
  mutating func noteActivity(
    in conversation: ConversationAddress, of key: ArchiveKey, _ context: inout ClientContext
  ) {
    // Without a mark, the archive was never read.
    guard let archive = byKey[key], archive.mark != nil,
      archive.isCatchingUp || archive.state == .failed, gaps.count < Limits.receiptConversations,
      gaps.insert(conversation).inserted
    else { return }
    context.tell(.missing(in: conversation))
    if archive.failures > 0 || archive.state == .failed {
      context.tell(.unanswered(in: conversation))
    }
  }

  /// When a late message was sent, but not before `knownUntil`: servers pass on a time that the
  /// sender made up, and everything up to `knownUntil` is known.
  func sendTime(
    _ stated: Milliseconds?, in key: ArchiveKey, _ clock: AlarmClock<Alarm>
  ) -> Milliseconds? {
    guard let stated, let known = byKey[key]?.knownUntil else { return stated }
    return max(stated, min(known, clock.wall))
  }

  /// Notes the archive id of a live message: next time, the client asks for what comes after it.
  mutating func noteLive(_ id: String, in key: ArchiveKey, _ context: ClientContext) {
    guard byKey[key]?.state == .live else { return }
    byKey[key]?.knownUntil = context.clock.wall
    byKey[key]?.nextMark = id
  }

  /// Moves the mark to the last live message, once nothing that was sent there can still get a
  /// place before it.
  mutating func moveMark(of key: ArchiveKey, in context: inout ClientContext) {
    guard let mark = byKey[key]?.nextMark else { return }
    byKey[key]?.nextMark = nil
    setMark(mark, of: key, in: &context)
  }

  private mutating func setMark(
    _ mark: String, of key: ArchiveKey, in context: inout ClientContext
  ) {
    byKey[key]?.mark = mark
    context.tell(.caughtUp(archive: key.text, mark: mark))
  }
}
