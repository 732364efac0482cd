// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

/// The terminal in the hands of another program.
extension LineEditor {
  /// Runs `body` with the terminal's modes restored, for a child that uses it.
  ///
  /// - Parameter keepingLine: whether the line stays on the screen, above the child's output.
  package func withTerminalReleased(keepingLine: Bool = true, _ body: () -> Void) {
    finishQuestions()
    resizeProbe.finish(availableKeys, keep: keepAhead)
    draw()
    display.leave(keepingLine: keepingLine)
    device.leave()
    loop.whileAway(body)
    device.enter(plain: displayMode == .plain)
    // The terminal did not report its focus in the meantime.
    if displayMode == .tty { focus.wait() }
    display.comeBack()
    // A Return that was meant for the child would be a line break before the next text.
    readAhead { $0 }
    if isEmpty || isAccepting { keys.typedAhead.trimPrefix { $0 == .key([0x0A]) } }
  }

  /// Handles SIGCONT after another process stopped this one: the terminal may be in any mode.
  package func continued() {
    device.takeAgain()
    if displayMode == .tty { focus.wait() }
    display.forget()
  }

  /// Handles C-z: restores the terminal's modes and stops the process until SIGCONT.
  package func suspend() {
    guard JobControl.canStop else {
      tell(.cannotSuspend)
      return
    }
    tell(.suspending)
    withTerminalReleased {
      loop.unblockSignals()
      signal(SIGTSTP, SIG_DFL)
      kill(0, SIGTSTP)
      loop.blockSignals()
    }
    tell(.resumed)
  }
}
