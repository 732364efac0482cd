// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// Reads the messages that the server keeps (IRCv3 chathistory), to catch up after a break and to
/// show older messages in a shell.
struct History: Sendable {
  /// The state of a conversation's history on this connection.
  enum State: Hashable, Sendable {
    case reading, read, failed
  }

  /// Clocks of a network's servers differ by up to this much.
  static let fuzz: Milliseconds = 10_000
  /// The most pages for one conversation, or for the list of direct chats, after a break.
  private static let mostPages = 200
  /// The key of the mark that all direct chats share, since the server lists the active ones: the
  /// `/` and the name of the bouncer's network, or empty.
  private let allChats: String

  private(set) var marks: [String: Mark] = [:]
  private(set) var states: [ConversationAddress: State] = [:]
  /// The conversations in which the store knows that messages may be missing since the break before
  /// this connection.
  private var gaps: Set<ConversationAddress> = []
  /// The state of the list of direct chats with new messages.
  private(set) var chats: State?
  /// The time since which that list covers messages.
  private var chatsSince: Milliseconds = 0
  private var chatPages = 0
  var times = MessageTimes()
  /// The newest message that the owner has seen in a conversation, until the server confirms that it
  /// knows, and whether the client has told it on this connection.
  var seen: [ConversationAddress: (id: String, isTold: Bool)] = [:]
  /// The addresses of direct chats with messages that the owner has not read.
  var unread: Set<String> = []
  /// How far the owner has read on other devices, to repeat once the messages have arrived.
  var readMarks: [ConversationAddress: Milliseconds] = [:]
  private var questions = HistoryQueue()
  /// How many missed messages have arrived on this connection.
  private(set) var received = 0
  private static let endTag = "draft/chathistory-end"

  init(marks: [String: String], scope: String) {
    allChats = scope
    self.marks = marks.compactMapValues { Mark($0) }
  }

  mutating func reset() {
    (states, gaps, questions, received) = ([:], [], HistoryQueue(), 0)
    (chats, chatPages, readMarks) = (nil, 0, [:])
    seen = seen.mapValues { ($0.id, false) }
  }

  var isReading: Bool { states.values.contains(.reading) }

  /// Whether the store has everything before a live message, so that the mark may move to it.
  private func isSettled(_ conversation: ConversationAddress) -> Bool {
    if case .direct = conversation, states[conversation] == nil { return chats == .read }
    return states[conversation] == .read
  }

  private var areChatsSettled: Bool {
    chats == .read
      && states.allSatisfy {
        if case .direct = $0.key { $0.value == .read } else { true }
      }
  }

  // MARK: Catching up

  /// Tells the store that messages may be missing in a conversation. Call this before anything that
  /// arrives or is sent there on this connection.
  mutating func noteActivity(
    in conversation: ConversationAddress, _ context: inout IRCContext
  ) {
    var mark = marks[conversation.address]
    if case .direct = conversation { mark = mark ?? marks[allChats] }
    guard context.historyLimit != nil, mark != nil, !isSettled(conversation),
      gaps.count < MessageTimes.most, gaps.insert(conversation).inserted
    else { return }
    context.tell(.missing(in: conversation))
    let isFailed =
      if case .direct = conversation, states[conversation] == nil { chats == .failed } else {
        states[conversation] == .failed
      }
    if isFailed { context.tell(.unanswered(in: conversation)) }
  }

  mutating func begin(
    _ conversation: ConversationAddress, as target: String, in context: inout IRCContext
  ) {
    guard let limit = context.historyLimit, states[conversation] != .reading else { return }
    states[conversation] = .reading
    noteActivity(in: conversation, &context)
    let scope: HistoryQuery.Scope =
      marks[conversation.address].map {
        .catchUp(since: $0.milliseconds - Self.fuzz, newest: nil)
      } ?? .last
    ask(
      HistoryQuery(conversation: conversation, target: target, scope: scope, limit: limit),
      in: &context)
  }

  /// Notes that a conversation may have had messages that nobody has read.
  mutating func forgetState(of conversation: ConversationAddress) {
    if states[conversation] == .reading { return }
    states[conversation] = nil
    gaps.remove(conversation)
  }

  /// Notes that a direct chat has messages since the mark of all chats: they are newer, not older,
  /// than those in the store.
  mutating func expect(_ conversation: ConversationAddress) {
    if marks[conversation.address] == nil { marks[conversation.address] = marks[allChats] }
  }

