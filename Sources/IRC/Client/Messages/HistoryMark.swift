// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

extension History {
  /// The message up to which the store has everything: its time as the server wrote it, and its id.
  struct Mark: Hashable, Sendable {
    var time: String
    var id: String?

    init(time: String, id: String?) { (self.time, self.id) = (time, id) }

    /// - Parameter text: the mark as the store keeps it: `TIME` or `TIME ID`.
    init?(_ text: String) {
      let parts = text.split(separator: " ", maxSplits: 1)
      guard let time = parts.first, Timestamp.read(String(time)) != nil else { return nil }
      (self.time, id) = (String(time), parts.count > 1 ? String(parts[1]) : nil)
    }

    var text: String { time + (id.map { " " + $0 } ?? "") }
    var milliseconds: Milliseconds { Timestamp.read(time) ?? 0 }

    /// How to ask the server for it again: its id, or its time in the form of a question.
    func reference(_ context: IRCContext) -> String {
      if let id, context.support.historyTakesIDs { return id }
      return History.timestamp + time
    }
  }

  static let timestamp = "timestamp="
}

// How far the owner has read.
extension History {
  /// Of how many direct chats the client asks how far the owner has read on other devices.
  private static let mostUnread = 20

  /// Notes how far the owner has read on another device. The store has live messages with the time
  /// of their arrival here, so this also names the message with exactly the server's time.
  mutating func noteRead(
    until time: String, _ milliseconds: Milliseconds, in conversation: ConversationAddress,
    _ context: inout IRCContext
  ) {
    if readMarks.count < MessageTimes.most {
      readMarks[conversation] = max(milliseconds, readMarks[conversation] ?? milliseconds)
    }
    if let id = seen[conversation]?.id, let known = self.time(of: id, in: conversation),
      Timestamp.read(known) ?? .max <= milliseconds
    {
      seen[conversation] = nil
    }
    context.tell(.readUntil(milliseconds, in: conversation))
    // After a restart, the exact time is known only of the newest message.
    let newest = marks[conversation.address].flatMap {
      $0.milliseconds <= milliseconds ? $0.id : nil
    }
    for id in times.ids(at: time) + [newest].compactMap(\.self) {
      context.tell(.read(MessageIDs(archive: id), in: conversation))
    }
  }

  /// Notes that the owner has seen a message here, unless the server knows that they have read it.
  mutating func noteSeen(_ id: String, in conversation: ConversationAddress) {
    guard let time = time(of: id, in: conversation), seen[conversation]?.id != id,
      Timestamp.read(time) ?? .min > readMarks[conversation] ?? .min
    else { return }
    seen[conversation] = (id, false)
  }

  mutating func noteUnread(_ identity: String) {
    if unread.count < Self.mostUnread { unread.insert(identity) }
  }

  /// The server's time of a message; nil if it is not known.
  func time(of id: String, in conversation: ConversationAddress) -> String? {
    times[id] ?? marks[conversation.address].flatMap { $0.id == id ? $0.time : nil }
  }
}

/// The times of messages by their ids, for read markers and for servers that find messages only by
/// time. When it is full, it forgets the older half.
struct MessageTimes: Sendable {
  static let most = 10_000
  private var newer: [String: String] = [:]
  private var older: [String: String] = [:]

  subscript(_ id: String) -> String? { newer[id] ?? older[id] }

  mutating func note(_ time: String, of id: String) {
    if newer.count >= Self.most { (older, newer) = (newer, [:]) }
    newer[id] = time
  }

  func ids(at time: String) -> [String] {
    [newer, older].flatMap { $0.filter { $0.value == time }.keys }
  }
}

extension IRCContext {
  /// The most messages in one answer from the history; nil if the server keeps no history.
  var historyLimit: Int? {
    has(Capabilities.history) && has(Capabilities.batch) ? support.historyLimit : nil
  }
}
