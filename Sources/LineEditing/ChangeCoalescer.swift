// SPDX-License-Identifier: GPL-3.0-or-later
import Platform

/// Changes of the line by keys that are on the screen and not yet told: drafts and typing signals
/// take their time, and fast typing asks for them only now and then.
@MainActor
final class ChangeCoalescer {
  /// Called when letters have waited long enough.
  var isDue: () -> Void = {}
  private let loop: EventLoop
  private var timer: TimerID?
  /// When the letters are told however fast they come, in the loop's milliseconds.
  private var deadline: Int64 = 0
  private var isUrgent = false
  /// Milliseconds; too short for anyone to notice that a draft or a signal waits for it.
  private static let delay: Int64 = 20
  private static let longestDelay: Int64 = 200

  init(loop: EventLoop) { self.loop = loop }

  /// A letter went into the text, and nothing else happened.
  func addLetter() {
    if timer == nil { deadline = loop.now + Self.longestDelay }
    loop.schedule(&timer, at: min(loop.now + Self.delay, deadline)) { [weak self] in self?.isDue() }
  }

  /// Another change, to be reported at once.
  func add() { isUrgent = true }

  /// - Returns: whether there was something to tell.
  func take() -> Bool {
    defer { (timer, isUrgent) = (nil, false) }
    if let timer { loop.cancel(timer) }
    return timer != nil || isUrgent
  }
}
