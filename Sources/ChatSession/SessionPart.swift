// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// A part of a session: a group of state with its functions, or a group of commands.
@MainActor
protocol SessionPart {
  var session: Session { get }
}

extension SessionPart {
  var store: Store { session.store }
  var me: Participant { session.me }
  var settings: Settings { session.preferences.settings }
  var now: Int64 { session.now }
  var line: any SessionLine { session.line }
  var place: Place { session.place }
  var switcher: ConversationSwitcher { session.switcher }
  var screen: Screen { session.screen }
  var editing: Editing { session.editing }
  var files: AttachedFiles { session.files }
  var drafts: Drafts { session.drafts }
  var outgoing: Outgoing { session.outgoing }
  var news: News { session.news }
  var people: People { session.people }
  var transcript: Transcript { session.transcript }
  var glyphs: Glyphs { transcript.printer.options.glyphs }

  func emit(_ effect: Effect) { session.emit(effect) }
  func tell(_ sentence: SafeText) { transcript.tell(sentence) }

  /// - Throws: a ``Refusal`` if nobody is at a terminal to answer a command's question.
  func requireSomebodyToAsk(_ command: SafeText) throws {
    guard !session.isInteractive else { return }
    throw Refusal(
      say(
        "%1 asks a question first; type it at a terminal, where you can answer.",
        command))
  }

  func usage(_ name: String) -> Refusal {
    let command = Command.named(name)
    return Refusal(
      say("Usage: %1 — %2", SafeText(line: command?.usage ?? name), command?.help ?? SafeText()))
  }
}
