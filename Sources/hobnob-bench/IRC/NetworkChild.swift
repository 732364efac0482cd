// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// The process that serves an account of anna's, in a store of hers.
final class NetworkChild {
  let store: Store
  let account: Account
  private(set) var process: pid_t = 0
  /// When the process was started.
  private(set) var startedAt: Int64 = 0
  private let executable: String

  init(
    _ executable: String, _ path: String, network: String, _ settings: [String: String]
  ) throws {
    self.executable = executable
    mkdir("/" + path.split(separator: "/").dropLast().joined(separator: "/"), 0o700)
    store = try Store(path: path)
    let owner = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    account = try store.writeDurably {
      try $0.addAccount(owner: owner, network: network)
    }
    try AccountFiles(environment: ["HOME": ScratchFolder.home]).set(
      // A shell must not start the process as well.
      AccountSettings(isWanted: false, values: settings), of: account, inStoreAt: store.path)
  }

  deinit {
    stop()
    store.close()
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
}
