// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// The changes of one MODE line in a room, as sentences for the people there.
struct ModeChange: Sendable {
  private struct Part: Sendable {
    var mode: Character
    var isSet: Bool
    /// Nicks or masks.
    var whom: [String] = []
    var isAboutOwner = false
  }

  private var parts: [Part] = []
  /// Modes without a sentence of their own, as in the line: `+m-h ben`.
  private var others = (modes: "", arguments: [String](), isSet: Bool?.none, isAboutOwner: false)

  mutating func add(_ mode: Character, isSet: Bool, _ argument: String?, isOwner: Bool) {
    guard "ovb".contains(mode), let argument else {
      if others.isSet != isSet { others.modes += isSet ? "+" : "-" }
      others.isSet = isSet
      others.modes.append(mode)
      others.arguments += [argument].compactMap(\.self)
      others.isAboutOwner = others.isAboutOwner || isOwner
      return
    }
    let part = Part(mode: mode, isSet: isSet, isAboutOwner: isOwner)
    let index = parts.firstIndex {
      ($0.mode, $0.isSet, $0.isAboutOwner) == (mode, isSet, isOwner)
    }
    if index == nil { parts.append(part) }
    parts[index ?? parts.count - 1].whom.append(argument)
  }

  func words(by actor: String) -> [(text: Remark, isAboutOwner: Bool)] {
    var sentences = parts.map { part in
      let words = part.isAboutOwner ? Self.wordsAboutOwner(part) : Self.words(part)
      return (filled(words, [actor, part.whom.joined(separator: ", ")]), part.isAboutOwner)
    }
    if !others.modes.isEmpty {
      let modes = ([others.modes] + others.arguments).joined(separator: " ")
      sentences.append((filled(("%1 set %2", [actor, modes])), others.isAboutOwner))
    }
    return sentences
  }

  private static func words(_ part: Part) -> Remark {
    switch (part.mode, part.isSet) {
    case ("o", true):
      translated("%1 made %2 an operator", "%1 made %2 operators", count: part.whom.count)
    case ("o", false): translated("%1 took operator rights from %2")
    case ("v", true): translated("%1 gave %2 voice")
    case ("v", false): translated("%1 took voice from %2")
    case (_, true): translated("%1 banned %2")
    case (_, false): translated("%1 lifted the ban on %2")
    }
  }

  private static func wordsAboutOwner(_ part: Part) -> Remark {
    switch (part.mode, part.isSet) {
    case ("o", true): translated("%1 made you an operator")
    case ("o", false): translated("%1 took operator rights from you")
    case ("v", true): translated("%1 gave you voice")
    case ("v", false): translated("%1 took voice from you")
    default: words(part)
    }
  }
}
