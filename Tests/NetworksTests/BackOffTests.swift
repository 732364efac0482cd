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

  @Test func theNextTryIsSaidByTheClockWithSecondsWhereItIsNear() {
    let soon = BackOff.words(for: 11_500, at: 0)
    #expect(soon.utf8.count == 8 && soon.hasSuffix(":00:11"))
    let later = BackOff.words(for: 60_000, at: 0)
    #expect(later.utf8.count == 5 && later.hasSuffix(":01"))
  }
}
