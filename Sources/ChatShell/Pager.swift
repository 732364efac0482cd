// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatScripts
import ChatSession
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText

/// Shows long answers in a pager, and lends the screen to other programs (rule 7.6).
extension InteractiveShell {
  /// Shows the answer of a command in `$PAGER`.
  ///
  /// - Parameter atEnd: start at the last line.
  func page(_ lines: [StyledLine], atEnd: Bool) {
    // The command's own line must leave the screen first.
    editor.whenLineBegins { [self] in
      do { try runPager(lines, atEnd: atEnd) } catch { complain(sentence(for: error)) }
    }
  }

  private func runPager(_ lines: [StyledLine], atEnd: Bool) throws {
    let chosen = session.preferences.environment["PAGER"]
    let command = Pager.commandLine(chosen, atEnd: atEnd)
    guard let (path, file) = TemporaryFile.make(environment: session.preferences.environment) else {
      throw Refusal(
        say(
          "hobnob could not create a file for the pager in %1: %2.",
          SafeText(line: TemporaryFile.folder(session.preferences.environment)), systemReason()))
    }
    // Remove the name at once, so that nothing remains however the shell ends.
    unlink(path)
    defer { close(file) }
    guard TemporaryFile.write(editor.printed(lines), to: file), lseek(file, 0, SEEK_SET) == 0 else {
      throw Refusal(say("The text for the pager could not be written: %1.", systemReason()))
    }
    var status: Int32?
    lendScreen { status = ChildProgram.run(ChildProcess.words(command), input: file) }
    let shown = SafeText(line: command)
    guard let status else {
      let reason = systemReason()
      editor.print(lines)
      // Nobody asked for less, and these lines are few.
      if Pager.isUnset(chosen), !atEnd { return }
      throw Refusal(
        say("The pager %1 could not be run: %2; set PAGER, or /set pager off.", shown, reason))
    }
    if Pager.hasFailed(status, command) {
      editor.print(lines)
      throw Refusal(
        say(
          "The pager %1 failed with status %2; set PAGER, or /set pager off.", shown,
          SafeText(Int(status))))
    }
  }

  /// Gives the whole screen to another program until it ends. Meanwhile hobnob prints nothing, and
  /// arriving messages do not count as seen; it prints them afterwards.
  func lendScreen(_ body: () -> Void) {
    tell(.screenLent(true))
    editor.withTerminalReleased(keepingLine: false, body)
    tell(.screenLent(false))
  }
}

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
