// SPDX-License-Identifier: GPL-3.0-or-later
import ArgumentParser
import ChatSession
import Conversations

/// How long to wait: seconds, or a time such as `90m` or `12h`.
struct TimeLimit: ExpressibleByArgument {
  let seconds: Int

  var defaultValueDescription: String { String(seconds) }

  init(seconds: Int) { self.seconds = seconds }

  init?(argument: String) {
    let age = DurationParser(argument)
    guard let seconds = Int(argument) ?? age?.seconds ?? age?.days.map({ $0 * 86_400 }),
      (0...1_000_000).contains(seconds)
    else { return nil }
    self.seconds = seconds
  }
}
