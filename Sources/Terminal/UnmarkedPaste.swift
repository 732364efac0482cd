// SPDX-License-Identifier: GPL-3.0-or-later

/// Finds pastes from a terminal that does not mark them, such as a console or a serial line, by
/// Returns that more keys follow faster than anybody types (rule 1.9).
///
/// ```swift
/// let keys = pastes.take(decoder.decode(bytes, at: now), at: now, isLive: true)
/// // at pastes.deadline:
/// let late = pastes.timeOut()
/// ```
public struct UnmarkedPaste: Sendable {
  /// Within how many milliseconds the next key of a paste follows a Return.
  public static let gap: Int64 = 30
  /// How many Returns in a row must be followed by another key in time.
  private static let returns = 3
  /// After this many keys with fewer Returns, it holds back no more.
  private static let mostKeys = 4096

  /// Keys that are held back, since they may be a paste.
  private var held: [KeyEvent] = []
  /// How many of their Returns were followed by another key in time.
  private var followed = 0
  private var lastAt = Int64.min / 2

  public init() {}

  /// When to call `timeOut`, in milliseconds; nil if no key is held back.
  public var deadline: Int64? { held.isEmpty ? nil : lastAt + Self.gap }

  /// Takes the keys of one read.
  ///
  /// - Parameters:
  ///   - now: milliseconds of a clock that does not run backwards.
  ///   - isLive: whether the program was waiting for keys. While it was busy, a person may have
  ///     typed several lines.
  /// - Returns: the keys to handle now.
  public mutating func take(_ keys: [KeyEvent], at now: Int64, isLive: Bool) -> [KeyEvent] {
    if keys.isEmpty { return [] }
    let isQuick = now - lastAt <= Self.gap
    lastAt = now
    if held.isEmpty {
      guard isLive, keys.contains(Self.carriageReturn), keys.count > 1 || isQuick else {
        return keys
      }
    }
    for key in keys {
      // CRLF is one newline.
      if key != Self.lineFeed, held.last == Self.carriageReturn { followed += 1 }
      if key == Self.lineFeed, held.last == Self.carriageReturn { continue }
      held.append(key)
    }
    return followed < Self.returns && held.count > Self.mostKeys ? timeOut() : []
  }

  /// Call this when nothing has followed in time, or when it does not matter any more.
  ///
  /// - Returns: the keys that were held back, as a paste if they are one.
  public mutating func timeOut() -> [KeyEvent] {
    defer { (held, followed) = ([], 0) }
    guard followed >= Self.returns else { return held }
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
