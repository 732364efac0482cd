// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Lines to and from a program that runs.
@MainActor
package protocol LineChannel: AnyObject {
  /// Called with each line, without its line break.
  var received: (_ line: [UInt8]) -> Void { get set }
  /// Called once, when the program has ended and all its lines were received.
  var ended: (_ reason: Remark) -> Void { get set }
  /// Whether lines are received; what the program writes meanwhile waits.
  var isReading: Bool { get set }
  /// How many bytes the program has not taken yet.
  var backlog: Int { get }

  /// Writes a line, given without its line break.
  func write(_ line: [UInt8])
  /// Ends the program. Nothing is received any more.
  func stop()
}
