// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// Where an account's password comes from: a command its owner names, or the Secret Service. Neither
/// is run by a shell.
package enum Secret {
  /// Why there is none.
  package enum Failure: Error, Hashable {
    /// Nothing gives one: its owner has to be asked.
    case none
    /// The command failed, or printed nothing.
    case command(String, status: Int32)
  }

  /// - Throws: ``Failure``.
  package static func find(for account: Account) throws(Failure) -> String {
    if let command = account.settings["password-command"], !command.isEmpty {
      return try run(ChildProcess.words(command))
    }
    let words = ["secret-tool", "lookup", "service", "hobnob", "account", account.network]
    guard let secret = try? run(words) else { throw .none }
    return secret
  }

  /// The first line that a command prints.
  private static func run(_ words: [String]) throws(Failure) -> String {
    let name = words.first ?? ""
    guard let pipe = ChildProcess.pipe() else { throw .command(name, status: 127) }
    defer { close(pipe.reading) }
    let process = ChildProcess.start(words, input: .null, output: .descriptor(pipe.writing))
    close(pipe.writing)
    guard let process else { throw .command(name, status: 127) }
    let said = (try? readAll(pipe.reading) { $0 <= 65_536 }) ?? []
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    let line = said.prefix { $0 != 0x0A && $0 != 0x0D }
    guard status == 0, !line.isEmpty else {
      throw .command(name, status: ChildProcess.exitStatus(status))
    }
    return String(decoding: line, as: UTF8.self)
  }
}
