// SPDX-License-Identifier: GPL-3.0-or-later

/// Why there is no server to test with.
public struct IRCFixtureFailure: Error, CustomStringConvertible {
  public var description: String
  public init(_ description: String) { self.description = description }
}
