// SPDX-License-Identifier: GPL-3.0-or-later
import Synchronization

/// A sentence the program shows, in the user's language. Every sentence goes through here.
///
/// ```swift
/// say("%1 & %2 are typing", anna, ben)
/// ```
///
/// - Parameters:
///   - english: the sentence in English; it is also the key of the translation. `%1` … `%9` stand
///     for the arguments, `%%` for a per cent sign.
///   - arguments: put in as they are; a `%1` inside an argument is not looked at. What is too long
///     for a sentence loses its middle: a name or a path can have any length.
public func say(_ english: StaticString, _ arguments: SafeText...) -> SafeText {
  let key = english.description
  return Phrases.filled(Phrases.translation(of: key) ?? SafeText(body: key), arguments)
}

/// The translations `say` looks in. With none, the program speaks English.
public enum Phrases {
  private static let catalogue = Mutex<[String: SafeText]>([:])

  /// Sets the translations, from the English sentence to its translation with the same `%1` … `%9`.
  public static func use(_ translations: [String: String]) {
    // A catalogue is a file from elsewhere as well.
    let safe = translations.mapValues { SafeText(body: $0) }
    catalogue.withLock { $0 = safe }
  }

  static func translation(of english: String) -> SafeText? {
    catalogue.withLock { $0.isEmpty ? nil : $0[english] }
  }

  /// How many bytes of an argument stand in a sentence, and how they are shared between its
  /// beginning and its end when it has more. The end of a path tells the file, and that of a
  /// sentence within another one what to do.
  static let most = (bytes: 1000, beginning: 600, end: 300)

  /// An argument that can stand in a sentence.
  static func cut(_ argument: SafeText) -> String {
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

  static func filled(_ sentence: SafeText, _ arguments: [SafeText]) -> SafeText {
    guard sentence.string.utf8.contains(UInt8(ascii: "%")) else { return sentence }
    var result = ""
    var rest = sentence.string[...]
    while let percent = rest.utf8.firstIndex(of: UInt8(ascii: "%")) {
      result.append(contentsOf: rest[..<percent])
      let after = rest.utf8.index(after: percent)
      guard after < rest.endIndex else {
        rest = rest[percent...]
        break
      }
      let next = rest.utf8[after]
      let number = Int(next) - Int(UInt8(ascii: "0"))
      if next == UInt8(ascii: "%") {
        result += "%"
      } else if (1...9).contains(number), number <= arguments.count {
        result += cut(arguments[number - 1])
      } else {
        // A sentence that asks for more than it was given shows so, and a lone `%` is itself.
        result += "%"
        rest = rest[after...]
        continue
      }
      rest = rest[rest.utf8.index(after: after)...]
    }
    result.append(contentsOf: rest)
    return SafeText(unchecked: result)
  }
}
