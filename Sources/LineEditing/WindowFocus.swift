// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import Terminal

/// Whether the terminal's window has the focus (rule 7.3), as far as the terminal reports it.
@MainActor
package final class WindowFocus {
  /// Whether the window has the focus; that of a terminal that does not report it counts as focused.
  package private(set) var isHere: Bool
  /// Whether ``isHere`` is known. False while the editor waits for the terminal's report; ``isHere``
  /// is then also false.
  package var isKnown: Bool { timer == nil }
  /// Whether the terminal has reported it since hobnob last had the terminal back.
  package private(set) var isReported = false
  var changed: () -> Void = {}
  private let loop: EventLoop
  private var timer: TimerID?
  /// Milliseconds to wait for the first report.
  private static let patience = 100

  init(isHere: Bool, loop: EventLoop) {
    self.isHere = isHere
    self.loop = loop
  }

  /// Records that the terminal reported it.
  func noteReport(_ isHere: Bool) {
    isReported = true
    setHere(isHere)
  }

  private func setHere(_ isHere: Bool) {
    guard isHere != self.isHere || !isKnown else { return }
    if let timer { loop.cancel(timer) }
    timer = nil
    self.isHere = isHere
    changed()
  }

  /// Waits for a report that was requested; if none comes, the window counts as focused.
  func wait() {
    if let timer { loop.cancel(timer) }
    timer = loop.after(milliseconds: Self.patience) { [weak self] in self?.setHere(true) }
    isHere = false
    isReported = false
    changed()
  }
}
