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

  /// At most one `typing` in so many milliseconds.
  public static let interval: Int64 = 3000
  /// After so many milliseconds without a change by hand I have paused.
  public static let idle: Int64 = 6000

  private var lastSignal: Int64?
  private var lastChange: Int64?
  /// A change came too soon after the last signal, and still has to be sent.
  private var isPending = false
  /// The others believe that I am typing.
  private var isShown = false

  public init() {}

  /// The text was changed by hand (not by a restored draft, a resize, another program).
  ///
  /// - Parameters:
  ///   - text: the text after the change; an emptied one is a pause.
  ///   - now: the time, in milliseconds.
  ///   - inEditMode: a message is being edited.
  ///   - isOff: `set typing off`.
  /// - Returns: what to send now, nil for nothing; what may not be sent yet `tick` gives later.
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

  /// The text was sent or cleared.
  public mutating func sentOrCleared(at now: Int64) -> Signal? {
    lastChange = nil
    isPending = false
    guard isShown else { return nil }
    isShown = false
    return .paused
  }

  /// Time has passed; call it at `nextDeadline`.
  public mutating func tick(at now: Int64) -> Signal? {
    guard let deadline = nextDeadline, now >= deadline, let lastChange else { return nil }
    // After a suspension, the present state counts, not the missed deadline.
    return now >= lastChange + Self.idle ? sentOrCleared(at: now) : typing(at: now)
  }

  /// When there is something to tell if nothing else happens, in milliseconds: that I typed on, or
  /// that I paused. Nil when there is not.
  public var nextDeadline: Int64? {
    guard let lastChange else { return nil }
    if isPending, let lastSignal { return lastSignal + Self.interval }
    return isShown ? lastChange + Self.idle : nil
  }
}
