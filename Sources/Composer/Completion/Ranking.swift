// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a source offers for a word (2.5).
///
/// ```swift
/// Candidate("Anna", identity: "anna@example.org", recency: 7, hint: "away")
/// ```
public struct Candidate: Hashable, Sendable {
  /// What is completed, without the prefix: a name, a room, a command.
  public var text: String {
    didSet { folded = Ranking.folded(text) }
  }
  /// Who it is, where the source knows more than a name (2.10).
  public var identity: String?
  /// The higher, the more recently they spoke here; 0 for never.
  public var recency: Int
  /// What the menu shows beside it.
  public var hint: String
  /// A warning that the menu shows before it. Those without one stand before all others.
  public var mark: String
  /// The text as it is compared; made once, since matching runs at every key.
  private(set) var folded: String

  /// Its place among those that match alike: the higher, the further ahead.
  var rank: Int { mark.isEmpty ? recency : recency - Int.max / 2 }

  /// - Parameter name: what it is found by, where that is not the text.
  public init(
    _ text: String, identity: String? = nil, recency: Int = 0, hint: String = "",
    mark: String = "", name: String? = nil
  ) {
    self.text = text
    self.identity = identity
    self.recency = recency
    self.hint = hint
    self.mark = mark
    folded = Ranking.folded(name ?? text)
  }
}

/// How two texts are ordered, as `strcoll` says it: below, at or above 0.
public typealias CandidateOrder = (String, String) -> Int

/// Which candidates match a word, and in what order (2.5).
package enum Ranking {
  /// The candidates that match a word, whatever its case and accents.
  ///
  /// Within each list those without a mark come first, then people who spoke more recently, then the order that is given, the
  /// order of the folded text, and that of the text.
  ///
  /// - Parameters:
  ///   - all: everything the source offers. In the resulting order already, sorting costs little.
  ///   - word: what was typed, without prefix; an empty one matches everything.
  ///   - order: a locale's order. The C library's is a matter of the whole process.
  /// - Returns: those that begin with the word, and those that contain it further in.
  package static func candidates(
    _ all: [Candidate], matching word: String, order: CandidateOrder? = nil
  ) -> (beginning: [Candidate], containing: [Candidate]) {
    let word = folded(word)
    var beginning: [Int] = []
    var containing: [Int] = []
    word.withBytes { word in
      for index in all.indices {
        switch all[index].folded.withBytes({ firstMatch(of: word, in: $0) }) {
        case 0?: beginning.append(index)
        case .some: containing.append(index)
        case nil: break
        }
      }
    }
    return (sorted(beginning, all, order), sorted(containing, all, order))
  }

  /// How far the candidates agree.
  ///
  /// - Parameters:
  ///   - candidates: those that begin with the word; contained ones only if there are none.
  ///   - word: what was typed.
  /// - Returns: the common beginning in the letters of the first candidate, or the word itself
  ///   where they agree on nothing more.
  package static func commonPart(of candidates: [Candidate], typed word: String) -> String {
    guard let first = candidates.first else { return word }
    let letters = first.text.map { (letter: $0, folded: folded(String($0))) }
    var agreed = letters.count
    for other in candidates.dropFirst() where agreed > 0 {
      var count = 0
      for letter in other.text {
        guard count < agreed, letters[count].folded == folded(String(letter)) else { break }
        count += 1
      }
      agreed = min(agreed, count)
    }
    let common = String(first.text.prefix(agreed))
    // What is contained further in agrees on nothing that was typed.
    return folded(common).utf8.starts(with: folded(word).utf8) ? common : word
  }

  /// Where a word stands in a candidate's text, for the menu to mark (2.7).
  ///
  /// - Returns: UTF-8 offsets, whole graphemes; nil where it does not match or is empty.
  package static func match(of word: String, in text: String) -> Range<Int>? {
    let word = folded(word)
    guard !word.isEmpty else { return nil }
    var foldedText = ""
    // For each byte of the folded text, the range of the grapheme it comes from.
    var origins: [Range<Int>] = []
    var offset = 0
    for letter in text {
      let part = folded(String(letter))
      let origin = offset..<(offset + letter.utf8.count)
      foldedText += part
      origins.append(contentsOf: repeatElement(origin, count: part.utf8.count))
      offset = origin.upperBound
    }
    let start = word.withBytes { word in
      foldedText.withBytes { firstMatch(of: word, in: $0) }
    }
    guard let start else { return nil }
    return origins[start].lowerBound..<origins[start + word.utf8.count - 1].upperBound
  }

  /// A text with case, accents and character width folded away, for comparing only.
  ///
  /// Made with what the standard library offers in public: the case mappings and the names of
  /// Unicode scalars (an accented letter's name is that of its base and `WITH …`). ß is `ss`, ø is
  /// `o`, full-width letters are plain ones, Hangul syllables are their letters. Two texts that are
  /// canonically equal fold alike in Latin, Greek, Cyrillic and Hangul.
  package static func folded(_ text: String) -> String {
    Folding.folded(text)
  }

  @inline(__always)
  static func firstMatch(
    of word: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>
  ) -> Int? {
    guard let head = word.first else { return 0 }
    let last = text.count - word.count
    var start = 0
    // By hand: this runs for each of many names at every key.
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

  private static func sorted(
    _ indices: [Int], _ all: [Candidate], _ order: CandidateOrder?
  ) -> [Candidate] {
    let isBefore = { (left: Int, right: Int) -> Bool in
      let (a, b) = (all[left], all[right])
      if a.rank != b.rank { return a.rank > b.rank }
      if let order = order?(a.text, b.text), order != 0 { return order < 0 }
      return precedesByText(a, b) ?? (left < right)
    }
    return indices.sorted(by: isBefore).map { all[$0] }
  }

  /// By the folded texts' bytes, then by the texts'; nil where these are the same.
  static func precedesByText(_ a: Candidate, _ b: Candidate) -> Bool? {
    precedes(a.folded, b.folded) ?? precedes(a.text, b.text)
  }

  private static func precedes(_ a: String, _ b: String) -> Bool? {
    a.withBytes { a in
      b.withBytes { b in
        let room = min(a.count, b.count)
        let alike = TextChange.commonPrefix(a, b, atMost: room)
        if alike < room { return a[alike] < b[alike] }
        return a.count == b.count ? nil : a.count < b.count
      }
    }
  }
}
