// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations

extension Conversations.Draft {
  package init(_ draft: LineDraft, files: WaitingFiles = WaitingFiles()) {
    self.init(
      text: draft.text, caret: draft.caret, spans: draft.spans.map(Mention.init),
      files: files.files.map { DraftFile(path: $0.path, name: $0.name) })
  }

  /// Whether it has neither text nor files.
  var isEmpty: Bool { text.isEmpty && files.isEmpty }

  /// This draft, with another one below it that holds the caret.
  package func followed(by other: Conversations.Draft?) -> Conversations.Draft {
    Conversations.Draft.joined([self] + (other.map { [$0] } ?? [])) ?? self
  }

  /// Joins drafts below each other, with the caret in the last; nil without drafts.
  static func joined(_ drafts: [Conversations.Draft]) -> Conversations.Draft? {
    guard drafts.count > 1 else { return drafts.first }
    var (text, caret) = ("", 0)
    var spans: [Span] = []
    for draft in drafts {
      if !text.isEmpty, !draft.text.isEmpty { text += "\n" }
      let shift = text.utf8.count
      spans += Span.shifted(draft.spans.spans(in: draft.text), by: shift)
      text += draft.text
      caret = shift + draft.caret
    }
    return Conversations.Draft(
      text: text, caret: caret, spans: spans.map(Mention.init), files: drafts.flatMap(\.files))
  }

  /// The part of this draft below `head`; nil if it does not begin with `head`.
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
    let spans = spans.spans(in: text).filter { $0.range.lowerBound >= start }
    return Conversations.Draft(
      text: String(decoding: text.utf8.dropFirst(start), as: UTF8.self),
      caret: max(0, caret - start), spans: Span.shifted(spans, by: -start).map(Mention.init),
      files: Array(files.dropFirst(head.files.count)))
  }
}
