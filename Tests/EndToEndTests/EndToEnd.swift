// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// Drives the built program from outside: on pseudo-terminals, in tmux and by scripts.
@Suite("The built program", .onWaitingThreads)
enum EndToEnd {}

/// Runs the tests of a suite on threads of their own. They wait for programs more than they
/// calculate, and the threads that tests have otherwise are as many as there are processors.
struct OnWaitingThreads: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.shared) { try await function() }
  }
}

extension Trait where Self == OnWaitingThreads {
  static var onWaitingThreads: Self { Self() }
}

private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  static let shared = WaitingThreads(6)

  private let condition = NSCondition()
  private var jobs: [UnownedJob] = []

  init(_ count: Int) {
    for _ in 0..<count { Thread.detachNewThread { [self] in work() } }
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    condition.withLock { jobs.append(job) }
    condition.signal()
  }

  private func work() {
    while true {
      condition.lock()
      while jobs.isEmpty { condition.wait() }
      let job = jobs.removeFirst()
      condition.unlock()
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
  }
}
