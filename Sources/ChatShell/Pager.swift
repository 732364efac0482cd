// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText

/// Long answers in a pager, and the screen lent to other programs (rule 7.6).
extension InteractiveShell {
  /// Shows what a command answers in `$PAGER`.
  ///
  /// - Parameter atEnd: the last line is what is wanted first.
  func page(_ lines: [StyledLine], atEnd: Bool) {
    // The command's own line has to be gone from the screen first.
    editor.whenLineBegins { [self] in
      do { try runPager(lines, atEnd: atEnd) } catch { complain(sentence(for: error)) }
    }
  }

  private func runPager(_ lines: [StyledLine], atEnd: Bool) throws {
    let command = Pager.commandLine(session.preferences.environment["PAGER"], atEnd: atEnd)
    guard let (path, file) = TemporaryFile.make(environment: session.preferences.environment) else {
      throw Refusal(
        say(
          "hobnob could not create a file for the pager in %1: %2.",
          SafeText(line: TemporaryFile.folder(session.preferences.environment)), systemReason()))
    }
    // Without a name from the start: nothing is left behind, whatever ends the shell.
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

  /// Gives the whole screen to another program until it ends. Nothing is printed meanwhile, and
  /// messages that arrive do not count as seen; they are printed afterwards.
  func lendScreen(_ body: () -> Void) {
    tell(.screenLent(true))
    editor.withTerminalReleased(keepingLine: false, body)
    tell(.screenLent(false))
  }
}

/// How a pager is called.
enum Pager {
  /// The command: `$PAGER`, or less. less gets the options to show styles and, if wanted, to begin at
  /// the end.
  static func commandLine(_ pager: String?, atEnd: Bool) -> String {
    let command = pager.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 } ?? "less"
    return isLess(command) ? command + " -R" + (atEnd ? " +G" : "") : command
  }

  private static func isLess(_ command: String) -> Bool {
    ChildProcess.words(command).first?.split(separator: "/").last == "less"
  }

  /// Whether it may have shown nothing. A pager that was interrupted or ended did what was wanted;
  /// less -K says that with 2.
  static func hasFailed(_ status: Int32, _ command: String) -> Bool {
    switch status {
    case 0, 128 + SIGINT, 128 + SIGQUIT, 128 + SIGTERM, 128 + SIGHUP, 128 + SIGPIPE: false
    case 2: !isLess(command)
    default: true
    }
  }
}
