// SPDX-License-Identifier: GPL-3.0-or-later

/// The name of a running shell: random, and also the name of its lock file beside the store.
public struct ShellID: RawRepresentable, Hashable, Sendable, ExpressibleByStringLiteral {
  public var rawValue: String

  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  public init(stringLiteral value: String) {
    self.rawValue = value
  }

  /// Whether a file may have this name: ours are letters and digits.
  var isFileName: Bool {
    !rawValue.isEmpty && rawValue.utf8.allSatisfy { 48...57 ~= $0 || 97...122 ~= $0 }
  }

  /// A name that no other process has.
  package static func random() -> ShellID {
    var random = SystemRandomNumberGenerator()
    return ShellID(rawValue: String(random.next(), radix: 36))
  }
}
