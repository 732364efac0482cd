// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Compares two texts and returns what `strcoll` would: a number below, equal to or above 0.
public typealias CandidateOrder = (String, String) -> Int

/// Which candidates match a word, and in what order (2.5).
package enum Ranking {
  /// The candidates that match a word, ignoring case and accents.
  ///
  /// These decide the order of both lists, one after the other: whether there is a warning (those
  /// without one are first), how recently the person spoke, `order`, the folded text, and the text.
  ///
  /// - Parameters:
  ///   - all: everything the source offers.
  ///   - word: the typed word, without prefix; an empty one matches everything.
  ///   - order: a locale's order.
  ///   - oneForEachHint: see ``PrefixRules/oneForEachHint``.
  /// - Returns: the candidates that begin with the word, and those that contain it further in.
  package static func candidates(
    _ all: [Candidate], matching word: String, order: CandidateOrder? = nil,
    oneForEachHint: Bool = false
  ) -> (beginning: [Candidate], containing: [Candidate]) {
    let index = CandidateIndex(all, order: order, oneForEachHint: oneForEachHint)
    let found = index.once(index.matches(of: Array(MatchFolding.folded(word).utf8)))
    return (index.inOrder(found.beginning), index.inOrder(found.containing))
  }

  /// The part that the candidates have in common.
  ///
  /// - Parameters:
  ///   - candidates: those that begin with the word; or, if no candidate does, those that contain
  ///     it.
  ///   - word: what was typed.
  /// - Returns: the common beginning, as the first candidate spells it, or the word itself if they
  ///   have nothing more in common.
  package static func commonPart(of candidates: [Candidate], typed word: String) -> String {
    guard let first = candidates.first else { return word }
    let letters = first.text.map { (letter: $0, folded: MatchFolding.folded(String($0))) }
    var agreed = letters.count
    for other in candidates.dropFirst() where agreed > 0 {
      var count = 0
      for letter in other.text {
        guard count < agreed, letters[count].folded == MatchFolding.folded(String(letter)) else {
          break
        }
        count += 1
      }
      agreed = min(agreed, count)
    }
    let common = String(first.text.prefix(agreed))
    // If the candidates only contain the word (`xyz-word`), their common part may begin otherwise.
    return MatchFolding.folded(common).utf8.starts(with: MatchFolding.folded(word).utf8)
      ? common : word
  }

  /// The part of a candidate's text that matches a word, for the menu to mark (2.7).
  ///
  /// - Returns: the UTF-8 offsets of whole graphemes; nil if the word does not match or is empty.
  package static func match(of word: String, in text: String) -> Range<Int>? {
    let word = MatchFolding.folded(word)
    guard !word.isEmpty else { return nil }
    var foldedText = ""
    // For each byte of the folded text, the range of the grapheme it comes from.
    var origins: [Range<Int>] = []
    var offset = 0
    for letter in text {
      let part = MatchFolding.folded(String(letter))
      let origin = offset..<(offset + letter.utf8.count)
      foldedText += part
      origins.append(contentsOf: repeatElement(origin, count: part.utf8.count))
      offset = origin.upperBound
    }
    let start = word.withUTF8Bytes { word in
      foldedText.withUTF8Bytes { firstMatch(of: word, in: $0) }
    }
    guard let start else { return nil }
    return origins[start].lowerBound..<origins[start + word.utf8.count - 1].upperBound
  }

  @inline(__always)
  static func firstMatch(
    of word: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    guard let head = word.first else { return 0 }
    let last = text.count - word.count
    var start = 0
    // Written by hand, since this runs for each of many names at every key.
    while start <= last {
      if text[start] == head {
        var alike = 1
        while alike < word.count && text[start + alike] == word[alike] { alike += 1 }
        if alike == word.count { return start }
      }
      start += 1
    }
    return nil
  }

  /// Compares the bytes of the folded texts, then those of the texts; nil if these are equal.
  static func precedesByText(_ a: Candidate, _ b: Candidate) -> Bool? {
    precedes(a.folded, b.folded) ?? precedes(a.text, b.text)
  }

  private static func precedes(_ a: String, _ b: String) -> Bool? {
    a.withUTF8Bytes { a in
      b.withUTF8Bytes { b in
        let room = min(a.count, b.count)
        let alike = TextChange.commonPrefix(a, b, atMost: room)
        if alike < room { return a[alike] < b[alike] }
        return a.count == b.count ? nil : a.count < b.count
      }
    }
  }
}
