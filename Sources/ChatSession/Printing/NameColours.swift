// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

/// The colours of names. They follow from people's identities, as in other programs (XEP-0392),
/// unless somebody else in the conversation has the same.
enum NameColours {
  /// Those of a terminal's 256 that are distinct and visible on dark and light backgrounds, by hue.
  static let many: [Color] = [
    174, 196, 166, 94, 136, 64, 106, 29, 72, 30, 37, 38, 32, 27, 141, 97, 127, 200, 175, 197,
  ].map { Color(index: $0) }

  /// For terminals with eight colours: all but black and white, in the same order.
  static let few: [Color] = [.red, .yellow, .green, .cyan, .blue, .magenta]

  /// Whether a terminal has 256 colours, according to its name.
  static func areMany(environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    let families = ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour", "wezterm"]
    return ["256", "direct"].contains { term.contains($0) }
      || families.contains { term.hasPrefix($0) } || environment["COLORTERM"]?.isEmpty == false
  }

  /// A colour by its index in ``many``, which the store keeps.
  static func color(_ hue: Int, areMany: Bool) -> Color {
    let hue = min(max(0, hue), many.count - 1)
    return areMany ? many[hue] : few[hue * few.count / many.count]
  }

  /// The index for an identity: its hue, which is the beginning of its SHA-1 (XEP-0392, 5.1).
  static func hue(of identity: String) -> Int {
    let digest = SHA1.digest(of: identity)
    let angle = Int(digest[0]) | Int(digest[1]) << 8
    return (angle * many.count) >> 16
  }

  /// The index for an identity, or the next free one; nil if all are taken.
  static func free(for identity: String, besides taken: some Collection<Int>) -> Int? {
    guard taken.count < many.count else { return nil }
    let taken = Set(taken)
    let first = hue(of: identity)
    return (first..<(first + many.count)).map { $0 % many.count }.first { !taken.contains($0) }
  }
}
