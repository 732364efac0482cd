// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

/// The colours of names. Which one somebody has follows from their identity, as in other programs
/// (XEP-0392), unless somebody else in the conversation has it.
enum NameColours {
  /// Of the 256 of a terminal, those that are told apart from each other and seen on dark and light
  /// grounds, in the order of their hues.
  static let many: [Color] = [
    174, 196, 166, 94, 136, 64, 106, 29, 72, 30, 37, 38, 32, 27, 141, 97, 127, 200, 175, 197,
  ].map { Color(index: $0) }

  /// Where a terminal has eight: all but black and white, in the same order.
  static let few: [Color] = [.red, .yellow, .green, .cyan, .blue, .magenta]

  /// Whether a terminal has 256 colours, from what it calls itself.
  static func areMany(environment: [String: String]) -> Bool {
    let term = environment["TERM"] ?? ""
    let families = ["xterm-kitty", "xterm-ghostty", "foot", "alacritty", "contour", "wezterm"]
    return ["256", "direct"].contains { term.contains($0) }
      || families.contains { term.hasPrefix($0) } || environment["COLORTERM"]?.isEmpty == false
  }

  /// A colour by its place in ``many``, which is what the store keeps.
  static func color(_ place: Int, areMany: Bool) -> Color {
    let place = min(max(0, place), many.count - 1)
    return areMany ? many[place] : few[place * few.count / many.count]
  }

  /// The place of an identity: its hue, which is the beginning of its SHA-1 (XEP-0392, 5.1).
  static func place(of identity: String) -> Int {
    let digest = SHA1.digest(of: identity)
    let angle = Int(digest[0]) | Int(digest[1]) << 8
    return (angle * many.count) >> 16
  }

  /// The place of an identity, or the next one that nobody has; nil where all are taken.
  static func free(for identity: String, besides taken: some Collection<Int>) -> Int? {
    guard taken.count < many.count else { return nil }
    let taken = Set(taken)
    let first = place(of: identity)
    return (first..<(first + many.count)).map { $0 % many.count }.first { !taken.contains($0) }
  }
}
