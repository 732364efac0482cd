// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Why the store failed. These errors are about the file, not about a conversation.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process has held the store's lock for longer than `Store.patience`.
  case locked(path: String)
  /// The disk or the quota is full.
  case full(path: String)
  case readOnly(path: String)
  /// SQLite's words are in `detail`.
  case corrupt(path: String, detail: String)
  /// A newer program made it: its schema version is `found`.
  case newer(path: String, found: Int, supported: Int)
  /// A program from before the first release made it.
  case former(path: String)
  case notAStore(path: String)
  /// The store's file or its folder is a symbolic link.
  case isLink(path: String)
  /// A file or folder that belongs to the store is a symbolic link.
  case linkBeside(path: String, store: String)
  case foreign(path: String, owner: String)
  case folderWritableByOthers(path: String)
  case cannotOpen(path: String, reason: String)
  /// The file at `path` is not the one that this process, or another, has open.
  case moved(path: String)
  /// The file `file` beside the store, its write-ahead log or the log's index, is not the one that
  /// this process, or another, has open.
  case logReplaced(path: String, file: String)
  /// The store is missing, but its write-ahead log exists.
  case logWithoutStore(path: String, file: String)
  /// A program of another version changed the tables while this process had them open.
  case otherVersion(path: String, found: Int, own: Int)
  case failed(path: String, detail: String)
  /// The data to write contradicts existing data, or itself; trying again does not help.
  case contradiction(path: String, detail: String)
  /// No notification arrives when others write to the store.
  case cannotWatch(path: String, reason: String)

  /// What happened, and what to do.
  public var sentence: Sentence {
    switch self {
    case .locked(let path):
      (
        "the store %1 is locked by another process; try again when that process has finished",
        [path]
      )
    case .full(let path):
      ("the disk that holds %1 is full; make room and try again", [path])
    case .readOnly(let path):
      ("%1 cannot be written to; change its permissions or name another with --store", [path])
    case .corrupt(let path, let detail):
      (
        "the store %1 is damaged (%2); keep a copy of it and run `hobnob check --store %1`",
        [path, detail]
      )
    case .newer(let path, let found, let supported):
      (
        "a newer hobnob wrote the store %1 (version %2, this one reads up to %3); use the newer one",
        [path, String(found), String(supported)]
      )
    case .former(let path):
      (
        "an older hobnob wrote the store %1, and this one cannot read it; write it to a file with that hobnob's `hobnob export`, move it away, and read the file with this hobnob's `hobnob import`",
        [path]
      )
    case .notAStore(let path):
      ("%1 is not a hobnob store; name another file with --store", [path])
    case .isLink(let path):
      ("%1 is a symbolic link, and a store cannot be one; name the file it points to", [path])
    case .linkBeside(let path, let store) where path.hasSuffix(".bell"):
      (
        "%1, the bell of the store %2, is a symbolic link; delete it, and hobnob creates a new bell",
        [path, store]
      )
    case .linkBeside(let path, let store):
      (
        "%1, which belongs to the store %2, is a symbolic link; delete it, or replace it with what it points to",
        [path, store]
      )
    case .foreign(let path, let owner):
      (
        "%1 belongs to %2; name a store of your own with --store, or have %2 make a shared one with --shared",
        [path, owner]
      )
    case .folderWritableByOthers(let path):
      (
        "other users can write to the folder %1; use --store to name a store in a folder of your own",
        [path]
      )
    case .cannotOpen(let path, let reason):
      ("%1 cannot be opened: %2", [path, reason])
    case .moved(let path):
      (
        "the store %1 was moved, deleted or replaced while it was open; put it back, quit every hobnob that has it open, and start again",
        [path]
      )
    case .logReplaced(let path, let file):
      (
        "%2 was deleted or replaced while the store %1 was open; quit every hobnob that has it open, then start again",
        [path, file]
      )
    case .logWithoutStore(let path, let file):
      (
        "there is no store %1, but %2 holds its last changes; put the store back, or delete %2 to start over",
        [path, file]
      )
    case .otherVersion(let path, let found, let own):
      (
        "another version of hobnob has taken over the store %1 (version %2, this one uses %3); start hobnob again",
        [path, String(found), String(own)]
      )
    case .failed(let path, let detail), .contradiction(let path, let detail):
      (
        "the store %1 failed: %2; check the disk, its limits and the file, and try again",
        [path, detail]
      )
    case .cannotWatch(let path, let reason):
      (
        "hobnob cannot watch %1 for new messages (inotify: %2); close other programs that watch files, or raise fs.inotify.max_user_instances",
        [path, reason]
      )
    }
  }

  /// Whether this process can no longer use the store, however often it tries.
  package var isFinal: Bool {
    switch self {
    case .moved, .logReplaced, .otherVersion: true
    default: false
    }
  }

  public var description: String { filled(sentence) }
}
