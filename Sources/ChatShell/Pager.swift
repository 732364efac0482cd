// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Glibc
import Platform

/// The command line of a pager.
enum Pager {
  /// The command: `$PAGER`, or less. less gets options to show styles and, if wanted, to start at
  /// the end.
  static func commandLine(_ pager: String?, atEnd: Bool) -> String {
    let command = isUnset(pager) ? "less" : pager ?? ""
    return isLess(command) ? command + " -R" + (atEnd ? " +G" : "") : command
  }

  static func isUnset(_ pager: String?) -> Bool { pager?.allSatisfy(\.isWhitespace) ?? true }

  private static func isLess(_ command: String) -> Bool {
    ChildProcess.words(command).first?.split(separator: "/").last == "less"
  }

  /// Whether the pager may have shown nothing. A pager that was interrupted or ended by a signal
  /// has shown something; `less -K` exits with 2 then.
  static func hasFailed(_ status: Int32, _ command: String) -> Bool {
    switch status {
    case 0, 128 + SIGINT, 128 + SIGQUIT, 128 + SIGTERM, 128 + SIGHUP, 128 + SIGPIPE: false
    case 2: !isLess(command)
    default: true
    }
  }
}
