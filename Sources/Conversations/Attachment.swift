// SPDX-License-Identifier: GPL-3.0-or-later

/// A file that travels with a message. Its bytes lie in the store's folder under their hash, so the
/// name never chooses a path (rule 8.2, 12.4).
public struct Attachment: Hashable, Sendable {
  /// The SHA-256 of its bytes in 64 lower-case hexadecimal digits.
  public var hash: String
  /// A safe base name, see `Store.safeName`; still text from elsewhere when it is shown.
  public var name: String
  /// The MIME type, as its bytes look: nobody's word is taken for it.
  public var type: String
  public var bytes: Int

  public init(hash: String, name: String, type: String = FileType.unknown, bytes: Int) {
    self.hash = hash
    self.name = name
    self.type = type
    self.bytes = bytes
  }

  /// A number of bytes as people write it: `0 B`, `999 B`, `1.4 MB`, in powers of a thousand.
  public static func size(_ bytes: Int) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var (tenths, unit) = (min(max(0, bytes), .max - 1000), 0)
    if tenths < 1000 { return "\(tenths) B" }
    // In whole tenths and rounded to the nearest, so that 999,999 is not "1000.0 kB".
    while unit == 0 || tenths >= 10_000 {
      tenths = unit == 0 ? (tenths + 50) / 100 : (tenths + 500) / 1000
      unit += 1
    }
    return "\(tenths / 10).\(tenths % 10) \(units[unit])"
  }
}

/// A file that waits in a draft: a path, read only when the message is sent.
public struct DraftFile: Hashable, Sendable {
  /// Absolute, or the shell that takes the draft up elsewhere would not find it.
  public var path: String
  /// The name it is sent under, or nil for that of the path.
  public var name: String?

  public init(path: String, name: String? = nil) {
    self.path = path
    self.name = name
  }

  /// Whether both would open the same file: Swift takes composed and decomposed letters for equal,
  /// a file system does not.
  func isSame(as other: DraftFile) -> Bool {
    path.utf8.elementsEqual(other.path.utf8)
      && (name ?? "").utf8.elementsEqual((other.name ?? "").utf8)
      && (name == nil) == (other.name == nil)
  }
}

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
  /// The disk, or the quota, is full; `path` is the folder that was written to.
  case full(path: String)
  case unwritable(path: String, reason: String)
  /// The store has no such file any more: it was pruned, or taken away.
  case gone(name: String)
  /// The store's file is not what was put into it.
  case damaged(name: String)
  /// So many files of that name are there that no further one was found.
  case namesTaken(path: String)

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
      ("%1 changed while it was being copied; try again when it is at rest", [path])
    case .full(let path):
      ("the disk that holds %1 is full; make room and try again", [path])
    case .unwritable(let path, let reason):
      ("%1 cannot be written to: %2", [path, reason])
    case .gone(let name):
      ("the file %1 is no longer in the store; attach it again", [name])
    case .damaged(let name):
      ("the file %1 in the store is damaged; have it sent again", [name])
    case .namesTaken(let path):
      ("%1 and the names like it are taken; name another", [path])
    }
  }

  public var description: String { filled(sentence) }
}
