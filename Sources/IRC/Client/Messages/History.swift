// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// What the server keeps of a conversation (IRCv3 chathistory): catching up after a break, and
/// older messages for a shell.
struct History: Sendable {
  /// The state of a conversation's history on this connection.
  enum State: Hashable, Sendable {
    case reading, read, failed
  }

  /// What is asked of the server.
  struct Query: Sendable {
    enum Scope: Sendable {
      /// Everything since the mark; the newest first.
      case catchUp(pages: Int, newest: Mark?)
      /// The last messages of a conversation that the store does not know yet.
      case first
      /// For a shell: older messages.
      case older(NetworkRequest, before: String, count: Int, pages: Int)
    }

    var conversation: ConversationAddress
    /// As the server spells it.
    var target: String
    var scope: Scope
    var limit: Int
  }

  /// A message up to which everything is known: its time, as the server wrote it, and its id.
  struct Mark: Hashable, Sendable {
    var time: String
    var id: String?

    init(time: String, id: String?) { (self.time, self.id) = (time, id) }

    /// - Parameter text: as in the store: `TIME` or `TIME ID`.
    init?(_ text: String) {
      let parts = text.split(separator: " ", maxSplits: 1)
      guard let time = parts.first, Timestamp.milliseconds(String(time)) != nil else { return nil }
      (self.time, id) = (String(time), parts.count > 1 ? String(parts[1]) : nil)
    }

    var text: String { time + (id.map { " " + $0 } ?? "") }
    var milliseconds: Milliseconds { Timestamp.milliseconds(time) ?? 0 }
  }

  /// Clocks of a network's servers differ by up to this much.
  static let fuzz: Milliseconds = 10_000
  /// Pages of one catching up, and of one request.
  private static let mostPages = 200
  private static let mostAtOnce = 4
  static let patience: Milliseconds = 30_000
  /// The key of the mark for direct chats, whose list the server gives.
  static let allChats = ""

  private(set) var marks: [String: Mark] = [:]
  private(set) var states: [ConversationAddress: State] = [:]
  private var waiting: [Query] = []
  /// By label, or by target where the server has no labels.
  private var running: [String: Query] = [:]
  /// How many messages arrived on this connection by catching up.
  private(set) var received = 0

  init(marks: [String: String]) {
    self.marks = marks.compactMapValues { Mark($0) }
  }

  static func key(_ conversation: ConversationAddress) -> String {
    switch conversation {
    case .room(let address), .direct(let address): address
    }
  }

  mutating func reset() {
    (states, waiting, running, received) = ([:], [], [:], 0)
  }

  /// Whether everything that the server has of a conversation is known, so that what is sent now is
  /// new.
  func isRead(_ conversation: ConversationAddress) -> Bool { states[conversation] == .read }

  var isReading: Bool { states.values.contains(.reading) }

  // MARK: Catching up

  mutating func begin(
    _ conversation: ConversationAddress, as target: String, in context: inout IRCContext
  ) {
    guard let limit = context.historyLimit, states[conversation] != .reading else { return }
    states[conversation] = .reading
    let scope: Query.Scope =
      marks[Self.key(conversation)] == nil ? .first : .catchUp(pages: 0, newest: nil)
    ask(
      Query(conversation: conversation, target: target, scope: scope, limit: limit), in: &context)
  }

  /// Notes that a direct chat has had messages since the last mark of all chats: they are new, not
  /// older than what the store has.
  mutating func expect(_ conversation: ConversationAddress) {
    if marks[Self.key(conversation)] == nil { marks[Self.key(conversation)] = marks[Self.allChats] }
  }

  /// Asks which direct chats have had messages since the last mark.
  mutating func askForChats(in context: inout IRCContext) {
    guard let limit = context.historyLimit else { return }
    guard let mark = marks[Self.allChats] else {
      return setMark(
        Mark(time: Timestamp.text(context.clock.wall), id: nil), of: Self.allChats, in: &context)
    }
    let since = Timestamp.text(mark.milliseconds - Self.fuzz)
    let until = Timestamp.text(context.clock.wall + Self.fuzz)
    context.send(
      IRCLine(
        "CHATHISTORY", ["TARGETS", "timestamp=" + since, "timestamp=" + until, String(limit)]))
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
    let before = request.history.before
    if !before.isEmpty, !context.support.historyTakesIDs, time(of: before) == nil {
      return context.answer(
        request,
        translated(
          "The server finds older messages only by their times, and hobnob does not know that of this one any more."
        ))
    }
    ask(
      Query(
        conversation: conversation, target: target,
        scope: .older(request, before: before, count: 0, pages: 0), limit: limit), in: &context)
  }

  private mutating func ask(_ query: Query, in context: inout IRCContext) {
    waiting.append(query)
    run(in: &context)
  }

  private mutating func run(in context: inout IRCContext) {
    while running.count < Self.mostAtOnce,
      let index = waiting.firstIndex(where: { query in
        !running.values.contains { $0.conversation == query.conversation }
      })
    {
      let query = waiting.remove(at: index)
      var line = IRCLine("CHATHISTORY", command(of: query, context))
      let label = context.newLabel()
      line.tags["label"] = label
      running[label ?? context.fold(query.target)] = query
      context.send(line)
      context.clock.set(.history, in: Self.patience)
    }
    if running.isEmpty { context.clock.clear(.history) }
  }

