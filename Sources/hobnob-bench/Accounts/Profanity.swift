// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// The same account by profanity, a client for the terminal (Debian's), on the same server.
///
/// It does not catch up with an archive: it asks for two pages when a chat is opened. What both take
/// is what a server keeps for whoever is offline, so that is compared.
@MainActor enum Profanity {
  private static let rounds = 5
  /// It stores them one by one.
  private static let count = 1_000

  static func measure(
    _ program: Program, _ network: String, in folder: ScratchFolder, at server: LocalServer,
    name: String
  ) throws -> [Figure] {
    guard LocalServer.isInstalled("profanity"), LocalServer.isInstalled("sqlite3") else {
      complain("nothing is measured beside profanity: profanity and sqlite3 are not both installed")
      return []
    }
    let home = "\(folder.path)/profanity"
    try settle(in: home, as: name, at: server)
    let store = try BenchStore.make(in: folder, named: "beside", messages: 1_000)
    let child = try NetworkChild(network, store.path, name: name, at: server)
    var (ours, others) = (Samples(), Samples())
    for _ in 0..<rounds {
      ours.add(try connect(program, store, child))
      let other = try start(home)
      others.add(try connected(other) - other.startedAt)
      try leave(other)
    }
    return [
      Figure(
        name: "from the start to being connected, median", measured: milliseconds(ours.median),
        beside: "profanity \(milliseconds(others.median))")
    ] + Accounts.attempt("  … memory") { try memory(program, store, child, home) }
      + Accounts.attempt("  … offline messages") { try offline(child, home, server, name) }
  }

  /// From the start of a shell until the process that it starts has the roster, the rooms and the
  /// archive.
  private static func connect(
    _ program: Program, _ store: BenchStore, _ child: NetworkChild
  ) throws -> Int64 {
    let account = child.account
    try child.setWanted(true)
    let shell = try program.start(store)
    var isUnderWay = false
    let time = try child.wait("is not connected") { store in
      let status = try store.account(network: account.network)?.status ?? ""
      if !status.isEmpty { isUnderWay = true }
      return isUnderWay && status.isEmpty
    }
    shell.settle(milliseconds: 200)
    try shell.leave()
    try child.setWanted(false)
    try child.wait("does not end") { try !$0.holderIsAlive(of: account) }
    return time - shell.startedAt
  }

  private static func memory(
    _ program: Program, _ store: BenchStore, _ child: NetworkChild, _ home: String
  ) throws -> [Figure] {
    try child.setWanted(true)
    _ = try child.start()
    let shell = try program.open(store)
    let other = try start(home)
    _ = try connected(other)
    let bytes = try [shell.process, child.process, other.process].map(Footprint.residentBytes)
    try leave(other)
    try shell.leave()
    child.stop()
    return [
      Figure(
        name: "  … memory of shell and process (resident)",
        measured: "\(megabytes(bytes[0])) + \(megabytes(bytes[1]))",
        beside: "profanity \(megabytes(bytes[2]))")
    ]
  }

  /// From the start until what came meanwhile is in the store, or in profanity's.
  private static func offline(
    _ child: NetworkChild, _ home: String, _ server: LocalServer, _ name: String
  ) throws -> [Figure] {
    try BareClient.exchange(count, to: name, at: server, isThere: false)
    let ours = try child.start()
    child.stop()
    try BareClient.exchange(count, to: name, at: server, isThere: false)
    let database = "\(home)/data/profanity/database/\(name)_at_\(LocalServer.domain)/chatlog.db"
    let before = try rows(in: database)
    let other = try start(home)
    let end = now() + 120_000_000_000
    // A few it leaves out; it is done when it has stored no more for a while.
    var (stored, last) = (0, other.startedAt)
    while stored < count * 9 / 10 || stored <= count && now() - last < 3_000_000_000 {
      guard now() < end else {
        throw MeasuringError("profanity has stored \(stored) of \(count + 1) messages")
      }
      other.settle(milliseconds: 250)
      let found = try rows(in: database) - before
      if found > stored { (stored, last) = (found, now()) }
    }
    let others = last - other.startedAt
    try leave(other)
    return [
      Figure(
        name: "  … until 1,000 offline messages are stored", measured: milliseconds(ours),
        beside: "profanity \(milliseconds(others)), \(stored) of \(count + 1): "
          + times(Double(ours) / Double(others)))
    ]
  }

  private static func rows(in database: String) throws -> Int {
    guard access(database, R_OK) == 0, let pipe = ChildProcess.pipe() else { return 0 }
    defer { close(pipe.reading) }
    let process = ChildProcess.start(
      [
        "sqlite3", "-readonly", "-cmd", ".timeout 2000", database,
        "SELECT count(*) FROM ChatLogs",
      ], input: .null, output: .descriptor(pipe.writing), errors: .null)
    close(pipe.writing)
    let text = (try? readAll(pipe.reading)) ?? []
    if let process { waitpid(process, nil, 0) }
    return Int(String(decoding: text, as: UTF8.self).filter(\.isNumber)) ?? 0
  }

  // MARK: - profanity itself

  /// Its settings: the account, connected at the start.
  private static func settle(in home: String, as name: String, at server: LocalServer) throws {
    for folder in ["", "/config", "/config/profanity", "/data", "/data/profanity"] {
      mkdir(home + folder, 0o700)
    }
    try write(
      """
      [\(name)]
      enabled=true
      jid=\(name)@\(LocalServer.domain)
      server=127.0.0.1
      port=\(server.port)
      resource=bench
      password=\(LocalServer.password)
      tls.policy=trust
      presence.last=online
      presence.login=online

      """, to: home + "/data/profanity/accounts")
    try write(
      "[connection]\naccount=\(name)\n[ui]\nsplash=false\n",
      to: home + "/config/profanity/profrc")
  }

  private static func start(_ home: String) throws -> TerminalChild {
    let environment = Program.environment.filter { !$0.hasPrefix("HOME=") }
    return try TerminalChild(
      ["profanity"],
      environment: environment + [
        "HOME=\(home)", "XDG_CONFIG_HOME=\(home)/config", "XDG_DATA_HOME=\(home)/data",
      ])
  }

  private static func connected(_ child: TerminalChild) throws -> Int64 {
    let time = try child.wait(for: Array("logged in".utf8), seconds: 30)
    child.settle(milliseconds: 500)
    return time
  }

  private static func leave(_ child: TerminalChild) throws {
    try child.leave(typing: Array("/quit\r".utf8))
  }
}
