// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Sentences

/// Why a file could not be attached, sent or saved.
public enum AttachmentError: Error, Hashable, Sendable, CustomStringConvertible {
  case missing(path: String)
  /// It is a folder, a pipe, a device or a socket.
  case notAFile(path: String)
  case unreadable(path: String, reason: String)
  /// It is larger than `limit` bytes.
  case tooLarge(path: String, limit: Int)
  /// Someone shortened or rewrote it during the copy.
  case changed(path: String)
  /// The path no longer leads to the attached file, or the file's size has changed.
  case replaced(path: String)
  /// The disk or the quota is full; `path` is the target folder.
  case full(path: String)
  case unwritable(path: String, reason: String)
  /// The store no longer has the file: pruning or a person removed it.
  case gone(name: String)
  /// The store's file does not have the bytes that it was stored with.
  case damaged(name: String)
  /// Too many files with that name already exist.
  case namesTaken(path: String)

  /// - Parameter path: the path of the target.
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
        "%1 is larger than %2, the largest file that you may attach here",
        [path, Attachment.size(limit)]
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
      ("the file %1 in the store is damaged; ask its sender to send it again", [name])
    case .namesTaken(let path):
      ("%1 and similar names are taken; choose another", [path])
    }
  }

  public var description: String { filled(sentence) }
}