  /// Asks which direct chats have had messages since the last mark.
  mutating func askForChats(in context: inout IRCContext) {
    guard context.historyLimit != nil else { return }
    guard let mark = marks[allChats] else {
      chats = .read
      return setMark(
        Mark(time: Timestamp.text(context.serverTime), id: nil), of: allChats, in: &context)
    }
    askForChats(since: mark.milliseconds - Self.fuzz, in: &context)
  }

  private mutating func askForChats(since time: Milliseconds, in context: inout IRCContext) {
    (chats, chatsSince) = (.reading, time)
    let until = Timestamp.text(context.serverTime + Self.fuzz)
    context.send(
      IRCLine(
        IRCContext.historyCommand,
        [
          "TARGETS", Self.timestamp + Timestamp.text(time), Self.timestamp + until,
          String(context.historyLimit ?? 0),
        ]), .background)
  }

  /// Notes the end of a part of that list.
  ///
  /// - Parameter last: the time of the last chat in it.
  mutating func noteChats(
    _ count: Int, last: Milliseconds?, in context: inout IRCContext
  ) {
    chatPages += 1
    if count >= context.historyLimit ?? 0, chatPages < Self.mostPages, let last, last > chatsSince {
      askForChats(since: last, in: &context)
    } else {
      chats = .read
      // In the other chats, the server has nothing new.
      for conversation in gaps where states[conversation] == nil {
        guard case .direct = conversation else { continue }
        gaps.remove(conversation)
        context.tell(.complete(in: conversation))
      }
    }
  }

  /// Fetches older messages for a shell.
  mutating func fetch(
    _ request: NetworkRequest, _ conversation: ConversationAddress, as target: String,
    in context: inout IRCContext
  ) {
    guard let limit = context.historyLimit else {
      return context.answer(
        request, translated("The server keeps no history."))
    }
    let older = OlderMessages(request)
    let before = older.before
    if !before.isEmpty, !before.hasPrefix(Self.timestamp), !context.support.historyTakesIDs,
      times[before] == nil
    {
      return context.answer(
        request,
        translated(
          "The server finds older messages only by time, and hobnob no longer knows the time of the oldest one here."
        ))
    }
    ask(
      HistoryQuery(
        conversation: conversation, target: target, scope: .older(older), limit: limit),
      in: &context)
  }

  private mutating func ask(_ query: HistoryQuery, in context: inout IRCContext) {
    questions.add(query)
    run(in: &context)
  }

  private mutating func run(in context: inout IRCContext) {
    questions.run(times, in: &context)
    if !questions.areRunning, chats != .reading { context.clock.clear(.history) }
  }

  // MARK: Answers

  /// The query that a batch answers.
  mutating func takeQuery(label: String?, target: String, in context: IRCContext) -> HistoryQuery? {
    questions.take(label: label, target: context.fold(target))
  }

  /// Whether a page is the last one of its kind. A short page may not be: it lacks the messages
  /// that the owner may not see.
  ///
  /// - Parameters:
  ///   - count: how many messages it had.
  ///   - newest: the last of them.
  func isEndOfHistory(_ page: Batch, count: Int, newest: Mark?, of query: HistoryQuery) -> Bool {
    // The next page will have the lines that this batch lacks.
    if page.isTruncated { return false }
    if count == 0 || page.tags[Self.endTag] != nil { return true }
    // Most rooms have nothing new after a break: do not ask twice.
    guard case .catchUp(_, nil, _) = query.scope, count < query.limit, let newest,
      let mark = marks[query.conversation.address]
    else { return false }
    return newest.milliseconds <= mark.milliseconds
  }

  /// Notes a page.
  ///
  /// - Parameters:
  ///   - ends: the oldest and the newest message of the page.
  ///   - new: how many of its messages were PRIVMSG or NOTICE.
  ///   - isLast: what `isEndOfHistory` said.
  mutating func finish(
    _ query: HistoryQuery, ends: (oldest: Mark, newest: Mark)?, new: Int, isLast: Bool,
    in context: inout IRCContext
  ) {
    let isEnd = ends == nil || isLast
    var next = query
    switch query.scope {
    case .last:
      end(query.conversation, .read, in: &context)
      if let newest = ends?.newest { note(newest, in: query.conversation, &context) }
    case .catchUp(let since, let former, let pages):
      received += new
      if !isEnd, let newest = ends?.newest, newest != former {
        if pages + 1 < Self.mostPages {
          next.scope = .catchUp(since: since, newest: newest, pages: pages + 1)
          ask(next, in: &context)
        } else {
          // The next connection goes on from here.
          end(query.conversation, .failed, in: &context)
        }
      } else {
        end(query.conversation, .read, in: &context)
      }
      // The store has everything before it.
      if let newest = ends?.newest { note(newest, in: query.conversation, &context) }
    case .older(var older):
      let oldest = ends?.oldest.reference(context)
      if older.note(new, from: oldest, isEnd: isEnd) {
        next.scope = .older(older)
        ask(next, in: &context)
      } else {
        let isEmpty = older.count == 0 && isEnd
        context.answer(
          older.request, isEmpty ? translated("The server has no older messages.") : "")
      }
    }
    run(in: &context)
  }

