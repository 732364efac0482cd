// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import StyledText

/// `/account`, `/connect`, `/disconnect`.
@MainActor
struct AccountCommands: SessionPart {
  let session: Session
  private var accounts: Accounts { session.accounts }

  /// What can be set of an account, and what it is.
  nonisolated static let options: [(name: String, help: SafeText)] = [
    ("host", say("the server's host, if the domain does not name it")),
    ("port", say("its port; 5223 means direct TLS")),
    ("ca", say("a file with the certificates to trust instead of the system's")),
    ("pin", say("trust only a public key with this SHA-256")),
    ("nick", say("your nickname in rooms")),
    ("fetch", say("the largest file to fetch by itself from contacts, in megabytes; 0: none")),
    ("password-command", say("a command that prints the password, run without a shell")),
  ]

  /// What `/help account` adds, as the manual has it.
  nonisolated static let help: [SafeText] =
    [
      say("/account lists them, or explains how to get one."),
      say(
        "add ADDRESS [--OPTION VALUE ...] adds one that you have: it asks for the password, connects, and shows the rooms and people that you have there."
      ),
      say("set ADDRESS OPTION [VALUE] changes an option, or without a value removes it."),
      say("remove ADDRESS removes it here, not on its server; you can still read its messages."),
      say("accept ADDRESS and discard ADDRESS decide on settings that an earlier hobnob left."),
      say("The options:"),
    ] + options.map { say("  %1: %2", SafeText(line: $0.name), $0.help) }
    + [say("Do not type a password on this line. See man hobnob-networks for the rest.")]

  func account(_ argument: String) throws {
    let words = ChildProcess.words(argument)
    switch words.first {
    case nil: try list(orHelp: true)
    case "list" where words.count == 1: try list(orHelp: false)
    case "add" where words.count > 1: try add(words[1], Array(words.dropFirst(2)))
    case "set" where words.count >= 3:
      try set(words[1], words[2], value(argument, words))
    case "remove" where words.count == 2: try remove(words[1])
    case "accept" where words.count == 2:
      // Only a person has seen what the store holds.
      try requireSomebodyToAsk(say("/account accept"))
      try accounts.acceptStoredSettings(of: accounts.named(words[1]))
    case "discard" where words.count == 2:
      try accounts.discardStoredSettings(of: accounts.named(words[1]))
    default: throw usage("account")
    }
  }

  private func list(orHelp: Bool) throws {
    accounts.refresh()
    guard !accounts.list.isEmpty else {
      guard orHelp else { return tell(say("You have no account.")) }
      return transcript.answer([
        StyledLine(say("You need no account for the people on this machine. To reach others:")),
        StyledLine(
          say("  /account add you@example.org   add an XMPP account that you already have")),
        StyledLine(
          say(
            "  hobnob account register you@example.org   create one, if the server lets anyone register"
          )),
      ])
    }
    transcript.answer(
      accounts.list.flatMap { account in
        [
          StyledLine("  " + SafeText(line: account.network))
            + StyledLine("  " + state(of: account), .dim)
        ]
          + Self.options.compactMap { name, _ in
            accounts.settings(of: account)?[name].map {
              StyledLine(SafeText(line: "    \(name) \($0)"), .dim)
            }
          }
          + sandbox(of: account)
      })
  }

  /// What the account's process cannot do, while one runs.
  private func sandbox(of account: Account) -> [StyledLine] {
    guard (try? store.read { try $0.holderIsAlive(of: account) }) == true,
      let words = accounts.facts(of: account)["sandbox"]
    else { return [] }
    return [StyledLine("    " + say("sandbox: %1", SafeText(line: words)), .dim)]
  }

  /// What it is at, in words.
  func state(of account: Account) -> SafeText {
    guard let settings = accounts.settings(of: account) else {
      return say("not set up here; type /account add %1", SafeText(line: account.address))
    }
    if !settings.isWanted { return say("disconnected") }
    let state = accounts.state(of: account)
    if !state.isEmpty { return SafeText(line: state) }
    return (try? store.read { try $0.holderIsAlive(of: account) }) == true
      ? say("connected") : say("not running")
  }

  private func add(_ written: String, _ words: [String]) throws {
    let address = try checked(written)
    var settings: [String: String] = [:]
    var rest = words[...]
    while let word = rest.popFirst() {
      guard word.hasPrefix("--"), let value = rest.popFirst() else { throw usage("account") }
      let name = String(word.dropFirst(2))
      settings[name] = try checkedOption(name, value)
    }
    let account = try added(address)
    try accounts.learnStoredLogin(of: account)
    try accounts.set(AccountSettings(values: settings), of: account)
    tell(say("%1 is your account now.", SafeText(line: account.address)))
    accounts.connect(account)
  }

