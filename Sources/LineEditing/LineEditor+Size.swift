// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// Asks the terminal for its size while it may be changing.
struct ResizeProbe {
  /// What the terminal reported: its size, and the cursor's position, nil if the cursor may have
  /// moved since then.
  struct Answer {
    var size: Size
    var cursor: CursorPosition?
  }

  /// Whether this terminal answers; nil before the first question.
  var answers: Bool?
  /// How many reports the terminal still has to send, including those that came too late to matter.
  var awaited = 0
  /// Whether the first of them says where the block is.
  var isForPlace = false
  /// The first of the two reports that make an answer.
  var cursor: CursorPosition?
  var lastAnswer: Answer?
  var since: MonotonicTime = 0
  /// When the terminal was asked last, and the longest time that it took to answer.
  var askedAt: MonotonicTime = 0
  var slowest: Int64 = 0
  var timer: TimerID?
  /// Whether the probe waits until the terminal accepts output again.
  var isDeferred = false
  /// When the size last changed.
  var settledAt: MonotonicTime?
  /// When the terminal last reported its size.
  var confirmedAt: MonotonicTime = 0

  /// Takes one report.
  ///
  /// - Returns: the answer that it completes.
  mutating func add(_ report: Size) -> Answer? {
    awaited -= 1
    guard let position = cursor.take() else {
      cursor = CursorPosition(report)
      return nil
    }
    return Answer(size: report, cursor: position)
  }

  /// Milliseconds after which hobnob stops waiting for a missing report.
  static let reportExpiry: Int64 = 10_000

  func isAwaiting(at now: MonotonicTime) -> Bool {
    awaited > 0 && now - askedAt <= Self.reportExpiry
  }

  /// Forgets the reports that have not arrived: they never will.
  mutating func forget() { (awaited, isForPlace, cursor) = (0, false, nil) }
}

/// The screen after a resize: hobnob removes the block only when it knows how the terminal has
/// wrapped it; otherwise it would remove messages above as well (1.14).
extension LineEditor {
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

  /// Call this after a SIGWINCH, or when the size turns out to have changed. hobnob draws nothing
  /// until the terminal has reported the same size twice.
  package func windowResized() {
    guard displayMode == .tty else {
      display.updateSize()
      tell(.resized)
      return
    }
    // A terminal that accepts no output cannot be asked.
    resizeProbe.isDeferred = isBehind
    guard !isBehind else { return }
    guard !display.isProbingSize else { return }
    guard resizeProbe.answers != false else { return finishProbe(with: nil) }
    display.isProbingSize = true
    resizeProbe.lastAnswer = nil
    resizeProbe.since = loop.now
    ask()
  }

  /// Asks the terminal to confirm its size, if a resize was recent. Printing lines scrolls the
  /// block up; if the block were not where hobnob thinks it is, remains of it would stay on the
  /// screen for ever.
  func confirmSizeBeforeScroll() {
    guard display.hasLines, displayMode == .tty, !isBehind, resizeProbe.answers == true,
      !display.isProbingSize,
      let settledAt = resizeProbe.settledAt, loop.now - settledAt < Self.unreportedTime,
      loop.now - resizeProbe.confirmedAt > Self.answerLifetime
    else { return }
    display.isProbingSize = true
    resizeProbe.lastAnswer = .init(size: display.size, cursor: nil)
    resizeProbe.since = loop.now
    ask()
  }

  /// Asks the terminal where the block is, if a resize may depend on that.
  func askForPlace() {
    guard isStarted, !isBehind, !display.isProbingSize, resizeProbe.awaited == 0,
      display.askForPlace()
    else { return }
    (resizeProbe.awaited, resizeProbe.isForPlace, resizeProbe.askedAt) = (1, true, loop.now)
  }

  /// Handles the answer. Returns false for any other event.
  func takePlace(_ event: KeyEvent) -> Bool {
    guard resizeProbe.isForPlace, let report = SizeReport.size(in: event) else { return false }
    resizeProbe.awaited -= 1
    resizeProbe.isForPlace = false
    // After a resize, the block may no longer be there.
    if !display.isProbingSize, !display.sizeChanged {
      display.learnPlace(from: CursorPosition(report))
    }
    return true
  }

  private func ask() {
    if loop.now - resizeProbe.askedAt > ResizeProbe.reportExpiry { resizeProbe.forget() }
    device.write(SizeReport.question)
    resizeProbe.awaited += SizeReport.answers
    resizeProbe.askedAt = loop.now
    let patience = resizeProbe.answers == nil ? Self.firstAnswerWait : Self.patience
    resizeProbe.timer = loop.after(milliseconds: patience) { [weak self] in
      guard let self else { return }
      if resizeProbe.answers == nil { resizeProbe.answers = false }
      resizeProbe.lastAnswer?.cursor = nil
      finishProbe(with: resizeProbe.lastAnswer)
    }
  }

  /// Handles a report that hobnob asked for.
  func handleSizeReport(_ report: Size) {
    guard let answer = resizeProbe.add(report) else { return }
    resizeProbe.answers = true
    resizeProbe.slowest = max(resizeProbe.slowest, loop.now - resizeProbe.askedAt)
    guard display.isProbingSize else {
      // The answer is too late: the block was drawn for the system's size, and the cursor has moved
      // since.
      if answer.size != display.size { finishProbe(with: .init(size: answer.size, cursor: nil)) }
      return
    }
    // The report answers an earlier question, not the last one.
    if resizeProbe.awaited > 0 { return }
    if let timer = resizeProbe.timer { loop.cancel(timer) }
    let isSame = answer.size == resizeProbe.lastAnswer?.size
    resizeProbe.lastAnswer = answer
    if isSame || loop.now - resizeProbe.since > Self.longestProbe {
      return finishProbe(with: answer)
    }
    resizeProbe.timer = loop.after(milliseconds: Self.stableTime) { [weak self] in self?.ask() }
  }

  /// Settles on the known size, and waits a moment for answers, which must not become input of
  /// another program. Call this before that program gets the terminal.
  func finishResizeProbe() {
    if display.sizeChanged { windowResized() }
    guard display.isProbingSize else { return }
    if let timer = resizeProbe.timer { loop.cancel(timer) }
    // A terminal that has never been asked may be slow.
    let patience =
      resizeProbe.answers == nil
      ? Int64(Self.firstAnswerWait) : max(Self.handOverWait, 2 * resizeProbe.slowest)
    let end = loop.now + patience
    while resizeProbe.awaited > 0, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, let events = availableKeys() else {
        break
      }
      let others = events.filter { !takePlace($0) }
      for report in others.compactMap({ SizeReport.size(in: $0) }) where resizeProbe.awaited > 0 {
        if let answer = resizeProbe.add(report) { resizeProbe.lastAnswer = answer }
      }
    }
    finishProbe(with: resizeProbe.lastAnswer)
  }

  /// - Parameter answer: nil to use the size that the system reports.
  private func finishProbe(with answer: ResizeProbe.Answer?) {
    resizeProbe.timer = nil
    resizeProbe.confirmedAt = loop.now
    if answer == nil || answer?.size != display.size { resizeProbe.settledAt = loop.now }
    display.applySize(answer?.size, cursor: answer?.cursor)
    tell(.resized)
  }
}
