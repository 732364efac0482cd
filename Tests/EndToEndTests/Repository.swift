// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// The working copy the tests were built from.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(of path: String) throws -> String {
    try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
  }

  /// Paths, from the root, of the files below `folder` whose name ends in one of `endings`.
  static func files(below folder: String, endings: [String]) -> [String] {
    guard
      let found = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
    else { return [] }
    return found.compactMap { $0 as? String }
      .filter { path in endings.contains { path.hasSuffix($0) } }
      .map { "\(folder)/\($0)" }
      .sorted()
  }
}
