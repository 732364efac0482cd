// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension Store {
  /// Stores what networks report, for the ``AccountLease``.
  var inbox: Inbox { Inbox(store: self) }
}

/// Stores what networks report.
struct Inbox {
  let store: Store

  /// Stores events from the network of an account.
  func apply(
    _ events: [NetworkEvent], of account: Account, fetchesFiles: Bool = true
  ) throws {
    if events.isEmpty { return }
    func apply(in transaction: borrowing some Writing & ~Copyable) throws {
      guard let known = try transaction.account(network: account.network), known.id == account.id
      else { throw RuleError.noSuchAccount(account.network) }
      let batch = try IncomingBatch(transaction, known, events, fetchesFiles: fetchesFiles)
      for event in events { try batch.apply(event) }
      try batch.settle()
      try batch.index()
    }
    if events.contains(where: \.lasts) {
      try store.writeDurably { try apply(in: $0) }
    } else {
      try store.write { try apply(in: $0) }
    }
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
