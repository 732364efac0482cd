// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds pastes from a terminal that does not mark them, such as a console or a serial line, by
/// Returns that more keys follow faster than anybody types (rule 1.9).
///
/// ```swift
/// let keys = pastes.take(decoder.decode(bytes, at: now), at: loop.slept, busy: loop.lastTurn)
/// // When nothing has followed for `pastes.timeLeft(at: loop.slept)`:
/// let late = pastes.timeOut()
/// ```
///
/// Time is what the program has spent waiting for something to do: while it is busy, keys that
/// follow at once wait, too.
package struct UnmarkedPaste: Sendable {
  /// Within how many milliseconds the next key of a paste follows a Return.
  private static let gap: Int64 = 30
  /// How many Returns in a row must be followed by another key in time.
  private static let returns = 3
  /// How many lines more a person types at most while the program is busy.
  private static let mostTyped: Int64 = 20
  /// After this many keys with fewer Returns, it holds back no more. Nobody types so many while the
  /// program is busy.
  private static let mostKeys = 4096

  /// Keys that are held back, since they may be a paste.
  private var held: [KeyEvent] = []
  /// How many of their Returns were followed by another key in time.
  private var followed = 0
  /// How many of them it takes; more if a person may have typed them while the program was busy.
  private var needed = 0
  private var lastAt = Int64.min / 2

  package init() {}

  /// How much longer to wait for another key, in milliseconds, 0 if not at all; nil if no key is
  /// held back.
  package func timeLeft(at now: Int64) -> Int64? {
    held.isEmpty ? nil : max(0, lastAt + Self.gap - now)
  }

  /// Takes the keys of one read.
  ///
  /// - Parameters:
  ///   - now: how many milliseconds the program has waited so far.
  ///   - busy: how many milliseconds it did something else before this read; meanwhile a person may
  ///     have typed several lines.
  /// - Returns: the keys to handle now.
  package mutating func take(_ keys: [KeyEvent], at now: Int64, busy: Int64) -> [KeyEvent] {
    if keys.isEmpty { return [] }
    let isQuick = now - lastAt <= Self.gap
    lastAt = now
    if held.isEmpty {
      guard keys.contains(Self.carriageReturn), keys.count > 1 || isQuick else { return keys }
      needed = .max
    }
    // Each read counts anew: a person may have typed ahead, and pasted then.
    needed = min(needed, followed + Self.returns + Int(min(busy / Self.gap, Self.mostTyped)))
    for key in keys {
      // CRLF is one newline.
      if key != Self.lineFeed, held.last == Self.carriageReturn { followed += 1 }
      if key == Self.lineFeed, held.last == Self.carriageReturn { continue }
      held.append(key)
    }
    if held.count > Self.mostKeys { needed = Self.returns }
    return followed < needed && held.count > Self.mostKeys ? timeOut() : []
  }

  /// Gives the held keys back undecided, to be taken again with those that follow.
  package mutating func giveBack() -> [KeyEvent] {
    defer { (held, followed) = ([], 0) }
    return held
  }

  /// Call this when nothing has followed in time, or when it does not matter any more.
  ///
  /// - Returns: the keys that were held back, as a paste if they are one.
  package mutating func timeOut() -> [KeyEvent] {
    defer { (held, followed) = ([], 0) }
    guard !held.isEmpty, followed >= needed else { return held }
    return [.paste(held.flatMap(Self.bytes))]
  }

  private static let carriageReturn = KeyEvent.key([0x0D])
  private static let lineFeed = KeyEvent.key([0x0A])

  private static func bytes(_ key: KeyEvent) -> [UInt8] {
    switch key {
    case .key([0x0D]), .newline: [0x0A]
    case .key(let bytes), .paste(let bytes), .unfinishedPaste(let bytes): bytes
    case .escape: [0x1B]
    case .focus, .reply: []
    }
  }
}
