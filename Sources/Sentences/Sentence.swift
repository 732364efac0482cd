// SPDX-License-Identifier: GPL-3.0-or-later

/// An English sentence with the placeholders `%1` … `%9`, and the texts that replace them; `%%` is
/// a per cent sign. The key identifies the translation. The arguments may come from elsewhere and
/// are not yet safe to print.
public typealias Sentence = (key: StaticString, arguments: [any RemarkArgument])

/// The sentence in the user's language with its arguments inserted unchanged: a `%1` inside an
/// argument stays.
///
/// ```swift
/// filled(("%1 & %2 are typing", ["anna", "ben"]))
/// ```
public func filled(_ sentence: Sentence) -> String {
  filled(translated(sentence.key), sentence.arguments.map(\.remark.text))
}

/// A translated sentence with its arguments inserted.
package func filled(_ key: String, _ arguments: [String]) -> String {
  guard key.utf8.contains(UInt8(ascii: "%")) else { return key }
  var result = ""
  var rest = key[...]
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
      result += arguments[number - 1]
    } else {
      // A placeholder without an argument stays visible, and so does a lone `%`.
      result += "%"
      rest = rest[after...]
      continue
    }
    rest = rest[rest.utf8.index(after: after)...]
  }
  result.append(contentsOf: rest)
  return result
}
