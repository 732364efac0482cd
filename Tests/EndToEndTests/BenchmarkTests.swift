// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

extension EndToEnd {
  /// What it measures is nobody's business here: only that it still measures, whatever became of
  /// the store's tables.
  @Suite("the benchmark")
  struct BenchmarkTests {
    @Test("a store of a lifetime, on a small scale, gives every figure")
    func lifetime() throws {
      let home = try Home()
      let folder = URL(fileURLWithPath: Home.program).deletingLastPathComponent().path
      let bench = try Program(
        [
          folder + "/hobnob-bench", "--hobnob", Home.program, "--lifetime",
          "--messages", "20000", "--rounds", "1",
        ], environment: home.environment)
      let finished = bench.finish(within: 120)
      // A program that is built like this one may miss a target.
      #expect(finished.status == (finished.output.contains("MISSED") ? 1 : 0), "\(finished.errors)")
      for figure in ["import of 20000", "start to first", "memory at", "last 50", "edit of the"] {
        #expect(finished.output.contains(figure), "\(figure) in \(finished.output)")
      }
    }
  }
}
