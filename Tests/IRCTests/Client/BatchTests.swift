// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
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
    let most = String(repeating: "x", count: Batches.mostBytes - 1_000)
    let batch = batch([
      Self.line(most, in: "out"), inner, Self.line("two", in: "in"),
      Self.line(String(repeating: "y", count: 1_000), in: "in"), IRCLine("BATCH", ["-in"]),
      Self.line("three", in: "out"),
    ])
    #expect(batch?.isTruncated == true)
    #expect(batch?.lines.map { $0[1] } == [most])
  }

  @Test(
    "14.6: a message of more than a megabyte is skipped, with one sentence, and nothing else is")
  func largeMessage() {
    var talk = IRCTalk(["batch", "message-tags", "draft/multiline", "draft/chathistory"])
    talk.enter("#tea")
    talk.forget()
    let part = String(repeating: "x", count: 400_000)
    for id in ["a", "b"] {
      talk.receive("@msgid=\(id) :ben!b@h BATCH +\(id) draft/multiline #tea")
      for _ in 1...9 { talk.receive("@batch=\(id) :ben!b@h PRIVMSG #tea :\(part)") }
      talk.receive(":srv BATCH -\(id)", ":ben!b@h PRIVMSG #tea :and \(id)")
    }
    #expect(talk.said == ["ben: and a", "ben: and b"])
    let notices = talk.events.compactMap {
      if case .notice(let sentence) = $0 { sentence.text } else { nil }
    }
    #expect(
      notices == [
        "hobnob skipped a message of more than 1.0 MB. Until the next connection, it skips others without telling you."
      ])
    // Inside a history, the lines around it stay.
    let inner = IRCLine(
      "BATCH", ["+in", Capabilities.multiline, "#tea"], tags: ["batch": "out", "msgid": "m2"])
    let parts = (1...9).map { _ in Self.line(part, in: "in") }
    let batch = batch(
      [Self.line("one", in: "out"), inner] + parts
        + [IRCLine("BATCH", ["-in"]), Self.line("three", in: "out")])
    #expect(batch?.isTruncated == false)
    #expect(batch?.lines.map { $0[1] } == ["one", "three"])
  }

  @Test("14.6: batches that the server never ends keep others out for a minute, with one sentence")
  func neverEnded() {
    var talk = IRCTalk(["batch"])
    for number in 1...Batches.mostOpen {
      talk.receive(":srv BATCH +b\(number) x", ":srv BATCH +b\(number) x")
    }
    #expect(Self.notices(talk).isEmpty)
    talk.wait(30_000)
    talk.receive(":srv BATCH +more x", "@batch=b2 :ben!b@h PRIVMSG anna :late", ":srv BATCH +y x")
    #expect(
      Self.notices(talk) == [
        "hobnob skipped a group of lines, because the server has not ended the 64 groups before it. Until the next connection, it skips others without telling you."
      ])
    talk.wait(30_000)
    talk.receive(":srv BATCH +more x", "@batch=more :ben!b@h PRIVMSG anna :hi")
    #expect(talk.said.isEmpty)
    talk.receive(":srv BATCH -more")
    #expect(talk.said == ["ben: hi"])
    // One that still gets lines is not one of them.
    talk.receive(":srv BATCH -b2")
    #expect(talk.said == ["ben: hi", "ben: late"])
  }

  private static func notices(_ talk: IRCTalk) -> [String] {
    talk.events.compactMap { if case .notice(let sentence) = $0 { sentence.text } else { nil } }
  }
}
