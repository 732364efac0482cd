// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks

/// A question to the server's history.
struct HistoryQuery: Sendable {
  enum Scope: Sendable {
    /// Everything since the mark or, after a page, since its newest message: the store keeps
    /// messages in the order in which they arrive.
    case catchUp(since: Milliseconds, newest: History.Mark?, pages: Int = 0)
    /// The last messages of a conversation that is new to the store.
    case last
    /// Older messages for a shell.
    case older(OlderMessages)
  }

  var conversation: ConversationAddress
  /// As the server spells it.
  var target: String
  var scope: Scope
  var limit: Int

  /// Whether a shell waits for the answer.
  var isRequested: Bool { if case .older = scope { true } else { false } }

  /// The message before which the page ends; empty for the last one.
  var before: String { if case .older(let older) = scope { older.before } else { "" } }

  fileprivate func words(_ times: MessageTimes, _ context: IRCContext) -> [String] {
    func reference(_ id: String) -> String {
      if id.hasPrefix(History.timestamp) { return id }
      if context.support.historyTakesIDs { return "msgid=" + id }
      return times[id].map { History.timestamp + $0 } ?? "*"
    }
    let limit = String(limit)
    switch scope {
    case .catchUp(let since, nil, _):
      return ["AFTER", target, History.timestamp + Timestamp.text(since), limit]
    case .catchUp(_, let newest?, _):
      if let id = newest.id, context.support.historyTakesIDs {
        return ["AFTER", target, "msgid=" + id, limit]
      }
      // Other messages may have the same time; the store ignores those that it has already.
      let since = Timestamp.text(newest.milliseconds - 1)
      return ["AFTER", target, History.timestamp + since, limit]
    case .last, .older:
      return before.isEmpty
        ? ["LATEST", target, "*", limit] : ["BEFORE", target, reference(before), limit]
    }
  }
}

/// The questions to the server's history: a few at a time, one for each conversation.
struct HistoryQueue: Sendable {
  private static let mostAtOnce = 4

  private var waiting: [HistoryQuery] = []
  /// By label, or by folded target where the server has no labels.
  private var running: [String: HistoryQuery] = [:]

  var areRunning: Bool { !running.isEmpty }

  mutating func add(_ query: HistoryQuery) {
    // What the owner asks for goes first (rule 14.12).
    let index = query.isRequested ? waiting.firstIndex { !$0.isRequested } : nil
    waiting.insert(query, at: index ?? waiting.endIndex)
  }

  /// Sends the questions whose turn it is.
  mutating func run(_ times: MessageTimes, in context: inout IRCContext) {
    while let index = waiting.firstIndex(where: { query in
      (query.isRequested || running.count < Self.mostAtOnce)
        // Without labels, the target shows which query an answer belongs to.
        && !running.values.contains {
          $0.conversation == query.conversation
            || context.fold($0.target) == context.fold(query.target)
        }
    }) {
      let query = waiting.remove(at: index)
      var line = IRCLine(IRCContext.historyCommand, query.words(times, context))
      let label = context.newLabel()
      line.tags["label"] = label
      running[label ?? context.fold(query.target)] = query
      context.send(line, query.isRequested ? .owner : .background)
    }
  }

  /// Takes the query that an answer belongs to.
  ///
  /// - Parameter target: folded.
  mutating func take(label: String?, target: String) -> HistoryQuery? {
    running.removeValue(forKey: label ?? target) ?? running.removeValue(forKey: target)
  }

  /// - Parameter isRight: gets the label or the folded target, and the query.
  mutating func take(where isRight: (String, HistoryQuery) -> Bool) -> HistoryQuery? {
    running.first { isRight($0.key, $0.value) }.flatMap { running.removeValue(forKey: $0.key) }
  }

  /// Takes all queries without an answer.
  mutating func takeAll() -> [HistoryQuery] {
    defer { running = [:] }
    return Array(running.values)
  }

  /// Follows a room to another address.
  ///
  /// - Parameter target: the new name, as the server spells it.
  mutating func follow(
    _ former: ConversationAddress, to new: ConversationAddress, as target: String
  ) {
    func moved(_ query: HistoryQuery) -> HistoryQuery {
      var query = query
      if query.conversation == former { (query.conversation, query.target) = (new, target) }
      return query
    }
    (waiting, running) = (waiting.map(moved), running.mapValues(moved))
    // Without labels, the target is the key.
    running[new.address] = running.removeValue(forKey: former.address)
  }
}
