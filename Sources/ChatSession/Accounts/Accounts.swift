// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// My accounts on networks: starts their processes when needed, and shows their state in the status
/// line.
@MainActor
struct Accounts {
  private(set) var list: [Account] = []
  /// My settings for them, and the facts about their servers.
  private let ownFiles: AccountFiles
  private let storePath: String
  private let me: ID<Participant>
  private let glyphs: Glyphs
  private let isInteractive: Bool
  private var settings: [ID<Account>: AccountSettings] = [:]
  /// Why hobnob cannot use my file of accounts; reported once.
  private var fault: AccountFileError?
  /// When this shell last started a process for an account, in monotonic milliseconds, and how long
  /// to wait before the next one.
  private var started: [ID<Account>: (at: Int64, pause: Int64)] = [:]
  /// When to call ``startWanted(again:at:_:)``, in monotonic milliseconds.
  private(set) var deadline: Int64?
  /// Accounts that I told this shell to connect and that are not connected yet, and whether it has
  /// reported a failure.
  private var awaited: [ID<Account>: Bool] = [:]
  /// The settings in the store that this shell has shown.
  private(set) var shown: [ID<Account>: AccountSettings] = [:]
  /// Accounts whose process ended before it could serve them, and its exit status.
  private var ended: [ID<Account>: Int32] = [:]

  init(
    of me: ID<Participant>, _ preferences: Preferences, storePath: String, isInteractive: Bool
  ) {
    ownFiles = AccountFiles(environment: preferences.environment)
    glyphs = preferences.glyphs
    (self.me, self.storePath, self.isInteractive) = (me, storePath, isInteractive)
  }

  /// My settings for an account; nil if my file does not list it for this store.
  func ownSettings(of account: Account) -> AccountSettings? { settings[account.id] }

  func isWanted(_ account: Account) -> Bool { settings[account.id]?.isWanted == true }

  /// The known facts about the account's server, by name.
  func facts(of account: Account) -> [String: String] {
    (try? ownFiles.facts(of: account, inStoreAt: storePath)) ?? [:]
  }

  var path: String { ownFiles.path }

  // MARK: Changing

  /// Writes settings into my file, and tells my other shells and the account's process.
  ///
  /// - Throws: `AccountFileError`, `StoreError`.
  func set(
    _ settings: AccountSettings?, of account: Account, _ transaction: borrowing DurableTransaction
  ) throws {
    try ownFiles.set(settings, of: account, inStoreAt: storePath)
    try transaction.noteChange(of: account)
    if settings != nil, try transaction.holderIsAlive(of: account) {
      try transaction.ask(.readSettings, of: account)
    }
  }

  /// Removes the known login methods of the account's server.
  ///
  /// - Throws: `SystemFailure`.
  func forgetLogin(of account: Account) throws {
    try ownFiles.learn(["scram": ""], of: account, inStoreAt: storePath)
  }

  /// Applies the latest nickname to an account that is about to connect.
  ///
  /// - Returns: false if it has not changed.
  func takeNick(of account: Account, in store: Store) throws -> Bool {
    try ownFiles.takeNick(of: account, in: store)
  }

  /// An earlier version kept in the store whether the server had offered SCRAM.
  func learnStoredLogin(
    of account: Account, _ transaction: borrowing DurableTransaction
  ) throws {
    if try transaction.storedSettings(of: account)?["scram"] != nil,
      facts(of: account)["scram"] == nil
    {
      try ownFiles.learn(["scram": "SCRAM-SHA-1"], of: account, inStoreAt: storePath)
    }
  }

  /// Moves settings from the store into my file.
  func accept(
    _ stored: AccountSettings, of account: Account, _ transaction: borrowing DurableTransaction
  ) throws {
    try learnStoredLogin(of: account, transaction)
    try ownFiles.set(stored, of: account, inStoreAt: storePath)
    try transaction.removeStoredSettings(of: account)
  }

  /// An earlier version kept an account's settings in the store, where others may have put them: shows
  /// them, and says how to use or delete them (rule 12.7). A whole command decides, because a key may
  /// have been typed before the settings were on the screen.
  mutating func storedSettingsNotice(_ snapshot: borrowing Snapshot) -> [Outcome] {
    guard isInteractive, fault == nil else { return [] }
    var outcomes: [Outcome] = []
    for account in list where settings[account.id] == nil {
      guard let stored = (try? snapshot.storedSettings(of: account)) ?? nil else { continue }
      shown[account.id] = stored
      let address = SafeText(line: account.address)
      outcomes.append(
        .answer(
          [
            StyledLine(
              say(
                "The store has settings for %1 from an earlier hobnob. Anyone who can write to the store could have changed them:",
                address))
          ]
            + stored.values.sorted { $0.key < $1.key }.map {
              StyledLine(SafeText(line: "    \($0.key) \($0.value)"), .dim)
            }
            + [
              StyledLine(
                say("/account accept %1 uses them; /account discard %1 deletes them.", address))
            ]))
    }
    return outcomes
  }

