// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

/// A typed line on its way into the store.
package struct Line {
  /// As it was typed.
  package let typed: String
  let body: String
  let kind: Message.Kind
  let conversation: ID<Conversation>
  /// The name of the conversation.
  let place: String
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

extension Span {
  /// The spans of a text before which so many bytes were put, or, negative, taken.
  static func shifted(_ spans: [Span], by shift: Int) -> [Span] {
    spans.map {
      Span(
        range: ($0.range.lowerBound + shift)..<($0.range.upperBound + shift),
        identity: $0.identity)
    }
  }
}

extension Conversations.Draft {
  package init(_ draft: LineDraft, files: WaitingFiles = WaitingFiles()) {
    self.init(
      text: draft.text, caret: draft.caret, spans: Span.encoded(draft.spans),
      files: files.files.map { DraftFile(path: $0.path, name: $0.name) })
  }

  /// Neither text nor files.
  var isEmpty: Bool { text.isEmpty && files.isEmpty }

  /// This draft, and below it another one, the caret in the other.
  package func followed(by other: Conversations.Draft?) -> Conversations.Draft {
    Conversations.Draft.joined([self] + (other.map { [$0] } ?? [])) ?? self
  }

  /// Drafts one below the other, the caret in the last; nil where there are none.
  static func joined(_ drafts: [Conversations.Draft]) -> Conversations.Draft? {
    guard drafts.count > 1 else { return drafts.first }
    var (text, caret) = ("", 0)
    var spans: [Span] = []
    for draft in drafts {
      if !text.isEmpty, !draft.text.isEmpty { text += "\n" }
      let shift = text.utf8.count
      spans += Span.shifted(Span.decoded(draft.spans, in: draft.text), by: shift)
      text += draft.text
      caret = shift + draft.caret
    }
    return Conversations.Draft(
      text: text, caret: caret, spans: Span.encoded(spans), files: drafts.flatMap(\.files))
  }

  /// What stands below `head` in this draft; nil where it does not begin with that.
  func below(_ head: Conversations.Draft) -> Conversations.Draft? {
    guard text.utf8.starts(with: head.text.utf8), files.starts(with: head.files) else {
      return nil
    }
    let count = head.text.utf8.count
    let hasMore = text.utf8.count > count
    let start = hasMore && count > 0 ? count + 1 : count
    guard start == count || text.utf8.dropFirst(count).first == UInt8(ascii: "\n") else {
      return nil
    }
    let spans = Span.decoded(spans, in: text).filter { $0.range.lowerBound >= start }
    return Conversations.Draft(
      text: String(decoding: text.utf8.dropFirst(start), as: UTF8.self),
      caret: max(0, caret - start), spans: Span.encoded(Span.shifted(spans, by: -start)),
      files: Array(files.dropFirst(head.files.count)))
  }
}
