// SPDX-License-Identifier: GPL-3.0-or-later

/// An English sentence with the placeholders `%1` … `%9`, and the texts that replace them; `%%` is a
/// per cent sign. The key is what a translation will be looked up by. The arguments may come from
/// elsewhere and are not yet safe to print.
public typealias Sentence = (key: StaticString, arguments: [String])

/// The sentence with its arguments in place, as they are: a `%1` inside an argument stays.
///
/// ```swift
/// filled(("%1 & %2 are typing", ["anna", "ben"]))
/// ```
public func filled(_ sentence: Sentence) -> String {
  let key = sentence.key.description
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
    } else if (1...9).contains(number), number <= sentence.arguments.count {
      result += sentence.arguments[number - 1]
    } else {
      // A sentence that asks for more than it was given shows so, and a lone `%` is itself.
      result += "%"
      rest = rest[after...]
      continue
    }
    rest = rest[rest.utf8.index(after: after)...]
  }
  result.append(contentsOf: rest)
  return result
}
