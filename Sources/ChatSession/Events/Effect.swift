// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What a session asks of the shell that shows it, in this order. If one cannot be carried out, the
/// typed line stays as if the session had refused it, the others are carried out, and the session is
/// told by ``SessionEvent/failed(_:because:)`` (rule 14.8).
package enum Effect {
  /// Print settled lines: what commands answer.
  case print([StyledLine])
  /// Show what arrived, and what a conversation held when it was entered. A batch shows none of it.
  case show([StyledLine])
  /// Print lines that are more than the screen holds: in a pager, with `atEnd` from their end.
  case page([StyledLine], atEnd: Bool)
  /// Say something in passing, where there is a status line.
  case notice(SafeText)
  /// What was said so is over, if it still stands there.
  case noticeIsOver(SafeText)
  /// Ask a question once the next line has begun, and tell by
  /// ``SessionEvent/meant(_:)`` what the key means that answers it, a letter in lower case. `n` and
  /// Return mean no where they are not among them.
  case ask(SafeText, [Character: Intent])
  case bell
  /// The typed line was not carried out and has to stay; an empty reason is only a bell.
  case refused(SafeText)
  /// Put a text into the empty line, as one undo step.
  case put(String, mentions: [Span])
  /// Put the draft of the conversation that was entered into the line if it is empty, and tell by
  /// ``SessionEvent/restored(_:)``.
  case restore(Conversations.Draft)
  /// Another line takes the line's place, which may be empty; tell by ``SessionEvent/restored(_:)``.
  case swapLine(Conversations.Draft)
  /// The line is put by, and the name of a conversation is typed in its place, with the menu open.
  case beginChoice
  /// The line comes back from there.
  case endChoice
  /// The line becomes the text of a message; `offered` comes back with C-_. `isAnother`: a message
  /// is being edited already, otherwise what stands in the line is set aside.
  case edit(String, offering: String?, mentions: [Span], isAnother: Bool)
  /// The line that was set aside comes back; `offered` comes back with C-_.
  case endEdit(offering: String?)
  /// A line belongs into the input history of this screen, as its newest.
  case addHistory(String)
  /// The input history, the oldest line first.
  case setHistory([String])
  /// Handle this as soon as the next line has begun; at once where none is being accepted.
  case whenLineBegins(SessionEvent)
  /// Lines of an inputrc. `mustWork`: a line was typed that only binds; see `refused`.
  case bind([KeyBinding], mustWork: Bool)
  case copy(SafeText)
  /// Keep the files in the store, and tell by ``SessionEvent/filesKept(_:number:)`` with this number.
  case keep(WaitingFiles, limit: Int, number: Int)
  /// Write files out of the store, and tell by ``SessionEvent/wrote(_:_:)``.
  case write(FileChore)
  /// Run the program for an address or a file.
  case open([String], target: SafeText)
  /// Run `notify-command` for a message.
  case notify(Notification)
  case clearScreen
  /// Start the network's process for an account; `asks`: it may ask for the password at the terminal.
  case connect(Account, asks: Bool)
  /// The person leaves, and nothing waits any more.
  case quit(status: Int32)
}

extension Effect {
  var isNotice: Bool { if case .notice = self { true } else { false } }
}

/// What `notify-command` is told.
package struct Notification {
  package let sender: String
  package let conversation: String
  package let body: String
}
