// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

@testable import IRC

/// A server that keeps a history and answers questions about it, as the test says.
struct HistoryTalk {
  var talk: IRCTalk
  private var batches = 0

  static let capabilities = [
    "batch", "message-tags", "server-time", "labeled-response", "echo-message",
    "draft/chathistory", "draft/event-playback",
  ]

  init(
    _ capabilities: [String] = capabilities, support: String = "CHANTYPES=# CHATHISTORY=3",
    settings: [String: String] = ["flood": "off"], marks: [String: String] = [:],
    rooms: [String] = [], nicks: [String: String] = [:], scope: String = ""
  ) {
    talk = IRCTalk(
      capabilities, support: support, settings: settings, rooms: rooms, marks: marks,
      nicks: nicks, scope: scope)
  }

  /// The tag of a last page.
  static let end = "draft/chathistory-end"

  /// The time tag of a moment: seconds after ten.
  static func time(_ seconds: Int) -> String {
    let (minute, second) = (seconds / 60, seconds % 60)
    return "2023-11-14T10:"
      + (minute < 10 ? "0" : "") + "\(minute):" + (second < 10 ? "0" : "") + "\(second).000Z"
  }

  /// A line of the history: `PRIVMSG #tea :text` by ben, with an id and a time.
  static func line(_ seconds: Int, _ command: String, id: Bool = true, by nick: String = "ben")
    -> String
  {
    (id ? "@msgid=m\(seconds);" : "@") + "time=\(time(seconds)) :\(nick)!x@h \(command)"
  }

  /// The questions since the last call, without their labels.
  mutating func questions() -> [String] {
    asked = talk.takeSent().filter { $0.contains("CHATHISTORY") }
    return asked.map { line in
      line.split(separator: " ").drop { $0.hasPrefix("@") }.joined(separator: " ")
    }
  }
  private var asked: [String] = []

  /// Answers the question with this number of the last `questions`.
  mutating func answer(
    _ target: String, _ lines: [String], to question: Int = 0, type: String = "chathistory",
    tags: String = ""
  ) {
    batches += 1
    // Without a question, the server replays on its own.
    let line = asked.dropFirst(question).first
    let label = line?.split(separator: " ").first.map(String.init) ?? ""
    let all = [label.hasPrefix("@") ? String(label.dropFirst()) : "", tags].filter { !$0.isEmpty }
    let prefix = all.isEmpty ? "" : "@" + all.joined(separator: ";") + " "
    let answer =
      [prefix + ":srv BATCH +b\(batches) \(type) \(target)"]
      + lines.map { line in
        line.hasPrefix("@")
          ? "@batch=b\(batches);" + line.dropFirst() : "@batch=b\(batches) " + line
      } + [":srv BATCH -b\(batches)"]
    talk.tell(.lines(answer.compactMap { IRCLine($0) }))
  }

  /// The marks that were told since the last call.
  mutating func marks() -> [String: String] {
    talk.takeEvents().reduce(into: [:]) {
      if case .caughtUp(let archive, let mark) = $1 { $0[archive] = mark }
    }
  }

  mutating func history(_ id: Int64, _ target: String, _ count: Int, before: String = "") {
    talk.tell(
      .requests([
        NetworkRequest(
          id: id, verb: .history, target: target, text: before, count: count)
      ]))
  }

  var answers: [String] { talk.answers }

  var messages: [NetworkMessage] {
    talk.events.compactMap {
      if case .messageReceived(let message, _) = $0 { message } else { nil }
    }
  }
}

/// What the suites about the history share.
protocol HistorySuite {}

extension HistorySuite {
  typealias Talk = HistoryTalk

  func time(_ seconds: Int) -> String { Talk.time(seconds) }

  func line(_ seconds: Int, _ command: String = "PRIVMSG #tea :hi", id: Bool = true) -> String {
    Talk.line(seconds, command, id: id)
  }

  func messages(_ talk: Talk) -> [NetworkMessage] { talk.messages }
}
