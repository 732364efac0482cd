// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// Messages as `log`, `search` and `wait` print them: every line that does not begin with a blank
/// begins a message, whatever the text (rule 12.2).
enum LogLines {
  /// `2026-11-21 10:30 [42] `, or `2026-11-21 10:30 #tea [42] ` with the name of the conversation.
  static func head(_ message: Message, in conversation: SafeText? = nil) -> SafeText {
    let stamp = LocalTime.stamp(message.createdAt)
    guard let conversation else { return "\(stamp) [\(message.number)] " }
    return "\(stamp) \(conversation) [\(message.number)] "
  }

  /// `anna: `, or `* anna ` for an action, or `- anna: ` for a notice.
  static func sender(_ message: Message, _ names: ShownNames) -> SafeText {
    let name = names.name(message.senderName, of: message.sender)
    return switch message.kind {
    case .text, .unreadable: name + ": "
    case .action: "* " + name + " "
    case .notice: "- " + name + ": "
    }
  }

  /// The lines of a message, with the message that it answers above it, as in `/history`, and its
  /// files and reactions below it.
  ///
  /// - Parameter folding: nil to print all of a body, however long.
  static func all(
    _ message: Message, reactions: [Reaction] = [], in conversation: SafeText? = nil,
    names: ShownNames = ShownNames(), folding: BodyPreview? = nil
  ) -> [SafeText] {
    let head = head(message, in: conversation)
    guard message.deletedAt == nil else {
      let sender = names.name(message.senderName, of: message.sender)
      return [
        head
          + (message.removal.map {
            MessagePrinter.removalText($0, of: say("this message of %1", sender))
          } ?? say("%1 deleted this message", sender))
      ]
    }
    var texts = message.shownBody.isEmpty ? [] : body(of: message, folding)
    texts += files(of: message)
    let notes = message.notes
    if !notes.isEmpty, let last = texts.popLast() { texts.append(last + notes) }
    texts += reactions.byEmoji { names.name($0.name, of: $0.id) }
    let quote = message.replyTo.map { ["  " + MessagePrinter.quote($0, .ascii).plain] } ?? []
    let first = head + sender(message, names) + (texts.first ?? SafeText())
    return quote + [first] + texts.dropFirst().map { "    " + $0 }
  }

  private static func body(of message: Message, _ folding: BodyPreview?) -> [SafeText] {
    guard let (beginning, size) = folding?.fold(message.shownBody) else {
      return SafeText(body: message.shownBody).lines
    }
    // The hint says `| less`, since `log` prints whole bodies into a pipe.
    return beginning.lines + [
      say(
        """
        (%1, folded; to read all: hobnob log CONVERSATION --from %2 --to %2 | less, \
        or /info %2 at the prompt)
        """, size, SafeText(message.number))
    ]
  }

  /// `[file 1: cups.png, image/png, 1.4 MB]`, for each file.
  static func files(of message: Message) -> [SafeText] {
    message.attachments.enumerated().map { MessagePrinter.file($1, $0 + 1).plain }
  }
}
