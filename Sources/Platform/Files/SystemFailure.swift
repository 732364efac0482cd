// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A failed system call; the caller knows what it was about.
package struct SystemFailure: Error {
  package let code: Int32

  /// The failure of the last call of this thread.
  package init() { code = errno }

  package init(code: Int32) { self.code = code }

  package var reason: String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}
