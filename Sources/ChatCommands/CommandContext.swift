// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import StyledText

/// What a command may read in addition to the store: the session as it was when the line was
/// entered.
@MainActor
package struct CommandContext {
  package let scene: Scene
  let navigator: Navigator
  let feed: Feed
  package let composing: Composing
  package let accounts: Accounts
  /// Entered lines that are not stored yet.
  let unstoredLines: [PendingLine]
  let lastSearch: SearchContinuation?
  /// Nil unless `/tutorial` is running.
  let tutorial: Tutorial?
  /// Why accounts cannot be added here, as a sentence; nil if they can.
  let accountObstacle: () -> SafeText?

  package init(
    scene: Scene, navigator: Navigator, feed: Feed, composing: Composing, accounts: Accounts,
    unstoredLines: [PendingLine], lastSearch: SearchContinuation?, tutorial: Tutorial?,
    accountObstacle: @escaping () -> SafeText?
  ) {
    (self.scene, self.navigator, self.feed) = (scene, navigator, feed)
    (self.composing, self.accounts, self.unstoredLines) = (composing, accounts, unstoredLines)
    (self.lastSearch, self.tutorial, self.accountObstacle) = (lastSearch, tutorial, accountObstacle)
  }

  package var me: Participant { scene.me }
  var outputMode: OutputMode { scene.outputMode }
  package var preferences: Preferences { scene.preferences }
  package var attention: Attention { scene.attention }
  package var open: OpenConversation { navigator.open }
  var screenState: ScreenState { feed.screenState }

  /// The files to send with the next message.
  var waitingFiles: WaitingFiles { composing.files.waiting }

  var bindings: [(function: String, keys: String)] { composing.line.bindings }

  /// Formats messages. It marks names that look like another's, but only of people whose names it
  /// has printed before.
  package var printer: MessagePrinter { feed.renderer.printer }

  package var settings: Settings { preferences.settings }
  var glyphs: Glyphs { preferences.glyphs }
  var widths: Widths { printer.options.widths }

  var isInteractive: Bool { scene.isInteractive }

  /// The network to use when an address does not name an account.
  var network: String? { open.conversation?.network }

  /// A printer that also marks these people's names where they look like another's.
  func printerMarkingLookAlikes(among people: [ID<Participant>], _ snapshot: borrowing Snapshot)
    -> MessagePrinter
  {
    var printer = printer
    printer.options.lookAlikes = feed.people.withLookAlikes(among: people, snapshot)
    return printer
  }

  /// - Throws: a ``Refusal`` if nobody is at a terminal to answer the command's question.
  func requireTerminal(_ command: SafeText) throws {
    guard !isInteractive else { return }
    throw Refusal(
      say(
        "%1 needs your confirmation; run the command at a terminal, where you can answer.",
        command))
  }

  /// The message with number N or, for -N, the Nth newest, by any sender.
  func message(named argument: String, _ snapshot: borrowing Snapshot) throws -> Message {
    let conversation = try open.required()
    guard let number = Int(written: argument, in: -Int.max...Int.max), number != 0 else {
      throw Refusal(
        say(
          "“%1” is not a message number; each message has its number in front.",
          SafeText(line: argument)))
    }
    return try snapshot.message(named: number, in: conversation.id, for: me.id)
  }
}

extension String {
  /// Its first word, and what follows the blanks after it.
  var firstWord: (word: String, rest: String) {
    let word = prefix { !$0.isWhitespace }
    return (String(word), String(dropFirst(word.count).drop(while: \.isWhitespace)))
  }
}

/// The argument of a command is wrong; the answer is the command's usage.
package struct UsageError: Error {
  let command: String

  package var sentence: SafeText {
    let found = Command.named(command)
    return say(
      "Usage: %1 — %2", SafeText(line: found?.usage ?? command), found?.help ?? SafeText())
  }
}

package func usage(_ command: String) -> UsageError { UsageError(command: command) }
