// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// The bell and `notify-command`, for mentions of me and direct messages (rule 7.10).
@MainActor
struct Alerts: SessionPart {
  let session: Session

  /// It names me, or it was written to me alone, unless I want to hear more or less (rule 7.11).
  func isForMe(_ message: Message) -> Bool {
    let attention = session.attention
    guard !attention.isQuiet(message.sender, in: message.conversation) else { return false }
    return switch attention.notify[message.conversation] {
    case .everything?: true
    case .mentions?: isMention(message)
    case .nothing?: false
    case nil: news.isDirect(message) || isMention(message)
    }
  }

  private func isMention(_ message: Message) -> Bool {
    message.names(me, highlight: settings.highlightWords)
  }

  /// - Parameter isInvited: somebody brought me into a room, which rings as well.
  func alert(_ messages: [Message], andInvited isInvited: Bool) {
    // Whoever has a direct chat before them sees each line of it come.
    let rings = messages.contains {
      $0.conversation != place.conversation?.id || screen.isPaused || isMention($0)
    }
    if settings.bell, rings || isInvited { emit(.bell) }
    guard !settings.notifyCommand.isEmpty, session.isInteractive else { return }
    for message in messages { notify(message) }
  }

  /// How much of a text is handed on, in bytes; the system takes 128 KiB in one argument, and nobody
  /// reads more in passing.
  private static let notifiedBytes = 4000

  private func notify(_ message: Message) {
    let name =
      (try? store.read { try $0.conversation(message.conversation, for: me.id) })??.name ?? ""
    // What is made safe may become longer.
    let body = SafeText(body: String(message.body.start(bytes: Self.notifiedBytes)))
    var texts = [SafeText(name: message.senderName), SafeText(name: name), body].map {
      String($0.string.start(bytes: Self.notifiedBytes))
    }
    // The program may take a leading hyphen for an option. Compare bytes, as it does, not
    // characters.
    if texts[0].utf8.first == UInt8(ascii: "-") { texts[0] = "@" + texts[0] }
    emit(.notify(Notification(sender: texts[0], place: texts[1], body: texts[2])))
  }
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
