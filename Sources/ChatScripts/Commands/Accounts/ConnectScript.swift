// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import Glibc
import StyledText

/// `hobnob connect` (rule 11.3): keeps an account connected without a shell; for a systemd user
/// unit.
struct ConnectScript: Subcommand {
  static let name = "connect"
  static let abstract: StaticString =
    "Keep an account connected, even while no hobnob shell is open."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "ADDRESS", \.address, completes: .accounts,
        "Which account, if you have several: its address, such as you@example.org or xmpp:you@example.org."
      )
    ]
  }

  var address: String?

  func run(_ launch: Launch) throws -> Int32 {
    var words: [String] = []
    _ = try launch.script { script in
      let accounts = try script.store.read { try $0.accounts(of: script.me.id) }
      let found =
        address.map { wanted in accounts.filter(AccountName(wanted).means) }
        ?? accounts
      guard let account = found.first, found.count == 1 else {
        throw Refusal(
          accounts.isEmpty
            ? say("You have no account; to add one, type /account add in hobnob.")
            : found.isEmpty
              ? say(
                "You have no account %1; you have %2.", SafeText(line: address ?? ""),
                accounts.names.map { SafeText(line: $0) }.joinedAsList())
              : say(
                "Which account? You have %1.",
                found.names.map { SafeText(line: $0) }.joinedAsList()))
      }
      try launch.want(account, in: script.store)
      words = try NetworkPrograms.installed.command(
        account, in: script.store, stays: true, isPlain: launch.isPlain(script.settings))
      return 0
    }
    try NetworkPrograms.become(words)
  }
}

extension Launch {
  /// Makes an account connect, from now on, whenever its owner has a shell.
  ///
  /// - Throws: a ``Refusal`` if the owner's file does not list it; `AccountFileError`.
  fileprivate func want(_ account: Account, in store: Store) throws {
    let files = AccountFiles(environment: environment)
    guard var settings = try files.settings(of: account, inStoreAt: store.path) else {
      throw Refusal(
        say(
          "The accounts file %1 has no entry for %2 in this store; to set it up, type /account add %2 in hobnob.",
          SafeText(line: files.path), SafeText(line: account.network)))
    }
    if try !store.read({ try $0.hasProcess(of: account) }),
      let taken = try store.writeDurablyIfNeeded({ try files.takeNick(of: account, $0) })
    {
      settings = taken
      try files.set(settings, of: account, inStoreAt: store.path)
    }
    if settings.isWanted { return }
    settings.isWanted = true
    try files.set(settings, of: account, inStoreAt: store.path)
    try store.write { try $0.noteChange(of: account) }
  }
}
