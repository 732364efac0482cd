// SPDX-License-Identifier: GPL-3.0-or-later

/// How similar a typed word is to a known one.
package enum Spelling {
  /// The first name with this prefix, else the one that differs least, if it is similar enough.
  package static func nearest(to name: String, among names: [String]) -> String? {
    let begun = name.lowercased()
    if begun.count > 1, let whole = names.first(where: { $0.hasPrefix(begun) }) { return whole }
    let typed = Array(begun)
    let most = max(1, typed.count / 3)
    let near = names.compactMap { name in
      distance(Array(name), typed, atMost: most).map { (name, $0) }
    }
    return near.min { $0.1 < $1.1 }?.0
  }

  /// The number of letters left out, inserted, changed or swapped with their neighbour (optimal
  /// string alignment); nil if it is more than `most`. Names whose lengths differ by more than that
  /// are not compared: with a long pasted text that would take seconds.
  package static func distance(_ one: String, _ other: String, atMost most: Int) -> Int? {
    distance(Array(one), Array(other), atMost: most)
  }

  private static func distance(
    _ one: [Character], _ other: [Character], atMost most: Int
  ) -> Int? {
    guard abs(one.count - other.count) <= most else { return nil }
    var rows = [Array(0...other.count)]
    for i in one.indices {
      var row = [i + 1]
      for j in other.indices {
        var best = min(
          rows[i][j + 1] + 1, row[j] + 1, rows[i][j] + (one[i] == other[j] ? 0 : 1))
        if i > 0, j > 0, one[i] == other[j - 1], one[i - 1] == other[j] {
          best = min(best, rows[i - 1][j - 1] + 1)
        }
        row.append(best)
      }
      rows.append(row)
    }
    let distance = rows[one.count][other.count]
    return distance <= most ? distance : nil
  }
}
