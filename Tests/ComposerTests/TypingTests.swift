// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText
import Testing

@Suite("4.1, 4.2: Who is typing")
struct TypingListTests {
  private func text(_ list: TypingList, columns: Int = 80) -> String? {
    list.line(columns: columns, widths: Widths())?.plain.string
  }

  @Test("One, two in the order they began, several")
  func sentences() {
    var list = TypingList()
    #expect(text(list) == nil)
    list.signal("b", name: "Ben", at: 0)
    #expect(text(list) == "Ben is typing")
    list.signal("a", name: "Anna", at: 1)
    #expect(text(list) == "Ben & Anna are typing")
    list.signal("b", name: "Ben", at: 2)
    #expect(text(list) == "Ben & Anna are typing")
    list.signal("c", name: "Cleo", at: 3)
    #expect(text(list) == "Several are typing")
  }

  @Test("Names are bold, the rest is not")
  func boldNames() {
    var list = TypingList()
    list.signal("a", name: "100%2 Anna", at: 0)
    list.signal("b", name: "Ben", at: 0)
    let line = list.line(columns: 80, widths: Widths())
    #expect(
      line?.runs == [
        StyledRun("100%2 Anna", .bold), StyledRun(" & "), StyledRun("Ben", .bold),
        StyledRun(" are typing"),
      ])
  }

  @Test(
    "Cut to the width",
    arguments: [(13, "Ben is typing"), (12, "Ben is typi…"), (2, "B…"), (1, "…"), (0, nil)]
      as [(Int, String?)])
  func truncated(_ columns: Int, _ expected: String?) {
    var list = TypingList()
    list.signal("b", name: "Ben", at: 0)
    #expect(text(list, columns: columns) == expected)
  }

  @Test("An entry lasts 6 seconds from its last signal")
  func expiry() {
    var list = TypingList()
    list.signal("a", name: "Anna", at: 1000)
    list.signal("b", name: "Ben", at: 3000)
    #expect(list.nextExpiry == 7000)
    list.expire(at: 6999)
    #expect(text(list) == "Anna & Ben are typing")
    list.signal("a", name: "Anna", at: 6999)
    #expect(list.nextExpiry == 9000)
    list.expire(at: 9000)
    #expect(text(list) == "Anna is typing")
    list.expire(at: 12_999)
    #expect(list.isEmpty && list.nextExpiry == nil)
  }

  @Test("A signal after the time is over starts afresh, at the end")
  func lateSignal() {
    var list = TypingList()
    list.signal("a", name: "Anna", at: 0)
    list.signal("b", name: "Ben", at: 1000)
    list.signal("a", name: "Anna", at: 6000)
    #expect(text(list) == "Ben & Anna are typing")
  }

  @Test("Removing and adding again starts afresh")
  func removal() {
    var list = TypingList()
    list.signal("a", name: "Anna", at: 0)
    list.signal("b", name: "Ben", at: 0)
    list.remove("a")
    #expect(text(list) == "Ben is typing")
    list.signal("a", name: "Anna", at: 1)
    #expect(text(list) == "Ben & Anna are typing")
    list.remove("nobody")
    #expect(text(list) == "Ben & Anna are typing")
  }

  @Test("4.1: a name without visible characters is not listed", arguments: ["", " "] as [SafeText])
  func emptyName(name: SafeText) {
    var list = TypingList()
    list.signal("a", name: name, at: 0)
    #expect(list.isEmpty && text(list) == nil)
    list.signal("b", name: "Ben", at: 0)
    list.signal("b", name: name, at: 1)
    #expect(list.isEmpty)
  }

  @Test("Timeout 0 lasts until removed")
  func noTimeout() {
    var list = TypingList(timeout: 0)
    list.signal("a", name: "Anna", at: 0)
    list.expire(at: .max)
    #expect(list.nextExpiry == nil)
    #expect(text(list) == "Anna is typing")
  }
}

@Suite("4.3: When I am signalled as typing")
struct TypingSignalsTests {
  @Test("At most once in 3 seconds")
  func throttled() {
    var signals = TypingSignals()
    let times: [Int64] = [0, 100, 2999, 3000, 5999, 6000]
    let sent = times.filter { signals.changedByHand(text: "x", at: $0) == .typing }
    #expect(sent == [0, 3000, 6000])
  }

  /// What is done at a moment (ms): a change by hand to this text, or, with nil, the line is sent.
  struct Story: Sendable {
    var what: String
    var steps: [(at: Int64, text: String?)]
    var told: [Int64: TypingSignals.Signal]
  }

