// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// The terminal bell and notifications, for mentions of the person and direct messages (rule 7.10).
@MainActor
struct Alerts {
  let me: Participant
  let settings: Settings
  let attention: Attention

  /// Whether a message mentions the person or is to the person alone, unless the person wants more
  /// or fewer alerts (rule 7.11).
  func isForMe(_ message: Message, isDirect: Bool) -> Bool {
    guard message.kind != .notice,
      !attention.isSilenced(message.sender, in: message.conversation)
    else { return false }
    return switch attention.notify[message.conversation] {
    case .everything?: true
    case .mentions?: isMention(message)
    case .nothing?: false
    case nil: isDirect || isMention(message)
    }
  }

  private func isMention(_ message: Message) -> Bool {
    message.names(me, settings.highlights)
  }

  /// Whether an event is an invitation that alerts the person: somebody added them to a room.
  /// Invitations ring, like messages for the person.
  func isInvitation(_ event: Event) -> Bool {
    event.other?.id == me.id && !attention.mutedPeople.contains(event.participant.id)
      && !attention.ignoredPeople.contains(event.participant.id)
  }

  /// - Parameters:
  ///   - messages: messages for the person.
  ///   - seen: the conversation whose lines the person sees as they arrive.
  func rings(for messages: [Message], seen: ID<Conversation>?) -> Bool {
    settings.bell && messages.contains { $0.conversation != seen || isMention($0) }
  }

  /// Whether the person wants notifications: by a command, or by a terminal that can show them.
  var canNotify: Bool { !settings.notifyCommand.isEmpty || settings.notifyTerminal != .off }

  /// How many bytes of a text to pass on at most: the system allows 128 KiB in one argument, and
  /// nobody reads more in passing.
  private static let notifiedBytes = 4000

  func notification(of message: Message, _ snapshot: borrowing Snapshot) -> Notification {
    let conversation = (try? snapshot.conversation(message.conversation, for: me.id)) ?? nil
    // Sanitising may make the text longer.
    let body = SafeText(body: String(message.shownBody.start(bytes: Self.notifiedBytes)))
    var texts = [
      SafeText(name: message.senderName), SafeText(name: conversation?.name ?? ""), body,
    ].map { String($0.string.start(bytes: Self.notifiedBytes)) }
    // The program may take a leading hyphen for an option. Compare bytes, as it does, not
    // characters.
    for index in texts.indices where texts[index].utf8.first == UInt8(ascii: "-") {
      texts[index] = (index == 0 ? "@" : " ") + texts[index]
    }
    return Notification(
      message: message.id, sender: texts[0], conversation: texts[1], body: texts[2])
  }
}
