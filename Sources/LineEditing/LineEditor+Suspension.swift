// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import Terminal

extension LineEditor {
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
