// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatScripts
import Glibc
import Platform
import StyledText

/// Edits the text in the person's own editor (rule 1.10).
enum ExternalEditor {
  /// Opens a text in `$VISUAL`, `$EDITOR` or vi, on the terminal, and waits for its end.
  ///
  /// - Parameter environment: names the editor's command and the folder for the file.
  /// - Returns: the saved text, without the newline that editors add at the end of a file.
  /// - Throws: a ``Refusal`` if the editor could not start, failed, or left no text; keep the
  ///   line's text then.
  static func edit(_ text: String, environment: [String: String]) throws -> String {
    guard let (name, descriptor) = TemporaryFile.make(environment: environment) else {
      throw Refusal(
        say(
          "hobnob could not create a file for the editor in %1: %2.",
          SafeText(line: TemporaryFile.folder(environment)), systemReason()))
    }
    defer { unlink(name) }
    let isWritten = TemporaryFile.write(Array((text + "\n").utf8), to: descriptor)
    close(descriptor)
    guard isWritten else {
      throw Refusal(
        say("The text could not be written to %1: %2.", SafeText(line: name), systemReason()))
    }
    let command =
      [environment["VISUAL"], environment["EDITOR"]].lazy
      .compactMap { $0 }.first { !$0.allSatisfy(\.isWhitespace) } ?? "vi"
    // The command may contain arguments (`code --wait`); the file follows as the last one.
    let status = ChildProgram.run(ChildProcess.words(command) + [name])
    let shown = SafeText(line: command)
    guard let status else {
      throw Refusal(
        say(
          "%1 could not be run: %2. The line is unchanged; set VISUAL or EDITOR.", shown,
          systemReason()))
    }
    guard status == 0 else {
      throw Refusal(
        say("%1 ended with status %2; the line is unchanged.", shown, SafeText(Int(status))))
    }
    guard var saved = read(name) else {
      throw Refusal(
        say(
          "hobnob cannot read the text that %1 saved: %2. The line is unchanged.", shown,
          systemReason()))
    }
    if saved.hasSuffix("\n") { saved.removeLast() }
    guard saved.contains(where: { !$0.isWhitespace }) || text.isEmpty else {
      throw Refusal(say("The editor left an empty file; the line is unchanged."))
    }
    return saved
  }

  /// Opens the file again by name: editors save by replacing the file.
  private static func read(_ path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    return (try? readAll(descriptor)).map { String(decoding: $0, as: UTF8.self) }
  }
}
