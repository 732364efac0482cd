// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

extension Store {
  /// How long a file stays that nobody names, in milliseconds: it may be about to be sent.
  static let grace: Milliseconds = 3_600_000

  /// Removes the files that no message and no draft names, and those a killed process left half
  /// copied, once they have been at rest for an hour. What is not the store's is left alone.
  ///
  /// The store is locked only while some of them are removed, so others go on.
  ///
  /// - Parameter now: what time it is, to be compared with the time a file was last written.
  /// - Returns: how many were removed, and how much room that gave.
  /// - Throws: `StoreError`, also when only some of them were removed; `AttachmentError.unwritable`
  ///   when the folder cannot be looked into.
  public func pruneAttachments(now: Milliseconds) throws -> (files: Int, bytes: Int) {
    do {
      return try prune(before: now - Store.grace)
    } catch let failure as SystemFailure {
      if failure.code == ENOENT { return (0, 0) }
      throw AttachmentError.unwritable(path: attachmentFolder.path, reason: failure.reason)
    }
  }

  private func prune(before time: Milliseconds) throws -> (files: Int, bytes: Int) {
    let folder = try attachmentFolder.open()
    var (files, bytes) = (0, 0)
    func remove(_ name: String, from folder: borrowing OpenFile) {
      guard let found = folder.facts(of: name), isOld(found, time),
        unlinkat(folder.number, name, 0) == 0
      else { return }
      files += 1
      bytes += Int(found.st_size)
    }
    for name in try folder.names() {
      if name.hasPrefix(AttachmentFolder.temporaryPrefix) {
        remove(name, from: folder)
        continue
      }
      guard name.utf8.count == 2,
        let part = try? OpenFile(in: folder, name, O_RDONLY | O_DIRECTORY)
      else { continue }
      let old = try part.names().filter { rest in
        AttachmentFolder.place(of: name + rest) != nil
          && part.facts(of: rest).map { isOld($0, time) } ?? false
      }
      let loose = try old.filter { try !isNamed(name + $0) }
      for start in stride(from: 0, to: loose.count, by: 64) {
        try write {
          for rest in loose[start..<min(start + 64, loose.count)] where try !isNamed(name + rest) {
            remove(rest, from: part)
          }
        }
      }
    }
    return (files, bytes)
  }

  private func isOld(_ found: Glibc.stat, _ time: Milliseconds) -> Bool {
    found.st_mode & S_IFMT == S_IFREG && Milliseconds(found.st_mtim.tv_sec) < time / 1000
  }

  /// Whether a message has it, or someone wants to attach the store's own file again.
  private func isNamed(_ hash: String) throws -> Bool {
    guard let digest = bytes(ofHexadecimal: hash) else { return true }
    return try database.exists("SELECT 1 FROM attachment WHERE hash = ?", digest)
      || database.exists("SELECT 1 FROM draft_file WHERE path = ?", attachmentFolder.path(of: hash))
  }

  // MARK: Check

  /// Whether the files that messages name are there, and of the right size.
  ///
  /// - Parameter deep: whether they are read, and their hashes compared.
  /// - Returns: nothing if no message has any.
  func attachmentFindings(deep: Bool) throws -> [Finding] {
    let named = try database.rows(
      "SELECT hash, bytes, min(name) FROM attachment GROUP BY hash, bytes"
    ) { (hash: $0.hex(0), bytes: $0.int(1), name: $0.text(2)) }
    if named.isEmpty { return [] }
    var faults: [Finding] = []
    for (hash, bytes, name) in named {
      guard let size = attachmentFolder.size(of: hash) else {
        faults.append(
          Finding(
            .damage, of: .attachments, "the attachment %1 is missing: there is no file %2", name,
            attachmentFolder.path(of: hash)))
        continue
      }
      if size != bytes {
        faults.append(
          Finding(
            .damage, of: .attachments,
            "the attachment %1 has %2 bytes instead of %3; attach the same file again",
            name, String(size), String(bytes)))
      } else if deep, (try? attachmentFolder.file(of: hash).hashed()) != hash {
        faults.append(
          Finding(
            .damage, of: .attachments,
            "the attachment %1 is not what was put into the store; attach the same file again",
            name))
      }
    }
    if faults.isEmpty {
      return [
        Finding(
          .fine, of: .attachments, "the files of all attachments are there (%1)",
          String(named.count))
      ]
    }
    let shown = 20
    if faults.count <= shown { return faults }
    return faults.prefix(shown) + [
      Finding(
        .damage, of: .attachments, "and %1 more attachments are damaged",
        String(faults.count - shown))
    ]
  }
}
