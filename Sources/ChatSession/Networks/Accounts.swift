// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// My accounts on networks: their processes are started when they are needed, and what they do is
/// told in the status line.
@MainActor
final class Accounts: SessionPart {
  unowned let session: Session
  private(set) var list: [Account] = []
  /// What I have set for them, and what is known of their servers.
  private let ownFiles: AccountFiles
  private var settings: [ID<Account>: AccountSettings] = [:]
  /// Said once: my file of accounts cannot be used.
  private var fault: AccountFileError?
  /// When a process was last started for an account here, in monotonic milliseconds, and how long
  /// the next one has to wait.
  private var started: [ID<Account>: (at: Int64, pause: Int64)] = [:]
  /// When ``startWanted(again:)`` is to come, in monotonic milliseconds.
  private(set) var deadline: Int64?

  /// Those that were asked here to connect, until they are.
  private var awaited: Set<ID<Account>> = []
  /// Those of them of which it was said why they are not.
  private var faulty: Set<ID<Account>> = []
  /// What this shell has shown of the settings that the store holds.
  private var shown: [ID<Account>: AccountSettings] = [:]
  /// Accounts whose process ended before it could serve them, and its exit status.
  private var ended: [ID<Account>: Int32] = [:]
  /// Files that are to be saved when they have been fetched, by what was asked for.
  var saves: [NetworkRequest.ID: Save] = [:]

  struct Save: Hashable {
    var message: Conversations.ID<Message>
    /// A folder, or a folder and a name.
    var place: String
  }

  init(_ session: Session) {
    self.session = session
    ownFiles = AccountFiles(environment: session.preferences.environment)
  }

  /// What I have set for an account; nil for one that my file does not list for this store.
  func settings(of account: Account) -> AccountSettings? { settings[account.id] }

  func isWanted(_ account: Account) -> Bool { settings[account.id]?.isWanted == true }

  /// What is known of the account's server, by name.
  func facts(of account: Account) -> [String: String] {
    (try? ownFiles.facts(of: account, inStoreAt: store.path)) ?? [:]
  }

  /// The service for rooms of the account's server, where it is known.
  func roomService(of account: Account) -> String? { facts(of: account)["rooms"] }

  /// Writes the settings into my file, and tells my other shells and the account's process.
  ///
  /// - Throws: `AccountFileError`, `StoreError`.
  func set(_ settings: AccountSettings?, of account: Account) throws {
    try ownFiles.set(settings, of: account, inStoreAt: store.path)
    try store.write { try $0.noteChange(of: account) }
    if settings != nil, try store.read({ try $0.holderIsAlive(of: account) }) {
      try store.writeDurably { try $0.ask(.settings, of: account) }
    }
    refresh()
  }

  /// Forgets which ways to log in the account's server had.
  ///
  /// - Throws: `SystemFailure`.
  func forgetLogin(of account: Account) throws {
    try ownFiles.learn(["scram": ""], of: account, inStoreAt: store.path)
  }

  /// Applies the nickname that was set last to an account that is about to connect.
  func takeNick(of account: Account) throws {
    guard try ownFiles.takeNick(of: account, in: store) else { return }
    readSettings()
    session.becomes(me)
  }

  var path: String { ownFiles.path }

  // MARK: Settings that the store holds

