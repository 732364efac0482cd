// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

extension Store {
  /// Stores what networks report, for the ``AccountLease``.
  var inbox: Inbox { Inbox(self) }
}

/// Stores what networks report.
final class Inbox {
  private let store: Store
  /// What the playbacks of this connection have repeated.
  private var playbacks: [ConversationAddress: Playback] = [:]
  /// What the batch said of which a part could not be stored.
  private var unfinished: BatchOutline?
  /// The current time, for the length of a transaction.
  var steady: () -> MonotonicTime = Clock.steady
  /// The longest transaction so far, in milliseconds without its commit.
  private(set) var longestLock: Int64 = 0
  /// Runs between two transactions of a batch, so that others get the store's lock.
  var pause: () -> Void = { usleep(10_000) }

  init(_ store: Store) { self.store = store }

  /// After how many milliseconds a transaction ends, at the next place where a batch may be cut:
  /// while it runs, no one else can write.
  private static let longest: Int64 = 50

  /// Stores events from the network of an account.
  ///
  /// A long batch needs several transactions. Each event is stored as a whole, and so is each part
  /// of the batch that belongs together (see ``BatchOutline``). An event that contradicts the
  /// store, or that no rule admits, is skipped.
  ///
  /// - Parameters:
  ///   - events: on return, or when an error is thrown, those that are not stored yet.
  ///   - skipped: called with the reason for each skipped event.
  /// - Throws: `RuleError.noSuchAccount`, `StoreError`.
  func apply(
    _ events: inout [NetworkEvent], of account: Account, fetchesFiles: Bool = true,
    skipped: (any Error) -> Void
  ) throws {
    if events.isEmpty { return }
    let outline = BatchOutline(events, restOf: unfinished)
    var next = 0
    defer {
      events.removeFirst(next)
      unfinished = events.isEmpty ? nil : outline
    }
    while next < events.count {
      if next > 0 { pause() }
      let rest = events[next...]
      let (batch, end, errors) =
        try rest.contains(where: \.lasts)
        ? store.writeDurably { try storePart(of: rest, outline, account, fetchesFiles, in: $0) }
        : store.write { try storePart(of: rest, outline, account, fetchesFiles, in: $0) }
      playbacks = batch.repetitions.playbacks
      next = end
      errors.forEach(skipped)
    }
  }

  /// Stores events, and throws the reason if it had to skip one.
  func apply(
    _ events: [NetworkEvent], of account: Account, fetchesFiles: Bool = true
  ) throws {
    var (events, reason) = (events, (any Error)?.none)
    // They are not the rest of a batch.
    let rest = unfinished
    unfinished = nil
    defer { unfinished = rest }
    try apply(&events, of: account, fetchesFiles: fetchesFiles) { reason = reason ?? $0 }
    if let reason { throw reason }
  }

  /// Stores the first events of a batch.
  ///
  /// - Returns: the index behind the last stored event, and why events were skipped.
  private func storePart(
    of events: ArraySlice<NetworkEvent>, _ outline: BatchOutline, _ account: Account,
    _ fetchesFiles: Bool, in transaction: borrowing Access<some MayWrite>
  ) throws -> (batch: IncomingBatch, end: Int, skipped: [any Error]) {
    guard let known = try transaction.account(network: account.network), known.id == account.id
    else { throw RuleError.noSuchAccount(account.network) }
    let start = steady()
    let batch = try IncomingBatch(
      transaction, known, outline, playbacks, fetchesFiles: fetchesFiles)
    var (end, skipped) = (events.startIndex, [any Error]())
    repeat {
      if let reason = try batch.applyWhole(events[end]) { skipped.append(reason) }
      end += 1
    } while end < events.endIndex && (outline.joins(end) || steady() - start < Self.longest)
    if let reason = try batch.finish() { skipped.append(reason) }
    longestLock = max(longestLock, steady() - start)
    return (batch, end, skipped)
  }
}

extension NetworkEvent {
  /// Whether someone would miss it after a power cut. False for presence, and for how far others
  /// have read.
  fileprivate var lasts: Bool {
    switch self {
    case .typing, .receipt, .read, .readUntil, .present, .absent, .contact, .contactRemoved,
      .offline:
      false
    default: true
    }
  }
}
