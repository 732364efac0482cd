// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// Asks the terminal for its size while it may be changing.
struct ResizeProbe {
  /// What the terminal said: its size, and where the cursor is; nil where it may have moved since.
  struct Answer {
    var size: Size
    var cursor: CursorPlace?
  }

  /// Whether this terminal answers; nil before it was asked.
  var answers: Bool?
  /// How many reports the terminal still has to send, including those that came too late to matter.
  var awaited = 0
  /// The first of the two that make an answer.
  var cursor: CursorPlace?
  var lastAnswer: Answer?
  var since: Int64 = 0
  /// When it was asked, and the longest it took to answer.
  var askedAt: Int64 = 0
  var slowest: Int64 = 0
  var timer: TimerID?
  /// It is to be looked at when the terminal takes something again.
  var isPutOff = false
  /// When another size was settled.
  var settledAt: Int64?
  /// When the terminal last said its size.
  var confirmedAt: Int64 = 0

  /// One report has come.
  ///
  /// - Returns: the answer that it completes.
  mutating func take(_ report: Size) -> Answer? {
    awaited -= 1
    guard let place = cursor.take() else {
      cursor = CursorPlace(row: report.rows - 1, column: report.columns - 1)
      return nil
    }
    return Answer(size: report, cursor: place)
  }

  /// What has not come by now never will.
  mutating func forget() { (awaited, cursor) = (0, nil) }
}

/// The screen after a resize: hobnob removes the block only when it knows how the terminal has wrapped
/// it, or messages above would go with it (1.14).
extension LineEditor {
  /// Milliseconds for the first answer: enough for a far machine, and a terminal that never answers
  /// is asked once only.
  private static let firstPatience = 300
  private static let patience = 1000
  /// The same where the terminal is to be given back, and answered at once until then.
  private static let lastPatience: Int64 = 100
  /// Milliseconds for which the size has to stay the same.
  private static let calm = 40
  /// Milliseconds after which something is drawn even while a window is being dragged.
  private static let longestProbe: Int64 = 1000
  /// Milliseconds for which another resize may not have been told of yet: tmux holds the second one
  /// back for 250.
  private static let silence: Int64 = 400
  /// Milliseconds after which an answer is not waited for to know which one comes.
  private static let oblivion: Int64 = 10_000
  /// Milliseconds for which an answer holds.
  private static let certainty: Int64 = 10

  /// After a SIGWINCH, or when the size turns out to have changed. Nothing is drawn until the terminal
  /// has reported the same size twice.
  public func resized() {
    guard face == .tty else { return display.takeSize() }
    // A terminal that takes nothing is not to be asked.
    resizeProbe.isPutOff = isBehind
    guard !isBehind else { return }
    guard !display.isProbingSize else { return }
    guard resizeProbe.answers != false else { return settle(on: nil) }
    display.isProbingSize = true
    resizeProbe.lastAnswer = nil
    resizeProbe.since = loop.now
    ask()
  }

  /// Printing lines scrolls the block up. If the block is not where hobnob thinks it is, remains of it
  /// stay on the screen for ever; so soon after a resize the terminal has to confirm its size first.
  func confirmSizeBeforeScroll() {
    guard display.hasLines, face == .tty, !isBehind, resizeProbe.answers == true,
      !display.isProbingSize,
      let settledAt = resizeProbe.settledAt, loop.now - settledAt < Self.silence,
      loop.now - resizeProbe.confirmedAt > Self.certainty
    else { return }
    display.isProbingSize = true
    resizeProbe.lastAnswer = .init(size: display.size, cursor: nil)
    resizeProbe.since = loop.now
    ask()
  }

  private func ask() {
    if loop.now - resizeProbe.askedAt > Self.oblivion { resizeProbe.forget() }
    device.write(SizeReport.question)
    resizeProbe.awaited += SizeReport.answers
    resizeProbe.askedAt = loop.now
    let patience = resizeProbe.answers == nil ? Self.firstPatience : Self.patience
    resizeProbe.timer = loop.after(milliseconds: patience) { [weak self] in
      guard let self else { return }
      if resizeProbe.answers == nil { resizeProbe.answers = false }
      resizeProbe.lastAnswer?.cursor = nil
      settle(on: resizeProbe.lastAnswer)
    }
  }

  /// A report that was asked for has come.
  func take(_ report: Size) {
    guard let answer = resizeProbe.take(report) else { return }
    resizeProbe.answers = true
    resizeProbe.slowest = max(resizeProbe.slowest, loop.now - resizeProbe.askedAt)
    guard display.isProbingSize else {
      // Too late: the block was drawn for what the system told, and the cursor has moved since.
      if answer.size != display.size { settle(on: .init(size: answer.size, cursor: nil)) }
      return
    }
    // To another question before the last one.
    if resizeProbe.awaited > 0 { return }
    if let timer = resizeProbe.timer { loop.cancel(timer) }
    let isSame = answer.size == resizeProbe.lastAnswer?.size
    resizeProbe.lastAnswer = answer
    if isSame || loop.now - resizeProbe.since > Self.longestProbe { return settle(on: answer) }
    resizeProbe.timer = loop.after(milliseconds: Self.calm) { [weak self] in self?.ask() }
  }

  /// Call it before another program gets the terminal: settles on the size that is known, and waits a
  /// moment for answers, which must not become input of that program.
  func finishResizeProbe() {
    if display.isAnotherSizeTold { resized() }
    guard display.isProbingSize else { return }
    if let timer = resizeProbe.timer { loop.cancel(timer) }
    // A terminal that was never asked before may be slow.
    let patience =
      resizeProbe.answers == nil
      ? Int64(Self.firstPatience) : max(Self.lastPatience, 2 * resizeProbe.slowest)
    let end = loop.now + patience
    while resizeProbe.awaited > 0, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, let events = keys.available() else {
        break
      }
      for report in events.compactMap({ SizeReport.size(in: $0) }) where resizeProbe.awaited > 0 {
        if let answer = resizeProbe.take(report) { resizeProbe.lastAnswer = answer }
      }
    }
    settle(on: resizeProbe.lastAnswer)
  }

  /// - Parameter answer: nil is what the system tells.
  private func settle(on answer: ResizeProbe.Answer?) {
    resizeProbe.timer = nil
    resizeProbe.confirmedAt = loop.now
    if answer == nil || answer?.size != display.size { resizeProbe.settledAt = loop.now }
    display.settle(on: answer?.size, cursor: answer?.cursor)
    tell(.resized)
  }
}
