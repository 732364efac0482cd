// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// A sentence that the program shows.
///
/// ```swift
/// say("%1 & %2 are typing", anna, ben)
/// ```
///
/// - Parameters:
///   - english: the sentence, with placeholders as in `Sentence`.
///   - arguments: put in as they are. What is too long for a sentence loses its middle: a name or a
///     path can have any length.
public func say(_ english: StaticString, _ arguments: SafeText...) -> SafeText {
  say(english, arguments)
}

/// A sentence whose arguments come from elsewhere; each becomes one safe line.
public func say(_ sentence: Sentence) -> SafeText {
  say(sentence.key, sentence.arguments.map { SafeText(line: $0) })
}

private func say(_ english: StaticString, _ arguments: [SafeText]) -> SafeText {
  SafeText(unchecked: filled((english, arguments.map(cut))))
}

/// How many bytes of an argument a sentence shows, and how many of its beginning and its end if it has
/// more. The end of a path names the file; the end of a sentence inside another one says what to do.
private let most = (bytes: 1000, beginning: 600, end: 300)

/// An argument, cut to what a sentence shows.
private func cut(_ argument: SafeText) -> String {
  let text = argument.string
  let bytes = text.utf8.count
  guard bytes > most.bytes else { return text }
  let scalars = text.unicodeScalars
  func boundary(_ offset: Int) -> String.Index {
    var index = text.utf8.index(text.utf8.startIndex, offsetBy: offset)
    while String.Index(index, within: scalars) == nil { index = text.utf8.index(before: index) }
    return index
  }
  return text[..<boundary(most.beginning)] + Glyphs.unicode.ellipsis.string
    + text[boundary(bytes - most.end)...]
}
