// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell

struct Check: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Look whether the store is whole, and what the terminal can do.")
  @OptionGroup var every: EveryCommand
  @Flag(help: "Read the files that were sent, too.")
  var deep = false
  @Flag(help: "Forget what is not kept, remove files nobody needs, give back space.")
  var compact = false
  @Flag(help: "Write what can be read of a damaged store into a new one.")
  var recover = false
  @Option(help: ArgumentHelp("Write a copy of the store into a new file.", valueName: "file"))
  var backup: String?

  func validate() throws {
    if recover, deep || compact || backup != nil {
      throw ValidationError("--recover goes alone.")
    }
  }

  func run() {
    var options = CheckOptions()
    options.isDeep = deep
    options.compacts = compact
    options.recovers = recover
    options.backup = backup
    finish(every) { try $0.check(options) }
  }
}
