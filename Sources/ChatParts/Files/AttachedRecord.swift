// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// Which files this user attached and has not sent yet, in the user's own file:
/// `$XDG_STATE_HOME/hobnob/attached` (rule 12.7). Others may write to a shared store, so a path in
/// the store does not prove that this user attached the file.
///
/// Each line has a key (a hash of the store, the conversation and the path), a blank, and the
/// file's identity.
struct AttachedRecord {
  /// Identifies a file in a conversation.
  struct Key: Hashable {
    fileprivate let text: String

    /// - Parameters:
    ///   - path: the file's path.
    ///   - address: the conversation's address, which renaming does not change.
    init(
      _ path: String, in conversation: ID<Conversation>, at address: String, of storePath: String
    ) {
      var hash = SHA256()
      let parts = [storePath, String(conversation.rawValue), address, path]
      Array(parts.joined(separator: "\0").utf8).withUnsafeBytes { hash.update($0) }
      text = hash.finish()
    }
  }

  /// The path of the record; empty if no folder is known for it.
  private let path: String
  /// The files attached in this process, in case the record cannot be written.
  private var own: [Key: String] = [:]

  /// The maximum number of lines in the file. Older ones are dropped; they are probably from
  /// abandoned drafts.
  private static let most = 1000

  /// - Parameter environment: `XDG_STATE_HOME`, `HOME`.
  init(environment: [String: String]) {
    path = OwnFolder.state.path(environment).map { $0 + "/attached" } ?? ""
  }

  /// The identity of the attached file; nil if none was attached.
  func knownIdentity(of key: Key) -> String? {
    if let known = own[key] { return known }
    guard let file = opened(O_RDONLY) else { return nil }
    return Self.lines(of: file).last { $0.hasPrefix(key.text + " ") }
      .map { String($0.dropFirst(key.text.count + 1)) }
  }

  mutating func add(_ key: Key, _ identity: String) {
    own[key] = identity
    change { lines in
      lines.removeAll { $0.hasPrefix(key.text) }
      lines.append(key.text + " " + identity)
    }
  }

  mutating func remove(_ keys: [Key]) {
    if keys.isEmpty { return }
    for key in keys { own[key] = nil }
    change { lines in lines.removeAll { line in keys.contains { line.hasPrefix($0.text) } } }
  }

  /// Changes the lines under a lock, so only one shell does so at a time. If writing fails, a file
  /// that was added is still known in this shell.
  private func change(_ body: (inout [String]) -> Void) {
    guard !path.isEmpty, makeFolder(StoreFiles.split(path).folder),
      let file = opened(O_RDWR | O_CREAT)
    else { return }
    while flock(file.number, LOCK_EX) != 0, errno == EINTR {}
    let former = Self.lines(of: file)
    var lines = former
    body(&lines)
    if lines == former { return }
    let text = Array(lines.suffix(Self.most).map { $0 + "\n" }.joined().utf8)
    lseek(file.number, 0, SEEK_SET)
    guard (try? text.withUnsafeBytes { try file.write($0) }) != nil else { return }
    ftruncate(file.number, off_t(text.count))
  }

  /// Opens the file; nil if it does not exist, or others could have written to it.
  private func opened(_ flags: Int32) -> OpenFile? {
    let descriptor = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { return nil }
    let file = OpenFile(descriptor)
    guard let found = try? file.status(), found.st_mode & S_IFMT == S_IFREG,
      found.st_uid == geteuid(), found.st_mode & 0o022 == 0
    else { return nil }
    return file
  }

  private static func lines(of file: borrowing OpenFile) -> [String] {
    let bytes = (try? readAll(file.number) { $0 <= 1_000_000 }) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
  }
}
