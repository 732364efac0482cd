// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// A sentence that the program shows, in the user's language.
///
/// ```swift
/// say("%1 & %2 are typing", anna, ben)
/// ```
///
/// - Parameters:
///   - english: the sentence, with placeholders as in `Sentence`.
///   - arguments: the texts that replace the placeholders. A name or a path can have any length;
///     the sentence omits the middle of a very long one.
public func say(_ english: StaticString, _ arguments: SafeText...) -> SafeText {
  say(english, arguments)
}

/// A sentence whose arguments are not yet safe to print; each becomes one safe line.
public func say(_ sentence: Sentence) -> SafeText {
  say(sentence.key, sentence.arguments.map { SafeText(line: $0.remark) })
}

/// A sentence with a form for one and a form for other counts.
///
/// ```swift
/// say("1 file is attached.", "%1 files are attached.", count: files)
/// ```
///
/// - Parameters:
///   - one: the English form for one.
///   - other: the English form for other counts.
///   - count: replaces `%1`.
///   - arguments: replace `%2` and so on.
public func say(
  _ one: StaticString, _ other: StaticString, count: Int, _ arguments: SafeText...
) -> SafeText {
  say(translated(one, other, count: count), [SafeText(count)] + arguments)
}

private func say(_ english: StaticString, _ arguments: [SafeText]) -> SafeText {
  say(translated(english), arguments)
}

private func say(_ key: String, _ arguments: [SafeText]) -> SafeText {
  let text = filled(key, arguments.map(shortened))
  // A catalogue is a file, and not part of the program.
  return Catalogue.isOpen ? SafeText(body: text) : SafeText(unchecked: text)
}

/// The size in bytes up to which a sentence shows an argument whole, and the bytes that it shows of
/// the beginning and the end of a larger one. The end of a path names the file; the end of a
/// sentence inside another one says what to do.
private let argumentLimits = (bytes: 1000, beginning: 600, end: 300)

/// An argument without its middle, if it is too long for a sentence.
private func shortened(_ argument: SafeText) -> String {
  let text = argument.string
  let bytes = text.utf8.count
  guard bytes > argumentLimits.bytes else { return text }
  let scalars = text.unicodeScalars
  func boundary(_ offset: Int) -> String.Index {
    var index = text.utf8.index(text.utf8.startIndex, offsetBy: offset)
    while String.Index(index, within: scalars) == nil { index = text.utf8.index(before: index) }
    return index
  }
  return text[..<boundary(argumentLimits.beginning)] + Glyphs.unicode.ellipsis.string
    + text[boundary(bytes - argumentLimits.end)...]
}

extension SafeText {
  /// A remark in the user's language, as one line.
  public init(line remark: Remark) { self.init(line: remark.text) }
}
