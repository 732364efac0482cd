// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How fast lines may go out: a few at once, then one each interval, since servers end the
/// connection of anybody who is faster.
struct Throttle: Hashable, Sendable {
  /// Lines at once.
  private var burst = 4
  /// Milliseconds until one more line may go out.
  private var interval: Milliseconds = 2_000
  private(set) var isOff = false
  private var available = 4
  /// When the last of the available lines was added.
  private var last: Milliseconds = 0

  /// - Parameter setting: `N/SECONDS` for N lines at once and one more in that many seconds, or
  ///   `off`; otherwise 4 and 2.
  init(_ setting: String? = nil) {
    guard let setting else { return }
    isOff = setting == "off"
    let parts = setting.split(separator: "/")
    guard parts.count == 2, let lines = Int(parts[0]), let seconds = Double(parts[1]),
      (1...1_000).contains(lines), (0.01...60).contains(seconds)
    else { return }
    (burst, available, interval) = (lines, lines, Milliseconds(seconds * 1_000))
  }

  /// Whether the text is a valid setting.
  static func isSetting(_ text: String) -> Bool {
    text == "off" || Throttle(text) != Throttle() || text == "4/2"
  }

  mutating func turnOff() { isOff = true }

  /// How many lines must still be able to go out after one that is not urgent.
  var reserve: Int { !isOff && burst > 1 ? 1 : 0 }

  /// How many messages may be unanswered at the same time.
  var window: Int { isOff ? 20 : burst }

  /// How many lines may go out now.
  mutating func count(at now: Milliseconds) -> Int {
    if isOff { return .max }
    if available >= burst { last = now }
    let new = max(0, now - last) / interval
    if new > 0 {
      available = min(burst, available + Int(min(new, 100_000)))
      last += new * interval
    }
    return available
  }

  /// Takes one line from what may go out; lines that belong together may take more than that.
  mutating func use() {
    if !isOff { available -= 1 }
  }

  /// Milliseconds until another line may go out.
  func wait(at now: Milliseconds) -> Milliseconds {
    max(1, last + interval * Milliseconds(max(1, 1 - available)) - now)
  }
}
