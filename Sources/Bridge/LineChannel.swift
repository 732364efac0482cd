// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// The lines to and from the running program that connects an account.
@MainActor
package protocol LineChannel: AnyObject {
  /// Called in the loop with each line of the program, without its newline. A line has at most
  /// ``BridgeLimits/line`` bytes: a longer one ends the channel.
  var received: (_ line: [UInt8]) -> Void { get set }
  /// Called once, in the loop, when the program has ended or the channel is of no more use, with the
  /// reason; not after ``stop()``.
  var ended: (_ reason: Remark) -> Void { get set }
  /// Whether it reads what the program writes.
  var isReading: Bool { get set }
  /// How many bytes the program has not taken yet.
  var backlog: Int { get }
  /// Writes a line, without its newline. It never waits: what the program does not take stays in
  /// memory.
  func write(_ line: [UInt8])
  /// Ends the program. Nothing is reported afterwards.
  func stop()
}

/// What a program may not exceed.
package enum BridgeLimits {
  /// Bytes of a line.
  package static let line = 1 << 20
  /// Lines, and bytes, between `begin` and `commit`.
  package static let batchLines = 10_000
  package static let batchBytes = 16 << 20
  /// Milliseconds between the two.
  package static let batchTime: Int64 = 60_000
  /// Lines about typing and presence in a second; others are dropped.
  package static let passingLines = 100
  /// Bytes that a program has not read yet, above which it gets no more lines.
  package static let backlog = 4 << 20
  /// Bytes of the id of a message.
  package static let id = 1_024
}
