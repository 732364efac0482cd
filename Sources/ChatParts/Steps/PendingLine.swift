// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import Platform
import StyledText

/// A typed line on its way to the store.
package struct PendingLine {
  package let typed: String
  package let body: String
  let kind: Message.Kind
  package let conversation: ID<Conversation>
  package let conversationName: String
  /// When it began to wait for the store.
  var since: MonotonicTime
  /// The files to send with it.
  package var files = WaitingFiles()
  /// The files in the store, once they have been copied.
  var attachments: [Attachment] = []
  /// The number of the work that copies the files; nil if there are none, or it is finished.
  package var copyNumber: Int?
  /// The people it mentions.
  var mentions: [Span] = []
  /// Whether a command sent it to a conversation that was not open.
  package var isForElsewhere = false
  /// The message it answers.
  var replyTo: ID<Message>?
  /// The text of the stored draft that became this line.
  var draft: String?
  /// The part of that draft to keep, which was set aside.
  var rest: Conversations.Draft?

  /// Whether it has a password, and must not enter the input history.
  var isSecret: Bool { Secrets.isIn(typed) || Secrets.isLogin(body, to: conversationName) }

  /// The line as a draft of its conversation; nil for a line that only a command could send.
  var asDraft: LineDraft? {
    guard kind == .text, replyTo == nil else { return nil }
    // A text sent as a file has no body.
    let text = body.isEmpty ? typed : EditMode.escapingSlash(body)
    return LineDraft(text, spans: spans(in: text))
  }

  /// The line's mentions, in a text that equals the body or ends with it.
  func spans(in text: String) -> [Span] {
    let shift = text.utf8.count - body.utf8.count
    guard shift >= 0, text.utf8.suffix(body.utf8.count).elementsEqual(body.utf8) else { return [] }
    return Span.shifted(mentions, by: shift)
  }

  /// The whole of this line, which cannot be stored.
  package var unsent: SafeText {
    say("Not sent:") + " " + SafeText(body: typed).lines.joined(separator: " ")
  }

  /// A sentence about this line, which is not visible, with its first words.
  func named(in sentence: SafeText, _ widths: Widths) -> SafeText {
    let text = SafeText(body: typed).lines.first ?? ""
    return text.isEmpty
      ? sentence : say("%1 It begins: %2", sentence, text.truncated(to: 40, widths: widths))
  }
}

/// A line that hobnob could not send, and why.
package struct ReturnedLine {
  package let line: PendingLine
  package let reason: SafeText
}

/// A text to send as a message.
package struct OutgoingText {
  var body: String
  /// Where to send it; nil for the open conversation.
  var target: Conversation?
  /// What hobnob puts before it.
  var prefix: String
  var kind: Message.Kind
  /// The typed line.
  var typed: String
  var replyTo: ID<Message>?
  /// Files that are already in the store; the message lists them after the newly attached ones.
  var attachments: [Attachment]

  package init(
    body: String, prefix: String = "", kind: Message.Kind = .text, typed: String,
    replyTo: ID<Message>? = nil, attachments: [Attachment] = []
  ) {
    (self.body, self.prefix, self.kind, self.typed) = (body, prefix, kind, typed)
    (self.replyTo, self.attachments) = (replyTo, attachments)
  }

  /// This text, sent to a conversation without opening it.
  package func to(_ conversation: Conversation) -> OutgoingText {
    var text = self
    text.target = conversation
    return text
  }
}
