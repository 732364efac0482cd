// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// A network process's ends of the standard input and output of a program.
package typealias ProgramPipes = (writing: Int32, reading: Int32)

/// Starts the program that connects an account, outside the sandbox.
@MainActor
package protocol ProgramSource: AnyObject {
  /// Starts it, once a former run of it has ended.
  func startProgram(_ then: @escaping (Result<ProgramPipes, PasswordFailure>) -> Void)
  /// Calls `then` with the reason when the running program has ended.
  func awaitProgramEnd(_ then: @escaping (Remark) -> Void)
  /// Ends the program, whose input is closed, with signals if it does not end by itself.
  func stopProgram()
}
