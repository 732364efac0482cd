// SPDX-License-Identifier: GPL-3.0-or-later

/// The options of every command. A start without the parser fills them in itself.
package struct LaunchOptions: Sendable {
  package var store: String?
  package var shared = false
  package var `as`: String?
  package var rc: String?
  package var noRc = false
  package var plain = false

  package init(
    store: String? = nil, shared: Bool = false, as name: String? = nil, rc: String? = nil,
    noRc: Bool = false, plain: Bool = false
  ) {
    (self.store, self.shared, self.as) = (store, shared, name)
    (self.rc, self.noRc, self.plain) = (rc, noRc, plain)
  }

  /// Reads an option, and its value from the next words, without the parser, which takes more time
  /// than the rest of the start.
  ///
  /// - Returns: false if the parser must handle it.
  package mutating func parse(_ option: String, from words: inout ArraySlice<String>) -> Bool {
    let name = String(option.prefix { $0 != "=" })
    switch name {
    case "--store", "--as", "--rc":
      let value: String? =
        name == option ? words.popFirst() : String(option.dropFirst(name.count + 1))
      guard let value, !value.isEmpty, name != option || !value.hasPrefix("-") else {
        return false
      }
      switch name {
      case "--store": store = value
      case "--as": self.as = value
      default: rc = value
      }
      return true
    default: break
    }
    switch option {
    case "--shared": shared = true
    case "--no-rc": noRc = true
    case "--plain": plain = true
    default: return false
    }
    return true
  }
}
