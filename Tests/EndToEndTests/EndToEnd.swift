// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// The built program, driven from outside: on pseudo-terminals, in tmux and by scripts.
@Suite("The built program", .manyAtATime)
enum EndToEnd {}

/// Runs the tests of a suite on threads of their own. They wait for programs more than they
/// calculate, and the threads that tests have otherwise are as many as there are processors.
struct ManyAtATime: SuiteTrait, TestTrait, TestScoping {
  let isRecursive = true

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing function: @Sendable () async throws -> Void
  ) async throws {
    try await withTaskExecutorPreference(WaitingThreads.all) { try await function() }
  }
}

extension Trait where Self == ManyAtATime {
  static var manyAtATime: Self { Self() }
}

/// Threads that may wait, each for one test.
private final class WaitingThreads: TaskExecutor, @unchecked Sendable {
  static let all = WaitingThreads(4)

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
