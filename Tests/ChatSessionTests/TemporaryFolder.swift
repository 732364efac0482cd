// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Synchronization

/// A folder for one test, removed with the last reference to it, or at the end of all tests: a
/// person at a prompt and its session hold each other.
final class TemporaryFolder {
  private static let all: String = {
    let path = FileManager.default.temporaryDirectory
      .appendingPathComponent("hobnob-" + UUID().uuidString).path
    mkdir(path, 0o700)
    atexit { try? FileManager.default.removeItem(atPath: TemporaryFolder.all) }
    return path
  }()
  private static let count = Mutex(0)

  let path: String

  init() throws {
    let number = Self.count.withLock {
      $0 += 1
      return $0
    }
    path = "\(Self.all)/\(number)"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    try? FileManager.default.removeItem(atPath: path)
  }

  /// Writes a file, and the folders above it.
  ///
  /// - Returns: its path.
  func write(_ name: String, _ text: String = "") throws -> String {
    let file = path + "/" + name
    try FileManager.default.createDirectory(
      atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    return file
  }
}
