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
import Terminal

/// Runs `notify-command` (rule 7.10), or else lets the terminal notify; in a burst of messages the
/// last call says how many messages it skipped.
@MainActor
final class Notifier {
  private let session: Session
  private let editor: LineEditor
  private let programs: DetachedPrograms
  private let complain: (SafeText) -> Void
  /// The newest message that found every place taken, and how many others did.
  private var waiting: (notification: Notification, others: Int)?
  /// The command that failed to start; reported once.
  private var broken: String?

  init(
    _ session: Session, _ editor: LineEditor, _ programs: DetachedPrograms,
    complain: @escaping (SafeText) -> Void
  ) {
    (self.session, self.editor, self.programs) = (session, editor, programs)
    self.complain = complain
  }

  private var settings: Settings { session.preferences.settings }

  /// - Parameter notifications: the notifications to show, the oldest first.
  func notify(_ notifications: [Notification]) {
    let sequence = sequence
    let command = settings.notifyCommand
    guard !command.isEmpty || sequence != nil, let newest = notifications.last else { return }
    var unclaimed = notifications
    // Other shells, whose command may be another, must not leave a message to one that fails.
    if command.isEmpty || command != broken {
      let claimed = session.committer.claimNotifications(
        of: session.me.id, upTo: newest.message)
      unclaimed.removeAll { $0.message.rawValue <= claimed.rawValue }
    }
    if command.isEmpty, let sequence {
      show(unclaimed, by: sequence)
    } else {
      for notification in unclaimed {
        waiting = (notification, waiting.map { $0.others + 1 } ?? 0)
        runForWaiting()
      }
    }
  }

  /// How to ask the terminal; nil if it cannot show a notification, or need not because the person
  /// looks at its window. A terminal that is chosen by its name reports the focus.
  private var sequence: DesktopNotification? {
    let setting = settings.notifyTerminal
    let isLookedAt = editor.focus.isHere || !editor.focus.isKnown
    if isLookedAt, setting == .auto || editor.focus.isReported { return nil }
    return setting == .off
      ? nil : editor.notification(DesktopNotification(rawValue: setting.rawValue))
  }

  private func show(_ notifications: [Notification], by sequence: DesktopNotification) {
    guard let newest = notifications.last else { return }
    let sender = SafeText(name: newest.sender)
    let conversation = SafeText(name: newest.conversation)
    let isDirect = newest.conversation == "@" + newest.sender
    let others = notifications.count - 1
    let more = others > 0 ? say(" (and %1 more)", SafeText(others)) : ""
    let title: SafeText = isDirect ? sender : "\(sender) (\(conversation))"
    editor.notify(
      title: title + more,
      body: SafeText(body: newest.body), identifier: "hobnob-\(newest.message.rawValue)",
      by: sequence)
  }

  private func runForWaiting() {
    guard let (notification, others) = waiting else { return }
    let command = settings.notifyCommand
    let program = ChildProcess.words(command)
    // The person may have unset it; the sender's name must never become the program.
    guard !program.isEmpty else {
      waiting = nil
      return
    }
    let more = others > 0 ? say(" (and %1 more)", SafeText(others)).string : ""
    let words =
      program + [notification.sender, notification.conversation, notification.body + more]
    if programs.start(words, ended: { [weak self] _ in self?.runForWaiting() }) {
      (waiting, broken) = (nil, nil)
      return
    }
    let (error, reason) = (errno, systemReason())
    // All places are taken; wait for the first program to end.
    if error == EAGAIN, programs.isFull { return }
    waiting = nil
    guard broken != command else { return }
    broken = command
    complain(
      say("notify-command %1 could not be run: %2.", SafeText(line: command), reason))
  }
}
