// SPDX-License-Identifier: GPL-3.0-or-later
import CReadline
import Platform
import StyledText
import Terminal

/// Decodes keys from the terminal's bytes. Three cases need a timer: an incomplete key, such as a
/// lone Escape, a paste whose end is lost, and a paste that the terminal does not mark.
@MainActor
final class KeyReader {
  private let device: TerminalDevice
  private let loop: EventLoop
  private var decoder = KeyDecoder()
  /// Keys typed before the prompt; the loop handles them as soon as it runs.
  var typedAhead: [KeyEvent] = []
  private var keyTimer: TimerID?
  private var unmarked = UnmarkedPaste()
  private var unmarkedTimer: TimerID?
  private var pasteTimer: TimerID?
  /// Milliseconds; no terminal pauses this long within a paste.
  private static let pastePause: Int64 = 1000
  /// Called with the keys that were waiting for more when a timer expired.
  var onTimeout: ([KeyEvent]) -> Void = { _ in }
  /// Called if a paste does not end within `pastePause`. Until its end arrives, every key is part
  /// of it.
  var onUnfinishedPaste: () -> Void = {}

  init(of device: TerminalDevice, in loop: EventLoop) {
    self.device = device
    self.loop = loop
  }

  /// The input that has arrived; nil if the terminal has closed.
  ///
  /// - Parameter awaitsAnswer: whether the terminal still has to answer a question.
  func available(awaitsAnswer: Bool) -> [KeyEvent]? {
    decoder.awaitsAnswer = awaitsAnswer
    return device.readAvailable().map { decoder.decode($0, at: loop.now) }
  }

  /// Takes keys, and returns those to handle now; the others may be a paste.
  ///
  /// - Parameter busy: for how many milliseconds nobody read the keys; nil for the last turn.
  func withoutPastes(_ keys: [KeyEvent], busy: Int64? = nil) -> [KeyEvent] {
    if decoder.hasSeenPasteMark { return keysHeldBack() + keys }
    return unmarked.take(keys, at: loop.slept, busy: busy ?? loop.lastTurn)
  }

  /// Returns the keys that were held back, since they may have been a paste.
  func keysHeldBack() -> [KeyEvent] { unmarked.timeOut() }

  /// Returns the keys that were held back undecided, to be taken again.
  func undecidedKeys() -> [KeyEvent] { unmarked.giveBack() }

  /// Returns all keys that were held back, and what has arrived of a paste, since no more will come.
  func lastKeys() -> [KeyEvent] { keysHeldBack() + decoder.end() }

  /// Starts the timers. Call this when the input has been handled.
  func startTimers() {
    startKeyTimer()
    startUnmarkedTimer()
    guard decoder.isPasting || pasteTimer != nil else { return }
    loop.schedule(&pasteTimer, at: decoder.isPasting ? loop.now + Self.pastePause : nil) {
      [weak self] in
      self?.pasteTimer = nil
      self?.onUnfinishedPaste()
    }
  }

  private func startUnmarkedTimer() {
    let patience = unmarked.timeLeft(at: loop.slept)
    loop.schedule(&unmarkedTimer, at: patience.map { loop.now + $0 }) { [weak self] in
      guard let self else { return }
      unmarkedTimer = nil
      // The rest may have arrived while the program was busy.
      if unmarked.timeLeft(at: loop.slept) == 0 { onTimeout(unmarked.timeOut()) }
      startUnmarkedTimer()
    }
  }

  private func startKeyTimer() {
    guard decoder.isWaiting || keyTimer != nil else { return }
    let timeout =
      creadline_variable("keyseq-timeout").flatMap {
        Int(written: String(cString: $0), in: -Int.max...Int(Int32.max))
      } ?? 100
    // For readline, 0 means no timeout: the next key decides what Escape means.
    decoder.escapeTimeout = timeout > 0 ? Int64(timeout) : nil
    loop.schedule(&keyTimer, at: decoder.deadline) { [weak self] in
      guard let self else { return }
      keyTimer = nil
      onTimeout(withoutPastes(decoder.timeOut()))
      startTimers()
    }
  }
}
