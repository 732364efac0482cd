// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  @Suite("Eight processes at one store")
  struct EightWritersTests {
    private static let people = (1...8).map { "w\($0)" }
    /// In a long run ten thousand, which takes eight minutes alone, and half an hour beside the
    /// other suites on two cores.
    private static let lines = LongRun.factor == nil ? 400 : 10_000

    @Test(
      "Messages of all at once: none lost, none twice, each sender's in order, seen by all",
      .timeLimit(.minutes(LongRun.factor == nil ? 5 : 60)))
    func everyMessageOnceEverywhere() throws {
      let home = try Home()
      try home.say("first", as: "ben")
      let watchers = try Self.people.map {
        try home.start(["log", "lobby", "--lines", "1000000", "--follow", "--as", $0], input: nil)
      }
      let writers = try Self.people.map { name in
        try home.start(
          ["lobby", "--as", name],
          input: (0..<Self.lines).map { "\(name)-\($0)\n" }.joined())
      }
      for writer in writers {
        let finished = writer.finish(within: 3_000)
        #expect(finished.status == 0, "\(finished.errors)")
      }
      let total = Self.people.count * Self.lines + 1
      for (name, watcher) in zip(Self.people, watchers) {
        #expect(
          watcher.wait(for: 120) { $0.output.utf8.count { $0 == 0x0A } >= total },
          "\(name) has not seen all")
        let shown = watcher.output.split(separator: "\n").dropFirst()
        #expect(shown.count == total - 1)
        for writer in Self.people {
          let own = shown.filter { $0.contains("] \(writer): ") }.compactMap { line in
            line.split(separator: "-").last.flatMap { Int($0) }
          }
          #expect(own == Array(0..<Self.lines), "what \(writer) wrote, as seen by \(name)")
        }
        let numbers = shown.compactMap { $0.firstMatch(of: /\[(\d+)\]/).flatMap { Int($0.1) } }
        #expect(numbers == Array(2...total), "numbers, as seen by \(name)")
        watcher.kill(SIGTERM)
      }
      let check = try home.run(["check"])
      #expect(check.status == 0, "\(check.output)")
    }
  }
}
