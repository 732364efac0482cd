// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// How much of a file is transferred, for the status line: `uploading a.png 45 %`.
@MainActor
package final class TransferProgress {
  /// Milliseconds before anything is shown: most files are done by then.
  private static let patience: Milliseconds = 300

  private let loop: EventLoop
  private let show: (String) -> Void
  private var what: String?
  private var began: Milliseconds = 0
  private var shown = ""

  /// - Parameter show: gets the text to show now; empty for nothing.
  package init(loop: EventLoop, show: @escaping (String) -> Void) {
    (self.loop, self.show) = (loop, show)
  }

  package func begin(_ what: String) {
    (self.what, began) = (what, loop.now)
  }

  package func move(_ bytes: Int64, of all: Int64) {
    guard let what, loop.now - began >= Self.patience else { return }
    // In steps of five, since each is a write into the store.
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
