// SPDX-License-Identifier: GPL-3.0-or-later

/// When to tell the others that I am typing, and that I paused (4.3). Time is passed in as
/// milliseconds of any clock that does not run backwards.
///
/// ```swift
/// if signals.changedByHand(text: text, at: now) == .typing { tellOthers() }
/// ```
public struct TypingSignals: Hashable, Sendable {
  /// The typing state to send to others.
  ///
  /// ```swift
  /// if signals.tick(at: now) == .paused { tellOthersIPaused() }
  /// ```
  public enum Signal: Hashable, Sendable { case typing, paused }

  /// At most one `typing` is sent in this many milliseconds.
  public static let interval: Int64 = 3000
  /// This many milliseconds without a change by hand count as a pause.
  public static let idle: Int64 = 6000

  private var lastSignal: Int64?
  private var lastChange: Int64?
  /// Whether a change came too soon after the last signal, so that a signal still has to be sent.
  private var isPending = false
  /// Whether the others were told that I am typing.
  private var isShown = false

  public init() {}

  /// Call this when the text was changed by hand (not by a restored draft, a resize or another
  /// program).
  ///
  /// - Parameters:
  ///   - text: the text after the change; an empty one counts as a pause.
  ///   - now: the time, in milliseconds.
  ///   - inEditMode: whether a message is being edited.
  ///   - isOff: whether `set typing off` applies.
  /// - Returns: what to send now; nil for nothing. If it may not be sent yet, `tick` returns it
  ///   later.
  public mutating func changedByHand(
    text: String, at now: Int64, inEditMode: Bool = false, isOff: Bool = false
  ) -> Signal? {
    let isMine = !(inEditMode || isOff || LineRules.isCommand(text))
    guard isMine && !text.isEmpty else { return sentOrCleared(at: now) }
    lastChange = now
    if let lastSignal, now - lastSignal < Self.interval {
      isPending = true
      return nil
    }
    return typing(at: now)
  }

  private mutating func typing(at now: Int64) -> Signal {
    isPending = false
    lastSignal = now
    isShown = true
    return .typing
  }

  /// Call this when the text was sent or cleared; returns what to send.
  public mutating func sentOrCleared(at now: Int64) -> Signal? {
    lastChange = nil
    isPending = false
    guard isShown else { return nil }
    isShown = false
    return .paused
  }

  /// Call this at `nextDeadline`; returns what to send.
  public mutating func tick(at now: Int64) -> Signal? {
    guard let deadline = nextDeadline, now >= deadline, let lastChange else { return nil }
    // After a suspension, the current state counts, not the missed deadline.
    return now >= lastChange + Self.idle ? sentOrCleared(at: now) : typing(at: now)
  }

  /// When there will be a signal to send if nothing else happens, in milliseconds: that I went on
  /// typing, or that I paused. Nil if there will be none.
  public var nextDeadline: Int64? {
    guard let lastChange else { return nil }
    if isPending, let lastSignal { return lastSignal + Self.interval }
    return isShown ? lastChange + Self.idle : nil
  }
}
