// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Testing

struct BackOffTests {
  @Test func waitsLongerFromFailureToFailureUpToFiveMinutes() {
    var pause = BackOff()
    #expect((0..<4).map { _ in pause.next(random: 1) } == [1_000, 2_000, 4_000, 8_000])
    for _ in 0..<100 { _ = pause.next(random: 1) }
    #expect(pause.next(random: 1) == 300_000)
    #expect(pause.next(random: 0) == 150_000)
    pause.reset()
    #expect(pause.next(random: 1) == 1_000)
  }

  @Test func theNextTryIsSaidInSecondsOrByTheClockWhereThatWouldGoStale() {
    #expect(BackOff.words(for: 11_500, at: 0) == "in 12 s")
    let words = BackOff.words(for: 60_000, at: 0)
    #expect(words.hasPrefix("at ") && words.hasSuffix(":01"))
  }
}
