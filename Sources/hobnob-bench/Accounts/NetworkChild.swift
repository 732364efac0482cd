// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import ProsodyFixture

/// The process that serves an account of anna's, in a store of hers.
final class NetworkChild {
  let store: Store
  let account: Account
  private(set) var process: pid_t = 0
  /// When the process was started.
  private(set) var startedAt: Int64 = 0
  private let executable: String

  /// - Parameter name: the name of the account's owner at the server.
  convenience init(_ executable: String, _ path: String, name: String, at server: Prosody) throws {
    try self.init(
      executable, path, network: "xmpp:\(name)@\(Prosody.domain)",
      [
        "host": "127.0.0.1", "port": String(server.port), "ca": server.certificates.authority,
        "password-command": "/bin/echo '\(Prosody.password)'",
      ])
  }

  /// - Parameter isWanted: whether a shell would start the process as well.
  init(
    _ executable: String, _ path: String, network: String, _ settings: [String: String],
    isWanted: Bool = true
  ) throws {
    self.executable = executable
    mkdir("/" + path.split(separator: "/").dropLast().joined(separator: "/"), 0o700)
    store = try Store(path: path)
    let owner = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    account = try store.writeDurably {
      try $0.addAccount(
        owner: owner, network: network)
    }
    try AccountFiles(environment: ["HOME": ScratchFolder.home]).set(
      AccountSettings(isWanted: isWanted, values: settings), of: account, inStoreAt: store.path)
  }

  deinit {
    stop()
    store.close()
  }

  /// Starts it and waits until it is connected and everything that waited for it is in the store.
  ///
  /// - Returns: how long that took.
  func start() throws -> Int64 {
    try launch()
    return try wait("is not connected") { store in
      try store.read { try $0.account(network: account.network) }?.status.isSettled == true
    } - startedAt
  }

  /// Starts it.
  func launch() throws {
    startedAt = now()
    let command = [executable, "--stay", store.path, account.network]
    guard
      let process = ChildProcess.start(
        command, input: .null, output: .null, errors: .null, group: .own)
    else { throw MeasuringError("cannot start \(executable)") }
    self.process = process
  }

  func stop() {
    if process == 0 { return }
    kill(process, SIGTERM)
    waitpid(process, nil, 0)
    process = 0
  }

  /// Waits, without keeping a processor busy, until a condition is true in the store.
  ///
  /// - Returns: when it became true.
  @discardableResult
  func wait(_ failure: String, until isSo: (Store) throws -> Bool) throws -> Int64 {
    let end = now() + 600_000_000_000
    let bell = try store.bellDescriptor
    while true {
      let time = now()
      if try isSo(store) { return time }
      guard time < end, process == 0 || waitpid(process, nil, WNOHANG) == 0 else {
        throw MeasuringError(
          "\(account.address) \(failure): \(try store.read { try $0.account(network: account.network) }?.status ?? .notRunning)"
        )
      }
      var descriptors = pollfd(fd: bell, events: Int16(POLLIN), revents: 0)
      poll(&descriptors, 1, 200)
      _ = store.drainBell()
    }
  }
}
