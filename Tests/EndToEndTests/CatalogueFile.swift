// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import StyledText

/// A catalogue of translations, or the template of all, in gettext's form for translators.
struct CatalogueFile {
  struct Entry {
    var english = ""
    /// The English form for other counts than one.
    var plural: String?
    var translations: [String] = []
    var isFuzzy = false
    /// What the source says to translators.
    var notes = ""

    /// The columns that its place in a table has; nil if it may be as long as it needs.
    var mostColumns: Int? { notes.firstMatch(of: /at most (\d+) columns/).flatMap { Int($0.1) } }
  }

  private(set) var entries: [Entry] = []

  /// The languages that have a catalogue.
  static var languages: [String] {
    Repository.files(below: "share/locale", endings: [".po"])
      .map { String($0.dropFirst("share/locale/".count).dropLast(".po".count)) }
  }

  init(_ text: String) {
    for block in text.components(separatedBy: "\n\n") {
      var entry = Entry()
      // The text that a line without a keyword goes on with.
      var add: (inout Entry, String) -> Void = { _, _ in }
      for line in block.split(separator: "\n") {
        if line.hasPrefix("#,") { entry.isFuzzy = line.contains("fuzzy") }
        if line.hasPrefix("#.") { entry.notes += line.dropFirst(2) }
        guard let first = line.first, first != "#", let quote = line.firstIndex(of: "\"") else {
          continue
        }
        switch line[..<quote].trimmingCharacters(in: .whitespaces) {
        case "msgid": add = { $0.english += $1 }
        case "msgid_plural": add = { $0.plural = ($0.plural ?? "") + $1 }
        case "": break
        default:
          entry.translations.append("")
          add = { $0.translations[$0.translations.count - 1] += $1 }
        }
        add(&entry, Self.unquoted(line[quote...]))
      }
      if !entry.translations.isEmpty { entries.append(entry) }
    }
  }

  private static func unquoted(_ text: Substring) -> String {
    var result = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
      switch (isEscaped, character) {
      case (false, "\\"):
        isEscaped = true
        continue
      case (true, "n"): result += "\n"
      case (true, "t"): result += "\t"
      default: result.append(character)
      }
      isEscaped = false
    }
    return result
  }

  /// The sentences without the heading.
  var sentences: [Entry] { entries.filter { !$0.english.isEmpty } }

  /// How many forms the language has for counts.
  var forms: Int? {
    entries.first { $0.english.isEmpty }?.translations.first?
      .firstMatch(of: /nplurals=(\d)/).flatMap { Int($0.1) }
  }

  // MARK: Faults

  /// What is wrong with this catalogue.
  func faults(for template: CatalogueFile) -> [String] {
    var rest = Dictionary(sentences.map { ($0.english, $0) }, uniquingKeysWith: { $1 })
    var faults: [String] = []
    for wanted in template.sentences {
      guard let entry = rest.removeValue(forKey: wanted.english) else {
        faults.append("missing: \(wanted.english)")
        continue
      }
      faults += self.faults(of: entry, for: wanted).map { "\($0): \(wanted.english)" }
    }
    return faults + rest.keys.sorted().map { "not in the program: \($0)" }
  }

  private func faults(of entry: Entry, for wanted: Entry) -> [String] {
    var faults: [String] = []
    if entry.isFuzzy { faults.append("fuzzy") }
    if entry.plural != wanted.plural { faults.append("another form for other counts") }
    if wanted.plural != nil, entry.translations.count != forms { faults.append("forms") }
    let widths = Widths()
    for (number, text) in entry.translations.enumerated() {
      if text.isEmpty { faults.append("empty") }
      // The last form is for many; “1 file” needs no number in any language.
      let isLast = number == entry.translations.count - 1
      let allowed = [wanted.plural ?? wanted.english] + (isLast ? [] : [wanted.english])
      if !allowed.contains(where: { Self.placeholders($0) == Self.placeholders(text) }) {
        faults.append("placeholders")
      }
      let isBlank: (Character?) -> Bool = { $0?.isWhitespace ?? false }
      if isBlank(text.first) != isBlank(wanted.english.first)
        || isBlank(text.last) != isBlank(wanted.english.last)
        || count(of: "\n", in: text) != count(of: "\n", in: wanted.english)
      {
        faults.append("blanks")
      }
      if text.unicodeScalars.contains(where: {
        $0 != "\n" && [.control, .format].contains($0.properties.generalCategory)
      }) {
        faults.append("control characters")
      }
      if let most = wanted.mostColumns, widths.columns(of: text) > most {
        faults.append("\(widths.columns(of: text)) columns")
      }
    }
    return faults
  }

  private static func placeholders(_ text: String) -> Set<Substring> {
    Set(text.matches(of: /%[1-9%]/).map(\.0))
  }
}
