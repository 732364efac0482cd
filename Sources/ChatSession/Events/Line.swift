// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// A typed line on its way into the store.
package struct Line {
  /// As it was typed.
  package let typed: String
  let body: String
  let kind: Message.Kind
  let conversation: ID<Conversation>
  let conversationName: String
  /// Since when it waits for the store, in monotonic milliseconds.
  var since: Int64
  /// The files that go with it.
  package var files = WaitingFiles()
  /// The same in the store, once they are there.
  var attachments: [Attachment] = []
  /// By which number they are being copied there; nil: they need not be, or are there.
  package var copyNumber: Int?
  /// The people it mentions.
  var mentions: [Span] = []
  /// The message it answers.
  var replyTo: ID<Message>?
  /// The text of the stored draft that it came from.
  var draft: String?
  /// The part of that draft that was set aside; it stays.
  var rest: Conversations.Draft?

  /// The line as a draft of its conversation; nil for what only a command says.
  var asDraft: LineDraft? {
    guard kind == .text, replyTo == nil else { return nil }
    // A text that goes as a file has no body.
    let text = body.isEmpty ? typed : EditMode.shown(body)
    return LineDraft(text, spans: spans(in: text))
  }

  /// Its mentions in a text that is the body or ends with it.
  func spans(in text: String) -> [Span] {
    let shift = text.utf8.count - body.utf8.count
    guard shift >= 0, text.utf8.suffix(body.utf8.count).elementsEqual(body.utf8) else { return [] }
    return Span.shifted(mentions, by: shift)
  }
}

/// A line that could not be sent, and why.
struct ReturnedLine {
  let line: Line
  let reason: SafeText
}
