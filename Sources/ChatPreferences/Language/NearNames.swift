// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations

extension Conversation {
  /// The name that a person probably meant when they mistyped it.
  ///
  /// ```swift
  /// Conversation.nearest(to: "lobyb", among: ["#lobby", "#tea"])  // "#lobby"
  /// ```
  ///
  /// - Parameters:
  ///   - names: with their signs; if `name` has none, signs are ignored.
  ///   - beginning: whether the only name that begins with `name` is near, however long it is. A
  ///     person who creates a room may well mean the shorter name.
  package static func nearest(
    to name: String, among names: [String], beginning: Bool = false
  ) -> String? {
    let typed = MatchFolding.folded(name)
    let hasSign = typed.hasPrefix("#") || typed.hasPrefix("@")
    let letters = typed.count - (hasSign ? 1 : 0)
    if beginning, letters > 0 {
      let longer = Set(
        names.filter { MatchFolding.folded(hasSign ? $0 : String($0.dropFirst())).hasPrefix(typed) }
      )
      if longer.count == 1 { return longer.first }
    }
    // A short name may have at most one wrong letter; a long one may have two.
    let most = letters < 3 ? 0 : letters < 6 ? 1 : 2
    var best: (name: String, distance: Int)?
    for candidate in names {
      let folded = MatchFolding.folded(candidate)
      let compared = hasSign ? folded : String(folded.dropFirst())
      guard let distance = Spelling.distance(compared, typed, atMost: most),
        !differInNumber(compared, typed)
      else { continue }
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    return best?.name
  }

  /// `dev2` is hardly a typing error if `dev` or `dev1` exists.
  private static func differInNumber(_ one: String, _ other: String) -> Bool {
    one != other && one.filter { !$0.isNumber } == other.filter { !$0.isNumber }
  }
}
