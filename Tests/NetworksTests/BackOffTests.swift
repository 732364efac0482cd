// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Testing

struct BackOffTests {
  @Test func waitsLongerFromFailureToFailureUpToFiveMinutes() {
    var backOff = BackOff()
    #expect(
      (0..<4).map { _ in backOff.pauseAfterFailure(at: 0, random: 1) } == [
        1_000, 2_000, 4_000, 8_000,
      ])
    for _ in 0..<100 { _ = backOff.pauseAfterFailure(at: 0, random: 1) }
    #expect(backOff.pauseAfterFailure(at: 0, random: 1) == 300_000)
    #expect(backOff.pauseAfterFailure(at: 0, random: 0) == 150_000)
  }

  @Test("14.6: only a connection that lasts a minute makes the next pause short again")
  func aConnectionThatEndsRightAfterItsLoginCountsAsFailed() {
    var backOff = BackOff()
    let pauses = (0..<4).map { (round: Int64) in
      backOff.loggedIn(at: round * 100_000)
      return backOff.pauseAfterFailure(at: round * 100_000 + 59_999, random: 1)
    }
    #expect(pauses == [1_000, 2_000, 4_000, 8_000])
    backOff.loggedIn(at: 500_000)
    #expect(backOff.pauseAfterFailure(at: 560_000, random: 1) == 1_000)
    // A login counts once.
    #expect(backOff.pauseAfterFailure(at: 900_000, random: 1) == 2_000)
  }
}
