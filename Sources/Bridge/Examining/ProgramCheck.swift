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
    /// Nothing of the protocol, but maybe a mistake.
    case noted(String)
  }

  /// An entry of the outbox.
  struct Entry {
    let number: Int64
    let type: String
    var members: [JSONName: JSON]

    /// What it is called in a sentence.
    var name: String { String((members[.text]?.text ?? type).prefix(60)) }
  }

  let account: ExaminedAccount
  let place: JSON
  /// How often the program is killed.
  private let kills: Int
  /// Milliseconds without a line after which the network has told all.
  let quiet: Int64
  /// Milliseconds that an answer may take.
  let patience: Int64
  private let tell: (_ name: String, _ outcome: Outcome) -> Void
  /// The number of the newest entry or request.
  private(set) var lastNumber: Int64 = 0
  private var unanswered: [Entry] = []
  /// The texts that the program says it has sent, in order, without those of messages that a check
  /// has changed.
  private(set) var sent: [String] = []
  /// The marks before the first of them.
  private var firstMarks: [String: String] = [:]
  /// The texts of messages that a check changes.
  private var changed: Set<String> = []
  /// A word that no earlier check has used.
  let label = randomName()

  /// - Parameters:
  ///   - room: the room to write to; nil for a person of that name, who is `person`.
  ///   - tell: called with each result.
  package init(
    _ options: ExaminedAccount.Options, room: String?, person: String = "bot", kills: Int = 10,
    quiet: Int64 = 2_000, patience: Int64 = 30_000,
    tell: @escaping (_ name: String, _ outcome: Outcome) -> Void
  ) throws {
    account = try ExaminedAccount(options)
    place = .members(room.map { [.room: .text($0)] } ?? [.person: .text(person)])
    // The owner is in it: the account was prepared for the check.
    if let room { account.rooms.insert(room) }
    (self.kills, self.quiet, self.patience, self.tell) = (kills, quiet, patience, tell)
  }

  /// Every check by its name, in order.
  private static let checks: [(name: String, check: (ProgramCheck) -> () -> Outcome)] = [
    ("hello", checkHello), ("unknown", checkUnknown), ("order", checkOrder),
    ("repeated", checkRepeated), ("edit", checkEdit), ("delete", checkDelete),
    ("react", checkReact), ("history", checkHistory), ("join", checkJoin), ("kills", checkKills),
    ("late reader", checkLateReader), ("30 messages while down", checkDown),
    ("900 kB", checkLongLine), ("garbage", checkGarbage), ("end", checkEnd),
  ]
  package static var names: [String] { checks.map(\.name) }

  /// - Parameter names: of the checks; `hello` must be the first.
  /// - Returns: whether nothing failed.
  package func run(_ names: [String] = names) -> Bool {
    defer { account.kill() }
    var isGood = true
    var noteCount = 0
    for (name, check) in Self.checks where names.contains(name) {
      var outcome = check(self)()
      if let fault = account.faults.last, outcome != .failed(fault) { outcome = .failed(fault) }
      tell(name, outcome)
      for note in account.notes.dropFirst(noteCount) { tell("can", .noted(note)) }
      noteCount = account.notes.count
      account.forgetFaults()
      if case .failed = outcome {
        isGood = false
        // Nothing else can work.
        if name == "hello" { break }
      }
    }
    return isGood
  }

  // MARK: Sending

  func nextNumber() -> Int64 {
    lastNumber += 1
    return lastNumber
  }

  func entry(_ type: String, _ members: [JSONName: JSON]) -> Entry {
    let number = nextNumber()
    return Entry(
      number: number, type: type,
      members: members.merging([
        .entry: .integer(number), .uid: .text("\(label)-\(number)"), .conversation: place,
      ]) { $1 })
  }

  private func message(_ text: String) -> Entry {
    entry("send", [.text: .text(text), .kind: .text("text")])
  }

  /// Hands over an entry, after those that are still without an answer, once the window has room.
  func send(_ entry: Entry) {
    account.read(within: patience) { open < account.hello?.window ?? 1 }
    unanswered.append(entry)
    account.write(entry.type, entry.members)
  }

  private func send(_ texts: [String]) { for text in texts { send(message(text)) } }

  /// How many entries are without an answer.
  private var open: Int { unanswered.count { account.answers[$0.number] == nil } }

  /// Waits for the answers.
  ///
  /// - Returns: the reason for a failure; nil if each was sent, or may have been.
  func settle(within patience: Int64? = nil) -> String? {
    account.read(within: patience ?? self.patience) { open == 0 }
    defer { unanswered = [] }
    for entry in unanswered {
      switch account.answers[entry.number] {
      case .sent where entry.type != "send": break
      case .sent:
        let text = entry.members[.text]?.text ?? ""
        if !changed.contains(text) { sent.append(text) }
      case .failed where entry.members[.tried] != nil: break
      case .failed(let reason) where entry.type != "send":
        return filled(
          ("it says that people can %1 there, but answers: %2", [entry.type, reason]))
      case .failed: return filled(("it did not send “%1”", [entry.name]))
      case nil: return filled(("it did not answer the entry of “%1” in time", [entry.name]))
      }
    }
    return nil
  }

  /// Sends a message that a check changes.
  ///
  /// - Returns: its id, or the reason why it has none.
  func sendToChange(_ text: String) -> (id: String?, reason: String?) {
    changed.insert(text)
    let message = message(text)
    send(message)
    if let reason = settle() { return (nil, reason) }
    var id: String?
    if case .sent(let given) = account.answers[message.number] { id = given }
    func findEcho() -> Bool {
      id = id ?? account.told.first { JSON(text: $0.uid) == message.members[.uid] }?.id
      return id != nil
    }
    account.read(within: quiet, until: findEcho)
    return (id, nil)
  }

  /// Hands over an entry, and once more as if hobnob had died before it stored the answer.
  func sendTwice(_ entry: Entry) -> String? {
    send(entry)
    if let reason = settle() { return reason }
    let first = account.answers[entry.number]
    account.forgetAnswer(to: entry.number)
    var again = entry
    again.members[.tried] = .flag(true)
    account.write(again.type, again.members)
    guard account.read(within: patience, until: { account.answers[entry.number] != nil }) else {
      return translated("it did not answer an entry that it got a second time")
    }
    if entry.type == "send", case .sent(let before?) = first,
      case .sent(let now?) = account.answers[entry.number], before != now
    {
      return filled(("the entry of “%1” got another id the second time", [entry.name]))
    }
    return nil
  }

  /// Kills the program after it may have begun an entry, and hands it over again.
  func sendWithKill(_ entry: Entry) -> String? {
    send(entry)
    account.read(within: 5) { open == 0 }
    account.kill()
    return restart() ?? settle()
  }

  /// Reads until the network has told all.
  func readAll() {
    var count: Int
    repeat {
      count = account.lineCount
      account.read(within: quiet) { false }
    } while account.lineCount > count
  }

  func restart() -> String? {
    if let reason = account.start() { return reason }
    for index in unanswered.indices where account.answers[unanswered[index].number] == nil {
      unanswered[index].members[.tried] = .flag(true)
      account.write(unanswered[index].type, unanswered[index].members)
    }
    return nil
  }

  func outcome(_ reason: String?) -> Outcome { reason.map { .failed($0) } ?? .passed }

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
    var one = message("check \(label) unknown")
    one.members[.example] = .object(["x": .null])
    send(one)
    return outcome(settle())
  }

  private func checkOrder() -> Outcome {
    send((1...min(5, account.hello?.window ?? 5)).map { "check \(label) order \($0)" })
    return outcome(settle())
  }

  private func checkRepeated() -> Outcome {
    outcome(sendTwice(message("check \(label) repeated")))
  }

  private func checkKills() -> Outcome {
    for number in 0..<kills {
      send((1...2).map { "check \(label) kill \(number).\($0)" })
      // At another place each time: before it reads, between its answers, after them.
      let wait = Int64(number * number % 50)
      account.read(within: wait) { open == 0 }
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
    // hobnob writes no such lines; a program may also end.
    return account.answers[lastNumber] == nil && !account.hasEnded(within: 5_000)
      ? .failed(translated("it neither goes on nor ends after a line that is not JSON")) : .passed
  }

  private func checkEnd() -> Outcome {
    if let reason = account.start() { return .failed(reason) }
    account.write("stop", [:])
    return account.end(within: 5_000) == nil
      ? .failed(translated("it still runs 5 seconds after the end of its input")) : .passed
  }
}
