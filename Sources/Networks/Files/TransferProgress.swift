// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// How much of a file is transferred, for the status of the account.
@MainActor
package final class TransferProgress {
  /// Milliseconds before anything is shown: most files are done by then.
  private static let patience: Milliseconds = 300

  private let loop: EventLoop
  private let changed: () -> Void
  private var what: ((_ percent: Int?) -> AccountStatus.Activity)?
  private var began: MonotonicTime = 0
  /// The transfer as an activity of the status; nil if nothing is shown.
  package private(set) var activity: AccountStatus.Activity? {
    didSet { if activity != oldValue { changed() } }
  }

  /// - Parameter changed: called when `activity` has changed.
  package init(loop: EventLoop, changed: @escaping () -> Void) {
    (self.loop, self.changed) = (loop, changed)
  }

  /// - Parameter what: makes the activity from a percentage, which is nil if unknown.
  package func begin(_ what: @escaping (_ percent: Int?) -> AccountStatus.Activity) {
    (self.what, began) = (what, loop.now)
  }

  package func move(_ bytes: Int64, of all: Int64) {
    guard let what, loop.now - began >= Self.patience else { return }
    // Use steps of five percent, since each step is a write into the store.
    activity = what(all > 0 ? Int(min(bytes, all) * 20 / all * 5) : nil)
  }

  package func end() {
    (what, activity) = (nil, nil)
  }
}
