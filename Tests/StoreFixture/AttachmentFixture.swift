// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Platform

extension Fixture {
  /// A file in the folder; its path.
  @discardableResult
  package func file(_ name: String, _ text: String) -> String {
    file(name, bytes: Array(text.utf8))
  }

  @discardableResult
  package func file(_ name: String, bytes: [UInt8]) -> String {
    let path = folder + "/" + name
    let file = Foundation.open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    fchmod(file, 0o600)
    _ = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
    close(file)
    return path
  }

  /// Sets the modification time of a file, in seconds since 1970.
  package func touch(_ path: String, at seconds: Int) {
    let time = timespec(tv_sec: seconds, tv_nsec: 0)
    utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
  }

  package func names(in folder: String) -> [String] {
    let path = self.folder + "/" + folder
    return ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }

  package func text(_ path: String) -> String? {
    FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
  }

  /// Every regular file below `store.attachments`.
  package var keptFiles: [String] {
    let root = folder + "/store.attachments"
    return (FileManager.default.subpaths(atPath: root) ?? []).filter {
      (fileStatus(root + "/" + $0)?.st_mode ?? 0) & S_IFMT == S_IFREG
    }.sorted()
  }
}

extension Lobby {
  /// Keeps a file with this text, as if it was called `name`.
  package func kept(_ text: String, as name: String = "note.txt", type: String? = nil) throws
    -> Attachment
  {
    let path = fixture.file("source", text)
    var kept = try store.attachmentFolder.keep(fileAt: path, name: name, limit: 0)
    kept.type = type ?? FileType.unknown
    return kept
  }

  @discardableResult
  package func says(_ body: String, with attachments: [Attachment]) throws -> Message {
    try store.writeDurably { try $0.send(body, in: lobby, by: anna, attachments: attachments) }
  }
}
