// SPDX-License-Identifier: GPL-3.0-or-later
import ChatShell

/// A command line that opens the shell and needs no parser: known options and at most one
/// conversation. Anything else is the parser's, which also says what is wrong.
struct QuickStart {
  var options = LaunchOptions()
  var conversation: String?

  /// nil when the parser has to look at it.
  init?(_ arguments: [String]) {
    var rest = arguments.dropFirst()
    while let argument = rest.popFirst() {
      switch argument {
      case "--plain": options.isPlain = true
      case "--shared": options.isShared = true
      case "--no-rc": options.ignoresRc = true
      case "--store", "--as", "--rc":
        guard let value = rest.popFirst(), !value.hasPrefix("-"), !value.isEmpty else { return nil }
        switch argument {
        case "--store": options.store = value
        case "--as": options.name = value
        default: options.rc = value
        }
      default:
        guard !argument.hasPrefix("-"), conversation == nil,
          !Hobnob.subcommandNames.contains(argument)
        else { return nil }
        conversation = argument
      }
    }
  }

  /// The arguments with a subcommand before the options that stood before it: they belong to
  /// every command, and the parser knows them only behind its name.
  static func subcommandFirst(_ arguments: [String]) -> [String] {
    var index = 1
    while index < arguments.count, arguments[index].hasPrefix("-") {
      index += ["--store", "--as", "--rc"].contains(arguments[index]) ? 2 : 1
    }
    guard index < arguments.count, Hobnob.subcommandNames.contains(arguments[index]) else {
      return Array(arguments.dropFirst())
    }
    return [arguments[index]] + arguments[1..<index] + arguments[(index + 1)...]
  }
}
