// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Terminal

/// Whether the terminal's window has the focus (rule 7.3), as far as the terminal tells.
@MainActor
final class WindowFocus {
  private(set) var isHere: Bool
  var isKnown: Bool { timer == nil }
  var changed: () -> Void = {}
  private let loop: EventLoop
  private var timer: TimerID?
  /// Milliseconds for the first word on it.
  private static let patience = 100

  init(isHere: Bool, loop: EventLoop) {
    self.isHere = isHere
    self.loop = loop
  }

  /// The terminal said so.
  func take(_ isHere: Bool) {
    guard isHere != self.isHere || !isKnown else { return }
    if let timer { loop.cancel(timer) }
    timer = nil
    self.isHere = isHere
    changed()
  }

  /// The terminal was asked to tell, and has not told yet; without a word it counts as here.
  func wait() {
    if let timer { loop.cancel(timer) }
    timer = loop.after(milliseconds: Self.patience) { [weak self] in self?.take(true) }
    isHere = false
    changed()
  }
}
