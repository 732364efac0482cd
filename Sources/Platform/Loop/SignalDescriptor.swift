// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Signals from a readable descriptor (signalfd, Linux only).
package struct SignalDescriptor: ~Copyable {
  /// −1 until the first signal is added.
  package private(set) var descriptor: Int32 = -1
  private var set: sigset_t

  package init() {
    set = sigset_t()
    sigemptyset(&set)
  }

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  package mutating func add(_ signals: [Int32]) {
    for signal in signals { sigaddset(&set, signal) }
    block()
    descriptor = signalfd(descriptor, &set, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
  }

  mutating func block() {
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  mutating func unblock() {
    pthread_sigmask(SIG_UNBLOCK, &set, nil)
  }

  /// The signals since the last read, in the system's order.
  package func read() -> [Int32] {
    var signals: [Int32] = []
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while Glibc.read(descriptor, &info, size) == size { signals.append(Int32(info.ssi_signo)) }
    return signals
  }
}
