// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform

/// A walk through the files of attachments in small steps, for callers that must not block.
package struct AttachmentSweep: Sendable {
  /// How many files were removed.
  package fileprivate(set) var files = 0
  /// How many bytes that freed.
  package fileprivate(set) var bytes = 0

  /// The folders still to visit; nil before the first step.
  private var folders: [String]?
  /// The folder of `names`, the files still to visit; empty for the top folder.
  fileprivate var folder = ""
  private var names: [String] = []

  package init() {}

  /// The next names of `folder`; nil after the last. An empty folder costs a step.
  fileprivate mutating func next(_ count: Int, in root: borrowing OpenFile) throws -> [String]? {
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

extension Reading where Self: ~Copyable {
  /// Whether a message has it, or someone wants to attach the store's own file again.
  fileprivate func isNamed(_ hash: String) throws -> Bool {
    guard let digest = bytes(ofHexadecimal: hash) else { return true }
    return try database.exists("SELECT 1 FROM attachment WHERE hash = ?", digest)
      || database.exists("SELECT 1 FROM draft_file WHERE path = ?", attachmentFolder.path(of: hash))
  }
}

extension Store {
  /// How long an unused file stays, in milliseconds: someone may be about to send it.
  static let grace: Milliseconds = 3_600_000

  /// Removes files that no message and no draft uses, and those that a killed process left half
  /// copied, an hour after they last changed. Leaves other files alone.
  ///
  /// The store is locked only while some of them are removed, so others go on.
  ///
  /// - Parameter now: the current time, to compare with the time when a file was last written.
  /// - Returns: how many it removed, and how many bytes that freed.
  /// - Throws: `StoreError`, also if it removed only some of them; `AttachmentError.unwritable` if
  ///   it cannot read the folder.
  package func pruneAttachments(now: Milliseconds) throws -> (files: Int, bytes: Int) {
    var sweep = AttachmentSweep()
    while try !pruneStep(&sweep, files: 64, now: now) {}
    return (sweep.files, sweep.bytes)
  }

  /// Does what `pruneAttachments` does, for the next files of a walk through them.
  ///
  /// - Parameters:
  ///   - sweep: a new one at the beginning, then the same one again.
  ///   - files: the most to visit.
  ///   - now: as there.
  /// - Returns: whether it has visited all.
  /// - Throws: as there; another walk then visits the files of this step.
  package func pruneStep(
    _ sweep: inout AttachmentSweep, files: Int, now: Milliseconds
  ) throws -> Bool {
    do {
      return try prune(&sweep, files, before: now - Store.grace)
    } catch let failure as SystemFailure {
      // The folder may not exist, or no longer.
      if failure.code == ENOENT { return true }
      throw AttachmentError.unwritable(path: attachmentFolder.path, reason: failure.reason)
    }
  }

  private func prune(
    _ sweep: inout AttachmentSweep, _ count: Int, before time: Milliseconds
  ) throws -> Bool {
    let root = try attachmentFolder.open()
    guard let names = try sweep.next(max(1, count), in: root) else { return true }
    let (folder, isRoot) = (sweep.folder, sweep.folder.isEmpty)
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
      let loose = try read { snapshot in try old.filter { try !snapshot.isNamed(folder + $0) } }
      if !loose.isEmpty {
        try write { transaction in
          for rest in loose where try !transaction.isNamed(folder + rest) { remove(rest) }
        }
      }
    }
    sweep.files += files
    sweep.bytes += bytes
    return false
  }
}
