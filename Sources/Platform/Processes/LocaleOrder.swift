// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The order of names in the user's locale (LC_COLLATE), as `strcoll` of the C library knows it.
///
/// ```swift
/// LocaleOrder.followEnvironment()  // LANG=sv_SE.UTF-8
/// ["Åsa", "Zoe"].sorted(by: LocaleOrder.precedes)  // "Zoe", "Åsa"
/// ```
package enum LocaleOrder {
  /// Written only by `followEnvironment`, before there is a second thread.
  private nonisolated(unsafe) static var locale = "C"

  /// Reads the name of the locale. Its order is read from the disk only when it is first needed,
  /// which most starts never do. Call this before anything changes the environment, as readline's
  /// start does.
  package static func followEnvironment() {
    let variables: [String] = ["LC_ALL", "LC_COLLATE", "LANG"]
    let locales = variables.compactMap { name in getenv(name).map { String(cString: $0) } }
    locale = locales.first { !$0.isEmpty } ?? "C"
  }

  /// Compares two texts, and returns a number below, equal to or above 0. Nil if the order is that
  /// of the characters' numbers, as in C.UTF-8, or if the locale is not installed or does not use
  /// UTF-8.
  package static let compare: (@Sendable (String, String) -> Int)? = {
    if ["C", "POSIX"].contains(locale) || locale.hasPrefix("C.") { return nil }
    guard let found = newlocale(1 << LC_COLLATE | 1 << LC_CTYPE, locale, nil),
      let codeset = nl_langinfo_l(Int32(CODESET), found), String(cString: codeset) == "UTF-8"
    else { return nil }
    // Nothing changes or frees the locale.
    nonisolated(unsafe) let order = found
    return { Int(strcoll_l($0, $1, order)) }
  }()

  /// Whether one name comes before another in a list.
  package static func precedes(_ first: String, _ second: String) -> Bool {
    if let order = compare?(first, second), order != 0 { return order < 0 }
    return first < second
  }
}
