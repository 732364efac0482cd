// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// The result of an event: what to write, in one transaction, and what to do after the commit. A
/// write that has a transaction of its own comes first (`Write.hasOwnTransaction`).
struct Step {
  /// A change to the store, and its outcomes.
  typealias Change = (borrowing DurableTransaction) throws -> [Outcome]

  /// Work that needs a snapshot of its own, after the commit.
  typealias FollowUp = (borrowing Snapshot) -> Void

  /// Writes that wait while somebody else has locked the store.
  var writes: [Write] = []
  /// A line to store; it waits as well, but is refused if it cannot be stored for another reason.
  var line: Line?
  /// A command's change, which is refused while the store is locked.
  var change: Change?
  /// What to do after the commit, even if the change is refused, and before the outcomes of the
  /// change.
  var outcomes: [Outcome] = []

  /// What to do after the commit, or after the failed attempt.
  var then: FollowUp?

  init(writes: [Write] = [], _ outcomes: [Outcome] = [], change: Change? = nil) {
    (self.writes, self.outcomes, self.change) = (writes, outcomes, change)
  }

  /// Writes, and work after them that needs a snapshot of its own.
  static func first(_ writes: [Write], then: @escaping FollowUp) -> Step {
    var step = Step(writes: writes)
    step.then = then
    return step
  }

  /// A command's answer.
  static func answer(_ lines: [StyledLine], indent: Int = 4) -> Step {
    Step([.answer(lines, indent: indent)])
  }

  static func tell(_ sentence: SafeText) -> Step { Step([.tell(sentence)]) }

  static func ask(_ question: Question) -> Step { Step([.ask(question)]) }

  static func effect(_ effect: Effect) -> Step { Step([.effect(effect)]) }

  /// Changes the store, and shows the result.
  static func change(
    _ outcomes: [Outcome] = [], _ change: @escaping (borrowing DurableTransaction) throws -> Void
  ) -> Step {
    Step { transaction in
      try change(transaction)
      return [.catchUp] + outcomes
    }
  }

  /// This step, where a conversation that it opens leaves the text of the line as a draft: the
  /// person may have begun the next line.
  func keepingDraft() -> Step {
    func kept(_ outcomes: [Outcome]) -> [Outcome] {
      outcomes.map {
        if case .open(let conversation, let isNew) = $0 {
          .openKeepingDraft(conversation, isNew: isNew)
        } else {
          $0
        }
      }
    }
    return Step(
      writes: writes, kept(outcomes), change: change.map { change in { kept(try change($0)) } })
  }
}
