// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Terminal

/// Tries again what the store refused while somebody else had it locked (rule 1.2): the lines that
/// wait, then whatever else was to be written or read.
@MainActor
final class LockedStore {
  private let shell: Shell
  private let loop: EventLoop
  private var timer: TimerID?
  /// Milliseconds until the next try; a lock that lasts is asked for less often.
  private var delay = 2
  /// A line could not be stored.
  var giveBack: (WaitingLines.Line, SafeText) -> Void = { _, _ in }
  /// A try is over. True: nothing waits any more.
  var tried: (Bool) -> Void = { _ in }
  /// What is only read need not be read any more.
  var isLeaving = false

  init(shell: Shell, loop: EventLoop) {
    self.shell = shell
    self.loop = loop
  }

  func tryAgainSoon() {
    guard timer == nil else { return }
    timer = loop.after(milliseconds: delay) { [weak self] in self?.tryAgain() }
    delay = min(delay * 2, 50)
  }

  private func tryAgain() {
    timer = nil
    commitWaiting()
    let done = shell.tryPostponed()
    if !isLeaving || shell.waiting.isEmpty { shell.catchUp() }
    let isFree = shell.waiting.isEmpty && done
    if isFree { delay = 2 } else { tryAgainSoon() }
    tried(isFree)
  }

  private func commitWaiting() {
    while let line = shell.waiting.first {
      do {
        try shell.commit(line)
        shell.waiting.removeFirst()
      } catch StoreError.locked {
        if let back = shell.waiting.givenUp(at: loop.now) {
          giveBack(back, sentence(for: StoreError.locked(path: shell.store.path)))
        }
        return
      } catch {
        if let back = shell.waiting.takeBack() { giveBack(back, sentence(for: error)) }
      }
    }
  }
}
