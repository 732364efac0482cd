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

  /// A name that no other process has.
  package static func random() -> ShellID {
    var random = SystemRandomNumberGenerator()
    return ShellID(rawValue: String(random.next(), radix: 36))
  }
}