  // MARK: What they do

  /// Reads accounts that changed, or that were never read.
  mutating func refresh(_ snapshot: borrowing Snapshot) -> [Outcome] {
    var outcomes: [Outcome] = []
    do {
      let hadNone = list.isEmpty
      list = try snapshot.accounts(of: me)
      outcomes += readSettings()
      if hadNone, !list.isEmpty {
        // My nicknames there count as my names.
        outcomes.append(.nicknamesChanged)
        if isInteractive { outcomes += try reminder(snapshot) }
      }
      for account in list where ended[account.id] != nil {
        if try account.status != .notRunning || snapshot.holderIsAlive(of: account) {
          ended[account.id] = nil
        }
      }
      for account in list {
        guard let hasFailed = awaited[account.id] else { continue }
        if case .offline = account.status, !hasFailed {
          // The status line has no room for a reason; later ones are in `/account`.
          awaited[account.id] = true
          let words = account.status.words(now: Store.wallClock())
          outcomes.append(.tell(say("%1: %2", SafeText(line: account.address), words)))
        }
        if try account.status.isSettled && snapshot.holderIsAlive(of: account) {
          awaited[account.id] = nil
          outcomes.append(.tell(try welcome(to: account, snapshot)))
        }
      }
    } catch {
      outcomes.append(.tryAgainSoon)
    }
    return outcomes
  }

  mutating func readSettings() -> [Outcome] {
    settings = [:]
    do throws(AccountFileError) {
      for account in list {
        settings[account.id] = try ownFiles.settings(of: account, inStoreAt: storePath)
      }
      fault = nil
      return []
    } catch {
      // Use none of them then, and start nothing.
      settings = [:]
      defer { fault = error }
      return fault == error ? [] : [.complain([sentence(for: error)])]
    }
  }

  /// A reminder of strangers' requests that arrived while no shell was open.
  private func reminder(_ snapshot: borrowing Snapshot) throws -> [Outcome] {
    var count = 0
    for account in list { count += try snapshot.approaches(to: account).count }
    switch count {
    case 0: return []
    case 1: return [.tell(say("One request waits; /requests shows it."))]
    default: return [.tell(say("%1 requests wait; /requests lists them.", SafeText(count)))]
    }
  }

  /// Handles the end of a process that this shell started. One that served the account left the
  /// reason as the account's status; for one that never got that far, this reports the reason once
  /// and starts another.
  mutating func processEnded(
    _ id: ID<Account>, status: Int32, at now: Int64, _ snapshot: borrowing Snapshot
  ) -> [Outcome] {
    var outcomes = refresh(snapshot)
    guard status != 0, status != Self.isServed,
      let account = list.first(where: { $0.id == id }), isWanted(account),
      account.status == .notRunning,
      (try? snapshot.holderIsAlive(of: account)) == false
    else { return outcomes }
    if ended.updateValue(status, forKey: id) == nil {
      outcomes.append(
        .complain([
          say(
            "hobnob-%1 ended with status %2 before it could connect %3; hobnob starts it again.",
            SafeText(line: account.kind), SafeText(Int(status)), SafeText(line: account.address))
        ]))
    }
    return outcomes + startWanted(at: now, snapshot)
  }

  /// The exit status of a process that found another one serving its account.
  private static let isServed: Int32 = 75

  /// The state of the account's connection; nil if I want none.
  private func state(of account: Account) -> AccountStatus? {
    guard isWanted(account) else { return nil }
    return ended[account.id].map {
      .offline(reason: "hobnob-\(account.kind) ended with status \($0)", nextTry: nil)
    } ?? account.status
  }

  /// The same in words.
  func words(
    for account: Account, _ detail: AccountStatus.Detail = .whole, bars: Glyphs? = nil
  ) -> SafeText {
    state(of: account)?.words(detail, bars: bars, now: Store.wallClock()) ?? say("disconnected")
  }

  /// Makes this shell report when the account is connected.
  mutating func awaitConnection(of account: Account) {
    awaited[account.id] = false
  }

  /// What to show when somebody connects for the first time, or again.
  private func welcome(
    to account: Account, _ snapshot: borrowing Snapshot
  ) throws -> SafeText {
    let address = SafeText(line: account.address)
    if try snapshot.listing(for: me).contains(where: { $0.conversation.network == account.network })
    {
      return say("%1 is connected; /list shows what is there.", address)
    }
    return say(
      "%1 is connected. /join %2 enters a room, /msg %3 opens a direct chat.",
      address, SafeText(line: account.rules.roomExample),
      SafeText(line: account.rules.personExample))
  }

