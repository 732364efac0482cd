// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// How far a file is, for the status line, in steps that are worth a look: `uploading a.png 45 %`.
@MainActor
package final class TransferProgress {
  /// Milliseconds before anything is said: most files are through by then.
  private static let patience: Milliseconds = 300

  private let loop: EventLoop
  private let show: (String) -> Void
  private var what: String?
  private var began: Milliseconds = 0
  private var shown = ""

  /// - Parameter show: is told what is to be seen now; empty for nothing.
  package init(loop: EventLoop, show: @escaping (String) -> Void) {
    (self.loop, self.show) = (loop, show)
  }

  package func begin(_ what: String) {
    (self.what, began) = (what, loop.now)
  }

  package func move(_ bytes: Int64, of all: Int64) {
    guard let what, loop.now - began >= Self.patience else { return }
    // In steps of five: each is a write into the store.
    let percent = all > 0 ? min(bytes, all) * 20 / all * 5 : nil
    say(percent.map { "\(what) \($0) %" } ?? what)
  }

  package func end() {
    what = nil
    say("")
  }

  private func say(_ text: String) {
    if text == shown { return }
    shown = text
    show(text)
  }
}
