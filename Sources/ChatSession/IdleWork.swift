// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Maintains the store while nobody types: removes messages older than their conversation keeps
/// them, returns unused space to the disk and unused memory to the system, and removes unused
/// files.
///
/// It never wakes the shell, but takes a few milliseconds of turns that the loop takes anyway.
package struct IdleWork {
  /// How many milliseconds without a key must pass before it begins.
  static let rest: Int64 = 1500
  /// Milliseconds until the next check, when there was nothing to do.
  static let pause: Int64 = 60_000
  /// Milliseconds that one turn may take; a step begins only in the first half of them.
  static let longest: Int64 = 5
  /// Milliseconds between two walks through the files of attachments: there may be many.
  static let fileRounds: Int64 = 24 * 3_600_000
  /// How many files one step visits.
  static let filesAtOnce = 16

  private var next: MonotonicTime
  private var nextFiles: MonotonicTime
  /// The walk through the files, and whether it is under way; everything else waits for its end.
  private var sweep = AttachmentSweep()
  private var isSweeping = false

  /// The start of a shell does not count as idle.
  package init(now: MonotonicTime) {
    next = now + 10_000
    nextFiles = now + 3_600_000
  }

  /// Does some of the work, if it is time.
  ///
  /// - Parameter lastKey: the time of the last key.
  package mutating func turn(_ store: Store, lastKey: MonotonicTime, clock: () -> MonotonicTime) {
    let start = clock()
    guard start >= next, start - lastKey >= Self.rest else { return }
    do {
      let wall = Clock.wall()
      if isSweeping { return try sweep(store, wall, from: start, clock) }
      var isDone = false
      while !isDone, clock() - start < Self.longest / 2 {
        isDone =
          try store.writeIfNeeded { try $0.forgetOld(now: wall, budget: 20) } == 0
          && store.upkeep.compactStep(pages: 32) == 0
      }
      if isDone, start >= nextFiles {
        isSweeping = true
      } else if isDone {
        store.upkeep.releaseMemory()
        next = clock() + Self.pause
      }
    } catch is AttachmentError {
      // An unreadable folder will not be fixed within a minute.
      endSweep(at: start)
    } catch {
      // The store is locked or full: try again later; the next message reports the reason.
      next = start + Self.pause
    }
  }

  private mutating func sweep(
    _ store: Store, _ wall: Milliseconds, from start: MonotonicTime, _ clock: () -> MonotonicTime
  ) throws {
    while clock() - start < Self.longest / 2 {
      if try sweep.step(Self.filesAtOnce, in: store, now: wall) {
        return endSweep(at: start)
      }
    }
  }

  private mutating func endSweep(at now: MonotonicTime) {
    isSweeping = false
    sweep = AttachmentSweep()
    nextFiles = now + Self.fileRounds
    next = now + Self.pause
  }
}
