// SPDX-License-Identifier: GPL-3.0-or-later
import ChatRendering
import Conversations
import Platform
import Sentences
import StyledText

/// The network processes of the person's accounts: which of them this shell has started, and which
/// connections it waits for. Everything else about the processes is in the accounts' rows.
@MainActor
struct AccountProcesses {
  /// When this shell last started a process for an account, how many milliseconds to wait before
  /// the next one, and whether the process has connected the account.
  private var started: [ID<Account>: (at: MonotonicTime, pause: Int64, hasConnected: Bool)] = [:]
  /// When to restart processes that ended.
  private(set) var deadline: MonotonicTime?
  /// Accounts that the person told this shell to connect and that are not connected yet, and
  /// whether the shell has reported a failure.
  private var awaited: [ID<Account>: Bool] = [:]
  /// Accounts whose process ended before it could serve them, and why.
  private var ended: [ID<Account>: String] = [:]

  func status(of account: Account) -> AccountStatus {
    ended[account.id].map { .offline(reason: Remark($0), nextTry: nil) } ?? account.status
  }

  /// Whether the person told this shell to connect an account that is not connected yet.
  func awaits(_ account: Account) -> Bool { awaited[account.id] != nil }

  mutating func awaitConnection(of account: Account) { awaited[account.id] = false }

  /// Reports what became of the accounts that the person told this shell to connect.
  mutating func follow(
    _ accounts: [Account], _ snapshot: borrowing Snapshot
  ) throws -> [Effect] {
    var effects: [Effect] = []
    for account in accounts where ended[account.id] != nil {
      if try account.status != .notRunning || snapshot.hasProcess(of: account) {
        ended[account.id] = nil
      }
    }
    for account in accounts {
      let isConnected = try account.status.isSettled && snapshot.hasProcess(of: account)
      if isConnected { started[account.id]?.hasConnected = true }
      guard let hasFailed = awaited[account.id] else { continue }
      if case .offline = account.status, !hasFailed {
        // The status line has no room for a reason; `/account` shows later reasons.
        awaited[account.id] = true
        let words = account.status.words(now: Clock.wall())
        effects.append(.tell(say("%1: %2", SafeText(line: account.name), words)))
      }
      if isConnected {
        awaited[account.id] = nil
        effects.append(.tell(try welcome(to: account, snapshot)))
      }
    }
    return effects
  }

  /// What to show when somebody connects for the first time, or again.
  private func welcome(
    to account: Account, _ snapshot: borrowing Snapshot
  ) throws -> SafeText {
    let address = SafeText(line: account.name)
    let places = try snapshot.listing(for: account.owner)
    if places.contains(where: { $0.conversation.network == account.network }) {
      return say("%1 is connected; /list shows its rooms and chats.", address)
    }
    if account.rules.isOpaque {
      return say(
        "%1 is connected. /msg %2:ADDRESS opens a direct chat, /join %2:ADDRESS enters a room.",
        address, SafeText(line: account.kind))
    }
    // Names without a server mean this machine here.
    let example = account.withServer(account.rules.personExample)
    // A chat with oneself would be no example.
    let person = SafeText(
      line: example == account.address ? "anna" + example.dropFirst("ben".count) : example)
    if account.rules.namesServer, account.rules.roomDomain == nil {
      return say("%1 is connected. /msg %2 opens a direct chat.", address, person)
    }
    return say(
      "%1 is connected. /join %2 enters a room, /msg %3 opens a direct chat.",
      address, SafeText(line: account.withServer(account.rules.roomExample)), person)
  }

  // MARK: Starting

  /// Starts the processes of these accounts that are not running.
  ///
  /// - Parameter again: whether to restart processes that ended with a reason.
  mutating func start(
    _ accounts: [Account], again: Bool, at now: MonotonicTime, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    var effects: [Effect] = []
    deadline = nil
    for account in accounts {
      guard (try? snapshot.hasProcess(of: account)) == false,
        again || !account.status.hasEnded
      else { continue }
      var pause = Retry.process.pause
      if let last = started[account.id] {
        // If a process keeps crashing, wait longer before each restart.
        let retry = last.hasConnected ? Retry.connectedProcess : .process
        let wait = min(last.pause, retry.longest)
        if now - last.at < wait + Retry.settled { pause = min(wait * 2, retry.longest) }
        guard now - last.at >= wait else {
          deadline = [deadline, last.at + wait].compactMap { $0 }.min()
          continue
        }
      }
      started[account.id] = (now, pause, false)
      effects += [.write(.nickname(account)), .connect(account, asks: false)]
    }
    return effects
  }

  /// Starts a process because the owner asked.
  ///
  /// - Parameter asks: whether the process may ask for the password.
  mutating func start(_ account: Account, asks: Bool, at now: MonotonicTime) -> [Effect] {
    started[account.id] = (now, Retry.process.pause, false)
    awaitConnection(of: account)
    return [.connect(account, asks: asks)]
  }

  /// The exit status of a process that found another process serving its account.
  private static let isServed: Int32 = 75

  /// Notes that a process of this shell ended.
  ///
  /// - Parameter missing: a sentence that says which library the system lacks.
  /// - Returns: a complaint, or an empty array if it has complained before; nil if the process
  ///   served the account, or another process does.
  mutating func noteEnd(
    of account: Account, status: Int32, missing: SafeText?, _ snapshot: borrowing Snapshot
  ) -> [Effect]? {
    guard status != 0, status != Self.isServed, account.status == .notRunning,
      (try? snapshot.hasProcess(of: account)) == false
    else { return nil }
    let reason =
      missing?.string
      ?? filled(("%1 ended with status %2", ["hobnob-\(account.kind)", String(status)]))
    guard ended.updateValue(reason, forKey: account.id) == nil else { return [] }
    return [
      .complain([
        missing
          ?? say(
            "hobnob-%1, which serves %3, ended with status %2; hobnob is restarting it.",
            SafeText(line: account.kind), SafeText(Int(status)), SafeText(line: account.name))
      ])
    ]
  }
}
