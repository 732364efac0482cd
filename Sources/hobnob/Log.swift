// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell

struct Log: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print messages of a conversation.")
  @OptionGroup var every: EveryCommand
  @OptionGroup var named: NamedConversation
  @Option(
    help: ArgumentHelp(
      "How many of the newest messages (20; all with a time or a number).", valueName: "n"))
  var lines: Int?
  @Option(
    help: ArgumentHelp(
      "Only messages since a time: 2026-11-21T10:30, or an age: 90m, 12h, 3d.", valueName: "time"))
  var since: String?
  @Option(help: ArgumentHelp("Only messages until a time.", valueName: "time"))
  var until: String?
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Only from message n on; -5 is the fifth newest.", valueName: "n"))
  var from: Int?
  @Option(
    parsing: .unconditional, help: ArgumentHelp("Only up to message n.", valueName: "n"))
  var to: Int?
  @Flag(help: "Go on with what arrives.")
  var follow = false
  @Flag(help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    if let lines { try validCount(lines) }
    if let from { try validNumber(from, "--from") }
    if let to { try validNumber(to, "--to") }
    if follow, until != nil || to != nil {
      throw ValidationError("--follow has no end; leave out --until and --to.")
    }
  }

  func run() {
    var options = LogOptions()
    options.lines = lines
    options.since = since
    options.until = until
    options.from = from
    options.to = to
    options.follows = follow
    options.isJSON = json
    finish(every) { try $0.log(named.conversation, options) }
  }
}

/// A number of lines.
func validCount(_ lines: Int) throws {
  if lines < 0 { throw ValidationError("--lines takes a number from 0.") }
}

/// A message number: `N`, or `-N` from the newest.
func validNumber(_ number: Int, _ option: String) throws {
  if number == 0 || number == .min {
    throw ValidationError("\(option) takes a message number: 12, or -1 for the newest.")
  }
}
