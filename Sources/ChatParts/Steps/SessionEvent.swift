// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

package enum SessionEvent {
  /// The line of the first conversation accepts typing.
  case lineReady
  /// The first prompt is visible; now do work that it did not have to wait for.
  case promptShown
  case entered(String)
  /// The person pressed Return on this text, and chose to send it as the file at this path (rule
  /// 1.9).
  case enteredAsFile(String, path: String)
  /// Ask this question now; the next key answers it.
  case ask(Question)
  /// The person pressed a key at the question.
  case answered(Intent)
  /// The command line named a room that does not exist (rule 11.7), perhaps a mistyped subcommand.
  case unknownRoom(String, subcommand: String?)
  /// The typed command is done: it was carried out, or it failed and the person has replaced it.
  case carriedOut(String)
  /// The next line has begun after a typed one.
  case lineBegan
  /// The person changed the text of the line.
  case changed
  /// The caret moved, or the program changed the line.
  case moved
  /// C-g or Escape, when the line editor itself has nothing to end, such as a menu; C-_, or another
  /// key that undoes; Up on an empty line. Where such a key means nothing, ``Effect/refused(_:)``
  /// leaves it to the line editor.
  case cancel, undo, up
  /// C-c on an empty line.
  case interrupted
  case emptied
  /// C-d on an empty line.
  case ended
  case restored(Conversations.Draft)
  /// The draft was not put into the line, because it already had text (rule 5.2).
  case stashConflict(Conversations.Draft)
  /// A line that waited for the store comes back unsent, for this reason.
  case lineReturned(ReturnedLine)
  /// The files of an unsent line are attached again.
  case filesReturned(WaitingFiles)
  /// The store's bell rang, or it is time to check the store.
  case bellRang(BellReasons)
  /// The time is ``Session/deadline``, or later.
  case tick
  /// The end of a turn: the output is on the screen, unless the terminal accepts none.
  case turnEnded
  /// Whether the terminal accepts no output at present.
  case outputBehind(Bool)
  /// Whether the terminal's window has the focus; nil if unknown.
  case focus(Bool?)
  /// The terminal's size.
  case resized(rows: Int, columns: Int)
  /// Another program gets the screen, or has returned it.
  case screenLent(Bool)
  /// The shell is about to be stopped (C-z).
  case suspended
  case resumed
  /// A hobnob key: edit the newest message.
  case editLast
  /// A hobnob key that opens another conversation.
  case move(Move)
  /// The person chose a name; the line that it replaced is back.
  case chosen(ID<Conversation>)
  /// A hobnob key: set the line aside until the next one is sent.
  case setAside
  /// A hobnob key: show the conversation's history in the pager, from its end.
  case pageHistory
  /// Work on files has ended; the outcome says how far it got.
  case choreEnded(FileChore, FileChore.Outcome)
  /// The process that this shell started for an account ended, with this exit status; the sentence
  /// says which shared library it lacks, if that is why.
  case networkProcessEnded(ID<Account>, status: Int32, missing: SafeText? = nil)
  /// Something went wrong outside the session, such as an effect.
  case complain([SafeText])
  /// The program must end.
  case leave(status: Int32)

  /// Whether the writes of this event may wait for another program's transaction. They may not
  /// while the person types, or the next letters would come late.
  package var mayWait: Bool {
    switch self {
    case .changed, .moved, .tick: false
    default: true
    }
  }
}
