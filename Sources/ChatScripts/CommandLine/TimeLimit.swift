// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How long to wait: seconds, or a time such as `90m` or `12h`.
struct TimeLimit: ArgumentValue, LosslessStringConvertible {
  let seconds: Int

  var description: String { String(seconds) }

  init(seconds: Int) { self.seconds = seconds }

  init?(_ word: String) {
    let age = DurationParser(word)
    guard let seconds = Int(word) ?? age?.seconds ?? age?.days.map({ $0 * 86_400 }),
      (0...1_000_000).contains(seconds)
    else { return nil }
    self.seconds = seconds
  }
}
