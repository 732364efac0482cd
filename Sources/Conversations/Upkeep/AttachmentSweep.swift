// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// A walk through the files of attachments in small steps, for callers that must not block.
package struct AttachmentSweep: Sendable {
  /// How many files were removed.
  package private(set) var files = 0
  /// How many bytes that freed.
  package private(set) var bytes = 0

  /// The folders still to visit; nil before the first step.
  private var folders: [String]?
  /// The folder of `names`, the files still to visit; empty for the top folder.
  private var folder = ""
  private var names: [String] = []

  package init() {}

  /// How long an unused file stays, in milliseconds: someone may be about to send it.
  private static let grace: Milliseconds = 3_600_000

  /// Does what `Upkeep.pruneAttachments` does, for the next files of a walk through them.
  ///
  /// - Parameters:
  ///   - count: the maximum number of files to visit.
  ///   - now: as in `Upkeep.pruneAttachments`.
  /// - Returns: whether it has visited all.
  /// - Throws: as `Upkeep.pruneAttachments`; another walk then visits the files of this step.
  package mutating func step(_ count: Int, in store: Store, now: Milliseconds) throws -> Bool {
    do {
      return try prune(count, in: store, before: now - Self.grace)
    } catch let failure as SystemFailure {
      // The folder may never have existed, or may have been removed.
      if failure.code == ENOENT { return true }
      throw AttachmentError.unwritable(path: store.attachmentFolder.path, reason: failure.reason)
    }
  }

  private mutating func prune(
    _ count: Int, in store: Store, before time: Milliseconds
  ) throws -> Bool {
    let root = try store.attachmentFolder.open()
    guard let names = try next(max(1, count), in: root) else { return true }
    let (folder, isRoot) = (folder, folder.isEmpty)
    if names.isEmpty { return false }
    let part = isRoot ? root : try OpenFile(in: root, folder, O_RDONLY | O_DIRECTORY)
    var (files, bytes) = (0, 0)
    func remove(_ name: String) {
      guard let found = part.status(of: name), isOld(found, time),
        unlinkat(part.number, name, 0) == 0
      else { return }
      files += 1
      bytes += Int(found.st_size)
    }
    if isRoot {
      for name in names { remove(name) }
    } else {
      let old = names.filter { rest in
        AttachmentFolder.location(of: folder + rest) != nil
          && part.status(of: rest).map({ isOld($0, time) }) == true
      }
      let loose = try store.read { snapshot in
        try old.filter { try !snapshot.isNamed(folder + $0) }
      }
      if !loose.isEmpty {
        try store.write { transaction in
          for rest in loose where try !transaction.isNamed(folder + rest) { remove(rest) }
        }
      }
    }
    self.files += files
    self.bytes += bytes
    return false
  }

  /// The next names of `folder`; nil after the last. An empty folder takes one step.
  private mutating func next(_ count: Int, in root: borrowing OpenFile) throws -> [String]? {
    if folders == nil {
      let all = try root.names()
      names = all.filter { $0.hasPrefix(AttachmentFolder.temporaryPrefix) }
      folders = all.filter { $0.utf8.count == 2 }
    } else if names.isEmpty {
      guard let next = folders?.popLast() else { return nil }
      folder = next
      names = (try? OpenFile(in: root, next, O_RDONLY | O_DIRECTORY).names()) ?? []
    }
    defer { names.removeLast(min(count, names.count)) }
    return names.suffix(count)
  }
}

private func isOld(_ found: Glibc.stat, _ time: Milliseconds) -> Bool {
  found.st_mode & S_IFMT == S_IFREG && Milliseconds(found.st_mtim.tv_sec) < time / 1000
}

extension Access {
  /// Whether a message has it, or someone wants to attach the store's own file again.
  fileprivate func isNamed(_ hash: String) throws -> Bool {
    guard let digest = bytes(ofHexadecimal: hash) else { return true }
    return try database.exists("SELECT 1 FROM attachment WHERE hash = ?", digest)
      || database.exists("SELECT 1 FROM draft_file WHERE path = ?", attachmentFolder.path(of: hash))
  }
}
