// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import StyledText

/// `/tutorial`: shows what to do next, in the open conversation and with the person's own keys.
@MainActor
package struct TutorialCommand {
  let context: CommandContext

  package init(context: CommandContext) { self.context = context }
  private var here: Conversation? { context.open.conversation }

  func run(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    guard context.isInteractive else {
      throw Refusal(say("The tutorial needs a terminal; man hobnob-tutorial has its steps, too."))
    }
    switch (argument, context.tutorial) {
    case ("", let running?): return .answer(try task(running.lesson, snapshot))
    case ("", nil):
      let first = Tutorial()
      return Step([
        .tutorial(first),
        .answer(
          [
            StyledLine(
              say(
                "The tutorial has %1 steps. /tutorial next skips one, and /tutorial stop ends it.",
                SafeText(Tutorial.Lesson.allCases.count)))
          ] + (try task(first.lesson, snapshot))),
      ])
    case ("next", let running?): return try leave(running, snapshot)
    case ("stop", .some):
      return Step([
        .tutorial(nil), .tell(say("The tutorial has ended; /tutorial begins it again.")),
      ])
    case ("next", nil), ("stop", nil):
      throw Refusal(say("The tutorial is not running; /tutorial begins it."))
    default: throw usage("tutorial")
    }
  }

  /// Praises a lesson that is done, and shows the next one.
  package func leave(_ tutorial: Tutorial, _ snapshot: borrowing Snapshot) throws -> Step {
    let praise =
      tutorial.isDone ? [StyledLine(say("Done. %1", insight(tutorial.lesson)), .dim)] : []
    let rest =
      try tutorial.next.map { try task($0.lesson, snapshot) } ?? [
        StyledLine(
          say("This was the tutorial. man hobnob has the rest; C-d or /quit leaves hobnob."))
      ]
    return Step([.tutorial(tutorial.next), .answer(praise + rest)])
  }

  // MARK: Lessons

  /// What to do: a title, and indented lines.
  private func task(
    _ lesson: Tutorial.Lesson, _ snapshot: borrowing Snapshot
  ) throws -> [StyledLine] {
    let (title, lines): (SafeText, [SafeText]) =
      switch lesson {
      case .write:
        (
          say("Write a message"),
          [
            say(
              "Type a line, for example hello, and press Return to send it to %1.", name(of: here))
          ]
        )
      case .correct:
        (
          say("Correct it"),
          [
            key("edit-last").map {
              say("Type /edit or press %1 to get your message back on the line.", named($0))
            } ?? say("Type /edit to get your message back on the line."),
            say("Change it, and save it with Return."),
          ]
        )
      case .mention: (say("Mention somebody"), mentionLines(snapshot))
      case .react:
        (
          say("React to a message"),
          [say("Type +:tada: and press Return; it goes to the newest message.")]
        )
      case .enter:
        (
          say("Enter another room"),
          [
            say(
              "Type /join %1 to enter the room #%1, which hobnob makes if there is none.",
              here?.name == "#tea" ? "cake" : "tea")
          ]
        )
      case .goBack: (say("Go back with a key"), try returnLines(snapshot))
      case .find:
        (
          say("Find a message"),
          [say("Type /search and a word from a message in any of your conversations.")]
        )
      case .help:
        (say("Get help"), [say("Type /help for all commands, or /help edit for one of them.")])
      }
    let heading = say(
      "Step %1 of %2: %3", SafeText(lesson.rawValue + 1),
      SafeText(Tutorial.Lesson.allCases.count), title)
    return [StyledLine(heading, .bold)] + lines.map { StyledLine("  " + $0) }
  }

  private func mentionLines(_ snapshot: borrowing Snapshot) -> [SafeText] {
    let others = context.open.here.filter { $0.participant.id != context.me.id }
    let how = say("Type @ and the beginning of a name, press TAB, add a few words, and send it.")
    if let someone = others.first(where: \.isHere) ?? others.first {
      return [how, say("For example, %1 is in %2.", name(of: someone), name(of: here))]
    }
    let path = snapshot.path
    let isUsual = path == StoreOptions.defaultPath(environment: context.preferences.environment)
    return [
      say(
        "Nobody else has been in %1. To play a second person, type in another terminal:",
        name(of: here)),
      isUsual
        ? say("  hobnob --as NAME")
        : say("  hobnob --store %1 --as NAME", SafeText(line: path)),
      how,
    ]
  }

  private func returnLines(_ snapshot: borrowing Snapshot) throws -> [SafeText] {
    let former = try context.navigator.formerConversation(context.me.id, snapshot)
    let bare = SafeText(line: former.map { Naming.bare($0.name) } ?? "lobby")
    guard let key = key("switch-conversation") else {
      return [
        say(
          "Type /switch %1. In vi's command mode, you can instead type gb; hobnob then asks for a name.",
          bare)
      ]
    }
    return [
      say("Press %1, type %2 or a part of it, and press Return.", named(key), bare)
    ]
  }

  /// What the person may want to know after a lesson.
  private func insight(_ lesson: Tutorial.Lesson) -> SafeText {
    switch lesson {
    case .write:
      say(
        "Your message has the number %1; use that in commands such as /info %1.",
        SafeText(context.open.newestOwn?.number ?? 1))
    case .correct: say("Everybody sees the new text. C-g would have kept the old one.")
    case .mention: say("A mention rings, and it comes first among unread messages.")
    case .react: say("Type the same line again to remove it. /react reacts to older messages.")
    case .enter: say("The prompt shows where your next line goes. /list lists your rooms.")
    case .goBack:
      key("next-unread").map {
        say(
          "If you leave a conversation with an unsent line, the line is kept there. %1 goes to unread messages.",
          SafeText(line: $0))
      }
        ?? say(
          "If you leave a conversation with an unsent line, the line is kept there. /next goes to unread messages."
        )
    case .find: say("from:NAME, in:ROOM and since:7d narrow a search.")
    case .help: say("/keys lists the keys, and /set the settings.")
    }
  }

  // MARK: Names

  private func name(of conversation: Conversation?) -> SafeText {
    SafeText(name: conversation?.name ?? "")
  }

  private func name(of person: Presence) -> SafeText { SafeText(name: person.participant.name) }

  /// The first key of a function in the current key map; nil if it has none.
  private func key(_ function: String) -> String? {
    let keys = context.bindings.first { $0.function == function }?.keys ?? ""
    return KeyNames.list(keys).split(separator: ", ").first.map(String.init)
  }

  /// A key, with its first sign explained to those who do not know it.
  private func named(_ key: String) -> SafeText {
    let shown = SafeText(line: key)
    if key.hasPrefix("M-") { return say("%1 (M- is Alt)", shown) }
    return key.hasPrefix("C-") ? say("%1 (C- is Ctrl)", shown) : shown
  }
}
