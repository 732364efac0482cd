// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// Sleeps until the store's bell rings, for commands that wait, without polling. Create it before
/// reading the store, so that you miss no change.
@MainActor
struct BellWait {
  /// Why the sleep ended.
  enum Outcome {
    case rang, timeIsOver
    /// The reader of standard output has closed it.
    case readerIsGone
  }

  private let store: Store
  private let descriptor: Int32
  private let end: MonotonicTime?
  private let watchesReader: Bool

  /// - Parameters:
  ///   - seconds: the time limit, from now; nil for none.
  ///   - watchesReader: whether to stop when nobody reads standard output any more.
  init(_ store: Store, seconds: Int?, watchesReader: Bool = false) throws {
    self.store = store
    self.watchesReader = watchesReader
    descriptor = try store.bellDescriptor
    end = seconds.map { Clock.steady() + Int64($0) * 1000 }
  }

  func next() -> Outcome {
    let left = end.map { $0 - Clock.steady() }
    if let left, left <= 0 { return .timeIsOver }
    var waited = [pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)]
    // When the reader closes its end, poll reports an error on ours even if nothing is written.
    if watchesReader { waited.append(pollfd(fd: 1, events: 0, revents: 0)) }
    poll(&waited, nfds_t(waited.count), left.map { Int32(min($0, Int64(Int32.max))) } ?? -1)
    if watchesReader, waited[1].revents != 0 { return .readerIsGone }
    _ = store.drainBell()
    return .rang
  }
}
