// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Tells that something in a folder was written, made, renamed or removed: dnotify (fcntl(2),
/// F_NOTIFY), which sends a signal and costs nothing while nothing happens.
///
/// It is for when inotify has no instance left. Every write to the write-ahead log wakes it, before
/// the commit can be seen; but the bell, rung after the commit, does so too. It does not see into
/// the folder of lock files: a shell that was killed is noticed with the next news only.
///
/// The signal is SIGURG, whose usual effect is none, and which nothing here uses; it is blocked, for
/// the descriptor to have it.
final class FolderWatch {
  /// Becomes readable when something has happened.
  let descriptor: Int32
  private let folder: Int32

  /// nil where the kernel has no dnotify, or the folder cannot be read.
  init?(_ path: String) {
    var signals = sigset_t()
    sigemptyset(&signals)
    sigaddset(&signals, SIGURG)
    pthread_sigmask(SIG_BLOCK, &signals, nil)
    descriptor = signalfd(-1, &signals, Int32(SFD_NONBLOCK | SFD_CLOEXEC))
    folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0, folder >= 0, clinux_watch_folder(folder, SIGURG) == 0 else {
      return nil
    }
  }

  deinit {
    for file in [folder, descriptor] where file >= 0 { close(file) }
  }

  func drain() {
    var info = signalfd_siginfo()
    let size = MemoryLayout<signalfd_siginfo>.size
    while read(descriptor, &info, size) == size {}
  }
}
