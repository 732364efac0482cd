// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// What a step asks for, in order, once its writes are committed: the session carries out one part
/// itself, its shell the other. If one effect fails, the typed line stays as if the session had
/// refused it, the others are carried out, and a person at a terminal sees the reason
/// (``SessionEvent/complain(_:)``; rule 14.8).
package enum Effect {
  // MARK: By the shell

  /// Print settled lines: the answers of commands.
  case print([StyledLine])
  /// Print a text and, where a screen can show it, the QR code that contains the text.
  case showCode(SafeText)
  /// Show messages that arrived, or messages of a conversation that was just entered. A batch shows
  /// none.
  case show([StyledLine])
  /// Print more lines than fit on the screen, in a pager; if `atEnd`, it starts at the last line.
  case page([StyledLine], atEnd: Bool)
  /// Show a short-lived message, if there is a status line.
  case notice(SafeText)
  /// Remove this message, if it is still on the status line.
  case endNotice(SafeText)
  /// Ask this question, in a step once the next line begins; answer with
  /// ``SessionEvent/answered(_:)``.
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
  case launch([String], target: SafeText)
  /// Notify the person of messages, the oldest first, by `notify-command` or by the terminal.
  case notify([Notification])
  case clearScreen
  /// Start the network's process for an account; `asks`: it may ask for the password at the
  /// terminal.
  case connect(Account, asks: Bool)
  /// End the program, since the person leaves and nothing has to be stored any more.
  case quit(status: Int32)

  // MARK: By the session

  case write(Write)
  /// Print the output of a command; `indent` is the column where the further rows of a line begin.
  case answer([StyledLine], indent: Int = 4)
  /// Print a refusal or a warning.
  case complain([SafeText])
  /// Print a long list in sections, in a pager if it is longer than the screen.
  case list([(heading: SafeText, lines: [StyledLine])], indent: Int)
  /// Print the output of a command as it is, in a pager if it is longer than the screen.
  case longAnswer([StyledLine])
  /// Print messages in their current state; `atEnd`: start at the newest; `inPager`: even if they
  /// fit on the screen.
  case history([Message], [ID<Message>: [Reaction]], atEnd: Bool, inPager: Bool = false)
  /// Open a conversation; `isNew`: the room was just created.
  case open(Conversation, isNew: Bool)
  /// Open a conversation; the text of the line stays as the draft of the one before.
  case openKeepingDraft(Conversation, isNew: Bool)
  /// Replace the line with that of another conversation, which will be opened soon.
  case switchLine(to: Conversation)
  /// The person left this room: return to the conversation where the person was before.
  case left(ID<Conversation>)
  case send(OutgoingText)
  /// Put a message into the line, to edit it.
  case beginEdit(Message)
  /// The new text of the edited message was saved.
  case saved(String)
  /// Give a line back to the person, since it was not stored for this reason.
  case giveBack(PendingLine, because: SafeText)
  /// Tell the others here that the person is not typing any more.
  case stopTyping
  case attach(String)
  /// Detach a file by its number; nil for all files.
  case detach(Int?)
  /// Save the files of a message when the request has fetched them.
  case saveLater(NetworkRequest.ID, PendingSave)
  /// Save the files of a message, which have been fetched.
  case save(PendingSave)
  /// Have a helper process write files out of the store.
  case startChore(FileChore)
  case preferences(Preferences)
  case renamed(Participant)
  case nicknamesChanged
  case away(String?)
  /// The person's mutes, ignores or notify settings may have changed.
  case attentionChanged
  /// Where `/search` without words continues.
  case searched(SearchContinuation)
  case pause, resume
  /// Leave the program once everything typed is stored.
  case leave
  case draftsCleared
  /// Take back the line that has waited longest for the store.
  case takeBackLine
  /// Hold the draft that the command replaced until the person has answered its question.
  case holdDraft
  case accountsChanged
  /// Report when the account is connected, or why it is not.
  case awaitConnection(Account)
  /// Start the account's process because its owner asked.
  case startAccount(Account)
  /// A typed line was stored as this message; its files are recorded under the key.
  case sent(PendingLine, Message, AttachedFiles.ConversationKey)
  /// A draft was stored or, with nil, removed.
  case draftStored(String?, in: ID<Conversation>)
  /// These messages were recalled before this shell had them.
  case takenBack(Set<ID<Message>>)
  /// The store has this shell now.
  case shellAttached
  /// Read new changes from the store, once everything before them is done.
  case catchUp
  /// Read them now.
  case readArrivals
  /// Show these changes; `isSeen`: the store already has their messages as seen.
  case arrived(Changes, isSeen: Bool)
  /// Do what the first prompt does not have to wait for.
  case settleIn
  /// An account got a new nickname, and these are its settings now.
  case nicknameTaken(Account, AccountSettings)
  case reloadHistory
  /// The tutorial begins, goes on or, with nil, ends.
  case tutorial(Tutorial?)
  /// The person did something that the tutorial may ask for.
  case tutorialAction(Tutorial.Action)
  /// Something could not be read from the store: read it again in a moment.
  case retryRead
}

extension Effect {
  package var isNotice: Bool { if case .notice = self { true } else { false } }

  package static func tell(_ sentence: SafeText) -> Effect {
    .answer([StyledLine(sentence, .dim)], indent: 2)
  }
}

/// The arguments of `notify-command`, and the message that they are about.
package struct Notification {
  package let message: ID<Message>
  package let sender: String
  package let conversation: String
  package let body: String
}

/// Files of a message to save once they are fetched.
package struct PendingSave: Hashable {
  package var message: ID<Message>
  /// A folder, or the path of the new file.
  package var path: String

  package init(message: ID<Message>, path: String) { (self.message, self.path) = (message, path) }

  /// What saves them; nil if the message is gone.
  package func chore(
    for me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> FileChore? {
    guard let message = try snapshot.message(message, for: me) else { return nil }
    let chore = FileChore.save(message.attachments, to: path, from: snapshot.attachmentFolder)
    try chore.check()
    return chore
  }
}

/// Where a search continues.
package struct SearchContinuation {
  package var query: SearchQuery
  /// The query as typed.
  package var text: SafeText
  /// The oldest match shown so far; nil if there are no more.
  package var before: ID<Message>?

  package init(query: SearchQuery, text: SafeText, before: ID<Message>?) {
    (self.query, self.text, self.before) = (query, text, before)
  }
}
