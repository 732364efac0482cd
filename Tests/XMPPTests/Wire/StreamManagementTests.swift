// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import XMPP

@Suite("acknowledgements (XEP-0198)") struct StreamManagementTests {
  @Test("what the server accepted is reported once, in order, without untracked stanzas")
  func told() throws {
    var counts = StreamManagement<String>()
    for payload in ["a", nil, "b"] { counts.send(payload) }
    _ = counts.ask()
    counts.send("c")
    #expect(try counts.acknowledge(3) == [])
    #expect(try counts.acknowledge(3) == ["a", "b"])
    #expect(counts.unacknowledged == ["c"])
    _ = counts.ask()
    #expect(counts.answered() == ["c"])
    #expect(counts.answered() == [] && !counts.ask())
  }

  @Test(
    "one count proves nothing: Prosody's last, unrequested one is ahead of what it did")
  func unasked() throws {
    var counts = StreamManagement<String>()
    counts.send("a")
    #expect(try counts.acknowledge(1) == [])
    _ = counts.ask()
    counts.send("b")
    #expect(try counts.acknowledge(0) == [])
    #expect(try counts.acknowledge(1) == [])
    #expect(counts.asked != nil && counts.unacknowledged == ["a", "b"])
    // Whatever it has counted since was not asked about.
    #expect(try counts.acknowledge(2) == ["a"])
    #expect(counts.asked == nil)
  }

  @Test("a count beyond what was sent, or below an earlier one, is refused and changes nothing")
  func falseCounts() throws {
    var counts = StreamManagement<String>()
    #expect(throws: StreamManagement<String>.ImpossibleCount.self) { try counts.acknowledge(1) }
    counts.send("a")
    counts.send("b")
    #expect(throws: StreamManagement<String>.ImpossibleCount.self) { try counts.acknowledge(3) }
    _ = counts.ask()
    for _ in 0..<2 { _ = try counts.acknowledge(2) }
    counts.send("c")
    #expect(throws: StreamManagement<String>.ImpossibleCount.self) { try counts.acknowledge(1) }
    #expect(counts.unacknowledged == ["c"])
  }

  @Test("counts go on behind 2^32")
  func wraps() throws {
    var counts = StreamManagement<Int>(startingAt: .max - 1)
    for number in 0..<2 { counts.send(number) }
    _ = counts.ask()
    for number in 2..<4 { counts.send(number) }
    counts.handle()
    counts.handle()
    counts.handle()
    #expect(counts.handled == 1)
    _ = try counts.acknowledge(0)
    #expect(try counts.acknowledge(0) == [0, 1])
    _ = counts.ask()
    _ = try counts.acknowledge(2)
    #expect(try counts.acknowledge(2) == [2, 3])
  }

  @Test("the server is asked once for all that went out, and again for what went out since")
  func asking() throws {
    var counts = StreamManagement<Int>()
    var asked = [counts.ask()]
    counts.send(1)
    asked.append(counts.ask())
    counts.send(2)
    asked.append(counts.ask())
    #expect(counts.asked != nil)
    for _ in 0..<2 { _ = try counts.acknowledge(1) }
    asked.append(counts.ask())
    for _ in 0..<2 { _ = try counts.acknowledge(2) }
    asked.append(counts.ask())
    #expect(asked == [false, true, false, true, false])
    #expect(counts.asked == nil)
  }

  @Test("only stanzas count")
  func counted() {
    #expect(StreamManagement<Int>.counts(Element("message")))
    #expect(StreamManagement<Int>.counts(Element("iq")))
    #expect(!StreamManagement<Int>.counts(Element("a", namespace: "urn:xmpp:sm:3")))
    #expect(!StreamManagement<Int>.counts(Element("message", namespace: "urn:x")))
  }
}
