// SPDX-License-Identifier: GPL-3.0-or-later

/// A text not yet sent, kept per participant and conversation (rule 5.1).
public struct Draft: Hashable, Sendable {
  public var text: String
  /// The caret, as the number of UTF-8 bytes before it; never inside a character in the store.
  public var caret: Int
  /// The mentions in it.
  public var spans: [Mention]
  /// The files that wait to be sent with it (rule 8.1).
  public var files: [DraftFile]

  public init(text: String, caret: Int, spans: [Mention] = [], files: [DraftFile] = []) {
    self.text = text
    self.caret = caret
    self.spans = spans
    self.files = files
  }
}

extension Draft {
  /// From the columns text, caret and spans.
  package init(_ row: Row) {
    self.init(text: row.text("text"), caret: row.int("caret"), spans: [Mention](row.json("spans")))
    clampCaret()
  }

  /// Moves a caret inside a character to its beginning, and one past the end to the end.
  package mutating func clampCaret() {
    let wanted = text.utf8.index(
      text.startIndex, offsetBy: max(0, caret), limitedBy: text.endIndex)
    guard let wanted, wanted < text.endIndex else {
      caret = text.utf8.count
      return
    }
    // The start of the character that holds the wanted byte.
    let index = text.index(before: text.index(after: wanted))
    caret = text.utf8.distance(from: text.startIndex, to: index)
  }
}

/// A file that waits in a draft: a path, read only when the message is sent.
public struct DraftFile: Hashable, Sendable {
  /// Absolute, so that a shell with another working folder finds the file.
  public var path: String
  /// The name to send it under; nil for that of the path.
  public var name: String?

  public init(path: String, name: String? = nil) {
    self.path = path
    self.name = name
  }

  /// Whether both name the same file: to Swift composed and decomposed letters are equal, to a file
  /// system they are not.
  func isSame(as other: DraftFile) -> Bool {
    path.utf8.elementsEqual(other.path.utf8)
      && (name ?? "").utf8.elementsEqual((other.name ?? "").utf8)
      && (name == nil) == (other.name == nil)
  }
}
