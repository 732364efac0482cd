// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// What is known of a size that may be changing.
struct ResizeProbe {
  /// What the terminal said: its size, and where the cursor is; nil where it may have moved since.
  struct Answer {
    var size: Size
    var cursor: CursorPlace?
  }

  /// Whether this terminal answers; nil before it was asked.
  var answers: Bool?
  /// How many reports of the terminal are still to come, also such as nobody waits for any more.
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

/// The screen after a resize: the block is taken away from where it stands only when it is certain
/// how the terminal has wrapped it, for otherwise messages above it would go with it (1.14).
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
  private static let longestDoubt: Int64 = 1000
  /// Milliseconds for which another resize may not have been told of yet: tmux holds the second one
  /// back for 250.
  private static let silence: Int64 = 400
  /// Milliseconds after which an answer is not waited for to know which one comes.
  private static let oblivion: Int64 = 10_000
  /// Milliseconds for which an answer holds.
  private static let certainty: Int64 = 10

  /// SIGWINCH, after it has settled; or the size was found to be another. Nothing is drawn until the
  /// terminal has said twice that it is the same.
  public func resized() {
    guard face == .tty else { return display.takeSize() }
    // A terminal that takes nothing is not to be asked.
    sizeDoubt.isPutOff = isBehind
    guard !isBehind else { return }
    guard !display.isSizeInDoubt else { return }
    guard sizeDoubt.answers != false else { return settle(on: nil) }
    display.isSizeInDoubt = true
    sizeDoubt.lastAnswer = nil
    sizeDoubt.since = loop.now
    ask()
  }

  /// Lines are about to scroll the block up: what would be left of it when it is not where it seems
  /// to be stays for ever. Soon after a resize the terminal has to confirm its size first.
  func doubtBeforeLines() {
    guard display.hasLines, face == .tty, !isBehind, sizeDoubt.answers == true,
      !display.isSizeInDoubt,
      let settledAt = sizeDoubt.settledAt, loop.now - settledAt < Self.silence,
      loop.now - sizeDoubt.confirmedAt > Self.certainty
    else { return }
    display.isSizeInDoubt = true
    sizeDoubt.lastAnswer = .init(size: display.size, cursor: nil)
    sizeDoubt.since = loop.now
    ask()
  }

  private func ask() {
    if loop.now - sizeDoubt.askedAt > Self.oblivion { sizeDoubt.forget() }
    device.write(SizeReport.question)
    sizeDoubt.awaited += SizeReport.answers
    sizeDoubt.askedAt = loop.now
    let patience = sizeDoubt.answers == nil ? Self.firstPatience : Self.patience
    sizeDoubt.timer = loop.after(milliseconds: patience) { [weak self] in
      guard let self else { return }
      if sizeDoubt.answers == nil { sizeDoubt.answers = false }
      sizeDoubt.lastAnswer?.cursor = nil
      settle(on: sizeDoubt.lastAnswer)
    }
  }

  /// A report that was asked for has come.
  func take(_ report: Size) {
    guard let answer = sizeDoubt.take(report) else { return }
    sizeDoubt.answers = true
    sizeDoubt.slowest = max(sizeDoubt.slowest, loop.now - sizeDoubt.askedAt)
    guard display.isSizeInDoubt else {
      // Too late: the block was drawn for what the system told, and the cursor has moved since.
      if answer.size != display.size { settle(on: .init(size: answer.size, cursor: nil)) }
      return
    }
    // To another question before the last one.
    if sizeDoubt.awaited > 0 { return }
    if let timer = sizeDoubt.timer { loop.cancel(timer) }
    let isSame = answer.size == sizeDoubt.lastAnswer?.size
    sizeDoubt.lastAnswer = answer
    if isSame || loop.now - sizeDoubt.since > Self.longestDoubt { return settle(on: answer) }
    sizeDoubt.timer = loop.after(milliseconds: Self.calm) { [weak self] in self?.ask() }
  }

  /// The terminal is about to be given back: what is known has to do, and an answer that is still to
  /// come must not be typed into the next program.
  func endSizeDoubt() {
    if display.isAnotherSizeTold { resized() }
    guard display.isSizeInDoubt else { return }
    if let timer = sizeDoubt.timer { loop.cancel(timer) }
    // Of one that was never asked before nobody knows.
    let patience =
      sizeDoubt.answers == nil
      ? Int64(Self.firstPatience) : max(Self.lastPatience, 2 * sizeDoubt.slowest)
    let end = loop.now + patience
    while sizeDoubt.awaited > 0, loop.now < end {
      var ready = pollfd(fd: device.input, events: Int16(POLLIN), revents: 0)
      guard poll(&ready, 1, Int32(end - loop.now)) > 0, let events = keys.available() else {
        break
      }
      for report in events.compactMap({ SizeReport.size(in: $0) }) where sizeDoubt.awaited > 0 {
        if let answer = sizeDoubt.take(report) { sizeDoubt.lastAnswer = answer }
      }
    }
    settle(on: sizeDoubt.lastAnswer)
  }

  /// - Parameter answer: nil is what the system tells.
  private func settle(on answer: ResizeProbe.Answer?) {
    sizeDoubt.timer = nil
    sizeDoubt.confirmedAt = loop.now
    if answer == nil || answer?.size != display.size { sizeDoubt.settledAt = loop.now }
    display.settle(on: answer?.size, cursor: answer?.cursor)
    tell(.resized)
  }
}
