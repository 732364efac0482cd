// SPDX-License-Identifier: GPL-3.0-or-later

extension [String] {
  /// The words with a separator between them, as texts of at most 400 bytes.
  ///
  /// - Parameter most: the most words in one text.
  func packed(_ separator: String, most: Int = .max) -> [String] {
    var packs: [[String]] = []
    for word in self {
      let bytes = packs.last?.reduce(word.utf8.count) { $0 + $1.utf8.count + 1 } ?? .max
      if bytes > 400 || packs.last?.count == most { packs.append([]) }
      packs[packs.count - 1].append(word)
    }
    return packs.map { $0.joined(separator: separator) }
  }
}

extension String {
  /// The value of a name in a list such as `max-bytes=4096,max-lines=24`.
  func value(of name: String, _ sign: String = "=") -> Substring? {
    split(separator: ",").first { $0.hasPrefix(name + sign) }?.dropFirst(name.count + 1)
  }
}

extension [String: String] {
  /// Notes `NAME` or `NAME=VALUE`, unless the server has sent too many of them.
  mutating func note(_ token: some StringProtocol) {
    let parts = token.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts[0])
    if count < 1_000 || self[name] != nil { self[name] = parts.count > 1 ? String(parts[1]) : "" }
  }
}