  /// Notes that the server has refused a query (FAIL CHATHISTORY).
  mutating func noteFailure(_ line: IRCLine, _ words: Remark, in context: inout IRCContext) {
    let about = line.parameters.dropFirst(2).dropLast()
    if about.first?.uppercased() == "TARGETS" { failChats(in: &context) }
    // Which parameter is the target depends on the failure.
    let targets = Set(about.map { context.fold($0) })
    let query = questions.take {
      $0 == line.tags["label"] || targets.contains(context.fold($1.target))
    }
    if let query { fail(query, words, in: &context) }
  }

  /// Notes that the server has not answered a query in time.
  mutating func fail(_ query: HistoryQuery, _ sentence: Remark, in context: inout IRCContext) {
    switch query.scope {
    case .last, .catchUp: end(query.conversation, .failed, in: &context)
    case .older(let older): context.answer(older.request, sentence)
    }
    run(in: &context)
  }

  mutating func failAll(in context: inout IRCContext) {
    if context.waiting.has(IRCContext.historyCommand) { return }
    let silent = questions.takeAll()
    if chats == .reading { failChats(in: &context) }
    for query in silent {
      fail(query, translated("The server does not answer."), in: &context)
    }
  }

  private mutating func failChats(in context: inout IRCContext) {
    chats = .failed
    context.tell(.unanswered(in: nil))
  }

  private mutating func end(
    _ conversation: ConversationAddress, _ state: State, in context: inout IRCContext
  ) {
    states[conversation] = state
    if state == .failed {
      context.tell(.unanswered(in: conversation))
    } else if gaps.remove(conversation) != nil {
      context.tell(.complete(in: conversation))
    }
    if let time = readMarks[conversation] {
      context.tell(.readUntil(time, in: conversation))
    }
  }

  // MARK: Marks

  /// Moves the mark of a conversation to a live message, if nothing is missing before it.
  mutating func noteLive(
    _ mark: Mark, in conversation: ConversationAddress, _ context: inout IRCContext
  ) {
    if isSettled(conversation) { note(mark, in: conversation, &context) }
  }

  /// Moves the mark of a conversation to a newer message.
  private mutating func note(
    _ mark: Mark, in conversation: ConversationAddress, _ context: inout IRCContext
  ) {
    let key = conversation.address
    // If the server's clock is ahead, the mark would skip messages that are yet to come.
    let now = context.serverTime
    let mark = mark.milliseconds > now + Self.fuzz ? Mark(time: Timestamp.text(now), id: nil) : mark
    if mark.milliseconds >= marks[key]?.milliseconds ?? .min {
      setMark(mark, of: key, in: &context)
    }
    if case .direct = conversation, areChatsSettled,
      mark.milliseconds > marks[allChats]?.milliseconds ?? .max
    {
      setMark(Mark(time: mark.time, id: nil), of: allChats, in: &context)
    }
  }

  /// Follows a room to another address.
  ///
  /// - Parameter target: the new name, as the server spells it.
  mutating func follow(
    _ former: ConversationAddress, to new: ConversationAddress, as target: String,
    in context: inout IRCContext
  ) {
    states[new] = states.removeValue(forKey: former)
    if gaps.remove(former) != nil { gaps.insert(new) }
    readMarks[new] = readMarks.removeValue(forKey: former)
    questions.follow(former, to: new, as: target)
    if let mark = marks[former.address] { setMark(mark, of: new.address, in: &context) }
  }

  private mutating func setMark(_ mark: Mark, of key: String, in context: inout IRCContext) {
    if marks[key] == mark { return }
    marks[key] = mark
    context.tell(.caughtUp(archive: key, mark: mark.text))
  }
}
