// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import StyledText

/// What completes a word of a command line.
package enum WordCompletion: Sendable {
  case none, files
  case words([String])
  case names(NameCompletion.Query)

  /// Completes rooms by their bare names, and direct chats; people and `#room` once the word begins
  /// with their sign.
  package static let conversations = names { try $0.conversations(of: $2, $1) }
  /// Completes the names of people on this machine, for `--as`.
  static let identities = names { completion, store, me in
    try completion.people(store, for: me) { $0.network == nil ? $0.identity : nil }
  }
  static let accounts = names { completion, store, me in
    try store.read { try $0.accounts(of: me) }.names.filter(completion.isFitting)
  }
}

/// Finds the names in the store that complete a word in bash, zsh or fish. The shell chooses among
/// them by its own rules; this only leaves out names that no rule can match.
package struct NameCompletion {
  /// The names for a person that a word can mean.
  package typealias Query = @Sendable (NameCompletion, Store, ID<Participant>) throws -> [String]

  private let options: LaunchOptions
  /// The word so far, without quotes and backslashes, in lower case.
  private let start: String

  /// - Parameters:
  ///   - word: the word as typed, quotes included.
  ///   - options: those of the line, which may name a store and a person.
  init(_ word: String, _ options: LaunchOptions) {
    start = TypedWord.withoutQuotes(word).lowercased()
    self.options = options
  }

  /// - Returns: an empty array if the store cannot be read now.
  @MainActor func answer(_ query: Query) -> [String] {
    let found = try? Launch(options: options).readWithoutWaiting {
      try query(self, $0.store, $0.me.id)
    }
    // No line can hold others.
    return (found ?? []).filter { Self.isSimple($0) || SafeText(name: $0).string == $0 }
  }

  func isFitting(_ name: String) -> Bool {
    // The fast way, for most of very many names.
    if Self.isSimple(name) {
      return name.utf8.lazy.map(Self.lowered).starts(with: start.utf8)
    }
    return TypedWord.withoutQuotes(name).lowercased().hasPrefix(start)
  }

  private static func lowered(_ byte: UInt8) -> UInt8 {
    (0x41...0x5A).contains(byte) ? byte + 0x20 : byte
  }

  /// Whether a name means itself in every shell.
  private static func isSimple(_ name: String) -> Bool {
    name.utf8.allSatisfy { byte in
      (0x40...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
        || (0x2D...0x2E).contains(byte) || byte == 0x5F || byte == 0x23
    }
  }

  func conversations(of me: ID<Participant>, _ store: Store) throws -> [String] {
    if start.hasPrefix("@") {
      // Leave out occupants: a network's rooms alone may bring thousands of people.
      return try people(store, for: me) { $0.isOccupant || $0.id == me ? nil : "@" + $0.name }
    }
    return try store.read { snapshot in
      let rooms = try snapshot.rooms(for: me).map(\.name)
      if start.hasPrefix("#") { return rooms.filter(isFitting) }
      let chats = try start.isEmpty ? snapshot.directChats(of: me) : []
      return rooms.map(Self.bare).filter(isFitting) + chats.map(\.conversation.name)
    }
  }

  func people(
    _ store: Store, for me: ID<Participant>, _ name: (Participant) -> String?
  ) throws -> [String] {
    let names = try store.read { try $0.participants(for: me).compactMap(name) }
    return Set(names.filter(isFitting)).sorted()
  }

  /// A room's name without its sign, unless it would then mean something else (rule 11.2).
  private static func bare(_ name: String) -> String {
    let bare = name.dropFirst()
    return bare.first.map("#@-".contains) ?? true ? name : String(bare)
  }
}

/// A word as it is typed in a shell.
enum TypedWord {
  static func withoutQuotes(_ word: String) -> String {
    word.filter { !#"'"\"#.contains($0) }
  }

  /// The word as the command gets it, except that `$` and `*` stay.
  static func meaning(of word: String) -> String {
    if word.hasPrefix("~/"), let home = getenv("HOME").map({ String(cString: $0) }) {
      return home + meaning(of: String(word.dropFirst()))
    }
    return withoutQuotes(word) == word ? word : ChildProcess.words(word).joined(separator: " ")
  }
}
