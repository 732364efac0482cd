// SPDX-License-Identifier: GPL-3.0-or-later
import ChatSession
import Conversations
import Glibc
import Platform
import StyledText

/// The executable of a network, and the command that starts it for an account (decision 5).
package enum NetworkExecutable {
  /// In this program's folder, or in `libexec/hobnob` beside that folder.
  ///
  /// - Parameter kind: `xmpp`.
  /// - Throws: a ``Refusal`` if there is no such program.
  static func path(of kind: String) throws -> String {
    let name = "hobnob-" + kind.filter { $0.isASCII && $0.isLetter }
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = max(0, readlink("/proc/self/exe", &buffer, buffer.count - 1))
    let own = String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folder = own.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/")
    for path in [folder + "/" + name, folder + "/../libexec/hobnob/" + name]
    where access(path, X_OK) == 0 {
      return path
    }
    throw Refusal(
      say(
        "%1 is neither beside hobnob nor in libexec/hobnob; run make install, then /connect.",
        SafeText(line: name)))
  }

  /// Replaces this process with that program; returns only if that fails.
  static func become(_ words: [String]) {
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execv(words[0], arguments)
  }

  /// - Parameters:
  ///   - asks: whether to ask for the password at the terminal, and continue in the background.
  ///   - stays: whether to stay when its owner has no shell.
  package static func command(
    _ account: Account, in store: Store, asks: Bool = false, stays: Bool = false
  ) throws -> [String] {
    [try path(of: account.kind)] + (asks ? ["--ask"] : []) + (stays ? ["--stay"] : [])
      + [store.path, account.network]
  }
}
