// SPDX-License-Identifier: GPL-3.0-or-later

/// An English sentence with the places `%1` … `%9`, and what stands in them. The key is what a
/// translation is looked up by; the arguments are text from elsewhere and not yet safe to print.
public typealias Sentence = (key: StaticString, arguments: [String])

/// The sentence in English, for those who translate nothing.
package func filled(_ sentence: Sentence) -> String {
  var result = ""
  var pendingPercent = false
  for character in sentence.key.description {
    if pendingPercent {
      pendingPercent = false
      if let place = character.wholeNumberValue, 1...9 ~= place,
        place <= sentence.arguments.count
      {
        result += sentence.arguments[place - 1]
      } else {
        result += "%"
        result.append(character)
      }
    } else if character == "%" {
      pendingPercent = true
    } else {
      result.append(character)
    }
  }
  return pendingPercent ? result + "%" : result
}