  /// The account, which the store may know already where its owner's file does not list it.
  private func added(_ address: String) throws -> Account {
    if let failure = store.failureToHoldAccounts {
      throw Refusal(SafeText(line: failure.prefix(1).uppercased() + failure.dropFirst() + "."))
    }
    let network = "xmpp:" + address
    accounts.refresh()
    if let known = accounts.list.first(where: { $0.network == network }),
      accounts.settings(of: known) == nil
    {
      return known
    }
    return try store.writeDurably { try $0.addAccount(owner: me.id, network: network) }
  }

  /// What stands behind the name of a setting. A command keeps the quotes that it was written with,
  /// unless it is one quoted word.
  private func value(_ argument: String, _ words: [String]) -> String {
    if words.count <= 4 { return words.count == 4 ? words[3] : "" }
    var rest = argument[...]
    for _ in 0..<3 {
      rest = rest.drop(while: \.isWhitespace).drop { !$0.isWhitespace }
    }
    return String(rest).trimmingBlanks
  }

  private func set(_ address: String, _ name: String, _ value: String) throws {
    let account = try accounts.named(address)
    if name == "scram", value.isEmpty {
      try accounts.forgetLogin(of: account)
      return tell(
        say(
          "hobnob has forgotten which login methods %1 offered; /connect trusts what it offers next.",
          SafeText(line: account.address)))
    }
    guard var settings = accounts.settings(of: account) else { throw notSetUp(account) }
    let checked = value.isEmpty ? nil : try checkedOption(name, value)
    if name == "nick" {
      settings.set(nick: checked, of: account)
    } else {
      settings.values[name] = checked
    }
    try accounts.set(settings, of: account)
    let (whose, option) = (SafeText(line: account.address), SafeText(line: name))
    let said =
      value.isEmpty
      ? say("%2 of %1 is back to its default", whose, option)
      : say("%2 of %1 is now %3", whose, option, SafeText(line: value))
    // How much is fetched is looked at with every file.
    tell(said + (name == "fetch" ? "." : "; " + say("type /connect to apply this.")))
  }

  private func notSetUp(_ account: Account) -> Refusal {
    Refusal(
      say(
        "%1 does not list %2 for this store; /account add %2 sets it up.",
        SafeText(line: accounts.path), SafeText(line: account.address)))
  }

  private func remove(_ address: String) throws {
    let account = try accounts.named(address)
    try store.writeDurably { try $0.removeAccount(account) }
    try accounts.set(nil, of: account)
    tell(
      say("%1 is removed; you can still read its messages.", SafeText(line: account.address)))
  }

  func connect(_ argument: String) throws {
    let account = try accounts.named(argument.trimmingBlanks)
    try accounts.takeNick(of: account)
    guard var settings = accounts.settings(of: account) else { throw notSetUp(account) }
    guard try !settings.isWanted || !store.read({ try $0.holderIsAlive(of: account) }) else {
      try store.writeIfNeeded { try $0.setStatus(of: account, "connecting") }
      try store.writeDurably { try $0.ask(.reconnect, of: account) }
      accounts.expect(account)
      return tell(say("Reconnecting %1.", SafeText(line: account.address)))
    }
    settings.isWanted = true
    try accounts.set(settings, of: account)
    accounts.connect(account)
  }

  func disconnect(_ argument: String) throws {
    let account = try accounts.named(argument.trimmingBlanks)
    guard var settings = accounts.settings(of: account) else { throw notSetUp(account) }
    settings.isWanted = false
    try accounts.set(settings, of: account)
    tell(
      say(
        "%1 is disconnected until /connect; your messages wait.",
        SafeText(line: account.address)))
  }

  /// `name@domain`, in lower case.
  private func checked(_ written: String) throws -> String {
    let address = written.hasPrefix("xmpp:") ? String(written.dropFirst(5)) : written
    let parts = address.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains("/") }),
      !address.contains(where: { $0.isWhitespace || $0 == "\"" || $0 == "'" })
    else {
      throw Refusal(
        say(
          "%1 is not an address; one looks like you@example.org.", SafeText(line: written)))
    }
    return address.lowercased()
  }

  private func checkedOption(_ name: String, _ value: String) throws -> String {
    guard Self.options.contains(where: { $0.name == name }) else {
      throw Refusal(
        say(
          "An account has no option %1; it has %2.", SafeText(line: name),
          Self.options.map { SafeText(line: $0.name) }.joined(separator: ", ")))
    }
    if name == "port", Int(written: value, in: 1...65_535) == nil {
      throw Refusal(say("A port is a number from 1 to 65535, not %1.", SafeText(line: value)))
    }
    if name == "fetch", Int(written: value, in: 0...100) == nil {
      throw Refusal(say("fetch is a number from 0 to 100, not %1.", SafeText(line: value)))
    }
    if name == "ca" {
      // Its process works in another folder, and can say nothing before it is connected.
      let path = files.absolute(value)
      guard access(path, R_OK) == 0 else {
        throw Refusal(
          say(
            "%1 cannot be read (%2); ca must name a certificate file.", SafeText(line: path),
            SafeText(line: SystemFailure().reason)))
      }
      return path
    }
    return value
  }
}