  /// An earlier version kept an account's settings in the store, where others may have put them: shows
  /// them, and says how to use or delete them (rule 12.7). A whole command decides, because a key may
  /// have been typed before the settings were on the screen.
  func showStoredSettings() {
    guard session.isInteractive, fault == nil else { return }
    for account in list where settings[account.id] == nil {
      guard let stored = (try? store.read { try $0.storedSettings(of: account) }) ?? nil else {
        continue
      }
      shown[account.id] = stored
      let address = SafeText(line: account.address)
      transcript.answer(
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
          ])
    }
  }

  /// Moves the settings that the store holds for an account into the owner's file, if they are still
  /// those that this shell has shown; else shows them.
  func acceptStoredSettings(of account: Account) throws {
    guard var stored = try store.read({ try $0.storedSettings(of: account) }),
      settings[account.id] == nil
    else {
      throw noStoredSettings(of: account)
    }
    // Others may have changed them since.
    guard stored == shown[account.id] else { return showStoredSettings() }
    try learnStoredLogin(of: account)
    // The rest is what an earlier version learned of the server.
    stored.values = stored.values.filter { name, _ in
      AccountCommands.options.contains { $0.name == name }
    }
    try ownFiles.set(stored, of: account, inStoreAt: store.path)
    tell(say("They are now in %1.", SafeText(line: path)))
    try store.writeDurably { try $0.removeStoredSettings(of: account) }
    startWanted()
  }

  func discardStoredSettings(of account: Account) throws {
    guard try store.read({ try $0.storedSettings(of: account) }) != nil else {
      throw noStoredSettings(of: account)
    }
    try store.writeDurably { try $0.removeStoredSettings(of: account) }
    tell(say("hobnob has deleted them."))
  }

  private func noStoredSettings(of account: Account) -> Refusal {
    Refusal(
      say("The store has no settings for %1 to decide on.", SafeText(line: account.address)))
  }

  /// An earlier version kept in the store whether the server had offered SCRAM.
  func learnStoredLogin(of account: Account) throws {
    if try store.read({ try $0.storedSettings(of: account) })?["scram"] != nil,
      facts(of: account)["scram"] == nil
    {
      try ownFiles.learn(["scram": "SCRAM-SHA-1"], of: account, inStoreAt: store.path)
    }
  }

  /// Something about accounts changed, or was never read.
  func refresh() {
    do {
      let hadNone = list.isEmpty
      list = try store.read { try $0.accounts(of: me.id) }
      readSettings()
      // Their nicknames are names of mine.
      if hadNone, !list.isEmpty {
        session.becomes(me)
        if session.isInteractive { try RequestsCommand(session: session).remind() }
      }
      for account in list where ended[account.id] != nil {
        if try !account.status.isEmpty || store.read({ try $0.holderIsAlive(of: account) }) {
          ended[account.id] = nil
        }
      }
      for account in list where awaited.contains(account.id) && !faulty.contains(account.id) {
        // The status line has no room for a reason; later ones are in `/account`.
        guard account.status.hasPrefix("offline") else { continue }
        faulty.insert(account.id)
        tell(SafeText(line: account.address + ": " + account.status))
      }
      for account in list where awaited.contains(account.id) && account.status.isEmpty {
        guard try store.read({ try $0.holderIsAlive(of: account) }) else { continue }
        awaited.remove(account.id)
        try welcome(to: account)
      }
    } catch {
      outgoing.tryAgainSoon()
    }
  }

  private func readSettings() {
    settings = [:]
    do throws(AccountFileError) {
      for account in list {
        settings[account.id] = try ownFiles.settings(of: account, inStoreAt: store.path)
      }
      fault = nil
    } catch {
      // None of them is used then, and nothing is started.
      settings = [:]
      if fault != error { transcript.complain([sentence(for: error)]) }
      fault = error
    }
  }

  /// A process that this shell had started ended. One that served the account has left the reason as
  /// the account's status; one that never came so far is reported here, once, and started again.
  func processEnded(_ id: ID<Account>, status: Int32) {
    refresh()
    guard status != 0, status != Self.isServed,
      let account = list.first(where: { $0.id == id }), isWanted(account), account.status.isEmpty,
      (try? store.read { try $0.holderIsAlive(of: account) }) == false
    else { return }
    if ended.updateValue(status, forKey: id) == nil {
      transcript.complain([
        say(
          "hobnob-%1 ended with status %2 before it could connect %3; hobnob starts it again.",
          SafeText(line: account.kind), SafeText(Int(status)), SafeText(line: account.address))
      ])
    }
    startWanted()
  }

  /// The exit status of a process that found another one serving its account.
  private static let isServed: Int32 = 75

  /// What the account's process is doing, empty when it is connected.
  func state(of account: Account) -> String {
    if let status = ended[account.id] {
      return "offline: hobnob-\(account.kind) ended with status \(status)"
    }
    return account.status
  }

  /// To be told once it is connected.
  func expect(_ account: Account) {
    awaited.insert(account.id)
    faulty.remove(account.id)
  }

  /// Says what there is where somebody has come for the first time, or again.
  private func welcome(to account: Account) throws {
    let places = try store.read { try $0.listing(for: me.id) }.count {
      $0.conversation.network == account.network
    }
    let address = SafeText(line: account.address)
    if places > 0 { return tell(say("%1 is connected; /list shows what is there.", address)) }
    let service = roomService(of: account) ?? "rooms.example.org"
    tell(
      say(
        "%1 is connected. /join room@%2 enters a room, /msg somebody@%3 opens a direct chat.",
        address, SafeText(line: service), SafeText(line: account.domain)))
  }

  /// Starts what is wanted and does not run.
  ///
  /// - Parameter again: whether also what has ended with a reason, which may be there no more.
  func startWanted(again: Bool = false) {
    refresh()
    deadline = nil
    for account in list where isWanted(account) {
      guard let holder = try? store.read({ try $0.holder(of: account) }), holder != .alive,
        // What a process says that has crashed is no reason not to start the next one.
        again || account.status.isEmpty || holder == .dead
      else { continue }
      var pause = Retry.process.pause
      if let last = started[account.id] {
        // One that crashes again and again is started less and less often.
        if now - last.at < last.pause + Retry.settled {
          pause = min(last.pause * 2, Retry.process.longest)
        }
        guard now - last.at >= last.pause else {
          deadline = min(deadline ?? .max, last.at + last.pause)
          continue
        }
      }
      started[account.id] = (now, pause)
      try? takeNick(of: account)
      emit(.connect(account, asks: false))
    }
  }

  func tick() {
    if let deadline, now >= deadline { startWanted() }
  }

  /// The owner asked for it, and may be asked for the password.
  func connect(_ account: Account) {
    refresh()
    started[account.id] = (now, Retry.process.pause)
    expect(account)
    emit(.connect(account, asks: settings(of: account)?["password-command"] == nil))
  }

  /// For the status line: the state of each account that is not simply connected. That an account
  /// is offline matters only if one of its conversations is open, a message waits for it, or it was
  /// asked here to connect.
  ///
  func status(_ detail: Detail) -> SafeText? {
    let said = list.compactMap { account -> SafeText? in
      let status = isWanted(account) ? state(of: account) : "disconnected"
      let isOffline = ["offline", "connecting", "disconnected"].contains { status.hasPrefix($0) }
      let matters =
        account.network == switcher.present?.network
        || news.networksAwaited.contains(account.network)
        || isWanted(account) && awaited.contains(account.id)
      guard !status.isEmpty, matters || !isOffline else { return nil }
      return say(
        "%1: %2", SafeText(line: list.count > 1 ? account.address : account.kind),
        detail == .whole ? barred(status) : short(status, detail))
    }
    return said.isEmpty ? nil : said.joined(separator: "; ")
  }

  /// How much of an account's state is told: what would be cut off is left out, since `/account` tells
  /// it.
  enum Detail {
    /// `offline, next try 12:04: the server went away`, and a percentage has a bar.
    case whole
    /// `offline, next try 12:04`
    case withTime
    /// `offline`
    case word
  }

  private func short(_ status: String, _ detail: Detail) -> SafeText {
    guard status.hasPrefix("offline") else { return SafeText(line: status) }
    let end = status.firstRange(of: detail == .word ? ", " : ": ")?.lowerBound
    return SafeText(line: String(status[..<(end ?? status.endIndex)]))
  }

  /// `uploading a.png ████░░░░░░ 45 %`
  private func barred(_ status: String) -> SafeText {
    let words = status.split(separator: " ")
    guard words.last == "%", let percent = words.dropLast().last.flatMap({ Int($0) }),
      (0...100).contains(percent)
    else { return SafeText(line: status) }
    let columns = 10
    let done = percent * columns / 100
    let bar = (0..<columns).map { $0 < done ? glyphs.done : glyphs.undone }.joined(separator: "")
    return SafeText(line: words.dropLast(2).joined(separator: " ")) + " " + bar + " "
      + SafeText(line: "\(percent) %")
  }

  /// Whether a network is not simply connected; never this machine.
  func isSettlingIn(_ network: String?) -> Bool {
    list.contains { $0.network == network && (isWanted($0) ? !$0.status.isEmpty : true) }
  }

  /// The account that an address without one belongs to: of the conversation that is open, else the
  /// only one.
  var present: Account? {
    list.count == 1 ? list.first : list.first { $0.network == switcher.present?.network }
  }

  /// The account by which an address is reached: the only one, or the only one of the same server.
  ///
  /// - Throws: ``Refusal`` where there is none, or it is not clear which.
  func reaching(_ address: String) throws -> Account {
    try Account.reaching(address, among: list) { roomService(of: $0) } ?? named("")
  }

  /// The one of that address, or the only one.
  ///
  /// - Throws: ``Refusal`` where there is none, or it is not clear which.
  func named(_ address: String) throws -> Account {
    refresh()
    let bare = address.lowercased()
    if address.isEmpty {
      if let present { return present }
      guard list.isEmpty else {
        throw Refusal(
          say(
            "Which account? You have %1. Open a conversation of the account you mean; /msg %2 opens one with yourself.",
            list.map { SafeText(line: $0.address) }.joined(separator: ", "),
            SafeText(line: list[0].address)))
      }
    } else if let found = list.first(where: { [$0.address, $0.network].contains(bare) }) {
      return found
    }
    guard list.isEmpty else {
      throw Refusal(
        say(
          "You have no account %1; you have %2.", SafeText(line: address),
          list.map { SafeText(line: $0.address) }.joined(separator: ", ")))
    }
    throw Refusal(say("You have no account yet; /account explains how to get one."))
  }

  // MARK: Completion

  /// What can be an argument of `/account`, `/connect`, `/disconnect` and `/contact`.
  func arguments(of command: Command, after before: [String]) -> [Candidate] {
    let mine = { self.list.map { Candidate($0.address) } }
    switch (command.name, before.count) {
    case ("contact", 0): return NetworkCommands.verbs.map { Candidate($0.name) }
    case ("contact", 1): return session.candidates(behind: .person)
    case ("account", 0): return ["add", "list", "remove", "set"].map { Candidate($0) }
    case ("account", 1) where before[0] == "add": return []
    case ("account", 2) where before[0] == "set":
      return AccountCommands.options.map { Candidate($0.name, hint: $0.help.string) }
    case ("account", 2...) where before[0] == "add" && before.count.isMultiple(of: 2):
      return AccountCommands.options.map { Candidate("--" + $0.name, hint: $0.help.string) }
    case ("account", 1), ("connect", 0), ("disconnect", 0): return mine()
    default: return []
    }
  }
}

extension Account {
  /// The account by which an address is reached: the only one of the same server, or the only one at
  /// all; nil where it is not clear.
  package static func reaching(
    _ address: String, among accounts: [Account], roomService: (Account) -> String? = { _ in nil }
  ) -> Account? {
    let address = address.lowercased()
    if let own = accounts.first(where: { $0.address == address }) { return own }
    let domain = address.split(separator: "@").last ?? ""
    let near = accounts.filter {
      [$0.domain, roomService($0) ?? ""].contains { $0 == domain }
        || domain.hasSuffix("." + $0.domain)
    }
    return near.count == 1 ? near[0] : accounts.count == 1 ? accounts[0] : nil
  }
}
