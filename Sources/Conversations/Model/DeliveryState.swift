// SPDX-License-Identifier: GPL-3.0-or-later

/// How far a message has come (rules 7.2 and 7.3). It only moves forward, except from `failed` to
/// `sending` by a retry.
public enum DeliveryState: Int, Comparable, Sendable, CaseIterable {
  /// The network refused it; `Message.failure` says why.
  case failed = 0
  /// It waits for its network.
  case sending = 1
  /// The store of a local conversation, or the server, has it.
  case sent = 2
  /// The program of every recipient has it.
  case delivered = 3
  /// Every recipient's shell printed it while they had the conversation open.
  case seen = 4

  public static func < (one: DeliveryState, other: DeliveryState) -> Bool {
    one.rawValue < other.rawValue
  }
}
