// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// Where a shell is typed into and shown: a terminal's line, a dumb terminal, or a pipe
/// (rule 11.5).
@MainActor
protocol Face: AnyObject {
  /// Messages scroll by while one types, and a line can wait for the store.
  var isInteractive: Bool { get }
  /// The columns that what the program says itself is broken to; nil where it is not.
  var columns: Int? { get }
  /// Prints settled lines: what commands answer.
  func print(_ lines: [StyledLine])
  /// Shows what arrived, and what a conversation held when it was entered.
  func show(_ lines: [StyledLine])
  /// The prompt, the status or what belongs to them is no longer what is shown.
  func refresh()
  /// Something is to be said in passing, where there is a status line.
  func notice(_ text: SafeText)
  func bell()
  /// Puts a text into the empty line, as one undo step, with its mentions and the files that wait
  /// to be sent with it.
  func put(_ text: String, mentions: [Span], files: WaitingFiles)
  /// A line that waited for the store is not sent: it comes back, or is kept elsewhere.
  func giveBack(_ line: WaitingLines.Line, because reason: SafeText)
  /// The draft as it stands goes into the store (rule 3.6).
  func storeDraft()
  /// The line becomes the text of a message being edited; `offered` comes back with C-_.
  func beginEditing(_ text: String, offering offered: String?, mentions: [Span])
  /// The line as it was before edit mode comes back; `offered` comes back with C-_.
  func endEditing(offering offered: String?)
  /// In edit mode: another message's text takes the line.
  func retargetEditing(_ text: String, offering offered: String?, mentions: [Span])
  /// The text being typed, and its caret in bytes, outside edit mode.
  var draft: (text: String, caret: Int) { get }
  /// Another conversation is entered: what is typed is stored, the new one's draft shown.
  func leaveConversation()
  func enteredConversation()
  /// The text of the stored draft that the line being sent there came from; nil for none.
  func draftToSend(in conversation: ID<Conversation>) -> String?
  /// A line was sent, and its draft is gone from the store.
  func sent(_ line: WaitingLines.Line)
  /// A line was sent or done, and belongs into the input history on this screen.
  func remember(_ line: String)
  /// The input history was changed by another shell of this person.
  func reloadHistory()
  /// The store is locked; a write or a look has to be tried again soon.
  func tryAgainSoon()
  /// More is to be printed: ``Shell/printMore()`` in the next turn, behind the keys.
  func printMoreSoon()
  /// The mentions in the line, which is `body` or ends with it.
  func mentions(in body: String) -> [Span]
  /// One line of an inputrc. Returns what is wrong with it.
  func bind(_ line: String) -> [SafeText]
  /// Every function that keys are bound to, and those keys.
  var bindings: [(function: String, keys: String)] { get }
  func clearScreen()
  func quit()
  /// Shows what a command answers, in a pager where it is more than the screen holds; with `atEnd`
  /// its last line is wanted first. True: they went to a pager, and do not stand above the line.
  @discardableResult
  func page(_ lines: [StyledLine], atEnd: Bool) -> Bool
  /// Puts a text into the clipboard.
  ///
  /// - Throws: a ``Refusal`` where there is none.
  func copy(_ text: SafeText) throws
}

extension Face {
  var columns: Int? { nil }
  func draftToSend(in conversation: ID<Conversation>) -> String? { nil }
  func sent(_ line: WaitingLines.Line) {}
  func put(_ text: String) { put(text, mentions: [], files: WaitingFiles()) }

  @discardableResult
  func page(_ lines: [StyledLine], atEnd: Bool) -> Bool {
    print(lines)
    return false
  }

  func copy(_ text: SafeText) throws {
    throw Refusal(say("Only a terminal has a clipboard that hobnob can reach; there is none here."))
  }
}
