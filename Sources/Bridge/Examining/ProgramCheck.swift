// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Sentences
import Storage

/// Examines whether a program keeps the rules of hobnob-bridge(7): `hobnob bridge check`.
@MainActor
package final class ProgramCheck {
  /// How one examination ended.
  package enum Outcome: Hashable {
    case passed
    case failed(String)
    case skipped(String)
  }

  private let account: ExaminedAccount
  private let place: JSON
  /// How often the program is killed.
  private let kills: Int
  /// Milliseconds without a line after which the network has told all.
  private let quiet: Int64
  private let tell: (_ name: String, _ outcome: Outcome) -> Void
  private var lastEntry: Int64 = 0
  private var unanswered: [(entry: Int64, line: [JSONName: JSON])] = []
  /// The texts that the program says it has sent, in order.
  private var sent: [String] = []
  /// The marks before the first of them.
  private var firstMarks: [String: String] = [:]
  /// A word that no earlier check has used.
  private let label = randomName()

  /// - Parameters:
  ///   - room: the room to write to; nil for a person of that name, who is `person`.
  ///   - tell: called with each result.
  package init(
    _ options: ExaminedAccount.Options, room: String?, person: String = "bot", kills: Int = 10,
    quiet: Int64 = 2_000,
    tell: @escaping (_ name: String, _ outcome: Outcome) -> Void
  ) throws {
    account = try ExaminedAccount(options)
    place = .members(room.map { [.room: .text($0)] } ?? [.person: .text(person)])
    // The owner is in it: the account was prepared for the check.
    if let room { account.rooms.insert(room) }
    (self.kills, self.quiet, self.tell) = (kills, quiet, tell)
  }

  /// - Returns: whether nothing failed.
  package func run() -> Bool {
    defer { account.kill() }
    let checks: [(String, () -> Outcome)] = [
      ("hello", checkHello), ("unknown", checkUnknown), ("order", checkOrder),
      ("repeated", checkRepeated), ("kills", checkKills), ("late reader", checkLateReader),
      ("30 messages while down", checkDown), ("900 kB", checkLongLine), ("garbage", checkGarbage),
      ("end", checkEnd),
    ]
    var isGood = true
    for (name, check) in checks {
      var outcome = check()
      if let fault = account.faults.last, outcome != .failed(fault) { outcome = .failed(fault) }
      account.forgetFaults()
      tell(name, outcome)
      if case .failed = outcome {
        isGood = false
        // Nothing else can work.
        if name == "hello" { break }
      }
    }
    return isGood
  }

  // MARK: Sending

  private func entry(_ text: String) -> (entry: Int64, line: [JSONName: JSON]) {
    lastEntry += 1
    return (
      lastEntry,
      [
        .entry: .integer(lastEntry), .uid: .text("\(label)-\(lastEntry)"), .conversation: place,
        .text: .text(text), .kind: .text("text"),
      ]
    )
  }

  /// Hands over new entries, after those that are still without an answer.
  private func send(_ texts: [String]) {
    let new = texts.map(entry)
    unanswered += new
    for (_, line) in new { account.write("send", line) }
  }

  /// Waits for the answers.
  ///
  /// - Returns: the reason for a failure; nil if each was sent, or may have been.
  private func settle(within patience: Int64 = 30_000) -> String? {
    account.read(within: patience) {
      unanswered.allSatisfy { account.answers[$0.entry] != nil }
    }
    for (entry, line) in unanswered {
      let text = line[.text]?.text ?? ""
      switch account.answers[entry] {
      case .sent: sent.append(text)
      case .failed where line[.tried] != nil: break
      case .failed: return filled(("it did not send “%1”", [String(text.prefix(60))]))
      case nil:
        return filled(("it did not answer the entry of “%1” in time", [String(text.prefix(60))]))
      }
    }
    unanswered = []
    return nil
  }

  /// Reads until the network has told all.
  private func readAll() {
    var count: Int
    repeat {
      count = account.lineCount
      account.read(within: quiet) { false }
    } while account.lineCount > count
  }

  private func restart() -> String? {
    if let reason = account.start() { return reason }
    for index in unanswered.indices where account.answers[unanswered[index].entry] == nil {
      unanswered[index].line[.tried] = .flag(true)
      account.write("send", unanswered[index].line)
    }
    return nil
  }

  private func outcome(_ reason: String?) -> Outcome { reason.map { .failed($0) } ?? .passed }

  // MARK: The checks

  private func checkHello() -> Outcome {
    if let reason = account.start() { return .failed(reason) }
    // What the network has to tell at the start.
    readAll()
    firstMarks = account.marks
    return .passed
  }

  private func checkUnknown() -> Outcome {
    account.write("{\"type\":\"x-check\",\"x-member\":{\"x\":[1]}}")
    var one = entry("check \(label) unknown")
    one.line[.example] = .object(["x": .null])
    unanswered.append(one)
    account.write("send", one.line)
    return outcome(settle())
  }

  private func checkOrder() -> Outcome {
    send((1...min(5, account.hello?.window ?? 5)).map { "check \(label) order \($0)" })
    return outcome(settle())
  }

  private func checkRepeated() -> Outcome {
    let one = entry("check \(label) repeated")
    unanswered.append(one)
    account.write("send", one.line)
    if let reason = settle() { return .failed(reason) }
    // As if hobnob had died before it stored the answer.
    account.forgetAnswer(to: one.entry)
    var again = one
    again.line[.tried] = .flag(true)
    account.write("send", again.line)
    let isAnswered = account.read(within: 30_000) { account.answers[one.entry] != nil }
    return isAnswered
      ? .passed : .failed(translated("it did not answer an entry that it got a second time"))
  }

  private func checkKills() -> Outcome {
    for number in 0..<kills {
      send((1...2).map { "check \(label) kill \(number).\($0)" })
      // At another place each time: before it reads, between its answers, after them.
      let wait = Int64(number * number % 50)
      account.read(within: wait) { unanswered.allSatisfy { account.answers[$0.entry] != nil } }
      account.kill()
      if let reason = restart() { return .failed(reason) }
      if number % 2 == 1, let reason = settle() { return .failed(reason) }
    }
    return outcome(settle())
  }

  private func checkLateReader() -> Outcome {
    send((1...(account.hello?.window ?? 20)).map { "check \(label) late \($0)" })
    // As while the store is locked.
    usleep(UInt32(quiet) * 1_000)
    return outcome(settle())
  }

  /// Starts with the marks of the beginning, as if hobnob had stored nothing since.
  private func checkDown() -> Outcome {
    for part in 0..<3 {
      send((1...10).map { "check \(label) down \(part * 10 + $0)" })
      if let reason = settle() { return .failed(reason) }
    }
    let last = account.marks
    account.kill()
    account.marks = firstMarks
    if let reason = restart() { return .failed(reason) }
    func mine() -> [String] {
      var ids: Set<String> = []
      return account.told.filter {
        $0.isMine && $0.conversation == place && ids.insert($0.id).inserted
      }
      .map(\.text)
    }
    readAll()
    account.marks = last
    let found = mine()
    if account.hasGap { return .skipped(translated("it says that there is a gap")) }
    if !found.contains(where: sent.contains) {
      return .skipped(translated("this network gives nothing back that was sent earlier"))
    }
    for text in sent where !found.contains(text) { return lost(text) }
    for text in sent where found.filter({ $0 == text }).count > 1 {
      return .failed(filled(("“%1” is there twice", [text])))
    }
    return found.filter(Set(sent).contains) == sent
      ? .passed : .failed(translated("the messages are in another order"))
  }

  private func lost(_ text: String) -> Outcome {
    .failed(filled(("“%1” is missing after a restart with the former mark", [text])))
  }

  private func checkLongLine() -> Outcome {
    account.write(
      "typing",
      [
        .conversation: place, .active: .flag(false),
        .example: .text(String(repeating: "x", count: 900_000)),
      ])
    send(["check \(label) after 900 kB"])
    return outcome(settle())
  }

  private func checkGarbage() -> Outcome {
    account.write("{ not JSON")
    account.write("[]")
    send(["check \(label) after garbage"])
    _ = settle(within: 5_000)
    unanswered = []
    // hobnob writes no such lines; a program may also end.
    return account.answers[lastEntry] == nil && !account.hasEnded(within: 5_000)
      ? .failed(translated("it neither goes on nor ends after a line that is not JSON")) : .passed
  }

  private func checkEnd() -> Outcome {
    if let reason = account.start() { return .failed(reason) }
    account.write("stop", [:])
    return account.end(within: 5_000) == nil
      ? .failed(translated("it still runs 5 seconds after the end of its input")) : .passed
  }
}
