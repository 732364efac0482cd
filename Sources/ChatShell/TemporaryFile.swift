// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// A file for another program: in `$TMPDIR` or `/tmp`, readable only by this user.
enum TemporaryFile {
  static func folder(_ environment: [String: String]) -> String {
    environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
  }

  /// A new file, open for reading and writing; the caller removes it.
  ///
  /// - Returns: nil with the reason in `errno`.
  static func make(environment: [String: String]) -> (path: String, descriptor: Int32)? {
    var path = Array("\(folder(environment))/hobnob-XXXXXX.md".utf8CString)
    // The file has a name that nobody could have taken before.
    let descriptor = mkstemps(&path, 3)
    guard descriptor >= 0 else { return nil }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return (
      String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self), descriptor
    )
  }

  /// Writes all bytes. Returns false with the reason in `errno`.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    (try? bytes.withUnsafeBytes { try writeAll(descriptor, $0) }) != nil
  }
}
