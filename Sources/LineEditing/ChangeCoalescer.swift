// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Changes of the line that are on the screen but not reported yet: drafts and typing signals take
/// time, so during fast typing they are reported only from time to time.
@MainActor
final class ChangeCoalescer {
  /// Called when letters have waited long enough.
  var isDue: () -> Void = {}
  private let loop: EventLoop
  private var timer: TimerID?
  /// When to report letters even if more follow quickly.
  private var deadline: MonotonicTime = 0
  private var isUrgent = false
  /// Milliseconds; too short for anyone to notice a delayed draft or signal.
  private static let delay: Int64 = 20
  private static let longestDelay: Int64 = 200

  init(loop: EventLoop) { self.loop = loop }

  /// Call this when a letter was inserted, and nothing else happened.
  func addLetter() {
    if timer == nil { deadline = loop.now + Self.longestDelay }
    loop.schedule(&timer, at: min(loop.now + Self.delay, deadline)) { [weak self] in self?.isDue() }
  }

  /// Call this for any other change, which is reported at once.
  func add() { isUrgent = true }

  /// - Returns: whether there was anything to report.
  func take() -> Bool {
    defer { (timer, isUrgent) = (nil, false) }
    if let timer { loop.cancel(timer) }
    return timer != nil || isUrgent
  }
}
