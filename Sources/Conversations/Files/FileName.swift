// SPDX-License-Identifier: GPL-3.0-or-later

/// File names from elsewhere.
package enum FileName {
  /// A harmless file name (rule 12.4): the last part of a path, without control, bidirectional and
  /// invisible characters, without leading blanks, dots and dashes, never empty, at most 200 bytes,
  /// cut between graphemes and before the extension.
  ///
  /// ```swift
  /// FileName.safe("../../.ssh/-rf\u{202E}gnp.exe")  // "rfgnp.exe"
  /// FileName.safe("..")                             // "file"
  /// ```
  ///
  /// A safe name stays as it is.
  package static func safe(_ name: String) -> String {
    // Compare scalars: a slash with an accent is another Character, but still a slash to the
    // kernel.
    let base = name.unicodeScalars.split(separator: "/").last ?? Substring.UnicodeScalarView()
    var kept = String.UnicodeScalarView()
    for scalar in base {
      let properties = scalar.properties
      switch properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: continue
      default: break
      }
      if properties.isDefaultIgnorableCodePoint || properties.isNoncharacterCodePoint { continue }
      // A mark with nothing before it would combine with whatever hobnob prints before the name.
      if kept.isEmpty, scalar == "." || scalar == "-" || properties.isWhitespace || isMark(scalar) {
        continue
      }
      kept.append(properties.isWhitespace ? " " : scalar)
    }
    let short = shortened(trimmed(String(kept)), to: 200)
    return short.isEmpty ? "file" : short
  }

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .spacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func trimmed(_ name: String) -> String {
    var scalars = name.unicodeScalars[...]
    while scalars.last == " " { scalars.removeLast() }
    return String(scalars)
  }

  private static func shortened(_ name: String, to limit: Int) -> String {
    if name.utf8.count <= limit { return name }
    let (stem, ending) = split(name)
    // Anything longer is not an extension.
    let kept = ending.utf8.count <= 16 ? ending : ""
    var room = limit - kept.utf8.count
    let start = (kept.isEmpty ? name[...] : stem).prefix { character in
      room -= character.utf8.count
      return room >= 0
    }
    return trimmed((start.isEmpty ? "file" : String(start)) + kept)
  }

  /// The name and its extension, which begins with a dot or is empty.
  private static func split(_ name: String) -> (stem: Substring, ending: Substring) {
    guard let dot = name.lastIndex(of: "."), dot != name.startIndex else {
      return (name[...], "")
    }
    return (name[..<dot], name[dot...])
  }

  /// `photo-1.png` for `photo.png` and 1: the names to try when one is taken.
  static func numbered(_ name: String, _ number: Int) -> String {
    let (stem, ending) = split(name)
    return "\(stem)-\(number)\(ending)"
  }
}
