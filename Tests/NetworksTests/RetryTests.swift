// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Testing

@Suite("what is retried") struct RetryTests {
  @Test("the manual's table has the figures of the list, in its order, and no other")
  func manual() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("man/hobnob-networks.7"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n.Sh RETRIES\n").last)
    let table = try #require(section.components(separatedBy: "\n.El\n").first)
    let rows = table.split(separator: "\n").filter { $0.hasPrefix(".It ") }.dropFirst()
      .map { $0.components(separatedBy: " Ta ") }
    try #require(rows.count == Retry.all.count)
    for (row, retry) in zip(rows, Retry.all) {
      // A row of something that waits for an event names the event.
      if retry.pause > 0 { #expect(row[1] == words(retry.pause, retry.longest), "\(row)") }
      #expect(row[2] == retry.tries.map(String.init) ?? "any", "\(row)")
    }
  }

  private func words(_ times: Milliseconds...) -> String {
    Array(Set(times)).sorted().map { time in
      if time % 60_000 == 0 { return "\(time / 60_000) min" }
      return time % 1_000 == 0 ? "\(time / 1_000) s" : "\(time) ms"
    }.joined(separator: " to ")
  }

  @Test("each pause is twice as long as the one before, up to the longest")
  func pauses() {
    #expect(
      (1...6).map { Retry.upload.pause(after: $0) }
        == [5_000, 10_000, 20_000, 40_000, 80_000, 80_000])
    #expect(Retry.connection.pause(after: .max) == 300_000)
    #expect(Retry.room.pause(after: 9) == 120_000)
  }

  @Test("it is retried until the limit")
  func tries() {
    #expect(
      (1...4).map { Retry.archivePage.allowsAnotherTry(after: $0) } == [true, true, false, false])
    #expect(Retry.connection.allowsAnotherTry(after: .max))
  }
}
