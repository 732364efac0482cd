// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import Platform
import Sentences

/// The work of a network's executable, from its arguments to its exit status. Shells start it;
/// hobnob-networks(7) says what it reads and writes.
@MainActor
package struct NetworkProgram {
  /// Makes a network's wire for an account, from the account's settings and the facts about its
  /// server.
  package typealias MakeWire =
    @MainActor (
      AccountLease, [String: String], EventLoop, AccountHelper
    ) throws -> any Wire

  /// Returns the address of an account as its network writes it; nil for a text that is no address.
  package typealias ReadAddress = (String) -> String?

  /// Registers an account on a network, from address, password and settings; returns why it failed.
  package typealias Register = @MainActor (String, String, [String: String]) -> String?

  /// Whether this program can register accounts.
  package enum Registration {
    case possible(Register)
    /// Why not, and what to do instead.
    case impossible(String)
  }

  /// What the program does with the account.
  private enum Mode: Equatable {
    /// Connect, with a password that comes from a command or the Secret Service.
    case connect
    /// Connect, with the first line of standard input as the password, and write an ``Answer``.
    case connectWithInput
    /// Ask for the password at the terminal, then connect in the background.
    case ask
  }

  /// What a process that got its password from standard input writes to standard output.
  enum Answer: String {
    case connected
    /// The first try failed; others follow.
    case offline
    /// The server does not accept the password.
    case refused
  }

  /// How serving the account ended.
  private struct Ending {
    /// Nil if there is nothing to tell.
    var reason: Remark?
    var isPasswordRefused = false
    /// Whether the owner's shells must be told.
    var isForShells = false
  }

  let kind: String
  let arguments: [String]
  let files: AccountFiles
  let example: String
  let readAddress: ReadAddress
  let options: [AccountOption]
  let passwordNeed: PasswordNeed.Rule
  let registration: Registration
  /// Whether a program of its own connects the account, and may ask the owner questions.
  let hasProgram: Bool
  /// Why a library cannot be loaded that some of the work needs; nil if it can.
  private let lacks: () -> String?
  private let makeWire: MakeWire
  /// Whether the terminal gets no escape sequences (rule 11.5).
  var isPlain: Bool { arguments.contains("--plain") }

  /// - Parameters:
  ///   - kind: the part of an account's network before the colon.
  ///   - example: an address as people on the network write it.
  ///   - options: what owners can set for accounts on this network only.
  ///   - passwordNeed: whether an account has a password.
  ///   - lacks: why a library cannot be loaded that some of the work needs.
  ///   - hasProgram: whether a program of its own connects the account (``BridgedPrograms``), which
  ///     may ask the owner questions.
  package init(
    kind: String, arguments: [String], example: String, readAddress: @escaping ReadAddress,
    options: [AccountOption] = [], passwordNeed: @escaping PasswordNeed.Rule = { _, _ in .needed },
    registration: Registration, hasProgram: Bool = false, lacks: @escaping () -> String? = { nil },
    makeWire: @escaping MakeWire
  ) {
    (self.kind, self.arguments) = (kind, arguments)
    (self.example, self.readAddress) = (example, readAddress)
    (self.options, self.passwordNeed) = (options, passwordNeed)
    (self.registration, self.hasProgram, self.makeWire) = (registration, hasProgram, makeWire)
    self.lacks = lacks
    files = AccountFiles(environment: OwnFolder.environment)
  }

  /// - Returns: the exit status: 0, 1 if the network refused the account, 64 if the arguments are
  ///   wrong, 75 if another process holds the account.
  package func run() -> Int32 {
    if arguments.first == "--register" { return makeAccount(Array(arguments.dropFirst())) }
    if arguments == ["--example"] { return writeExample() }
    if arguments.first == "--address", arguments.count == 2 { return writeAddress(arguments[1]) }
    if arguments.first == "--option", arguments.count == 3 {
      return writeOption(arguments[1], arguments[2])
    }
    if arguments == ["--sandbox"] {
      say(Sandbox.available.words, to: 1)
      // As ld.so(8) says it of a library that the program cannot do without.
      if let reason = lacks() {
        say("hobnob-\(kind): error while loading shared libraries: \(reason)")
      }
      return 0
    }
    if arguments.first == "--helper", arguments.count == 3 {
      let helper = AccountHelperProgram(
        files, Account(id: ID(rawValue: 0), owner: ID(rawValue: 0), network: arguments[2]),
        inStoreAt: arguments[1])
      // Keep the helper alive: the callbacks in its loop hold it weakly.
      return withExtendedLifetime(helper) { helper.run() }
    }
    var (mode, stays) = (Mode.connect, false)
    var words: [String] = []
    for argument in arguments {
      switch argument {
      case "--ask": mode = .ask
      case "--password-on-input": mode = .connectWithInput
      case "--stay": stays = true
      case "--plain": break
      default: words.append(argument)
      }
    }
    guard words.count == 2, !words[0].hasPrefix("-"), words[1].hasPrefix(kind + ":") else {
      say(
        "usage: hobnob-\(kind) [--stay] [--plain] [--ask | --password-on-input] STORE "
          + "\(kind):ADDRESS; "
          + "hobnob(1) starts this program; you do not need to.")
      return 64
    }
    do {
      guard let stored = try StoredAccount(network: words[1], inStoreAt: words[0]) else {
        fail(filled(("There is no account %1 in this store.", [words[1]])))
        return 64
      }
      let account = stored.account
      guard let settings = try files.settings(of: account, inStoreAt: stored.path) else {
        fail(
          filled(
            (
              "The accounts file %1 has no entry for %2 in the store %3.",
              [files.path, account.address, stored.path]
            )))
        return 1
      }
      if mode == .ask { return try ask(for: stored, settings) }
      if mode == .connect, hasProgram, isatty(0) == 1 {
        return try serveAtTerminal(stored, settings)
      }
      return try serve(stored, settings, mode, stays: stays)
    } catch {
      say("hobnob-\(kind): \(error)")
      return 1
    }
  }

  /// Makes sure that the process does not read what its user types at the terminal that started it.
  private static func stopReadingTheTerminal() {
    for (number, path) in [(Int32(0), "/dev/null"), (1, "/proc/self/fd/1"), (2, "/proc/self/fd/2")]
    where isatty(number) == 1 {
      let descriptor = open(path, (number == 0 ? O_RDONLY : O_WRONLY) | O_NOCTTY | O_CLOEXEC)
      guard descriptor >= 0 else { continue }
      dup2(descriptor, number)
      close(descriptor)
    }
  }

  private func serve(
    _ stored: StoredAccount, _ settings: AccountSettings, _ mode: Mode, stays: Bool
  ) throws -> Int32 {
    let account = stored.account
    guard let lease = try stored.lease() else {
      fail(
        filled(
          (
            "Another process of yours already serves %1. If a hobnob shell started that process, it exits a minute after you quit the last hobnob shell; then try again.",
            [account.address]
          )))
      return 75
    }
    var ending = try connect(lease, settings, mode, stays: stays)
    if ending.isPasswordRefused, mode == .connectWithInput, Self.answer(.refused) {
      // Whoever asked for the password says so.
      ending.isForShells = false
    }
    // The status has the reason until somebody connects the account again. Store the notice
    // together with the release, not before: a person who reads it may type /connect, which must
    // not reach an ending process.
    try lease.release(
      status: ending.reason.map { .ended(reason: $0) } ?? .notRunning,
      notice: ending.isForShells ? ending.reason.map { notice($0, of: account) } : nil)
    guard let reason = ending.reason else { return 0 }
    fail(notice(reason, of: account).text)
    return 1
  }

  /// Serves the account in another process, and asks the owner here what its network asks.
  private func serveAtTerminal(
    _ stored: StoredAccount, _ settings: AccountSettings
  ) throws -> Int32 {
    let account = stored.account
    let need = try need(of: account, inStoreAt: stored.path, settings)
    var secret: String? = ""
    if need != .unneeded {
      secret = kept(of: account, settings) ?? typedPassword(of: account, need)
    }
    guard let secret else {
      fail(notice(PasswordFailure.none.sentence, of: account).text)
      return 1
    }
    return serveElsewhere(secret, inBackground: false)?.status ?? 1
  }

  /// Why the account's process has ended, for people who may have several accounts.
  func notice(_ reason: Remark, of account: Account) -> Remark {
    Remark(account.address + ": ") + reason
  }

  /// - Returns: false if nobody waits for an answer any more.
  @discardableResult
  private static func answer(_ answer: Answer) -> Bool {
    (try? Array((answer.rawValue + "\n").utf8).withUnsafeBytes { try writeAll(1, $0) }) != nil
  }

  /// Serves the account until the process has to end.
  private func connect(
    _ lease: AccountLease, _ settings: AccountSettings, _ mode: Mode, stays: Bool
  ) throws -> Ending {
    let account = lease.account
    let need = try need(of: account, inStoreAt: lease.path, settings)
    var typed: String?
    if mode == .connectWithInput {
      typed = readLine(strippingNewline: true) ?? ""
    } else if need != .unneeded, isatty(0) == 1, settings["password-command"] == nil {
      // Shells start it without a terminal; a person may have one.
      typed = kept(of: account, settings) ?? typedPassword(of: account, need)
      if typed == nil { return Ending(reason: PasswordFailure.none.sentence) }
    }
    if let failure = lease.failureToHoldAccounts { return Ending(reason: failure) }
    try lease.keepTemporaryFilesInMemory()
    let facts = try files.makeFactsFolder(of: account, inStoreAt: lease.path)
    let program =
      hasProgram ? try files.makeProgramFolder(of: account, inStoreAt: lease.path) : nil
    let loop = EventLoop()
    guard
      let helper = AccountHelper(
        [ownProgram, "--helper", lease.path, account.network], loop: loop)
    else {
      return Ending(
        reason: filled(("the helper process could not be started: %1", [SystemFailure().reason])))
    }
    // Typing has priority: catching up can keep a processor busy for a while.
    _ = nice(5)
    Self.stopReadingTheTerminal()
    let confinement: Sandbox
    do throws(Sandbox.Failure) {
      confinement = try Sandbox.enter(
        folders: [storeFolder(lease.path), facts],
        files: (settings.certificates + [program]).compactMap(\.self))
    } catch {
      return Ending(reason: error.remark)
    }
    try files.learn(["sandbox": confinement.words], of: account, inStoreAt: lease.path)
    let wire = try makeWire(lease, settings.values, loop, helper)
    let process = try NetworkProcess(
      lease, settings, over: wire, loop: loop, source: helper, files: files,
      typed: typed, passwordNeed: passwordNeed, stays: stays)
    if mode == .connectWithInput {
      process.firstTryEnded = { Self.answer($0 ? .connected : .offline) }
      if hasProgram { process.questions = OwnerQuestions(loop: loop) }
    }
    let reason = try process.run()
    return Ending(
      reason: reason, isPasswordRefused: process.isPasswordRefused, isForShells: true)
  }

  private func storeFolder(_ path: String) -> String {
    let end = path.lastIndex(of: "/") ?? path.startIndex
    return end == path.startIndex ? "/" : String(path[..<end])
  }

  /// The path to start this program again: the one that it was started with, if there is one, since
  /// others see it in lists of processes; otherwise the kernel's link to the program.
  var ownProgram: String {
    let own = CommandLine.arguments[0]
    return own.contains("/") ? own : "/proc/self/exe"
  }

  /// Says why the process ends, as the program that it replaces would: `hobnob connect` and
  /// `hobnob account register` become this one.
  func fail(_ sentence: String) { say("hobnob: " + sentence) }

  func say(_ sentence: String, to descriptor: Int32 = 2) {
    _ = Array((sentence.broken(for: descriptor) + "\n").utf8).withUnsafeBytes {
      try? writeAll(descriptor, $0)
    }
  }
}
