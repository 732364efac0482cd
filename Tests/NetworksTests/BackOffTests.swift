// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Platform
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

  @Test(
    "14.11: breaks after a login lead to pauses of at most 30 s, and do not add up with failures")
  func aLinkThatBreaksAfterALoginWaitsHalfAMinuteAtMost() {
    var backOff = BackOff()
    func pauses(_ count: Int, lasting time: Int64) -> [Int64] {
      (0..<count).map { _ in
        backOff.loggedIn(at: 0)
        return backOff.pauseAfterFailure(at: 0 + time, random: 1)
      }
    }
    #expect(pauses(7, lasting: 10_000) == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000])
    // The server cannot be reached for a moment, and then the link is as bad as before.
    #expect(backOff.pauseAfterFailure(at: 0, random: 1) == 1_000)
    #expect(pauses(1, lasting: 10_000) == [30_000])
    #expect(pauses(2, lasting: 60_000) == [1_000, 1_000])
    // A server that ends each connection right after its login is left alone for longer.
    #expect(pauses(10, lasting: 9_999).last == 300_000)
    #expect(pauses(1, lasting: 10_000) == [2_000])
  }

  @Test("14.11: only a connection that lasts a minute makes the next pause short again")
  func aConnectionThatEndsRightAfterItsLoginCountsAsFailed() {
    var backOff = BackOff()
    let pauses = (0..<4).map { (round: Int64) in
      backOff.loggedIn(at: 0 + round * 100_000)
      return backOff.pauseAfterFailure(at: 0 + round * 100_000 + 59_999, random: 1)
    }
    #expect(pauses == [1_000, 2_000, 4_000, 8_000])
    backOff.loggedIn(at: 500_000)
    #expect(backOff.pauseAfterFailure(at: 560_000, random: 1) == 1_000)
    // A login counts once.
    #expect(backOff.pauseAfterFailure(at: 900_000, random: 1) == 1_000)
    #expect(backOff.pauseAfterFailure(at: 990_000, random: 1) == 2_000)
  }
}
