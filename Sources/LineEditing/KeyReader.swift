// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Platform
import StyledText
import Terminal

/// Decodes keys from the terminal's bytes. Two cases need a timer: a lone Escape, and a paste whose
/// end is lost.
@MainActor
final class KeyReader {
  private let device: TerminalDevice
  private let loop: EventLoop
  private var decoder = KeyDecoder()
  private var escapeTimer: TimerID?
  private var pasteTimer: TimerID?
  /// Milliseconds; no terminal pauses this long within a paste.
  private static let pastePause: Int64 = 1000
  /// Called with the keys that were waiting when the Escape timer expired.
  var onTimeout: ([KeyEvent]) -> Void = { _ in }
  /// Called if a paste does not end within `pastePause`. Until its end arrives, every key is part
  /// of it.
  var onUnfinishedPaste: () -> Void = {}

  init(of device: TerminalDevice, in loop: EventLoop) {
    self.device = device
    self.loop = loop
  }

  /// The input that has arrived; nil if the terminal has closed.
  func available() -> [KeyEvent]? {
    device.readAvailable().map { decoder.decode($0, at: loop.now) }
  }

  /// Starts the timers. Call this when the input has been handled.
  func startTimers() {
    startEscapeTimer()
    guard decoder.isPasting || pasteTimer != nil else { return }
    loop.schedule(&pasteTimer, at: decoder.isPasting ? loop.now + Self.pastePause : nil) {
      [weak self] in
      self?.pasteTimer = nil
      self?.onUnfinishedPaste()
    }
  }

  private func startEscapeTimer() {
    if let escapeTimer { loop.cancel(escapeTimer) }
    escapeTimer = nil
    guard decoder.isWaiting else { return }
    let delay = creadline_variable("keyseq-timeout").flatMap {
      Int(written: String(cString: $0), in: -Int.max...Int(Int32.max))
    }
    // For readline, 0 means no timeout: the next key decides what Escape means.
    if let delay, delay <= 0 { return }
    escapeTimer = loop.after(milliseconds: delay ?? 100) { [weak self] in
      guard let self else { return }
      escapeTimer = nil
      onTimeout(decoder.timeOut())
    }
  }
}
