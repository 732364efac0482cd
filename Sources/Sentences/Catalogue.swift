// SPDX-License-Identifier: GPL-3.0-or-later
import CGettext
import Glibc

/// The translations of the program's sentences into the user's language, by glibc's gettext.
///
/// A process opens the catalogue once, before its first sentence and before it enters its sandbox.
/// Until then, or if no catalogue fits, sentences are English and need no look-up.
///
/// ```swift
/// Catalogue.open(in: ["/usr/share/locale"])  // LANG=de_DE.UTF-8
/// translated("%1 is typing")                 // "%1 tippt"
/// ```
public enum Catalogue {
  /// The name of the catalogues' files, without `.mo`.
  private static let domain = "hobnob"

  /// Only written by `open`, before there is a second thread.
  public private(set) nonisolated(unsafe) static var isOpen = false

  /// Finds the catalogue of the user's language.
  ///
  /// - Parameter folders: where to look for `LANGUAGE/LC_MESSAGES/hobnob.mo`, after
  ///   `$TEXTDOMAINDIR`.
  public static func open(in folders: @autoclosure () -> [String]) {
    var environment: [String: String] = [:]
    for name in ["LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"] {
      environment[name] = getenv(name).map { String(cString: $0) }
    }
    let languages = languages(environment)
    let own = getenv("TEXTDOMAINDIR").map { [String(cString: $0)] } ?? []
    guard !languages.isEmpty,
      let (folder, found) = (own + folders()).lazy.map({ ($0, catalogues(of: languages, in: $0)) })
        .first(where: { !$0.1.sound.isEmpty })
    else { return }
    // If the user's locale is not installed, gettext still follows LANGUAGE, but not in "C".
    let isInstalled = setlocale(LC_MESSAGES, "") != nil
    if !isInstalled { setlocale(LC_MESSAGES, "C.UTF-8") }
    if !isInstalled || found.hasDamaged {
      setenv("LANGUAGE", found.sound.joined(separator: ":"), 1)
    }
    bindtextdomain(domain, folder)
    bind_textdomain_codeset(domain, "UTF-8")
    isOpen = true
    // Read the file now: a sandbox may prevent that later.
    _ = translated("now")
  }

  /// The languages that the user wants, best first; empty for English. As in gettext's manual,
  /// LANGUAGE counts only if a locale other than C is set.
  static func languages(_ environment: [String: String]) -> [String] {
    let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
      .first { !$0.isEmpty }
    guard let locale, !["C", "POSIX"].contains(locale) else { return [] }
    let wanted = environment["LANGUAGE"].map { $0.split(separator: ":").map(String.init) } ?? []
    let all = wanted.isEmpty ? (locale.hasPrefix("C.") ? [] : [locale]) : wanted
    // English needs no catalogue, and the user prefers it to the languages after it.
    return Array(all.prefix { !isEnglish($0) })
  }

  private static func isEnglish(_ language: String) -> Bool {
    language == "en" || language.hasPrefix("en_") || language.hasPrefix("en.")
  }

  /// The catalogues in a folder for these languages, by the names that gettext tries; for
  /// `de_AT.UTF-8@euro`, the last of them are `de_AT` and `de`.
  private static func catalogues(
    of languages: [String], in folder: String
  ) -> (sound: [String], hasDamaged: Bool) {
    var (sound, hasDamaged) = ([String](), false)
    for language in languages {
      var name = language[...]
      for sign in [nil, "@", ".", "_"] as [Character?] {
        if let sign {
          guard name.contains(sign) else { continue }
          name = name.prefix { $0 != sign }
        }
        switch CatalogueFile.isSound("\(folder)/\(name)/LC_MESSAGES/\(domain).mo") {
        case true?: sound.append(String(name))
        case false?: hasDamaged = true
        case nil: break
        }
      }
    }
    return (sound, hasDamaged)
  }

  fileprivate static func text(_ english: StaticString) -> String {
    english.withCString { found(dgettext(domain, $0), instead: english) }
  }

  fileprivate static func text(_ one: StaticString, _ other: StaticString, _ count: Int) -> String {
    one.withCString { first in
      other.withCString { second in
        found(
          dngettext(domain, first, second, UInt(count.magnitude)),
          instead: count == 1 ? one : other)
      }
    }
  }

  /// A key from a store may be any text.
  fileprivate static func text(_ key: Remark.Key) -> String {
    let english = key.count == 1 ? key.one ?? key.other : key.other
    // The empty text is the catalogue's heading.
    guard isOpen, !key.other.isEmpty, key.one?.isEmpty != true else { return english }
    // Without a translation, gettext returns the very text that it got.
    return key.other.withCString { other in
      guard let one = key.one else { return String(cString: dgettext(domain, other)) }
      return one.withCString {
        String(cString: dngettext(domain, $0, other, UInt(key.count.magnitude)))
      }
    }
  }

  private static func found(_ text: UnsafePointer<CChar>?, instead: StaticString) -> String {
    text.map { String(cString: $0) } ?? instead.description
  }
}

extension StaticString {
  fileprivate func withCString<T>(_ body: (UnsafePointer<CChar>) -> T) -> T {
    // A literal ends in NUL.
    utf8Start.withMemoryRebound(to: CChar.self, capacity: utf8CodeUnitCount + 1) { body($0) }
  }
}

/// A sentence in the user's language, with its placeholders.
package func translated(_ english: StaticString) -> String {
  // The empty text is the catalogue's heading.
  Catalogue.isOpen && english.utf8CodeUnitCount > 0
    ? Catalogue.text(english) : english.description
}

func translated(_ key: Remark.Key) -> String { Catalogue.text(key) }

/// The form of a sentence for a count, in the user's language, with its placeholders.
package func translated(_ one: StaticString, _ other: StaticString, count: Int) -> String {
  Catalogue.isOpen
    ? Catalogue.text(one, other, count) : (count == 1 ? one : other).description
}
