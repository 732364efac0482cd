// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import IRC

/// A batch may be larger than what the client holds; the rest is asked for again.
@Suite("batches on IRC that are too large")
struct BatchTests {
  private static func line(_ text: String, in batch: String) -> IRCLine {
    IRCLine("PRIVMSG", ["#tea", text], tags: ["batch": batch])
  }
  private static let large = String(repeating: "x", count: Batches.mostBytes)

  private func batch(_ lines: [IRCLine]) -> Batch? {
    var batches = Batches()
    _ = batches.take(IRCLine("BATCH", ["+out", "chathistory", "#tea"]))
    for line in lines { _ = batches.take(line) }
    if case .batch(let batch) = batches.take(IRCLine("BATCH", ["-out"])) { return batch }
    return nil
  }

  @Test("nothing counts behind a line that was left out")
  func hole() {
    let batch = batch([
      Self.line("one", in: "out"), Self.line(Self.large, in: "out"), Self.line("two", in: "out"),
    ])
    #expect(batch?.isTruncated == true)
    #expect(batch?.lines.map { $0[1] } == ["one"])
  }

  @Test("a message that lost its end counts as left out of the batch around it")
  func innerMessage() {
    let inner = IRCLine(
      "BATCH", ["+in", Capabilities.multiline, "#tea"], tags: ["batch": "out", "msgid": "m2"])
    let batch = batch([
      Self.line("one", in: "out"), inner, Self.line("two", in: "in"),
      Self.line(Self.large, in: "in"), IRCLine("BATCH", ["-in"]), Self.line("three", in: "out"),
    ])
    #expect(batch?.isTruncated == true)
    #expect(batch?.lines.map { $0[1] } == ["one"])
  }
}
