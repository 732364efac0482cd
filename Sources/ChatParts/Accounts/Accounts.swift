// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Platform
import StyledText

/// The person's accounts on networks, with their settings from their own file.
@MainActor
package struct Accounts {
  package private(set) var list: [Account] = []
  /// The person's settings for the accounts, and the facts about their servers.
  private let ownFiles: AccountFiles
  private let storePath: String
  private let me: ID<Participant>
  let glyphs: Glyphs
  private let isInteractive: Bool
  private var settings: [ID<Account>: AccountSettings] = [:]
  /// Why hobnob cannot use the person's file of accounts; reported once.
  private var fault: AccountFileError?
  private(set) var processes = AccountProcesses()

  package init(
    of me: ID<Participant>, _ preferences: Preferences, storePath: String, isInteractive: Bool
  ) {
    ownFiles = AccountFiles(environment: preferences.environment)
    glyphs = preferences.glyphs
    (self.me, self.storePath, self.isInteractive) = (me, storePath, isInteractive)
  }

  /// The person's settings for an account; nil if their file does not list it for this store.
  package func ownSettings(of account: Account) -> AccountSettings? { settings[account.id] }

  package func isWanted(_ account: Account) -> Bool { settings[account.id]?.isWanted == true }

  /// Where new rooms with the sign of the account's network are, if the person has said so.
  package func roomSide(of account: Account) -> RoomSide? {
    settings[account.id]?[RoomSide.option].flatMap(RoomSide.init)
  }

  /// The known facts about the account's server, by name.
  package func facts(of account: Account) -> [String: String] {
    (try? ownFiles.facts(of: account, inStoreAt: storePath)) ?? [:]
  }

  package var path: String { ownFiles.path }

  // MARK: Changing

  /// Writes settings into the person's file, and tells their other shells and the account's
  /// process.
  package func set(
    _ settings: AccountSettings?, of account: Account, _ transaction: borrowing DurableTransaction
  ) throws {
    try ownFiles.set(settings, of: account, inStoreAt: storePath)
    try transaction.noteChange(of: account)
    if settings != nil, try transaction.hasProcess(of: account) {
      try transaction.ask(.readSettings, of: account)
    }
  }

  /// Forgets a fact about the account's server.
  package func forget(_ fact: String, of account: Account) throws {
    try ownFiles.learn([fact: ""], of: account, inStoreAt: storePath)
  }

  /// Applies the latest nickname to an account that is about to connect.
  ///
  /// - Returns: the settings for `noteTakenNick`, after the commit; nil if the nickname has not
  ///   changed.
  func takeNick(
    of account: Account, _ transaction: borrowing DurableTransaction
  ) throws -> AccountSettings? {
    try ownFiles.takeNick(of: account, transaction)
  }

  package func noteTakenNick(_ settings: AccountSettings, of account: Account) throws {
    try ownFiles.set(settings, of: account, inStoreAt: storePath)
  }

  // MARK: What they do

  /// Reads accounts that changed, or that were never read.
  package mutating func refresh(_ snapshot: borrowing Snapshot) -> [Effect] {
    var effects: [Effect] = []
    do {
      let hadNone = list.isEmpty
      list = try snapshot.accounts(of: me)
      effects += readSettings()
      if hadNone, !list.isEmpty {
        // The person's nicknames on networks count as their names.
        effects.append(.nicknamesChanged)
        if isInteractive, let reminder = try reminder(snapshot) { effects.append(.tell(reminder)) }
      }
      effects += try processes.follow(list, snapshot)
    } catch {
      effects.append(.retryRead)
    }
    return effects
  }

  package mutating func readSettings() -> [Effect] {
    settings = [:]
    do throws(AccountFileError) {
      for account in list {
        settings[account.id] = try ownFiles.settings(of: account, inStoreAt: storePath)
      }
      fault = nil
      return []
    } catch {
      // Then use no settings, and start no process.
      settings = [:]
      defer { fault = error }
      return fault == error ? [] : [.complain([sentence(for: error)])]
    }
  }

  /// A reminder of strangers' requests, which are not unread messages; nil if none waits.
  package func reminder(_ snapshot: borrowing Snapshot) throws -> SafeText? {
    var senders: [String] = []
    for account in list {
      senders += try snapshot.approaches(to: account).map {
        $0.sender.isEmpty ? account.withServer($0.address) : $0.sender
      }
    }
    switch senders.count {
    case 0: return nil
    case 1:
      return say("1 request is waiting, from %1; /requests shows it.", SafeText(line: senders[0]))
    default: return say("%1 requests are waiting; /requests lists them.", SafeText(senders.count))
    }
  }

  // MARK: Their processes

  /// When to call ``tick(at:_:)``.
  package var deadline: MonotonicTime? { processes.deadline }

  /// Starts the wanted processes that are not running.
  ///
  /// - Parameter again: whether to restart processes that ended with a reason, which may no longer
  ///   apply.
  package mutating func startWanted(
    again: Bool = false, at now: MonotonicTime, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    refresh(snapshot)
      + processes.start(list.filter(isWanted), again: again, at: now, snapshot)
  }

  package mutating func tick(at now: MonotonicTime, _ snapshot: borrowing Snapshot) -> [Effect] {
    guard let deadline, now >= deadline else { return [] }
    return startWanted(at: now, snapshot)
  }

  /// Starts a process because the owner asked; it may ask for the password.
  package mutating func start(
    _ account: Account, at now: MonotonicTime, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    let effects = refresh(snapshot)
    let asks = ownSettings(of: account)?["password-command"] == nil
    return effects + processes.start(account, asks: asks, at: now)
  }

  /// Makes this shell report when the account is connected.
  package mutating func awaitConnection(of account: Account) {
    processes.awaitConnection(of: account)
  }

  /// Handles the end of a process that this shell started. If the process served the account, it
  /// left the reason in the account's status. If it never got that far, this reports the reason
  /// once and starts another process.
  package mutating func processEnded(
    _ id: ID<Account>, status: Int32, missing: SafeText?, at now: MonotonicTime,
    _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    let effects = refresh(snapshot)
    guard let account = list.first(where: { $0.id == id }), isWanted(account),
      let complaint = processes.noteEnd(
        of: account, status: status, missing: missing, snapshot)
    else { return effects }
    return effects + complaint + startWanted(at: now, snapshot)
  }
}