  /// Starts the wanted processes that are not running.
  ///
  /// - Parameter again: whether to restart those that ended with a reason, which may no longer
  ///   apply.
  mutating func startWanted(
    again: Bool = false, at now: Int64, _ snapshot: borrowing Snapshot
  ) -> [Outcome] {
    var outcomes = refresh(snapshot)
    deadline = nil
    for account in list where isWanted(account) {
      guard let holder = try? snapshot.holder(of: account), holder != .alive,
        again || !account.status.hasEnded
      else { continue }
      var pause = Retry.process.pause
      if let last = started[account.id] {
        // Start one that keeps crashing less and less often.
        if now - last.at < last.pause + Retry.settled {
          pause = min(last.pause * 2, Retry.process.longest)
        }
        guard now - last.at >= last.pause else {
          deadline = min(deadline ?? .max, last.at + last.pause)
          continue
        }
      }
      started[account.id] = (now, pause)
      outcomes += [.write(.nickname(account)), .effect(.connect(account, asks: false))]
    }
    return outcomes
  }

  mutating func tick(at now: Int64, _ snapshot: borrowing Snapshot) -> [Outcome] {
    guard let deadline, now >= deadline else { return [] }
    return startWanted(at: now, snapshot)
  }

  /// Starts a process because the owner asked; it may ask for the password.
  mutating func start(
    _ account: Account, at now: Int64, _ snapshot: borrowing Snapshot
  ) -> [Outcome] {
    let outcomes = refresh(snapshot)
    started[account.id] = (now, Retry.process.pause)
    awaitConnection(of: account)
    let asks = ownSettings(of: account)?["password-command"] == nil
    return outcomes + [.effect(.connect(account, asks: asks))]
  }

  // MARK: The status line

  /// For the status line: the state of each account that is not simply connected. That an account
  /// is offline matters only if one of its conversations is open, a message waits for it, or I told
  /// this shell to connect it.
  ///
  /// - Parameter networks: of the open conversation, and those that messages wait for.
  func status(_ detail: AccountStatus.Detail, of networks: Set<String>) -> SafeText? {
    let said = list.compactMap { account -> SafeText? in
      switch state(of: account) {
      case .notRunning, .connected([]): return nil
      case .connected, .storeIsFull, .ended: break
      case nil, .connecting, .offline:
        let isExpected = isWanted(account) && awaited[account.id] != nil
        guard isExpected || networks.contains(account.network) else { return nil }
      }
      return say(
        "%1: %2", SafeText(line: list.count > 1 ? account.address : account.kind),
        words(for: account, detail, bars: detail == .whole ? glyphs : nil))
    }
    return said.isEmpty ? nil : said.joined(separator: "; ")
  }

  /// Whether a network is offline or still connecting; never this machine.
  func isSettlingIn(_ network: String?) -> Bool {
    list.contains { $0.network == network && !(isWanted($0) && $0.status.isSettled) }
  }

  // MARK: Which one

  /// The account for an address that names none: that of the open conversation's network, else the
  /// only one.
  func present(in network: String?) -> Account? {
    list.count == 1 ? list.first : list.first { $0.network == network }
  }

  /// The account for an address: one whose server it names, else that of ``present(in:)``.
  func present(in network: String?, for address: String) -> Account? {
    list.first { $0.isNamed(in: address) } ?? present(in: network)
  }

  /// The account that can reach an address: the only one, or the only one on the same server.
  ///
  /// - Parameter network: of the open conversation.
  /// - Throws: ``Refusal`` if no account matches, or several do.
  func reaching(_ address: String, from network: String?) throws -> Account {
    try Account.reaching(address, among: list)
      ?? named("", from: network)
  }

  /// The account with that address, or the only one.
  ///
  /// - Throws: ``Refusal`` if no account matches, or several do.
  func named(_ address: String, from network: String?) throws -> Account {
    if address.isEmpty {
      if let present = present(in: network) { return present }
      guard list.isEmpty else {
        throw Refusal(
          say(
            "Which account? You have %1. Open a conversation of the account you mean; /msg %2 opens one with yourself.",
            list.names.map { SafeText(line: $0) }.joined(separator: ", "),
            SafeText(line: list[0].address)))
      }
    } else {
      let found = list.filter(AccountName(address).means)
      if found.count == 1 { return found[0] }
      if found.count > 1 {
        throw Refusal(
          say(
            "Which account? Write %1.",
            found.names.map { SafeText(line: $0) }.joined(separator: " or ")))
      }
    }
    guard list.isEmpty else {
      throw Refusal(
        say(
          "You have no account %1; you have %2.", SafeText(line: address),
          list.names.map { SafeText(line: $0) }.joined(separator: ", ")))
    }
    throw Refusal(say("You have no account yet; /account explains how to get one."))
  }
}