  @Test(
    "Typing soon after a signal is signalled when the 3 seconds are over",
    arguments: [
      Story(
        what: "typing on, then nothing", steps: [(0, "x"), (100, "xy")],
        told: [0: .typing, 3000: .typing, 6100: .paused]),
      Story(
        what: "nothing typed on: no second signal", steps: [(0, "x")],
        told: [0: .typing, 6000: .paused]),
      Story(
        what: "again right after a line was sent", steps: [(0, "x"), (500, nil), (700, "y")],
        told: [0: .typing, 500: .paused, 3000: .typing, 6700: .paused]),
      Story(
        what: "typed and emptied before it could be told",
        steps: [(0, "x"), (500, nil), (700, "y"), (800, "")], told: [0: .typing, 500: .paused]),
      Story(
        what: "a command is not told later, either",
        steps: [(0, "x"), (500, nil), (700, "y"), (800, "/y")], told: [0: .typing, 500: .paused]),
      Story(
        what: "a key at the very moment is the signal",
        steps: [(0, "x"), (100, "xy"), (3000, "xyz")],
        told: [0: .typing, 3000: .typing, 9000: .paused]),
      Story(
        what: "steady typing: one in 3 seconds",
        steps: (0...16).map { ($0 * 500, String(repeating: "x", count: Int($0) + 1)) },
        told: [0: .typing, 3000: .typing, 6000: .typing, 9000: .typing, 14_000: .paused]),
    ])
  func pending(story: Story) {
    var signals = TypingSignals()
    var told: [Int64: TypingSignals.Signal] = [:]
    func elapse(until end: Int64) {
      while let due = signals.nextDeadline, due < end {
        let signal = signals.tick(at: due)
        #expect(signal != nil, "\(story.what): a timer for nothing at \(due)")
        told[due] = signal
      }
    }
    for step in story.steps {
      elapse(until: step.at)
      let signal =
        step.text.map { signals.changedByHand(text: $0, at: step.at) }
        ?? signals.sentOrCleared(at: step.at)
      if let signal { told[step.at] = signal }
    }
    elapse(until: .max)
    #expect(told == story.told, "\(story.what)")
  }

  @Test("A timer that fires late signals the state of that moment")
  func lateTick() {
    var signals = TypingSignals()
    _ = signals.changedByHand(text: "x", at: 0)
    _ = signals.changedByHand(text: "xy", at: 100)
    #expect(signals.tick(at: 60_000) == .paused)
    #expect(signals.nextDeadline == nil)
  }

  @Test("Six idle seconds are a pause, signalled once")
  func idle() {
    var signals = TypingSignals()
    _ = signals.changedByHand(text: "x", at: 0)
    _ = signals.changedByHand(text: "xy", at: 500)
    #expect(signals.tick(at: 3000) == .typing)
    #expect(signals.nextDeadline == 6500)
    #expect(signals.tick(at: 6499) == nil)
    #expect(signals.tick(at: 6500) == .paused)
    #expect(signals.tick(at: 9999) == nil)
    #expect(signals.nextDeadline == nil)
    #expect(signals.changedByHand(text: "xyz", at: 10_000) == .typing)
  }

  @Test("Sending and clearing are a pause, if typing was signalled")
  func sentOrCleared() {
    var signals = TypingSignals()
    #expect(signals.sentOrCleared(at: 0) == nil)
    _ = signals.changedByHand(text: "x", at: 0)
    #expect(signals.sentOrCleared(at: 100) == .paused)
    #expect(signals.sentOrCleared(at: 200) == nil)
    _ = signals.changedByHand(text: "x", at: 4000)
    #expect(signals.changedByHand(text: "", at: 4100) == .paused)
    #expect(signals.nextDeadline == nil)
  }

  @Test("Not for commands, not in edit mode, not when off")
  func notFor() {
    var signals = TypingSignals()
    #expect(signals.changedByHand(text: "/join", at: 0) == nil)
    #expect(signals.changedByHand(text: "x", at: 0, inEditMode: true) == nil)
    #expect(signals.changedByHand(text: "x", at: 0, isOff: true) == nil)
    #expect(signals.nextDeadline == nil)
    #expect(signals.changedByHand(text: "//usr", at: 0) == .typing)
    // A text that turns into a command is no longer being typed for the others.
    #expect(signals.changedByHand(text: "/usr", at: 1) == .paused)
  }
}
