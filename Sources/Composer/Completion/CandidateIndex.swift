// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// A source's list made ready to be searched at every key, however long it is (2.5).
///
/// In this type, a candidate is its position in the list. The list is never sorted as a whole: one
/// pass picks what the menu shows.
struct CandidateIndex {
  /// The candidates that match a word, in no order.
  struct Matches {
    var beginning: [Int32] = []
    var containing: [Int32] = []
    var count: Int { beginning.count + containing.count }
  }

  private struct Entry {
    var rank: Int
    /// The first sixteen folded bytes as two numbers: they tell most candidates apart.
    var head: UInt64
    var secondWord: UInt64
    /// Where the folded text begins in `bytes`.
    var start: UInt32
    var count: UInt32

    func text(in bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: bytes[Int(start)..<Int(start + count)])
    }
  }

  private(set) var list: [Candidate]
  private let order: CandidateOrder?
  /// The folded texts, one after the other.
  private var bytes: [UInt8] = []
  private var entries: [Entry] = []
  /// Which letters occur in each; most candidates are ruled out by this alone.
  private var letters: [UInt64] = []
  /// For each candidate, the group of names of the same thing that it belongs to, by number; empty
  /// if each candidate is a separate thing.
  private var groups: [Int32] = []
  private var groupCount = 0

  /// - Parameters:
  ///   - order: see ``CompletionRegistry/order``.
  ///   - oneForEachHint: see ``PrefixRules/oneForEachHint``.
  init(_ list: [Candidate], order: CandidateOrder? = nil, oneForEachHint: Bool = false) {
    self.list = list
    self.order = order
    if oneForEachHint {
      var known: [String: Int32] = [:]
      var count: Int32 = 0
      for candidate in list {
        if !candidate.hint.isEmpty, let group = known[candidate.hint] {
          groups.append(group)
        } else {
          known[candidate.hint] = count
          groups.append(count)
          count += 1
        }
      }
      groupCount = Int(count)
    }
    entries.reserveCapacity(list.count)
    letters.reserveCapacity(list.count)
    bytes.reserveCapacity(list.count * 12)
    for position in list.indices {
      let (start, rank) = (bytes.count, list[position].rank)
      list[position].folded.withUTF8Bytes { folded in
        bytes.append(contentsOf: folded)
        entries.append(
          Entry(
            rank: rank, head: Self.packedBytes(folded, from: 0),
            secondWord: Self.packedBytes(folded, from: 8), start: UInt32(start),
            count: UInt32(folded.count)))
        letters.append(Self.letterSet(in: folded))
      }
    }
  }

  /// Whether the index was made from this very array, not from an equal one. (The index keeps the
  /// array, so its memory cannot have been reused for another.)
  func isOf(_ other: [Candidate]) -> Bool {
    list.count == other.count
      && list.withUnsafeBufferPointer { mine in
        other.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
      }
  }

  /// Returns the index of a list that differs from this one only in who spoke when. That is a
  /// fraction of the work of a new index. Nil if the list differs in anything else.
  func updated(to list: [Candidate]) -> CandidateIndex? {
    guard list.count == self.list.count else { return nil }
    var ranks: [(position: Int, rank: Int)] = []
    let isSame = self.list.withUnsafeBufferPointer { old in
      list.withUnsafeBufferPointer { new in
        new.indices.allSatisfy { position in
          if new[position].rank != old[position].rank {
            ranks.append((position, new[position].rank))
          }
          return new[position].text == old[position].text
        }
      }
    }
    guard isSame else { return nil }
    var index = self
    index.list = list
    for change in ranks { index.entries[change.position].rank = change.rank }
    return index
  }

  /// The candidates that begin with a word or contain it further in.
  ///
  /// - Parameters:
  ///   - word: folded.
  ///   - known: the matches of an earlier word, with which this one begins; only these are searched.
  func matches(
    of word: [UInt8], among known: (word: [UInt8], matches: Matches)? = nil
  ) -> Matches {
    let all = known?.matches ?? Matches(beginning: Array(0..<Int32(list.count)))
    if word.isEmpty { return all }
    let count = all.count
    return withUnsafeTemporaryAllocation(of: Int32.self, capacity: count) { found in
      // Fill in those that begin with the word from the front, and those that contain it from the
      // back: appending to two arrays would take longer than the comparisons.
      var (front, back) = (0, count)
      func take(_ candidate: Int32, isBeginning: Bool) {
        if isBeginning {
          found[front] = candidate
          front += 1
        } else {
          back -= 1
          found[back] = candidate
        }
      }
      sift(all.beginning, by: word, known: known?.word.count ?? 0, take)
      // If the letter rules nothing out, the lists stay the same ones.
      if front == count { return all }
      sift(all.containing, by: word, known: nil, take)
      return Matches(beginning: Array(found[..<front]), containing: Array(found[back...]))
    }
  }

  /// Keeps one name of each thing: the first that begins with the word, or else the first that
  /// contains it.
  func once(_ matches: Matches) -> Matches {
    guard !groups.isEmpty else { return matches }
    var seen = [Bool](repeating: false, count: groupCount)
    func first(_ group: [Int32]) -> [Int32] {
      group.filter { position in
        let group = Int(groups[Int(position)])
        defer { seen[group] = true }
        return !seen[group]
      }
    }
    // The matches filled in from the back are in no order, but the first name in the list is the
    // common one.
    let beginning = first(matches.beginning)
    return Matches(beginning: beginning, containing: first(matches.containing.sorted()))
  }

  /// - Parameter known: how much of the word all of the group begin with; nil if none of them
  ///   begins with the word.
  @inline(__always)
  private func sift(
    _ group: [Int32], by word: [UInt8], known: Int?,
    _ found: (_ candidate: Int32, _ isBeginning: Bool) -> Void
  ) {
    let wanted = word.withUnsafeBufferPointer(Self.letterSet)
    let isOneLetter = word.count == 1 && Self.hasBitOfItsOwn(word[0])
    word.withUnsafeBufferPointer { word in
      bytes.withUnsafeBufferPointer { bytes in
        entries.withUnsafeBufferPointer { entries in
          letters.withUnsafeBufferPointer { letters in
            for candidate in group {
              let position = Int(candidate)
              guard letters[position] & wanted == wanted else { continue }
              let text = entries[position].text(in: bytes)
              if let known, text.count >= word.count,
                (known..<word.count).allSatisfy({ text[$0] == word[$0] })
              {
                found(candidate, true)
              } else if isOneLetter || Ranking.firstMatch(of: word, in: text) != nil {
                found(candidate, false)
              }
            }
          }
        }
      }
    }
  }

  // MARK: Order

  /// Whether one candidate comes before another: by ``Candidate/rank``, then by the given order, by
  /// folded text, by text, and by place in the list.
  func precedes(_ left: Int32, _ right: Int32) -> Bool {
    let (a, b) = (entries[Int(left)], entries[Int(right)])
    if a.rank != b.rank { return a.rank > b.rank }
    if let order = order?(list[Int(left)].text, list[Int(right)].text), order != 0 {
      return order < 0
    }
    if a.head != b.head { return a.head < b.head }
    if a.secondWord != b.secondWord { return a.secondWord < b.secondWord }
    if let order = precedesByFolded(a, b) { return order }
    return precedesByText(left, right) ?? (left < right)
  }

  /// Compares the bytes in the index: reading two candidates from the list takes longer than
  /// comparing them. Nil if both are equal.
  private func precedesByFolded(_ left: Entry, _ right: Entry) -> Bool? {
    bytes.withUnsafeBufferPointer { bytes in
      let (a, b) = (left.text(in: bytes), right.text(in: bytes))
      let room = min(a.count, b.count)
      let alike = TextChange.commonPrefix(a, b, atMost: room)
      if alike < room { return a[alike] < b[alike] }
      return a.count == b.count ? nil : a.count < b.count
    }
  }

  /// Returns all candidates of a group, in order.
  func inOrder(_ group: [Int32]) -> [Candidate] {
    group.sorted(by: precedes).map { list[Int($0)] }
  }

  /// The first `count` in order after `pivot`, or of all without one.
  func first(_ count: Int, behind pivot: Int32? = nil, of group: [Int32]) -> [Int32] {
    nearest(count, to: pivot, of: group) { precedes($0, $1) }
  }

  /// The last `count` in order before `pivot`, or of all without one.
  func last(_ count: Int, before pivot: Int32? = nil, of group: [Int32]) -> [Int32] {
    nearest(count, to: pivot, of: group) { precedes($1, $0) }.reversed()
  }

  /// How many of a group come before a candidate.
  func position(of candidate: Int32, in group: [Int32]) -> Int {
    group.count { precedes($0, candidate) }
  }

  /// The candidates that determine the common beginning of a group: one of them, and each that
  /// shares a shorter beginning with it than those before.
  func prefixWitnesses(of group: [Int32]) -> [Int32] {
    guard let first = group.first else { return [] }
    var prefixWitnesses = [first]
    bytes.withUnsafeBufferPointer { bytes in
      let one = entries[Int(first)]
      let text = one.text(in: bytes)
      var common = text.count
      for candidate in group {
        let other = entries[Int(candidate)]
        let head = (one.head ^ other.head).leadingZeroBitCount / 8
        if head >= common { continue }
        let alike = TextChange.commonPrefix(
          text, other.text(in: bytes), atMost: min(common, Int(other.count)))
        if alike < common {
          common = alike
          prefixWitnesses.append(candidate)
        }
      }
    }
    return prefixWitnesses
  }

  @inline(__always)
  private func nearest(
    _ count: Int, to pivot: Int32?, of group: [Int32], _ precedes: (Int32, Int32) -> Bool
  ) -> [Int32] {
    guard count > 0 else { return [] }
    var nearest: [Int32] = []
    for candidate in group {
      if let pivot, !precedes(pivot, candidate) { continue }
      if nearest.count == count {
        guard precedes(candidate, nearest[count - 1]) else { continue }
        nearest.removeLast()
      }
      var position = nearest.count
      while position > 0 && precedes(candidate, nearest[position - 1]) { position -= 1 }
      nearest.insert(candidate, at: position)
    }
    return nearest
  }

  /// Nil if both texts are the same bytes.
  @inline(never)
  private func precedesByText(_ left: Int32, _ right: Int32) -> Bool? {
    Ranking.precedesByText(list[Int(left)], list[Int(right)])
  }

  // MARK: Letters

  /// Eight bytes as a number, the first one the highest; zeros after the end.
  private static func packedBytes(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> UInt64 {
    var number: UInt64 = 0
    for position in start..<(start + 8) {
      number = number << 8 | (position < text.count ? UInt64(text[position]) : 0)
    }
    return number
  }

  private static func hasBitOfItsOwn(_ byte: UInt8) -> Bool {
    (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte)
  }

  /// A set of letters: one bit for each of a–z and 0–9; all others share the remaining bits.
  private static func letterSet(in text: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var letters: UInt64 = 0
    for byte in text {
      let bit: UInt8 =
        switch byte {
        case 0x61...0x7A: byte - 0x61
        case 0x30...0x39: byte - 0x30 + 26
        case 0x80...: 48 + byte % 16
        default: 36 + byte % 12
        }
      letters |= 1 << UInt64(bit)
    }
    return letters
  }
}
