// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// The user's own files about accounts (rule 12.7). A store does not say where to connect, whom to
/// trust or what to run, since it may be shared, or come from elsewhere.
///
/// - `$XDG_CONFIG_HOME/hobnob/accounts` holds what the owner has set, by store and account. Shells
///   write it; a network process never can.
/// - `$XDG_STATE_HOME/hobnob/servers` has a folder for each account, with the facts that its
///   network process learned about the server. Only that process writes there.
/// - `$XDG_STATE_HOME/hobnob/programs` has a folder for each account that a program of its own
///   connects (`BridgedPrograms`), for that program: its keys, its log, files of messages. The
///   network process only reads there.
package struct AccountFiles: Sendable {
  /// The file with what owners have set; empty if no variable gives a folder for it.
  package let path: String
  private let servers: String
  private let programFolders: String

  /// - Parameter environment: `XDG_CONFIG_HOME`, `XDG_STATE_HOME`, `HOME`.
  package init(environment: [String: String]) {
    path = OwnFolder.config.path(environment).map { $0 + "/accounts" } ?? ""
    servers = OwnFolder.state.path(environment).map { $0 + "/servers" } ?? ""
    programFolders = OwnFolder.state.path(environment).map { $0 + "/programs" } ?? ""
  }

  // MARK: Settings

  /// What the owner has set for an account.
  ///
  /// - Returns: nil if the file does not list the account for this store.
  package func settings(
    of account: Account, inStoreAt store: String
  ) throws(AccountFileError) -> AccountSettings? {
    guard let text = try read() else { return nil }
    return AccountList(text).settings(of: account.network, in: store)
  }

  /// Writes the settings of one account; nil removes it from the file. The other lines stay as they
  /// are.
  package func set(
    _ settings: AccountSettings?, of account: Account, inStoreAt store: String
  ) throws(AccountFileError) {
    guard !path.isEmpty else { throw .noHome }
    // hobnob would read a line break in a value, or a blank in a name, as another setting.
    var pairs = Array(settings?.values ?? [:])
    pairs += [("account", account.network), ("store", store)]
    for (name, value) in pairs
    where value.contains(where: \.isNewline) || name.contains(where: \.isWhitespace) {
      throw .brokenLine(name: name)
    }
    let (folder, name) = StoreFiles.split(path)
    if !makeFolder(folder) { throw .unusable(path: folder, reason: SystemFailure().reason) }
    let descriptor = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unusable(path: folder, reason: SystemFailure().reason) }
    let lock = OpenFile(descriptor)
    try checkFolder()
    // If two shells write at once, one waits here for the other.
    while flock(lock.number, LOCK_EX) != 0, errno == EINTR {}
    var list = AccountList(try read() ?? AccountList.introduction)
    list.set(settings, of: account.network, in: store)
    // If the file is a link, as in a collection of dotfiles, replace its target.
    let destination = realPath(path).map(StoreFiles.split) ?? (folder: folder, name: name)
    do {
      try Self.replace(destination.name, in: destination.folder, by: list.text)
    } catch {
      throw .unusable(path: path, reason: (error as? SystemFailure)?.reason ?? "\(error)")
    }
  }

  private func read() throws(AccountFileError) -> String? {
    guard !path.isEmpty else { return nil }
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw .unusable(path: path, reason: SystemFailure().reason)
    }
    let file = OpenFile(descriptor)
    guard let found = try? file.status(), found.st_mode & S_IFMT == S_IFREG else {
      throw .irregular(path: path)
    }
    try checkFolder()
    try Self.check(path, found)
    return try Self.text(of: file, at: path)
  }

  /// Checks that nobody else can write to the folder: whoever can, can replace the file.
  private func checkFolder() throws(AccountFileError) {
    let folder = StoreFiles.split(path).folder
    var found = Glibc.stat()
    guard stat(folder, &found) == 0 else {
      throw .unusable(path: folder, reason: SystemFailure().reason)
    }
    try Self.check(folder, found)
  }

  private static func check(_ path: String, _ status: Glibc.stat) throws(AccountFileError) {
    if status.st_uid != geteuid(), status.st_uid != 0 { throw .foreign(path: path) }
    if status.st_mode & 0o022 != 0 { throw .writableByOthers(path: path) }
  }

  private static func text(
    of file: borrowing OpenFile, at path: String
  ) throws(AccountFileError) -> String {
    guard let bytes = try? readAll(file.number, while: { $0 <= Self.largest }) else {
      throw .unusable(path: path, reason: SystemFailure().reason)
    }
    guard bytes.count <= Self.largest else {
      throw .tooLarge(path: path)
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The largest file that hobnob reads, in bytes.
  private static let largest = 1_000_000

  // MARK: Facts about the server

  /// The facts that a network process may store, besides what a program keeps (`kept.NAME`).
  /// Anything else in its file, such as where to connect, is ignored.
  private static let learnable: Set = ["keys", "password", "sandbox", "sasl", "scram", "sts"]

  /// What the account's network process learned about its server, by name: `scram`,
  /// `sandbox`. Empty if it has learned nothing yet.
  ///
  /// - Throws: ``AccountFileError`` if the file cannot be read. Without these facts, hobnob would
  ///   send the bare password to a server that offered SCRAM before and no longer does.
  package func facts(
    of account: Account, inStoreAt store: String
  ) throws(AccountFileError) -> [String: String] {
    let path = factsFolder(of: account, inStoreAt: store) + "/facts"
    let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT { return [:] }
      throw .unusable(path: path, reason: SystemFailure().reason)
    }
    let lines = try Self.text(of: OpenFile(descriptor), at: path).split(separator: "\n")
    return Dictionary(lines.map { $0.keyAndValue }) { $1 }
      .filter { Self.learnable.contains($0.key) || $0.key.hasPrefix("kept.") }
  }

  /// Adds facts about the server; an empty value removes one. They are on disk on return.
  package func learn(
    _ learned: [String: String], of account: Account, inStoreAt store: String
  ) throws(AccountFileError) {
    let former = try facts(of: account, inStoreAt: store)
    let facts = former.merging(learned) { $1 }.filter { !$0.value.isEmpty }
    if facts == former { return }
    let text = facts.sorted { $0.key < $1.key }
      .map { "\($0.key) \($0.value.filter { !$0.isNewline })\n" }.joined()
    do {
      try Self.replace("facts", in: makeFactsFolder(of: account, inStoreAt: store), by: text)
    } catch {
      throw .unusable(
        path: factsFolder(of: account, inStoreAt: store) + "/facts",
        reason: (error as? SystemFailure)?.reason ?? "\(error)")
    }
  }

  /// The folder that an account's network process may write to, created if it is missing.
  package func makeFactsFolder(of account: Account, inStoreAt store: String) throws -> String {
    let folder = factsFolder(of: account, inStoreAt: store)
    if servers.isEmpty || !makeFolder(folder) { throw SystemFailure() }
    return folder
  }

  private func factsFolder(of account: Account, inStoreAt store: String) -> String {
    servers + "/" + folderName(of: account, inStoreAt: store)
  }

  /// The folder of the program that connects an account.
  package func programFolder(of account: Account, inStoreAt store: String) -> String {
    programFolders + "/" + folderName(of: account, inStoreAt: store)
  }

  /// The same, created if it is missing.
  package func makeProgramFolder(of account: Account, inStoreAt store: String) throws -> String {
    let folder = programFolder(of: account, inStoreAt: store)
    if programFolders.isEmpty || !makeFolder(folder) { throw SystemFailure() }
    return folder
  }

  private func folderName(of account: Account, inStoreAt store: String) -> String {
    var hash = SHA256()
    Array((account.network + "\n" + store).utf8).withUnsafeBytes { hash.update($0) }
    let name = account.address.filter { $0.isASCII && !$0.isWhitespace && $0 != "/" }.prefix(64)
    return name + "-" + hash.finish().prefix(12)
  }

  // MARK: Files

  /// Replaces a file in one step: a reader sees either the old or the new one.
  private static func replace(_ name: String, in folder: String, by text: String) throws {
    let directory = try OpenFile(folder: folder, following: true)
    let new = "." + name + ".new"
    unlinkat(directory.number, new, 0)
    let file = try OpenFile(in: directory, new, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    do {
      try Array(text.utf8).withUnsafeBytes { try file.write($0) }
      try file.flush()
      if renameat(directory.number, new, directory.number, name) != 0 { throw SystemFailure() }
      // Some file systems cannot do this for a folder.
      try? directory.flush()
    } catch {
      unlinkat(directory.number, new, 0)
      throw error
    }
  }
}

/// The text of the file with the accounts' settings: a block of lines for each account, which
/// begins with `account` and `store`, then a name and its value on each line.
struct AccountList {
  private var lines: [String]

  static let introduction = """
    # Your accounts. hobnob trusts this file with your passwords: nobody else may write to it.
    # /account add, /account set, /connect and /disconnect change it.

    """

  init(_ text: String) {
    lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
  }

  var text: String { lines.map { $0 + "\n" }.joined() }

  func settings(of network: String, in store: String) -> AccountSettings? {
    guard let block = block(of: network, in: store) else { return nil }
    var settings = AccountSettings(isWanted: false)
    for line in lines[block].dropFirst(2) {
      let (name, value) = line[...].keyAndValue
      switch name {
      case "connect": settings.isWanted = value == "yes"
      case _ where name.isEmpty || name.hasPrefix("#") || value.isEmpty: break
      default: settings.values[name] = value
      }
    }
    return settings
  }

  mutating func set(_ settings: AccountSettings?, of network: String, in store: String) {
    let former = block(of: network, in: store)
    guard let settings else {
      if let former { lines.removeSubrange(former) }
      return
    }
    let block =
      ["account " + network, "store " + store, "connect " + (settings.isWanted ? "yes" : "no")]
      + settings.values.sorted { $0.key < $1.key }.filter { !$0.value.isEmpty }
      .map { $0.key + " " + $0.value }
    guard let former else {
      lines += (lines.last?.isEmpty == false ? [""] : []) + block
      return
    }
    // Keep the owner's own comments between the lines.
    let notes = lines[former].filter {
      $0.allSatisfy(\.isWhitespace) || $0.drop(while: \.isWhitespace).hasPrefix("#")
    }
    lines.replaceSubrange(former, with: block + notes)
  }

  /// The lines of an account, up to the next one.
  private func block(of network: String, in store: String) -> Range<Int>? {
    let starts = lines.indices.filter { lines[$0][...].keyAndValue.0 == "account" }
    guard
      let start = starts.first(where: {
        lines[$0][...].keyAndValue.1 == network && $0 + 1 < lines.endIndex
          && lines[$0 + 1][...].keyAndValue == ("store", store)
      })
    else { return nil }
    return start..<(starts.first { $0 > start } ?? lines.endIndex)
  }
}
