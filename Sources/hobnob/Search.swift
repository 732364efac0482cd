// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell

struct Search: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Print the messages that a query finds, newest first.")
  @OptionGroup var every: EveryCommand
  @Argument(
    help: "Words, 'word*', '\"a phrase\"', from:NAME in:ROOM since:DATE until:DATE has:file.")
  var query: [String]
  @Option(help: ArgumentHelp("How many at most.", valueName: "n"))
  var lines = 20
  @Flag(help: "Print one JSON object a line.")
  var json = false

  func validate() throws { try validCount(lines) }

  func run() {
    finish(every) { try $0.search(query, lines: lines, isJSON: json) }
  }
}
