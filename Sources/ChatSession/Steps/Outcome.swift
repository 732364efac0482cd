// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What the session does because of a command or a part of it: in this order, once the writes before
/// are committed.
enum Outcome {
  case effect(Effect)
  case write(Write)
  /// Print lines; the second row of each begins behind so many columns.
  case answer([StyledLine], indent: Int = 4)
  case complain([SafeText])
  /// Print a long list by its parts, in a pager where it is longer than the screen.
  case list([(heading: SafeText, lines: [StyledLine])], indent: Int)
  case page([StyledLine])
  /// Print messages as they stand now; `atEnd`: the newest is what is wanted first.
  case history([Message], [ID<Message>: [Reaction]], atEnd: Bool)
  /// Go to a conversation; `isNew`: the room was made just now.
  case open(Conversation, isNew: Bool)
  /// The same, where what stands in the line stays behind as the draft.
  case goTo(Conversation, isNew: Bool)
  /// I am not in this room any more: go back to where I was before.
  case left(ID<Conversation>)
  case send(OutgoingText)
  case edit(Message)
  /// The text of the message that is edited was saved.
  case saved(String)
  case attach(String)
  /// A waiting file, by number; nil: all of them.
  case detach(Int?)
  /// Save the files of a message when what was asked for was fetched.
  case saveLater(NetworkRequest.ID, PendingSave)
  /// Write files out of the store.
  case begin(FileChore)
  case preferences(Preferences)
  case renamed(Participant)
  case nicknamesChanged
  case away(String?)
  /// What I want to hear of may have changed.
  case attentionChanged
  case searched(SearchPage)
  case pause, resume, clear, quit
  case draftsCleared
  /// The line that waits longest for the store comes back.
  case takeBackLine
  /// What was taken off the line for the command waits for the answer to a question.
  case keepKilledDraft
  case accountsChanged
  case showStoredSettings
  case startAccounts
  case expect(Account)
  case connect(Account)
  /// Read what the store has new.
  case catchUp
  /// Something could not be read.
  case tryAgainSoon

  static func tell(_ sentence: SafeText) -> Outcome {
    .answer([StyledLine(sentence, .dim)], indent: 2)
  }

  static func inPassing(_ sentence: SafeText) -> Outcome { .effect(.notice(sentence)) }
}

/// A text that becomes a message of the open conversation.
struct OutgoingText {
  var body: String
  var kind = Message.Kind.text
  /// The line as it was typed.
  var typed: String
  var replyTo: ID<Message>?
  /// Files that are in the store already; they come behind those that wait.
  var attachments: [Attachment] = []
}

/// Files of a message that are saved when they were fetched.
struct PendingSave: Hashable {
  var message: ID<Message>
  /// A folder, or a folder and a name.
  var path: String
}

/// Where the next page of a search begins.
struct SearchPage {
  var query: SearchQuery
  /// As it was typed.
  var text: SafeText
  /// nil: all of it was shown.
  var before: ID<Message>?
}
