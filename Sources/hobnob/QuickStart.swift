// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatShell

/// A command line that opens the shell and needs no parser: known options and at most one
/// conversation. Anything else goes to the parser, which also reports errors.
struct QuickStart {
  private(set) var options = LaunchOptions()
  private(set) var conversation: String?
  private(set) var creates = false

  /// Nil if the parser has to read the arguments.
  init?(_ arguments: [String]) {
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      if argument == "--create" {
        creates = true
      } else if argument.hasPrefix("-") {
        guard options.parse(argument, from: &rest) else { return nil }
      } else {
        guard conversation == nil, !Hobnob.subcommandNames.contains(argument) else { return nil }
        conversation = argument
      }
    }
  }

  /// The arguments with the subcommand moved before the options that preceded it: these belong to
  /// every command, but the parser accepts them only after its name.
  static func subcommandFirst(_ arguments: [String]) -> [String] {
    var index = 1
    let options = OptionNames(of: CommonOptions.self)
    while index < arguments.count, arguments[index].hasPrefix("-") {
      index += options.withValue.contains(arguments[index]) ? 2 : 1
    }
    guard index < arguments.count, Hobnob.subcommandNames.contains(arguments[index]) else {
      return Array(arguments.dropFirst())
    }
    return [arguments[index]] + arguments[1..<index] + arguments[(index + 1)...]
  }
}
