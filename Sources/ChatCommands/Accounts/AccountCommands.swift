// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import Glibc
import Platform
import StyledText

/// `/account`, `/connect`, `/disconnect`.
@MainActor
struct AccountCommands {
  let context: CommandContext
  private var accounts: Accounts { context.accounts }

  /// The settings of an account on any network, and what each means.
  nonisolated static var options: [(name: String, help: SafeText)] {
    [
      ("host", say("the server's host name, if the domain has no DNS (SRV) record for it")),
      ("port", say("its port")),
      ("ca", say("a file with the certificates to trust instead of the system's")),
      ("pin", say("trust only a public key with this SHA-256")),
      ("nick", say("your nickname in rooms")),
      (
        "fetch",
        say("the largest file, in megabytes, to fetch from contacts without asking you; 0: none")
      ),
      ("rooms", say("where /join looks for a new #room: on the network, or here")),
      ("password-command", say("a command that prints the password, run without a shell")),
    ]
  }

  /// What `/help account` adds, as in the manual.
  nonisolated static var help: [SafeText] {
    [
      say("/account lists your accounts, or explains how to get one."),
      say(
        "add ADDRESS [--OPTION VALUE ...] adds an existing account: hobnob asks for its password, connects it and shows its rooms and people."
      ),
      say("set ADDRESS OPTION [VALUE] changes an option; without VALUE, it resets the option."),
      say("remove ADDRESS removes it here, not on its server; you can still read its messages."),
      say("The options on every network:"),
    ] + options.map { say("  %1: %2", SafeText(line: $0.name), $0.help) }
      + [
        say("Each network can have more options; man hobnob-networks explains them."),
        say("Do not type a password on this line. See man hobnob-networks for the rest."),
      ]
  }

  func account(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let words = ChildProcess.words(argument)
    switch words.first {
    case nil: return try list(explainsIfEmpty: true, snapshot)
    case "list" where words.count == 1: return try list(explainsIfEmpty: false, snapshot)
    case "add" where words.count > 1: return try add(words[1], Array(words.dropFirst(2)))
    case "set" where words.count >= 3:
      return try set(words[1], words[2], value(argument, words))
    case "remove" where words.count == 2: return try remove(words[1])
    default: throw usage("account")
    }
  }

  private func named(_ address: String) throws -> Account {
    try accounts.named(address, from: context.network)
  }

  // MARK: Listing

  private func list(explainsIfEmpty: Bool, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !accounts.list.isEmpty else {
      guard explainsIfEmpty else { return .tell(say("You have no account.")) }
      let gap: SafeText = context.glyphs.isSpoken ? ": " : "   "
      let examples = context.preferences.networks.examples()
      return .answer(
        [StyledLine(say("You need no account for the people on this machine. To reach others:"))]
          + examples.map {
            StyledLine(
              "  /account add " + SafeText(line: $0.address) + gap
                + say("add an account that you already have"))
          }
          + examples.filter(\.isRegistered).map {
            StyledLine(
              "  hobnob account register " + SafeText(line: $0.address) + gap
                + say("create one, if the server lets anyone register"))
          })
    }
    var lines: [StyledLine] = []
    for account in accounts.list {
      lines.append(
        StyledLine("  " + SafeText(line: account.network))
          + StyledLine(context.glyphs.gap + state(of: account), .dim))
      lines += (accounts.ownSettings(of: account)?.listed ?? []).map {
        StyledLine(SafeText(line: "    \($0.name) \($0.value)"), .dim)
      }
      lines += otherNicks(of: account, snapshot) + sandbox(of: account, snapshot)
    }
    return .answer(lines)
  }

  /// Says under which names the person is in rooms, if one is not the usual one.
  private func otherNicks(of account: Account, _ snapshot: borrowing Snapshot) -> [StyledLine] {
    let found = (try? snapshot.roomNicknames(of: context.me.id, on: account.network)) ?? [:]
    let nicks = Set(found.values).sorted()
    let settings = accounts.ownSettings(of: account) ?? AccountSettings(values: [:])
    guard nicks.contains(where: { $0 != settings.wantedNick(of: account) }) else { return [] }
    let names = nicks.map { SafeText(name: $0) }.joinedAsList()
    return [StyledLine("    " + say("in rooms you are %1", names), .dim)]
  }

  /// Says how the account's running process is confined; empty if it does not run, or is not
  /// confined.
  private func sandbox(
    of account: Account, _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    guard (try? snapshot.hasProcess(of: account)) == true,
      let words = accounts.facts(of: account)["sandbox"]
    else { return [] }
    return [StyledLine("    " + say("sandbox: %1", SafeText(line: words)), .dim)]
  }

  func state(of account: Account) -> SafeText {
    if accounts.ownSettings(of: account) == nil {
      return say("not set up here; type /account add %1", SafeText(line: account.network))
    }
    return accounts.words(for: account)
  }

  // MARK: Changing

