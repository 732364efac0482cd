// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What the session does for a command or a part of it: in order, after the earlier writes are
/// committed.
enum Outcome {
  case effect(Effect)
  case write(Write)
  /// Print lines; the second row of each begins at this column.
  case answer([StyledLine], indent: Int = 4)
  case complain([SafeText])
  /// Print a long list in sections, in a pager if it is longer than the screen.
  case list([(heading: SafeText, lines: [StyledLine])], indent: Int)
  case page([StyledLine])
  /// Print messages in their current state; `atEnd`: start at the newest; `inPager`: even if they
  /// fit on the screen.
  case history([Message], [ID<Message>: [Reaction]], atEnd: Bool, inPager: Bool = false)
  /// Open a conversation; `isNew`: the room was just created.
  case open(Conversation, isNew: Bool)
  /// The same; the text of the line stays behind as the draft.
  case goTo(Conversation, isNew: Bool)
  /// I am no longer in this room: open the conversation before it.
  case left(ID<Conversation>)
  case send(OutgoingText)
  case edit(Message)
  /// The new text of the edited message was saved.
  case saved(String)
  case attach(String)
  /// A waiting file, by number; nil for all of them.
  case detach(Int?)
  /// Save the files of a message when the request has fetched them.
  case saveLater(NetworkRequest.ID, PendingSave)
  /// Write files out of the store.
  case begin(FileChore)
  case preferences(Preferences)
  case renamed(Participant)
  case nicknamesChanged
  case away(String?)
  /// What I want to notice may have changed.
  case attentionChanged
  case searched(SearchPage)
  case pause, resume, clear, quit
  case draftsCleared
  /// Take back the line that has waited longest for the store.
  case takeBackLine
  /// Keep the text removed for the command until a question is answered.
  case keepKilledDraft
  case accountsChanged
  case expect(Account)
  case connect(Account)
  /// Read new changes from the store.
  case catchUp
  /// The tutorial begins, goes on or, with nil, ends.
  case tutorial(Tutorial?)
  /// The person did something that the tutorial may ask for.
  case did(Tutorial.Deed)
  /// Something was unreadable.
  case tryAgainSoon

  static func tell(_ sentence: SafeText) -> Outcome {
    .answer([StyledLine(sentence, .dim)], indent: 2)
  }

  static func shortNotice(_ sentence: SafeText) -> Outcome { .effect(.notice(sentence)) }
}

/// A text to send as a message of the open conversation.
struct OutgoingText {
  var body: String
  var kind = Message.Kind.text
  /// The typed line.
  var typed: String
  var replyTo: ID<Message>?
  /// Files already in the store, which follow the waiting ones.
  var attachments: [Attachment] = []
}

/// Files of a message to save once they are fetched.
struct PendingSave: Hashable {
  var message: ID<Message>
  /// A folder, or a folder and a name.
  var path: String
}

/// The start of the next page of a search.
struct SearchPage {
  var query: SearchQuery
  /// The query as typed.
  var text: SafeText
  /// Nil at the end.
  var before: ID<Message>?
}
