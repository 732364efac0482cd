// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatSession
import Glibc
import Sentences

/// A command of the program (rule 11.3): the parser fills in its properties, and `run` uses them.
package protocol Subcommand: ParsableCommand, Sendable {
  var common: CommonOptions { get }

  /// - Returns: the exit status.
  @MainActor func run(_ launch: Launch) throws -> Int32
}

extension Subcommand {
  /// Ends the program with the status of the command or of its error.
  package func run() {
    // The parser calls commands on the main thread, though their types do not say so.
    let status = MainActor.assumeIsolated {
      Launch.report { try run(Launch(options: common.values)) }
    }
    Glibc.exit(status)
  }
}

/// Options of every command.
package struct CommonOptions: ParsableArguments, Sendable {
  @Option(
    help: ArgumentHelp(translated("The store to use instead of your own."), valueName: "path"),
    completion: .file())
  var store: String?
  @Flag(
    help: .init(translated("Create a shared store: the group that owns its folder can use it.")))
  package var shared = false
  @Option(
    help: ArgumentHelp(translated("Your name, instead of your login name."), valueName: "name"),
    completion: .identities)
  var `as`: String?
  @Option(
    help: ArgumentHelp(translated("The settings to read instead of hobnobrc."), valueName: "file"),
    completion: .file())
  var rc: String?
  @Flag(help: .init(translated("Read no settings.")))
  var noRc = false
  @Flag(help: .init(translated("Use plain mode, for dumb terminals and screen readers.")))
  package var plain = false

  package init() {}

  var values: LaunchOptions {
    LaunchOptions(store: store, shared: shared, as: self.as, rc: rc, noRc: noRc, plain: plain)
  }
}

extension ArgumentHelp {
  package static let conversation: ArgumentHelp =
    .init(translated("A room's name, or @name of a person. Quote a leading #: '#lobby'."))
}

/// Checks a number of lines.
func validCount(_ lines: Int) throws {
  if lines < 0 { throw ValidationError(translated("--lines needs a number, 0 or more.")) }
}

/// Checks a message number: `N`, or `-N` from the newest.
func validNumber(_ number: Int, _ option: String) throws {
  if number == 0 || number == .min {
    throw ValidationError(
      filled(("%1 takes a message number: 12, or -1 for the newest.", [option])))
  }
}
