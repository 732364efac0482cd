// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// Asks the terminal for its size while it may be changing. After a resize, hobnob removes the block
/// only when it knows how the terminal has wrapped it; otherwise it would remove messages above as
/// well (1.14).
@MainActor
package final class ResizeProbe {
  /// Milliseconds to wait for the first answer: enough for a remote machine, and a terminal that
  /// never answers is asked only once.
  private static let firstAnswerWait = 300
  private static let patience = 1000
  /// Milliseconds to wait before another program gets the terminal, if the terminal has always
  /// answered at once.
  private static let handOverWait: Int64 = 100
  /// Milliseconds for which the size has to stay the same.
  private static let stableTime = 40
  /// Milliseconds after which hobnob draws even while a window is being dragged.
  private static let longestProbe: Int64 = 1000
  /// For so many milliseconds after a resize, another may go unreported: tmux delays the second
  /// report by 250.
  private static let unreportedTime: Int64 = 400
  /// Milliseconds for which an answer stays valid.
  private static let answerLifetime: Int64 = 10
  /// Milliseconds after which hobnob stops waiting for a missing report.
  private static let reportExpiry: Int64 = 10_000

  /// What the terminal reported: its size, and the cursor's position, nil if the cursor may have
  /// moved since then.
  private struct Answer {
    var size: Size
    var cursor: CursorPosition?
  }

  private let loop: EventLoop
  private let device: TerminalDevice
  private let display: LineDisplay
  /// Called when the size is settled.
  var settled: () -> Void = {}

  /// Whether this terminal answers; nil before the first question.
  private var answers: Bool?
  /// How many reports the terminal still has to send, including those that came too late to matter.
  private var awaited = 0
  /// When the terminal was asked where the block is; nil unless the first report says that.
  var placeAskedAt: MonotonicTime? { isForPlace ? askedAt : nil }
  private var isForPlace = false
  /// The first of the two reports that make an answer.
  private var cursor: CursorPosition?
  private var lastAnswer: Answer?
  private var since: MonotonicTime = 0
  /// When the terminal was asked last, and the longest time that it took to answer.
  private var askedAt: MonotonicTime = 0
  private var slowest: Int64 = 0
  private var timer: TimerID?
  /// Whether the probe waits until the terminal accepts output again.
  private var isDeferred = false
  /// When the size last changed.
  private var settledAt: MonotonicTime?
  /// When the terminal last reported its size.
  private var confirmedAt: MonotonicTime = 0

  init(of device: TerminalDevice, on display: LineDisplay, in loop: EventLoop) {
    (self.device, self.display, self.loop) = (device, display, loop)
    display.sizeMayHaveChanged = { [weak self] in self?.windowResized() }
  }

  /// Whether the terminal still has to report something, and may.
  var isAwaiting: Bool { awaited > 0 && loop.now - askedAt <= Self.reportExpiry }

  /// Call this after a SIGWINCH, or when the size turns out to have changed. hobnob draws nothing
  /// until the terminal has reported the same size twice.
  package func windowResized() {
    guard display.displayMode == .tty else {
      display.updateSize()
      settled()
      return
    }
    // A terminal that accepts no output cannot be asked.
    isDeferred = display.isBehind
    if display.isBehind || display.isProbingSize { return }
    guard answers != false else { return settle(on: nil) }
    display.isProbingSize = true
    lastAnswer = nil
    since = loop.now
    ask()
  }

  /// Asks the terminal to confirm its size, if a resize was recent. Printing lines scrolls the
  /// block up; if the block were not where hobnob thinks it is, remains of it would stay on the
  /// screen for ever.
  func confirmSizeBeforeScroll() {
    guard display.hasLines, display.displayMode == .tty, !display.isBehind, answers == true,
      !display.isProbingSize,
      let settledAt, loop.now - settledAt < Self.unreportedTime,
      loop.now - confirmedAt > Self.answerLifetime
    else { return }
    display.isProbingSize = true
    lastAnswer = .init(size: display.size, cursor: nil)
    since = loop.now
    ask()
  }

  /// Asks the terminal where the block is, if a resize may depend on that.
  func askForPlace() {
    guard !display.isBehind, !display.isProbingSize, awaited == 0,
      display.askForPlace()
    else { return }
    (awaited, isForPlace, askedAt) = (1, true, loop.now)
  }

  /// Handles the answer. Returns false for any other event.
  func takePlace(_ event: KeyEvent) -> Bool {
    guard isForPlace, let report = SizeReport.size(in: event) else { return false }
    awaited -= 1
    isForPlace = false
    // After a resize, the block may no longer be there.
    if !display.isProbingSize, !display.sizeChanged {
      display.learnPlace(from: CursorPosition(report))
    }
    return true
  }

  private func ask() {
    // Reports that have not arrived by now never will.
    if loop.now - askedAt > Self.reportExpiry { (awaited, isForPlace, cursor) = (0, false, nil) }
    device.write(SizeReport.question)
    awaited += SizeReport.answers
    askedAt = loop.now
    let patience = answers == nil ? Self.firstAnswerWait : Self.patience
    timer = loop.after(milliseconds: patience) { [weak self] in
      guard let self else { return }
      if answers == nil { answers = false }
      lastAnswer?.cursor = nil
      settle(on: lastAnswer)
    }
  }

  /// Handles a report that hobnob asked for. Returns false for any other event.
  func takeSize(_ event: KeyEvent) -> Bool {
    guard awaited > 0, let report = SizeReport.size(in: event) else { return false }
    if let answer = add(report) { take(answer) }
    return true
  }

  /// Takes one report.
  ///
  /// - Returns: the answer that it completes.
  private func add(_ report: Size) -> Answer? {
    awaited -= 1
    guard let position = cursor.take() else {
      cursor = CursorPosition(report)
      return nil
    }
    return Answer(size: report, cursor: position)
  }

  private func take(_ answer: Answer) {
    answers = true
    slowest = max(slowest, loop.now - askedAt)
    guard display.isProbingSize else {
      // The answer is too late: the block was drawn for the system's size, and the cursor has moved
      // since.
      if answer.size != display.size { settle(on: .init(size: answer.size, cursor: nil)) }
      return
    }
    // The report answers an earlier question, not the last one.
    if awaited > 0 { return }
    if let timer { loop.cancel(timer) }
    let isSame = answer.size == lastAnswer?.size
    lastAnswer = answer
    if isSame || loop.now - since > Self.longestProbe {
      return settle(on: answer)
    }
    timer = loop.after(milliseconds: Self.stableTime) { [weak self] in self?.ask() }
  }

  /// Settles on the known size, and waits a moment for answers, which must not become input of
  /// another program. Call this before that program gets the terminal.
  ///
  /// - Parameters:
  ///   - read: returns the input that has arrived; nil if the terminal has closed.
  ///   - keep: gets the keys among it.
  func finish(_ read: () -> [KeyEvent]?, keep: ([KeyEvent]) -> Void) {
    if display.sizeChanged { windowResized() }
    guard display.isProbingSize else { return }
    if let timer { loop.cancel(timer) }
    // A terminal that has never been asked may be slow.
    let patience =
      answers == nil ? Int64(Self.firstAnswerWait) : max(Self.handOverWait, 2 * slowest)
    let end = loop.now + patience
    while awaited > 0, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, let events = read() else { break }
      keep(
        events.filter { event in
          if takePlace(event) { return false }
          guard awaited > 0, let report = SizeReport.size(in: event) else { return true }
          if let answer = add(report) { lastAnswer = answer }
          return false
        })
    }
    settle(on: lastAnswer)
  }

  /// Call this when the terminal accepts output again.
  func caughtUp() { if isDeferred { windowResized() } }

  /// - Parameter answer: nil to use the size that the system reports.
  private func settle(on answer: Answer?) {
    timer = nil
    confirmedAt = loop.now
    if answer == nil || answer?.size != display.size { settledAt = loop.now }
    display.applySize(answer?.size, cursor: answer?.cursor)
    settled()
  }
}
