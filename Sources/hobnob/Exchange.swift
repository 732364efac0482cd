// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatShell
import Conversations
import Exchange

struct Export: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Write everything, or some conversations, as JSON Lines.")
  @OptionGroup var every: EveryCommand
  @Argument(help: "Rooms, or @names of people. Quote a leading #: '#lobby'.")
  var conversation: [String] = []
  @Option(
    help: ArgumentHelp("A new file to write instead of standard output.", valueName: "file"))
  var output: String?
  @Flag(name: .customLong("no-files"), help: "Leave out the bytes of attachments.")
  var noFiles = false

  func run() {
    finish(every) { try $0.export(conversation, to: output, files: !noFiles) }
  }
}

struct Import: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Bring in an export, or the logs of irssi or WeeChat.")
  @OptionGroup var every: EveryCommand
  @Argument(help: "The files, - for standard input; without any, standard input.")
  var file: [String] = []
  @Option(
    help: ArgumentHelp(
      "json, irssi or weechat, where the content does not tell.", valueName: "format"))
  var format: String?
  @Option(
    help: ArgumentHelp(
      "The room of a log, or @name, where the file's name does not tell.", valueName: "name"))
  var conversation: String?

  func validate() throws {
    if let format, ImportFormat(rawValue: format) == nil {
      throw ValidationError("--format takes json, irssi or weechat, not \(format).")
    }
  }

  func run() {
    finish(every) {
      try $0.importing(
        file, format: format.flatMap(ImportFormat.init), conversation: conversation)
    }
  }
}
