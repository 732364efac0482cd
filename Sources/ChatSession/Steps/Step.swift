// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What an event leads to: what to write, in one transaction, and what to do once it is committed.
struct Step {
  /// A change of the store, and what it leads to.
  typealias Change = (borrowing DurableTransaction) throws -> [Outcome]

  /// What waits while somebody else has the store locked.
  var writes: [Write] = []
  /// What a command changes; it is refused while the store is locked.
  var change: Change?
  /// What to do after the writes and the change, and before what the change leads to.
  var outcomes: [Outcome] = []

  init(writes: [Write] = [], _ outcomes: [Outcome] = [], change: Change? = nil) {
    (self.writes, self.outcomes, self.change) = (writes, outcomes, change)
  }

  /// A command's answer.
  static func answer(_ lines: [StyledLine], indent: Int = 4) -> Step {
    Step([.answer(lines, indent: indent)])
  }

  static func tell(_ sentence: SafeText) -> Step { Step([.tell(sentence)]) }

  static func effect(_ effect: Effect) -> Step { Step([.effect(effect)]) }

  /// Changes the store, and shows what that brought.
  static func change(
    _ outcomes: [Outcome] = [], _ change: @escaping (borrowing DurableTransaction) throws -> Void
  ) -> Step {
    Step { transaction in
      try change(transaction)
      return [.catchUp] + outcomes
    }
  }
}
