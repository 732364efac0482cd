// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// Runs a body with another umask, on its own thread, since tests that run at the same time share
/// the umask of the process (unshare(2), CLONE_FS). Check expectations after it returns.
public func withUmask<Result>(
  _ mask: mode_t, _ body: @escaping () throws -> Result
) throws -> Result {
  let work = Work(body)
  let thread = Thread {
    if unshare(cloneFS) == 0 {
      umask(mask)
      work.result = Swift.Result { try work.body() }
    }
    work.isOver.signal()
  }
  thread.start()
  work.isOver.wait()
  guard let result = work.result else { throw POSIXError(.EPERM) }
  return try result.get()
}

private final class Work<Result>: @unchecked Sendable {
  let body: () throws -> Result
  var result: Swift.Result<Result, any Error>?
  let isOver = DispatchSemaphore(value: 0)

  init(_ body: @escaping () throws -> Result) { self.body = body }
}

/// Swift's Glibc does not import it.
private let unshare = unsafeBitCast(
  dlsym(nil, "unshare"), to: (@convention(c) (Int32) -> Int32).self)
private let cloneFS: Int32 = 0x200
