// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell

struct Unread: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the conversations with unread messages.")
  @OptionGroup var every: EveryCommand
  @Flag(help: "Print only how many messages are unread.")
  var count = false
  @Flag(help: "Print one JSON object a line.")
  var json = false

  func validate() throws {
    if count, json { throw ValidationError("--count and --json do not go together.") }
  }

  func run() {
    finish(every) { try $0.unread(countsOnly: count, isJSON: json) }
  }
}

struct Wait: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Wait until somebody else says something, and print it.")
  @OptionGroup var every: EveryCommand
  @Argument(help: "A room's name, or @name of a person; without it, wherever you are in.")
  var conversation: String?
  @Option(help: ArgumentHelp("Give up after so long: seconds, or 90m, 12h.", valueName: "time"))
  var timeout: TimeLimit?
  @Flag(help: "Only for what names you, or is written to you alone.")
  var mention = false
  @Flag(help: "Print it as a JSON object.")
  var json = false

  func run() {
    var options = WaitOptions()
    options.conversation = conversation
    options.seconds = timeout?.seconds
    options.mentionsOnly = mention
    options.isJSON = json
    finish(every) { try $0.wait(options) }
  }
}
