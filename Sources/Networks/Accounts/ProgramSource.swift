// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// A network process's ends of the standard input and output of a program.
package typealias ProgramPipes = (writing: Int32, reading: Int32)

/// Starts the program that connects an account, outside the sandbox.
@MainActor
package protocol ProgramSource: AnyObject {
  /// Starts it, once a former run of it has ended. A start that still waits is given up.
  ///
  /// - Returns: the number of the run.
  func startProgram(_ then: @escaping (Result<ProgramPipes, PasswordFailure>) -> Void) -> Int
  /// Calls `then` with the reason when the run has ended.
  func awaitProgramEnd(of run: Int, _ then: @escaping (Remark) -> Void)
  /// Ends the program, whose input is closed, with signals if it does not end by itself; or takes
  /// back a start that waits.
  func stopProgram(_ run: Int)
}
