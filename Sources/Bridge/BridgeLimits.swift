// SPDX-License-Identifier: GPL-3.0-or-later
import Storage

/// How much a program may write; hobnob-bridge(7) names each.
package enum BridgeLimits {
  /// Bytes of a line.
  package static let line = 1 << 20
  /// Bytes of a message's id, or an address.
  static let id = 1024
  /// Graphemes of a person's name; the rest is cut off.
  static let name = 100
  /// Bytes of a value that hobnob keeps for a program.
  static let keptValue = 65_536
  /// Bytes of a file.
  static let file = 100_000_000
  /// Lines between `begin` and `commit`.
  package static let batchLines = 10_000
  /// Bytes between `begin` and `commit`.
  static let batchBytes = 16 << 20
  /// How long a batch may be open.
  static let batchTime: Milliseconds = 60_000
  /// Lines of typing and presence in a second; more are dropped.
  static let passingLines = 100
  /// Bytes that wait for the program before what may be dropped is dropped.
  static let backlog = 1 << 20
}