  private func command(of query: Query, _ context: IRCContext) -> [String] {
    func reference(_ id: String?, _ time: String?) -> String {
      if let id, context.support.historyTakesIDs { return "msgid=" + id }
      return time.map { "timestamp=" + $0 } ?? "*"
    }
    let limit = String(query.limit)
    switch query.scope {
    case .first: return ["LATEST", query.target, "*", limit]
    case .catchUp(0, _):
      let since = marks[Self.key(query.conversation)].map {
        "timestamp=" + Timestamp.text($0.milliseconds - Self.fuzz)
      }
      return ["LATEST", query.target, since ?? "*", limit]
    case .catchUp:
      let oldest = oldest[query.conversation]
      return ["BEFORE", query.target, reference(oldest?.id, oldest?.time), limit]
    case .older(_, "", _, _): return ["LATEST", query.target, "*", limit]
    case .older(_, let before, _, _):
      return ["BEFORE", query.target, reference(before, time(of: before)), limit]
    }
  }

  /// The oldest message of the last page, while a conversation is being caught up.
  private var oldest: [ConversationAddress: Mark] = [:]

  // MARK: Answers

  /// The query that a batch answers.
  mutating func takeQuery(label: String?, target: String, in context: IRCContext) -> Query? {
    running.removeValue(forKey: label ?? context.fold(target))
      ?? running.removeValue(forKey: context.fold(target))
  }

  /// Notes a page.
  ///
  /// - Parameters:
  ///   - ends: the oldest and the newest message of the page.
  ///   - count: how many messages it had.
  ///   - new: how many of them counted as messages.
  mutating func finish(
    _ query: Query, ends: (oldest: Mark, newest: Mark)?, count: Int, new: Int, isLast: Bool,
    in context: inout IRCContext
  ) {
    let isEnd = isLast || ends == nil || count < query.limit
    var next = query
    switch query.scope {
    case .first:
      if let newest = ends?.newest { note(newest, in: query.conversation, &context) }
      end(query.conversation, .read, in: &context)
    case .catchUp(let pages, let former):
      received += new
      let newest = former ?? ends?.newest
      let mark = marks[Self.key(query.conversation)]
      let known = (mark?.milliseconds ?? 0) - Self.fuzz
      let isKnown = ends.map { $0.oldest.milliseconds < known } ?? true
      let isStuck = ends?.oldest == oldest[query.conversation]
      if !isEnd, !isKnown, !isStuck, pages + 1 < Self.mostPages, let first = ends?.oldest {
        oldest[query.conversation] = first
        next.scope = .catchUp(pages: pages + 1, newest: newest)
        ask(next, in: &context)
        break
      }
      oldest[query.conversation] = nil
      if let newest { note(newest, in: query.conversation, &context) }
      end(query.conversation, .read, in: &context)
    case .older(let request, let before, let known, let pages):
      let total = known + new
      if !isEnd, total < request.history.count, pages < Self.mostPages, let id = ends?.oldest.id,
        id != before
      {
        next.scope = .older(request, before: id, count: total, pages: pages + 1)
        ask(next, in: &context)
      } else {
        context.answer(request, Self.sentence(total, isEnd: isEnd))
      }
    }
    run(in: &context)
  }

  private static func sentence(_ count: Int, isEnd: Bool) -> String {
    count == 0 && isEnd ? translated("The server has no older messages.") : ""
  }

  /// Notes that the server does not answer a query.
  mutating func fail(_ query: Query, _ sentence: String, in context: inout IRCContext) {
    oldest[query.conversation] = nil
    switch query.scope {
    case .first, .catchUp: end(query.conversation, .failed, in: &context)
    case .older(let request, _, _, _): context.answer(request, sentence)
    }
    run(in: &context)
  }

  mutating func failAll(in context: inout IRCContext) {
    let silent = running.values
    running = [:]
    for query in silent {
      fail(query, translated("The server does not answer."), in: &context)
    }
  }

  private mutating func end(
    _ conversation: ConversationAddress, _ state: State, in context: inout IRCContext
  ) {
    states[conversation] = state
    context.needsPump = true
  }

  // MARK: Marks

  /// Times of messages by their ids, for servers that find messages only by time, and for read
  /// markers. The older half is forgotten when it is full.
  private(set) var times: [String: String] = [:]
  private var formerTimes: [String: String] = [:]
  private static let mostTimes = 10_000

  mutating func noteTime(_ time: String, of id: String) {
    if times.count >= Self.mostTimes { (formerTimes, times) = (times, [:]) }
    times[id] = time
  }

  func time(of id: String) -> String? { times[id] ?? formerTimes[id] }

  /// Moves the mark of a conversation to a newer message.
  mutating func note(
    _ mark: Mark, in conversation: ConversationAddress, _ context: inout IRCContext
  ) {
    let key = Self.key(conversation)
    if mark.milliseconds >= marks[key]?.milliseconds ?? .min {
      setMark(mark, of: key, in: &context)
    }
    if case .direct = conversation, mark.milliseconds > marks[Self.allChats]?.milliseconds ?? .max {
      setMark(Mark(time: mark.time, id: nil), of: Self.allChats, in: &context)
    }
  }

  private mutating func setMark(_ mark: Mark, of key: String, in context: inout IRCContext) {
    if marks[key] == mark { return }
    marks[key] = mark
    context.tell(.caughtUp(archive: key, mark: mark.text))
  }
}

extension IRCContext {
  /// Messages of one answer from the history; nil if the server has none.
  var historyLimit: Int? {
    has(Capabilities.history) && has(Capabilities.batch) ? support.historyLimit ?? 100 : nil
  }
}
