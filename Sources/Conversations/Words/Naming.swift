// SPDX-License-Identifier: GPL-3.0-or-later

/// Which names are allowed, and when two names are equal.
package enum Naming {
  /// A room's name without the leading `#`.
  package static func bare(_ name: String) -> String {
    name.hasPrefix("#") ? String(name.dropFirst()) : name
  }

  /// The maximum length of a name, in graphemes.
  static let longest = 64
  /// The maximum length of a room's name on a network, in graphemes.
  package static let longestRoom = 128
  /// A single grapheme can carry any number of combining marks, so bytes are bounded as well.
  static let longestInBytes = 512

  /// Returns the name, or throws an error if people could not type it or would be misled by it.
  package static func checked(_ name: String) throws(RuleError) -> String {
    guard let first = name.first, !"@#/".contains(first), name.utf8.count <= longestInBytes,
      name.count <= longest
    else { throw .badName(name) }
    for scalar in name.unicodeScalars {
      let properties = scalar.properties
      switch properties.generalCategory {
      // Format characters are invisible or change the direction of the text (rule 12.2).
      case .control, .format, .surrogate, .lineSeparator, .paragraphSeparator, .unassigned,
        .privateUse:
        throw .badName(name)
      default:
        if properties.isWhitespace { throw .badName(name) }
      }
    }
    return name
  }

  /// Returns a room's name without its sign, checked as in ``checked(_:)``. It may begin with
  /// further signs: on IRC `#tea` and `##tea` are two rooms.
  package static func checkedRoom(_ name: String) throws(RuleError) -> String {
    do {
      _ = try checked(String(name.drop { $0 == "#" }))
    } catch {
      throw .badName(name)
    }
    guard name.utf8.count <= longestInBytes, name.count <= longest else { throw .badName(name) }
    return name
  }

  /// Returns the name of a room of this machine without its sign, checked as in
  /// ``checkedRoom(_:)``. It has no `@`, so that an address always means a network's room
  /// (rule 11.2).
  package static func checkedRoomHere(_ name: String) throws(RuleError) -> String {
    if name.dropFirst().contains("@") { throw .addressOfARoom(name) }
    return try checkedRoom(name)
  }

  /// The name before the `@` in `#tea@` or `ben@`, which means a room or a person of this machine
  /// where others have the same name; nil for any other name.
  package static func nameHere(_ name: String) -> String? {
    guard name.hasSuffix("@"), !name.hasPrefix("@"), name.count > 1 else { return nil }
    let name = String(name.dropLast())
    return name.contains("@") ? nil : name
  }

  /// Whether a room's name is an address on a network.
  package static func isAddress(room name: String) -> Bool {
    name.contains("@") && !name.contains(where: \.isWhitespace)
  }

  /// Whether two names are equal. Swift compares strings by canonical equivalence, so only case
  /// needs folding.
  package static func same(_ one: String, _ other: String) -> Bool {
    one.lowercased() == other.lowercased()
  }

  /// The key for looking up a name. Equal names have equal keys, unless one of them has none
  /// (`""`).
  ///
  /// A name has a key if each of its characters is a single code point and its own canonical form.
  /// Such names are equal only if their code points are, in lower case.
  static func key(_ name: String) -> String {
    let small = name.lowercased()
    let isCanonical = small.allSatisfy { character in
      let scalars = character.unicodeScalars
      return scalars.count == 1
        && scalars.allSatisfy { !$0.properties.isFullCompositionExclusion }
    }
    return isCanonical ? small : ""
  }
}
