// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import StyledText

/// The bell and `notify-command`, for mentions of me and direct messages (rule 7.10).
extension Shell {
  /// It names me, or it was written to me alone.
  func isForMe(_ message: Message) -> Bool { isDirect(message) || message.names(me) }

  private func isDirect(_ message: Message) -> Bool {
    message.conversation == conversation?.id
      ? conversation?.kind == .direct
      : unread[message.conversation]?.name.hasPrefix("@") == true
  }

  /// - Parameter isInvited: somebody brought me into a room, which rings as well.
  func alert(_ messages: [Message], andInvited isInvited: Bool) {
    // Whoever has a direct chat before them sees each line of it come.
    let rings = messages.contains {
      $0.conversation != conversation?.id || isPaused || $0.names(me)
    }
    if settings.bell, rings || isInvited { face?.bell() }
    guard !settings.notifyCommand.isEmpty, face?.isInteractive == true else { return }
    for message in messages { notify(message) }
  }

  /// How much of a text is handed on, in bytes; the system takes 128 KiB in one argument, and nobody
  /// reads more in passing.
  private static let notifiedBytes = 4000

  private func notify(_ message: Message) {
    notifier.waiting = (message, notifier.waiting.map { $0.others + 1 } ?? 0)
    notifyOfWaiting()
  }

  private func notifyOfWaiting() {
    guard let (message, others) = notifier.waiting else { return }
    let command = settings.notifyCommand
    let program = ChildProgram.words(command)
    // It may have been set to none since; the sender's name must never be the first word.
    guard !program.isEmpty else {
      notifier.waiting = nil
      return
    }
    let name = (try? store.conversation(message.conversation, for: me.id))??.name ?? ""
    // What is made safe may become longer.
    let body = SafeText(body: String(message.body.start(bytes: Self.notifiedBytes)))
    let more = others > 0 ? say(" (and %1 more)", SafeText(others)) : ""
    let texts = [SafeText(name: message.senderName), SafeText(name: name), body].map {
      String($0.string.start(bytes: Self.notifiedBytes))
    }
    let words = program + texts.dropLast() + [texts[2] + more.string]
    if programs.start(words, ended: { [weak self] _ in self?.notifyOfWaiting() }) {
      notifier.waiting = nil
      return
    }
    let (error, reason) = (errno, systemReason())
    // All places are taken; the first that ends makes room.
    if error == EAGAIN, programs.isFull { return }
    notifier.waiting = nil
    guard notifier.broken != command else { return }
    notifier.broken = command
    complain([say("notify-command %1 could not be run: %2.", SafeText(line: command), reason)])
  }
}

/// What `notify-command` has still to be told.
struct Notifier {
  /// The newest message that found no place, and how many others did not.
  var waiting: (message: Message, others: Int)?
  /// The command that could not be run, which was said.
  var broken: String?
}

extension String {
  /// The start of a text with at most so many bytes: whole characters, or, where the first one alone
  /// is longer, whole code points.
  func start(bytes most: Int) -> Substring {
    guard utf8.count > most else { return self[...] }
    var end = utf8.index(startIndex, offsetBy: most)
    while end > startIndex, utf8[end] & 0xC0 == 0x80 { utf8.formIndex(before: &end) }
    let start = self[..<end]
    // The last one may go on behind the end.
    let last = start.index(before: end)
    return last > startIndex ? start[..<last] : start
  }
}
