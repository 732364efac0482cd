// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Testing

@Suite("what is retried") struct RetryTests {
  /// Everything that is retried, with its name in the manual, the event that the next try waits
  /// for if it is not a time, and the process that decides.
  private let all: [(retry: Retry, name: String, event: String?, decides: String)] = [
    (.process, "crashed process", nil, "shell"),
    (.connection, "connection", nil, "network process"),
    (.nameServer, "name server", nil, "helper process"),
    (.lockedStore, "locked store", nil, "network process"),
    (.fullStore, "full disk", nil, "network process"),
    (.room, "unreachable room", nil, "network process"),
    (.nickname, "nickname in use", "room's answer", "network process"),
    (.archivePage, "page of an archive", nil, "network process"),
    (.upload, "file to send", nil, "network process"),
    (.message, "message", "next connection", "network process"),
    (.longMessage, "message of 5,000 bytes", "next connection", "network process"),
    (.returnedMessage, "returned message", "next entry", "network process"),
  ]

  private func words(_ time: Milliseconds) -> String {
    if time % 60_000 == 0 { return "\(time / 60_000) min" }
    return time % 1_000 == 0 ? "\(time / 1_000) s" : "\(time) ms"
  }

  @Test("the manual's table has every line of the list, in its order, and no other")
  func manual() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(
      contentsOf: root.appendingPathComponent("man/hobnob-networks.7"), encoding: .utf8)
    let section = try #require(page.components(separatedBy: "\n.Sh RETRIES\n").last)
    let table = try #require(section.components(separatedBy: "\n.El\n").first)
    let lines = table.split(separator: "\n").filter { $0.hasPrefix(".It ") }.dropFirst()
    let expected = all.map { retry, name, event, decides in
      let first = words(retry.pause)
      let time =
        retry.longest > retry.pause ? first + " to " + words(retry.longest) : first
      return
        ".It \(name) Ta \(event ?? time) Ta \(retry.tries.map(String.init) ?? "any") Ta \(decides)"
    }
    #expect(lines.map(String.init) == expected)
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
