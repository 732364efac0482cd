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
  /// When a process was last started for an account here, in monotonic milliseconds: one that dies
  /// at once is not started without a pause.
  private var started: [ID<Account>: Int64] = [:]
  private static let pause: Int64 = 3_000
  /// When ``startWanted(again:)`` is to come, in monotonic milliseconds.
  private(set) var deadline: Int64?

  /// Those that were asked here to connect, until they are.
  private var awaited: Set<ID<Account>> = []
  /// Those of them of which it was said why they are not.
  private var faulty: Set<ID<Account>> = []
  /// Files that are to be saved when they have been fetched, by what was asked for.
  var saves: [NetworkRequest.ID: Save] = [:]

  struct Save: Hashable {
    var message: Conversations.ID<Message>
    /// A folder, or a folder and a name.
    var place: String
  }

  init(_ session: Session) { self.session = session }

  /// Something about accounts changed, or was never read.
  func refresh() {
    do {
      let hadNone = list.isEmpty
      list = try store.accounts(of: me.id)
      // Their nicknames are names of mine.
      if hadNone, !list.isEmpty { session.becomes(me) }
      for account in list where awaited.contains(account.id) && !faulty.contains(account.id) {
        // The status line has no room for a reason; later ones are in `/account`.
        guard account.status.hasPrefix("offline") else { continue }
        faulty.insert(account.id)
        tell(SafeText(line: account.address + ": " + account.status))
      }
      for account in list where awaited.contains(account.id) && account.status.isEmpty {
        guard try store.holderIsAlive(of: account) else { continue }
        awaited.remove(account.id)
        try welcome(to: account)
      }
    } catch {
      outgoing.tryAgainSoon()
    }
  }

  /// To be told once it is connected.
  func expect(_ account: Account) {
    awaited.insert(account.id)
    faulty.remove(account.id)
  }

  /// Says what there is where somebody has come for the first time, or again.
  private func welcome(to account: Account) throws {
    let places = try store.listing(for: me.id).count { $0.conversation.network == account.network }
    let address = SafeText(line: account.address)
    if places > 0 { return tell(say("%1 is connected; /list shows what is there.", address)) }
    let service = account.settings["rooms"] ?? "rooms.example.org"
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
    for account in list where account.isWanted && (again || account.status.isEmpty) {
      guard (try? store.holderIsAlive(of: account)) == false else { continue }
      if let last = started[account.id], now - last < Self.pause {
        deadline = last + Self.pause
        continue
      }
      started[account.id] = now
      emit(.connect(account, asks: false))
    }
  }

  func tick() {
    if let deadline, now >= deadline { startWanted() }
  }

  /// The owner asked for it, and may be asked for the password.
  func connect(_ account: Account) {
    refresh()
    started[account.id] = now
    expect(account)
    emit(.connect(account, asks: account.settings["password-command"] == nil))
  }

  /// For the status line: what each account that is not simply connected is at.
  ///
  /// - Parameter withBars: with a bar before a percentage that it ends in.
  func status(withBars: Bool) -> SafeText? {
    let said = list.compactMap { account -> SafeText? in
      // Who disconnected it knows, unless what they write there waits.
      let isOpen = account.network == moves.present?.network
      let status = account.isWanted ? account.status : isOpen ? "disconnected" : ""
      return status.isEmpty
        ? nil
        : say(
          "%1: %2", SafeText(line: list.count > 1 ? account.address : account.kind),
          withBars ? barred(status) : SafeText(line: status))
    }
    return said.isEmpty ? nil : said.joined(separator: "; ")
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
    list.contains { $0.network == network && ($0.isWanted ? !$0.status.isEmpty : true) }
  }

  /// The account that an address without one belongs to: of the conversation that is open, else the
  /// only one.
  var present: Account? {
    list.count == 1 ? list.first : list.first { $0.network == moves.present?.network }
  }

  /// The account by which an address is reached: the only one, or the only one of the same server.
  ///
  /// - Throws: ``Refusal`` where there is none, or it is not clear which.
  func reaching(_ address: String) throws -> Account {
    try Account.reaching(address, among: list) ?? named("")
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
            "Which account? You have %1; it is the one whose conversation is open, and /msg %2 opens one with yourself.",
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
    throw Refusal(say("You have no account yet; /account says how to get one."))
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
  package static func reaching(_ address: String, among accounts: [Account]) -> Account? {
    let address = address.lowercased()
    if let own = accounts.first(where: { $0.address == address }) { return own }
    let domain = address.split(separator: "@").last ?? ""
    let near = accounts.filter {
      [$0.domain, $0.settings["rooms"] ?? ""].contains { $0 == domain }
        || domain.hasSuffix("." + $0.domain)
    }
    return near.count == 1 ? near[0] : accounts.count == 1 ? accounts[0] : nil
  }
}
