// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

extension EndToEnd {
  /// One short case of the programs of Matrix and Delta Chat; `make check-networks` has the others.
  @Suite("The programs of Matrix and Delta Chat")
  struct NetworkProgramTests {
    @Test("text, changes and a file go both ways over real servers")
    func talks() throws {
      let home = try Home()
      var environment = home.environment
      environment["HOBNOB"] = Home.program
      environment["PATH"] = "/usr/local/bin:/usr/bin:/bin:/usr/sbin"
      let check = Repository.root.appending(path: "Tests/Networks/check.py").path
      let ended = try Program(["python3", check, "--short"], environment: environment)
        .finish(within: 120)
      #expect(ended.status == 0, "\(ended)")
      #expect(!ended.output.contains("skipped"), "\(ended)")
    }
  }
}
