// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// What happens to a session.
package enum SessionEvent {
  /// The line of the first conversation can be typed into.
  case lineReady
  /// The first prompt can be seen; what it did not have to wait for is done.
  case promptShown
  /// Return on this text.
  case entered(String)
  /// The same, where the text is to go as the file at this path (rule 1.9).
  case enteredAsFile(String, path: String)
  /// The person was asked, and said what they want.
  case meant(Intent)
  /// The command line named a room that is not there (rule 11.7), which may be a slip for a
  /// subcommand.
  case unknownRoom(String, subcommand: String?)
  /// A command was carried out, all of it, or it failed and made room for another line.
  case carriedOut(String)
  /// The next line has begun after a typed one was carried out.
  case lineBegan
  /// The text of the line was changed by hand.
  case changed
  /// The caret moved, or the program changed the line.
  case moved
  /// C-c on an empty line.
  case interrupted
  /// C-c, on a text that is emptied now.
  case emptied
  /// C-d on an empty line.
  case ended
  /// The draft that the line came from; nil where it was not put into the line.
  case restored(Conversations.Draft)
  /// The draft was not put into the line, where something was typed already (rule 5.2).
  case stashConflict(Conversations.Draft)
  /// A line that waited for the store comes back, with the reason.
  case gaveBack(Line, SafeText)
  /// Files that were on their way wait again.
  case filesBack(WaitingFiles)
  /// The store's bell, or the time to look at it.
  case rang(BellNews)
  /// It is ``Session/deadline``, or later.
  case tick
  /// The end of a turn: what was printed is on the screen, unless the terminal is behind.
  case turnEnded
  /// Whether the terminal takes nothing at present.
  case behind(Bool)
  /// Whether the terminal's window has the focus; nil while that is not known.
  case focus(Bool?)
  /// The terminal's size.
  case resized(rows: Int, columns: Int)
  /// Another program gets the screen, or gave it back.
  case screenLent(Bool)
  /// The shell is about to be stopped (C-z).
  case suspended
  case resumed
  /// A key of hobnob's own: edit the newest message.
  case editLast
  /// A key of hobnob's own that goes to another conversation.
  case move(Move)
  /// A name was chosen, and the line stands there again that it was typed in place of.
  case chosen(ID<Conversation>)
  /// A key of hobnob's own: put the line away until the next one was sent.
  case setAside
  /// A file is to go with the next message.
  case attach(path: String)
  /// The files of a sent line are in the store, or why they are not.
  case filesKept(Result<[Attachment], Refusal>, number: Int)
  /// Files were written out of the store, or why they were not.
  case wrote(FileChore, FileChore.Outcome)
  /// The process that was started for an account ended, with this exit status.
  case networkProcessEnded(ID<Account>, status: Int32)
  /// An effect could not be carried out, and why; those behind it were (rule 14.8).
  indirect case failed(Effect, because: SafeText)
  /// Something went wrong outside of the session.
  case complain([SafeText])
  /// The program has to end.
  case leave(status: Int32)
}

/// Keys that mean something only now and then: ``Session/offer(_:at:)``.
package enum SessionKey {
  /// C-g or Escape with nothing else to end.
  case cancel
  /// C-_ and the like.
  case undo
  /// Up on an empty line.
  case up
}