  private func add(_ written: String, _ words: [String]) throws -> Step {
    if let obstacle = context.accountObstacle() { throw Refusal(obstacle) }
    let kind = try context.preferences.networks.kind(of: AccountName(written))
    let network = try networkName(written, on: kind)
    var settings: [String: String] = [:]
    var rest = words[...]
    while let word = rest.popFirst() {
      try refuseEqualsSign(in: word)
      guard word.hasPrefix("--"), let value = rest.popFirst() else { throw usage("account") }
      let name = String(word.dropFirst(2))
      settings[name] = try checkedOption(name, value, on: kind)
    }
    // An account that is in the store, but not in the owner's accounts file, only needs settings.
    let unlisted = accounts.list.first {
      $0.network == network && accounts.ownSettings(of: $0) == nil
    }
    return Step { [settings] transaction in
      let account =
        try unlisted ?? transaction.addAccount(owner: context.me.id, network: network)
      try accounts.set(AccountSettings(values: settings), of: account, transaction)
      // The owner may have removed the account in order to be asked again.
      try accounts.forget("password", of: account)
      return [
        .accountsChanged,
        .tell(say("%1 is your account now.", SafeText(line: account.name))),
        .startAccount(account),
      ]
    }
  }

  /// The value in `set ADDRESS OPTION VALUE`. A value of several words keeps its quotes; a single
  /// quoted word loses them.
  private func value(_ argument: String, _ words: [String]) -> String {
    if words.count <= 4 { return words.count == 4 ? words[3] : "" }
    var rest = argument[...]
    for _ in 0..<3 {
      rest = rest.drop(while: \.isWhitespace).drop { !$0.isWhitespace }
    }
    return String(rest).trimmingBlanks
  }

  private func set(_ address: String, _ name: String, _ value: String) throws -> Step {
    try refuseEqualsSign(in: name)
    let account = try named(address)
    if value.isEmpty, let forgotten = Self.facts.first(where: { $0.name == name }) {
      try accounts.forget(name, of: account)
      return .tell(forgotten.sentence(SafeText(line: account.name)))
    }
    guard var settings = accounts.ownSettings(of: account) else { throw notSetUp(account) }
    let checked = value.isEmpty ? nil : try checkedOption(name, value, on: account.kind)
    if checked == nil, settings[name] == nil, !AccountSettings.common.contains(name) {
      throw Refusal(
        say(
          "%2 is not set for %1, so there is nothing to reset; to set it, type /account set %1 %2 VALUE",
          SafeText(line: account.name), SafeText(line: name)))
    }
    if name == "nick" {
      settings.set(nick: checked, of: account)
    } else {
      settings.values[name] = checked
    }
    let (whose, option) = (SafeText(line: account.name), SafeText(line: name))
    let said =
      checked.map { say("%2 of %1 is now set to %3", whose, option, SafeText(line: $0)) }
      ?? say("%2 of %1 has its default value again", whose, option)
    // Neither needs a new connection: the process applies `fetch` to each file.
    let hint =
      ["fetch", RoomSide.option].contains(name) ? "." : "; " + say("type /connect to apply this.")
    return change(settings, of: account, [.tell(said + hint)])
  }

  /// What hobnob knows of an account's server. These are not options: setting one without a value
  /// makes hobnob forget it.
  private static let facts: [(name: String, sentence: (SafeText) -> SafeText)] = [
    (
      "scram",
      {
        say(
          "hobnob no longer remembers which login methods the server of %1 used to offer. At the next /connect it accepts whatever methods the server offers then.",
          $0)
      }
    ),
    ("password", { say("At the next /connect, hobnob asks for the password of %1 again.", $0) }),
  ]

  private func change(
    _ settings: AccountSettings?, of account: Account, _ effects: [Effect]
  ) -> Step {
    Step {
      try accounts.set(settings, of: account, $0)
      return [.accountsChanged] + effects
    }
  }

  private func notSetUp(_ account: Account) -> Refusal {
    Refusal(
      say(
        "The accounts file %1 has no entry for %2 in this store; /account add %2 sets it up.",
        SafeText(line: accounts.path), SafeText(line: account.network)))
  }

  private func remove(_ address: String) throws -> Step {
    let account = try named(address)
    return Step {
      try $0.removeAccount(account)
      try accounts.set(nil, of: account, $0)
      return [
        .accountsChanged,
        .tell(
          say("%1 is removed; you can still read its messages.", SafeText(line: account.name))),
      ]
    }
  }

  func connectAccount(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let address = argument.trimmingBlanks
    if accounts.list.isEmpty, !address.isEmpty {
      let examples = context.preferences.networks.examples()
      throw Refusal(
        say(
          "You have no account yet; to add one, type %1",
          examples.map { SafeText(line: "/account add " + $0.address) }
            // Translators: between the names of accounts to choose from.
            .joined(separator: say(" or "))))
    }
    let steps = try accountsToConnect(address).map { try reconnection(to: $0, snapshot) }
    return Step(writes: steps.flatMap(\.writes)) { transaction in
      try steps.flatMap { try $0.change?(transaction) ?? [] }
    }
  }

