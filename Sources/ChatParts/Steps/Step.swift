// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// The result of an event: what to write, in one transaction, and what to do after the commit. A
/// write that has a transaction of its own comes first (`Write.hasOwnTransaction`).
package struct Step {
  package typealias Change = (borrowing DurableTransaction) throws -> [Effect]

  /// Writes that wait while somebody else has locked the store.
  package var writes: [Write] = []
  /// A line to store; it waits as well, but is refused if it cannot be stored for another reason.
  package var line: PendingLine?
  /// A command's change, which is refused while the store is locked.
  package var change: Change?
  /// What to do after the commit, even if the change is refused, and before the effects of the
  /// change.
  package var effects: [Effect] = []

  /// What to do after the commit, or after the failed attempt, in a snapshot of its own.
  package var then: [Effect] = []

  package init(writes: [Write] = [], _ effects: [Effect] = [], change: Change? = nil) {
    (self.writes, self.effects, self.change) = (writes, effects, change)
  }

  /// Writes, and work after them that needs a snapshot of its own.
  package static func first(_ writes: [Write], then: [Effect]) -> Step {
    var step = Step(writes: writes)
    step.then = then
    return step
  }

  /// A command's answer.
  package static func answer(_ lines: [StyledLine], indent: Int = 4) -> Step {
    Step([.answer(lines, indent: indent)])
  }

  package static func tell(_ sentence: SafeText) -> Step { Step([.tell(sentence)]) }

  package static func ask(_ question: Question) -> Step { Step([.ask(question)]) }

  package static func effect(_ effect: Effect) -> Step { Step([effect]) }

  /// Changes the store, and shows the result.
  package static func change(
    _ effects: [Effect] = [], _ change: @escaping (borrowing DurableTransaction) throws -> Void
  ) -> Step {
    Step { transaction in
      try change(transaction)
      return [.catchUp] + effects
    }
  }

  /// This step, where a conversation that it opens leaves the text of the line as a draft: the
  /// person may have begun the next line.
  package func keepingDraft() -> Step {
    func kept(_ effects: [Effect]) -> [Effect] {
      effects.map {
        if case .open(let conversation, let isNew) = $0 {
          .openKeepingDraft(conversation, isNew: isNew)
        } else {
          $0
        }
      }
    }
    return Step(
      writes: writes, kept(effects), change: change.map { change in { kept(try change($0)) } })
  }
}
