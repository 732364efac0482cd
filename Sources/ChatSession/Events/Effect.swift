// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What a session asks its shell to do, in order. If one effect fails, the typed line stays as if
/// the session had refused it, the shell carries out the others, and a person at a terminal sees
/// the reason (``SessionEvent/complain(_:)``; rule 14.8).
package enum Effect {
  /// Print settled lines: the answers of commands.
  case print([StyledLine])
  /// Show messages that arrived, or messages of a conversation that was just entered. A batch shows
  /// none.
  case show([StyledLine])
  /// Print more lines than fit on the screen, in a pager; if `atEnd`, it starts at the last line.
  case page([StyledLine], atEnd: Bool)
  /// Show a short-lived message, if there is a status line.
  case notice(SafeText)
  /// Remove this message, if it is still on the status line.
  case endNotice(SafeText)
  /// Ask this question; answer with ``SessionEvent/answered(_:)``.
  case ask(Question)
  case bell
  /// Keep the typed line, which was not carried out for this reason, or let the key do what it
  /// does otherwise. At a terminal the reason was an effect before this one.
  case refused(SafeText)
  /// Put a text into the empty line, as one undo step.
  case fillLine(String, mentions: [Span])
  /// Put the draft of the newly entered conversation into the line if it is empty, and answer with
  /// ``SessionEvent/restored(_:)``.
  case restore(Conversations.Draft)
  /// Replace the line with another, which may be empty; answer with ``SessionEvent/restored(_:)``.
  case swapLine(Conversations.Draft)
  /// Set the line aside and let the person type the name of a conversation, with the menu open.
  case beginChoice
  /// Bring back the line that was set aside for the name.
  case endChoice
  /// Begin to edit a message: put its text into the line. C-_ then brings back `offering`, the
  /// unsaved changes from when it was last edited. `isAnother`: the line has the text of another
  /// message, which was being edited; if false, set the line aside first.
  case edit(String, offering: String?, mentions: [Span], isAnother: Bool)
  /// Bring back the line that was set aside. C-_ then brings back `offering`, the unsaved changes.
  case endEdit(offering: String?)
  /// Add a line to the input history of this screen, as its newest.
  case addHistory(String)
  /// Replace the input history; the oldest line is first.
  case setHistory([String])
  /// Handle this event when the next input line begins, or at once if no line is being handled.
  case whenLineBegins(SessionEvent)
  /// Bind lines of an inputrc. `mustWork`: the typed line does nothing else, so refuse it if this
  /// fails; see ``refused(_:)``.
  case bind([KeyBinding], mustWork: Bool)
  case copy(SafeText)
  /// Do this work on files, and answer with ``SessionEvent/choreEnded(_:_:)``.
  case run(FileChore)
  /// Run this command, which opens an address or a file.
  case open([String], target: SafeText)
  /// Notify the person of messages, the oldest first, by `notify-command` or by the terminal.
  case notify([Notification])
  case clearScreen
  /// Start the network's process for an account; `asks`: it may ask for the password at the
  /// terminal.
  case connect(Account, asks: Bool)
  /// End the program, since the person leaves and nothing has to be stored any more.
  case quit(status: Int32)
}

extension Effect {
  var isNotice: Bool { if case .notice = self { true } else { false } }
}

/// The arguments of `notify-command`, and the message that they are about.
package struct Notification {
  package let message: ID<Message>
  package let sender: String
  package let conversation: String
  package let body: String
}
