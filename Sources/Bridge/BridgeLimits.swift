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
  /// Bytes of a value that hobnob keeps for a program, in JSON.
  static let keptValue = 8_192
  /// How many values it keeps.
  static let keptValues = 100
  /// Bytes of a file.
  static let file = 100_000_000
  /// Lines between `begin` and `commit`.
  package static let batchLines = 10_000
  /// Bytes between `begin` and `commit`.
  static let batchBytes = 16 << 20
  /// How long a batch may be open.
  static let batchTime: Milliseconds = 60_000
  /// Lines in a second that say who is typing; more are dropped.
  static let passingLines = 100
  /// Other lines in a second outside of batches; more wait.
  static let lines = 1_000
  /// Questions to the owner in a minute.
  static let questions = 10
  /// How long entries may be without an answer before the owner learns of it.
  static let answerTime: Milliseconds = 120_000
  /// Bytes that wait for the program before nothing more is read from it.
  static let backlog = 1 << 20
  /// How long a program may read nothing of a backlog.
  static let patience: Int64 = 60_000
  /// How long a program may take to introduce itself.
  package static let helloTime: Int64 = 30_000
  /// Files of a message.
  static let files = 100
  /// Bytes of a mark.
  static let mark = 4_096
}
