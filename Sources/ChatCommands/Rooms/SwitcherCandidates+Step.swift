// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations

extension SwitcherCandidates {
  /// Opens the conversation that a typed name, or a part of one, means.
  package func step(
    for text: String, _ context: CommandContext, _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let name = text.trimmingBlanks
    if Self.isName(name, of: context.navigator.present) { return .effect(.endChoice) }
    if let found = conversation(meantBy: name) { return Step(Self.choosing(found.id)) }
    let commands = ConversationCommands(context: context)
    do {
      switch try commands.nameMatch(for: name, snapshot) {
      case .named(.conversation(let found)): return Step(Self.choosing(found.id))
      case .named(.person(let person)):
        let me = context.me.id
        return Step { Self.choosing(try $0.directChat(me, with: person.id).id) }
      case .near(let near): return Step([.endChoice] + commands.ask(near, for: name).effects)
      }
    } catch RuleError.ambiguous(let meant, let candidates) {
      guard
        let question = ConversationCommands.question(
          aboutMeaningOf: meant, candidates, in: "/switch " + name)
      else { throw RuleError.ambiguous(meant, candidates: candidates) }
      return Step([.endChoice] + question.effects)
    }
  }

  private static func choosing(_ conversation: ID<Conversation>) -> [Effect] {
    [.endChoice, .whenLineBegins(.chosen(conversation))]
  }
}
