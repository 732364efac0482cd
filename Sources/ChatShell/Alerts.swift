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

  /// How much of a text is handed on, in bytes of UTF-8 at least.
  private static let notifiedCharacters = 1000

  private func notify(_ message: Message) {
    let command = settings.notifyCommand
    let name = (try? store.conversation(message.conversation, for: me.id))??.name ?? ""
    let text = SafeText(body: String(message.body.prefix(Self.notifiedCharacters)))
    let words =
      command.split(whereSeparator: \.isWhitespace).map(String.init)
      + [SafeText(name: message.senderName).string, SafeText(name: name).string, text.string]
    guard !programs.start(words, ended: { _ in }) else { return }
    let reason = systemReason()
    guard errno != EAGAIN, brokenNotifier != command else { return }
    brokenNotifier = command
    complain([say("notify-command %1 could not be run: %2.", SafeText(line: command), reason)])
  }
}
