// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Something the session does after a step's writes are committed. The outcomes of a step run in
/// order.
enum Outcome {
  case effect(Effect)
  case write(Write)
  /// Print the output of a command; `indent` is the column where the further rows of a line begin.
  case answer([StyledLine], indent: Int = 4)
  /// Print a refusal or a warning.
  case complain([SafeText])
  /// Ask a question when the next line begins.
  case ask(Question)
  /// Print a long list in sections, in a pager if it is longer than the screen.
  case list([(heading: SafeText, lines: [StyledLine])], indent: Int)
  case page([StyledLine])
  /// Print messages in their current state; `atEnd`: start at the newest; `inPager`: even if they
  /// fit on the screen.
  case history([Message], [ID<Message>: [Reaction]], atEnd: Bool, inPager: Bool = false)
  /// Open a conversation; `isNew`: the room was just created.
  case open(Conversation, isNew: Bool)
  /// Open a conversation; the text of the line stays as the draft of the one before.
  case openKeepingDraft(Conversation, isNew: Bool)
  /// I left this room: return to the conversation where I was before.
  case left(ID<Conversation>)
  case send(OutgoingText)
  case edit(Message)
  /// The new text of the edited message was saved.
  case saved(String)
  case attach(String)
  /// Detach a file by its number; nil for all files.
  case detach(Int?)
  /// Save the files of a message when the request has fetched them.
  case saveLater(NetworkRequest.ID, PendingSave)
  /// Have a helper process write files out of the store.
  case startChore(FileChore)
  case preferences(Preferences)
  case renamed(Participant)
  case nicknamesChanged
  case away(String?)
  /// My mutes, ignores or notify settings may have changed.
  case attentionChanged
  /// Where `/search` without words continues.
  case searched(SearchContinuation)
  case pause, resume, clear, quit
  case draftsCleared
  /// Take back the line that has waited longest for the store.
  case takeBackLine
  /// Hold the draft that the command replaced until I have answered its question.
  case holdDraft
  case accountsChanged
  /// Report when the account is connected, or why it is not.
  case awaitConnection(Account)
  case connect(Account)
  /// Read new changes from the store.
  case catchUp
  /// The tutorial begins, goes on or, with nil, ends.
  case tutorial(Tutorial?)
  /// The person did something that the tutorial may ask for.
  case tutorialAction(Tutorial.Action)
  /// The accounts could not be read from the store: read them again in a moment.
  case retryRead

  /// Prints one dim sentence.
  static func tell(_ sentence: SafeText) -> Outcome {
    .answer([StyledLine(sentence, .dim)], indent: 2)
  }

  /// Shows a sentence in the status line for a while.
  static func shortNotice(_ sentence: SafeText) -> Outcome { .effect(.notice(sentence)) }
}

/// A text to send as a message.
struct OutgoingText {
  var body: String
  /// Where to send it; nil for the open conversation.
  var target: Conversation?
  /// What hobnob puts before it.
  var prefix = ""
  var kind = Message.Kind.text
  /// The typed line.
  var typed: String
  var replyTo: ID<Message>?
  /// Files that are already in the store; the message lists them after the newly attached ones.
  var attachments: [Attachment] = []

  /// This text, sent to a conversation without opening it.
  func to(_ conversation: Conversation) -> OutgoingText {
    var text = self
    text.target = conversation
    return text
  }
}

/// Files of a message to save once they are fetched.
struct PendingSave: Hashable {
  var message: ID<Message>
  /// A folder, or the path of the new file.
  var path: String
}

/// Where a search continues.
struct SearchContinuation {
  var query: SearchQuery
  /// The query as typed.
  var text: SafeText
  /// The oldest match shown so far; nil if there are no more.
  var before: ID<Message>?
}
