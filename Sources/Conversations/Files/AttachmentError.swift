// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Sentences

/// Why a file could not be attached, sent or saved.
public enum AttachmentError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(path: String)
  /// A folder, a pipe, a device, a socket.
  case notAFile(path: String)
  case unreadable(path: String, reason: String)
  /// Larger than `limit` bytes.
  case tooLarge(path: String, limit: Int)
  /// It was shortened or rewritten while it was being copied.
  case changed(path: String)
  /// Another file is at the path than the one that was attached, or it has another size.
  case replaced(path: String)
  /// The disk, or the quota, is full; `path` is the folder that was written to.
  case full(path: String)
  case unwritable(path: String, reason: String)
  /// The store has no such file any more: it was pruned, or taken away.
  case gone(name: String)
  /// The store's file is not what was put into it.
  case damaged(name: String)
  /// So many files of that name are there that no further one was found.
  case namesTaken(path: String)

  /// - Parameter path: what was written to.
  package init(_ failure: SystemFailure, at path: String) {
    self =
      failure.code == ENOSPC || failure.code == EDQUOT
      ? .full(path: path) : .unwritable(path: path, reason: failure.reason)
  }

  /// What happened, to what, and what to do.
  public var sentence: Sentence {
    switch self {
    case .missing(let path):
      ("there is no file %1", [path])
    case .notAFile(let path):
      ("%1 is not a regular file; only those can be attached", [path])
    case .unreadable(let path, let reason):
      ("%1 cannot be read: %2", [path, reason])
    case .tooLarge(let path, let limit):
      (
        "%1 is larger than %2, the most that may be attached here", [path, Attachment.size(limit)]
      )
    case .changed(let path):
      ("%1 changed while it was being copied; try again when nothing writes to it", [path])
    case .replaced(let path):
      (
        "%1 is no longer the file you attached; /attach it again to send the new one",
        [path]
      )
    case .full(let path):
      ("the disk that holds %1 is full; make room and try again", [path])
    case .unwritable(let path, let reason):
      ("%1 cannot be written to: %2", [path, reason])
    case .gone(let name):
      ("the file %1 is no longer in the store; attach it again", [name])
    case .damaged(let name):
      ("the file %1 in the store is damaged; have it sent again", [name])
    case .namesTaken(let path):
      ("%1 and similar names are taken; choose another", [path])
    }
  }

  public var description: String { filled(sentence) }
}