  /// Without an address: all accounts whose processes have ended with a reason, such as a missing
  /// password; or else the present one.
  private func accountsToConnect(_ address: String) throws -> [Account] {
    let ended = accounts.list.filter { accounts.isWanted($0) && $0.status.hasEnded }
    guard address.isEmpty, !ended.isEmpty else { return [try named(address)] }
    // The owner may also mean the present one, but not if it is connected.
    let present = accounts.present(in: context.network)
    return accounts.list.filter {
      ended.contains($0) || $0 == present && accounts.isUnsettled($0.network)
    }
  }

  private func reconnection(to account: Account, _ snapshot: borrowing Snapshot) throws -> Step {
    guard var settings = accounts.ownSettings(of: account) else { throw notSetUp(account) }
    if settings.isWanted, try snapshot.hasProcess(of: account) {
      return Step(writes: [.nickname(account)]) {
        try $0.setStatus(of: account, .connecting)
        try $0.ask(.reconnect, of: account)
        return [
          .awaitConnection(account),
          .tell(say("Reconnecting %1.", SafeText(line: account.name))),
        ]
      }
    }
    settings.isWanted = true
    return change(settings, of: account, [.write(.nickname(account)), .startAccount(account)])
  }

  func disconnect(_ argument: String) throws -> Step {
    let account = try named(argument.trimmingBlanks)
    guard var settings = accounts.ownSettings(of: account) else { throw notSetUp(account) }
    settings.isWanted = false
    return change(
      settings, of: account,
      [
        .tell(
          say(
            "%1 is disconnected until /connect; your messages wait.",
            SafeText(line: account.name)))
      ])
  }

  /// The network of a new account, `KIND:ADDRESS`. The network's program puts the address into its
  /// canonical form.
  private func networkName(_ written: String, on kind: String) throws -> String {
    let name = AccountName(written)
    guard !name.address.isEmpty,
      !name.address.contains(where: { $0.isWhitespace || "/\"'".contains($0) })
    else {
      throw Refusal(
        say(
          "%1 is not an address: it is empty, or contains a blank, a slash or a quote.",
          SafeText(line: written)))
    }
    return kind + ":" + (try context.preferences.networks.address(name.address, on: kind))
  }

  /// Refuses `NAME=VALUE`.
  private func refuseEqualsSign(in word: String) throws {
    guard let sign = word.firstIndex(of: "=") else { return }
    let name = word[..<sign]
    if name == "password" || name == Secrets.option { throw Self.passwordOnTheLine }
    throw Refusal(
      say(
        "An option and its value have a blank between them, and not =: write %1",
        SafeText(line: name + " " + word[sign...].dropFirst())))
  }

  private static var passwordOnTheLine: Refusal {
    Refusal(say("Do not type a password on the line; /connect asks for it."))
  }

  private func checkedOption(
    _ name: String, _ value: String, on kind: String
  ) throws -> String {
    // Others can see the arguments of a program.
    if name == "password" { throw Self.passwordOnTheLine }
    guard AccountSettings.common.contains(name) else {
      return try context.preferences.networks.storedOption(name, value, on: kind)
    }
    if name == "port", Int(written: value, in: 1...65_535) == nil {
      throw Refusal(say("A port is a number from 1 to 65535, not %1.", SafeText(line: value)))
    }
    if name == "fetch", Int(written: value, in: 0...100) == nil {
      throw Refusal(say("fetch is a number from 0 to 100, not %1.", SafeText(line: value)))
    }
    if name == "pin", value.utf8.count != 64 || !value.allSatisfy(\.isHexDigit) {
      throw Refusal(say("A pin is the SHA-256 of a public key: 64 hexadecimal digits."))
    }
    if name == RoomSide.option, RoomSide(rawValue: value) == nil {
      throw Refusal(say("rooms is network or here, not %1.", SafeText(line: value)))
    }
    if name == "ca" {
      // Check the file now and store an absolute path: the network process runs in another folder,
      // and could report an error only once it has connected.
      let path = AttachedFiles.absolute(value, context.preferences.environment)
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

extension Arguments {
  static let ownAccount = first { query, _ in query.ownAccounts }
  static let account = Arguments { query, _ in
    let options = AccountCommands.options
    return switch (query.before.first, query.before.count) {
    case (nil, _): ["add", "list", "remove", "set"].map { Candidate($0) }
    case ("add", 1): query.context.preferences.networks.kinds.map { Candidate($0 + ":") }
    case (_, 1): query.ownAccounts
    case ("set", 2): options.map { Candidate($0.name, hint: $0.help.string) }
    case ("add", let count) where count.isMultiple(of: 2):
      options.map { Candidate("--" + $0.name, hint: $0.help.string) }
    default: []
    }
  }
}

extension ArgumentQuery {
  fileprivate var ownAccounts: [Candidate] {
    context.accounts.list.map { Candidate($0.name) }
  }
}
