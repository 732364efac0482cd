// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// What the executable of a network does: from its arguments to its exit status. Shells start it;
/// hobnob-networks(7) says what it reads and writes.
@MainActor
package struct NetworkProgram {
  /// How a network's wire is made for an account.
  package typealias MakeWire = @MainActor (Account, Store, EventLoop) throws -> any Wire

  /// How an account is made on a network: by address, password and settings; returns why not.
  package typealias Register = @MainActor (String, String, [String: String]) -> String?

  /// What it does with the account.
  private enum Mode: Equatable {
    /// Connect, with a password that comes from a command or the Secret Service.
    case connect
    /// The same, with the first line of standard input for a password.
    case connectWithInput
    /// Ask for the password at the terminal, and go on connecting in the background.
    case ask
  }

  private let kind: String
  private let arguments: [String]
  private let makeWire: MakeWire
  private let register: Register

  /// - Parameter kind: the part of an account's network before the colon.
  package init(
    kind: String, arguments: [String], register: @escaping Register, makeWire: @escaping MakeWire
  ) {
    (self.kind, self.arguments) = (kind, arguments)
    (self.register, self.makeWire) = (register, makeWire)
  }

  /// - Returns: the exit status: 0, 1 where the network refused the account, 64 where the arguments
  ///   are wrong, 75 where another process holds the account.
  package func run() -> Int32 {
    if arguments.first == "--register" { return makeAccount(Array(arguments.dropFirst())) }
    var (mode, stays) = (Mode.connect, false)
    var words: [String] = []
    for argument in arguments {
      switch argument {
      case "--ask": mode = .ask
      case "--password-on-input": mode = .connectWithInput
      case "--stay": stays = true
      default: words.append(argument)
      }
    }
    guard words.count == 2, !words[0].hasPrefix("-"), words[1].hasPrefix(kind + ":") else {
      say(
        "usage: hobnob-\(kind) [--stay] [--ask | --password-on-input] STORE \(kind):ADDRESS; "
          + "hobnob(1) starts it.")
      return 64
    }
    do {
      let store = try Store(
        path: words[0], options: .init(createIfMissing: false, patience: 10_000))
      guard let account = try store.account(network: words[1]) else {
        say("There is no account \(words[1]) in this store.")
        return 64
      }
      if mode == .ask { return ask(for: account, stays: stays) }
      return try serve(account, in: store, mode, stays: stays)
    } catch {
      say("hobnob-\(kind): \(error)")
      return 1
    }
  }

  /// - Parameter words: the address, then settings as `name=value`.
  private func makeAccount(_ words: [String]) -> Int32 {
    guard let address = words.first else { return 64 }
    let pairs = words.dropFirst().map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    let settings = Dictionary(
      pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }, uniquingKeysWith: { $1 })
    guard let password = TypedSecret.ask("A password for \(address): ") else {
      say("The password is asked for at a terminal, and there is none; nothing was done.")
      return 1
    }
    guard TypedSecret.ask("The same again: ") == password else {
      say("Those were two passwords; nothing was done.")
      return 1
    }
    if let reason = register(address, password, settings) {
      say(reason)
      return 1
    }
    let options = settings.sorted { $0.key < $1.key }.map { " --\($0.key) \($0.value)" }
    say("\(address) is yours. In hobnob: /account add \(address)" + options.joined())
    return 0
  }

  private func serve(
    _ account: Account, in store: Store, _ mode: Mode, stays: Bool
  ) throws -> Int32 {
    guard try store.takeLease(of: account) else {
      say(
        "Another process of yours serves \(account.address) already. One that a shell has started "
          + "leaves a minute after the last shell; then this works.")
      return 75
    }
    let failure = try connect(account, in: store, mode, stays: stays)
    try store.releaseLease(of: account)
    guard let failure else { return 0 }
    // What ended it is said until somebody connects the account anew.
    try store.setStatus(of: account, failure)
    say(failure)
    return 1
  }

  /// - Returns: why it ended, where it has to be told.
  private func connect(
    _ account: Account, in store: Store, _ mode: Mode, stays: Bool
  ) throws -> String? {
    let secret: String
    do throws(Secret.Failure) {
      secret =
        mode == .connectWithInput
        ? readLine(strippingNewline: true) ?? "" : try Secret.find(for: account)
    } catch {
      // Shells start it without a terminal; a person may have one.
      guard error == .none, isatty(0) == 1, let typed = TypedSecret.ask(prompt(for: account)) else {
        return error.sentence
      }
      secret = typed
    }
    try store.keepTemporaryFilesInMemory()
    // Whoever types meanwhile comes first: catching up can keep a processor busy for a while.
    _ = nice(5)
    Confinement.enter(
      folders: [folder(of: store)], files: [account.settings["ca"]].compactMap { $0 })
    let loop = EventLoop()
    let process = try NetworkProcess(
      account, in: store, over: try makeWire(account, store, loop), loop: loop, secret: secret,
      stays: stays)
    let failure = try process.run()
    if let failure { try store.tell("\(account.address): \(failure)", account) }
    return failure
  }

  private func folder(of store: Store) -> String {
    let end = store.path.lastIndex(of: "/") ?? store.path.startIndex
    return end == store.path.startIndex ? "/" : String(store.path[..<end])
  }

  /// The process that was asked for is another one, which has the password from a pipe.
  private func ask(for account: Account, stays: Bool) -> Int32 {
    // Where the last try failed, what is kept may be why.
    let kept = account.status.isEmpty ? try? Secret.find(for: account) : nil
    guard let secret = kept ?? TypedSecret.ask(prompt(for: account)) else { return 1 }
    guard let pipe = ChildProcess.pipe() else { return 1 }
    // By its name, where it was started by one, since that is what others see of it.
    let own = CommandLine.arguments[0]
    let words =
      [own.contains("/") ? own : "/proc/self/exe", "--password-on-input"]
      + arguments.filter { $0 != "--ask" }
    let process = ChildProcess.start(
      words, input: .descriptor(pipe.reading), output: .null, errors: .null, group: .session)
    _ = Array((secret + "\n").utf8).withUnsafeBytes { try? writeAll(pipe.writing, $0) }
    close(pipe.writing)
    return process == nil ? 1 : 0
  }

  private func prompt(for account: Account) -> String { "Password of \(account.address): " }

  private func say(_ sentence: String) {
    _ = Array((sentence + "\n").utf8).withUnsafeBytes { try? writeAll(2, $0) }
  }
}

extension Secret.Failure {
  /// For the status line.
  package var sentence: String {
    switch self {
    // The first words are what a narrow status line shows.
    case .none: "/connect asks for its password"
    case .command(let name, let status):
      "/connect asks for its password; \(name) gave none (status \(status))"
    }
  }
}
