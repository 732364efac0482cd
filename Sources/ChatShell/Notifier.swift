// SPDX-License-Identifier: GPL-3.0-or-later
import ChatScripts
import ChatSession
import Glibc
import Platform
import StyledText

/// Runs `notify-command` (rule 7.10); in a burst of messages the last call says how many messages
/// it skipped.
@MainActor
final class Notifier {
  private unowned let shell: InteractiveShell
  /// The newest message without a free place, and how many others had none.
  private var waiting: (notification: Notification, others: Int)?
  /// The command that failed to start; reported once.
  private var broken: String?

  init(_ shell: InteractiveShell) { self.shell = shell }

  func notify(_ notification: Notification) {
    waiting = (notification, waiting.map { $0.others + 1 } ?? 0)
    runForWaiting()
  }

  private func runForWaiting() {
    guard let (notification, others) = waiting else { return }
    let command = shell.settings.notifyCommand
    let program = ChildProcess.words(command)
    // The person may have unset it; the sender's name must never become the program.
    guard !program.isEmpty else {
      waiting = nil
      return
    }
    let more = others > 0 ? say(" (and %1 more)", SafeText(others)).string : ""
    let words =
      program + [notification.sender, notification.conversation, notification.body + more]
    if shell.programs.start(words, ended: { [weak self] _ in self?.runForWaiting() }) {
      waiting = nil
      return
    }
    let (error, reason) = (errno, systemReason())
    // All places are taken; wait for the first program to end.
    if error == EAGAIN, shell.programs.isFull { return }
    waiting = nil
    guard broken != command else { return }
    broken = command
    shell.complain(
      say("notify-command %1 could not be run: %2.", SafeText(line: command), reason))
  }
}
