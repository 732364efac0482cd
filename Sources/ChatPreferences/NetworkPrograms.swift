// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import StyledText

/// The executables of networks, `hobnob-KIND`, and the words that start one for an account. Each
/// account has a process of its own, so that no network's code runs in the shell. For a network
/// with a program `hobnob-net-KIND`, the process is `hobnob-bridge`, which gets the kind as its last
/// word.
package struct NetworkPrograms: Sendable {
  /// The folders with the executables, in the order of search.
  private let folders: [String]
  private let bridged: BridgedPrograms

  package init(in folders: [String], bridged: BridgedPrograms = BridgedPrograms(in: [])) {
    (self.folders, self.bridged) = (folders, bridged)
  }

  /// The executables beside this program, or in `libexec/hobnob` beside its folder.
  package static var installed: NetworkPrograms {
    let folder = StoreFiles.split(ProgramFile.path ?? "").folder
    return NetworkPrograms(
      in: [folder, folder + "/../libexec/hobnob"], bridged: .installed(OwnFolder.environment))
  }

  /// Programs of hobnob that are built beside it and serve no network of that name.
  private static let others: Set = ["bench", bridge]
  private static let bridge = "bridge"

  /// The kinds of network for which there is an executable, as in `xmpp`, in alphabetical order.
  package var kinds: [String] {
    var kinds = executable(Self.bridge) == nil ? [] : bridged.kinds
    for folder in folders {
      let names = (try? OpenFile(folder: folder, following: true).names()) ?? []
      for name in names where name.hasPrefix("hobnob-") {
        let kind = String(name.dropFirst(7))
        if program(of: kind) != nil { kinds.insert(kind) }
      }
    }
    return kinds.sorted()
  }

  /// The executable that serves one network.
  private func program(of kind: String) -> String? {
    guard kind.allSatisfy(\.isLetter), AccountName.isKind(kind), !Self.others.contains(kind) else {
      return nil
    }
    return executable(kind)
  }

  private func executable(_ name: String) -> String? {
    folders.map { "\($0)/hobnob-\(name)" }.first { access($0, X_OK) == 0 }
  }

  /// Starts a network's executable with some words.
  ///
  /// - Parameter kind: as in `xmpp`.
  /// - Throws: a ``Refusal`` if there is no such program, or others could change it.
  package func command(_ kind: String, _ words: [String]) throws -> [String] {
    if let found = program(of: kind) { return [found] + words }
    if let bridge = executable(Self.bridge), !bridged.folders.isEmpty {
      do throws(BridgedProgramError) {
        _ = try bridged.path(of: kind)
        return [bridge] + words + [kind]
      } catch {
        throw Refusal(sentence(for: error))
      }
    }
    throw Refusal(
      say(
        "hobnob-%1 is neither in the folder of hobnob nor in libexec/hobnob; run make install, then /connect.",
        SafeText(line: kind)))
  }

  /// Starts `hobnob-bridge` without an account.
  ///
  /// - Throws: a ``Refusal`` if it is not there.
  package func bridge(_ words: [String]) throws -> [String] {
    if let bridge = executable(Self.bridge) { return [bridge] + words }
    throw Refusal(none)
  }

  /// The kind of network of a new account: the one that its name says, or the only one installed.
  ///
  /// - Parameter name: `KIND:ADDRESS` or `ADDRESS`.
  /// - Throws: a ``Refusal`` if no network of that kind is installed, or the name does not say
  ///   which of several.
  package func kind(of name: AccountName) throws -> String {
    let kinds = kinds
    if let kind = name.kind {
      if kinds.contains(kind) { return kind }
      // A program that others could change, or none in any folder.
      if executable(Self.bridge) != nil, !bridged.folders.isEmpty { _ = try command(kind, []) }
      throw Refusal(
        kinds.isEmpty
          ? none
          : say(
            "This hobnob has no network %1 (there is no program hobnob-%1); it has %2.",
            SafeText(line: kind), kinds.map { SafeText(line: $0) }.joinedAsList()))
    }
    guard let only = kinds.first else { throw Refusal(none) }
    guard kinds.count == 1 else {
      throw Refusal(
        say(
          "On which network? Write %1.",
          // Translators: between the names of accounts to choose from.
          kinds.map { SafeText(line: "\($0):\(name.address)") }.joined(separator: say(" or "))))
    }
    return only
  }

  private var none: SafeText {
    say("hobnob found no network program in its own folder or in libexec/hobnob; run make install.")
  }

  /// Turns this process into the program that these words start.
  ///
  /// - Throws: a ``Refusal`` if that failed.
  package static func become(_ words: [String]) throws -> Never {
    _ = try sandbox(of: words[0])
    let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    execv(words[0], arguments)
    throw Refusal(say("%1 could not be run: %2.", SafeText(line: words[0]), systemReason()))
  }

  /// The words that start the process of an account.
  ///
  /// - Parameters:
  ///   - asks: whether the process asks for the password at the terminal, and then continues in the
  ///     background.
  ///   - stays: whether the process stays when its owner has no shell.
  ///   - isPlain: whether what it asks at the terminal has no escape sequences (rule 11.5).
  package func command(
    _ account: Account, in store: Store, asks: Bool = false, stays: Bool = false,
    isPlain: Bool = false
  ) throws -> [String] {
    let options = [("--ask", asks), ("--stay", stays), ("--plain", isPlain)].filter(\.1).map(\.0)
    let command = try command(account.kind, options)
    // The account's name has the kind.
    return command.prefix(1 + options.count) + [store.path, account.network]
  }
}
