// SPDX-License-Identifier: GPL-3.0-or-later
import Sentences

/// Why a conversation's rules forbid an action. Numbers are message numbers.
public enum RuleError: Error, Hashable, Sendable, CustomStringConvertible {
  case noSuchMessage(Int)
  case notYours(Int)
  case deleted(Int)
  /// Somebody else has it already, so you cannot recall it (rule 3.7).
  case othersHaveIt(Int)
  /// A network may have it already, so you cannot recall it (rules 3.7, 14.2).
  case othersMayHaveIt(Int)
  case notFailed(Int)
  /// It is waiting for its network or failed, so nobody can react to it (rule 7.8).
  case notSent(Int)
  case notAnEmoji(String)
  case notAMember(String)
  /// A topic or an invitation anywhere but in a room of this machine.
  case onlyInRooms(String)
  /// Only the maker of a room can rename and remove it.
  case notTheMaker(String, maker: String)
  case noSuchParticipant(String)
  case noSuchRoom(String)
  case nameTaken(String)
  case badName(String)
  /// A room of this machine cannot have an address for a name (rule 11.2).
  case addressOfARoom(String)
  /// The name as typed, and what it can mean, each as it can be typed.
  case ambiguous(String, candidates: [String])
  case nothingToEdit
  case nothingToCancel
  case nothingToDelete
  case nothingToRetry
  /// The owner already has this account.
  case accountExists(String)
  /// Another participant of this store has, or had, the account, so its conversations belong to
  /// them.
  case accountTaken(String)
  /// You know them only from a room on a network, where you cannot write to anyone in private.
  case onlyInARoom(String, domain: String)
  /// The account's network, as in `xmpp:anna@example.org`, which adds it whatever is installed.
  case noSuchAccount(String)
  /// The conversation's network cannot do it (see ``Abilities``); `deletable` is the number of the
  /// message, if its author can delete it instead.
  case cannotEdit(String, deletable: Int?)
  case editsAreOver(Int, String, seconds: Int)
  /// The message is encrypted in a way that hobnob does not know.
  case unreadable(Int)
  case cannotDelete(String)
  case cannotReact(String)
  case tooManyReactions(Int, most: Int)
  case cannotReply(String)
  case takesNoFiles(String)
  /// The file has more bytes than the network takes.
  case fileTooLarge(String, Int, most: Int)
  /// The text has more bytes in UTF-8 than one message can have.
  case tooManyBytes(String, Int, most: Int)

  /// What is wrong, and what to do.
  public var sentence: Sentence {
    switch self {
    case .noSuchMessage(let number):
      ("there is no message %1 here", [String(number)])
    case .notYours(let number):
      ("message %1 is not yours", [String(number)])
    case .deleted(let number):
      ("message %1 was deleted", [String(number)])
    case .othersHaveIt(let number):
      ("others have message %1 already; /delete %1 retracts it", [String(number)])
    case .othersMayHaveIt(let number):
      ("others may have message %1 already; /delete %1 retracts it", [String(number)])
    case .notFailed(let number):
      ("message %1 has not failed, so there is nothing to retry", [String(number)])
    case .notSent(let number):
      ("message %1 has not been sent yet; you can react to it once it has", [String(number)])
    case .notAnEmoji(let text):
      ("“%1” is not an emoji; a reaction must be one", [text])
    case .notAMember(let conversation):
      ("you are not in %1; /join it first", [conversation])
    case .onlyInRooms(let conversation):
      (
        "%1 is not a room of this machine, so you cannot do this there",
        [conversation]
      )
    case .notTheMaker(let room, let maker) where maker.isEmpty:
      ("hobnob does not know who made %1, so nobody can rename or remove it", [room])
    case .notTheMaker(let room, let maker):
      ("%2 made %1, and only %2 can rename or remove it", [room, maker])
    case .noSuchParticipant(let name):
      ("there is no one named %1 here", [name])
    case .noSuchRoom(let name) where name.contains("@"):
      (
        "there is no conversation named %1 here; /join enters a network's room, /msg opens a direct chat",
        [name]
      )
    case .noSuchRoom(let name):
      ("there is no room %1; /join makes it", [name])
    case .nameTaken(let name):
      ("the name %1 is taken; choose another", [name])
    case .badName(let name):
      (
        "“%1” is not a valid name; use 1 to 64 characters, none blank or invisible, and do not begin with @, # or /",
        [name]
      )
    case .addressOfARoom(let name):
      ("“%1” is an address; a room on this machine cannot have @ in its name", [name])
    case .ambiguous(let name, let candidates) where candidates.contains { $0.hasSuffix("@") }:
      (
        "%1 could mean %2; write it in full (a name that ends in @ is on this machine)",
        [name, candidates.joinedAsList()]
      )
    case .ambiguous(let name, let candidates):
      ("%1 could mean %2; write it in full", [name, candidates.joinedAsList()])
    case .nothingToEdit:
      ("you have no message here to edit", [])
    case .unreadable(let number):
      ("message %1 is encrypted; hobnob cannot edit it", [String(number)])
    case .nothingToCancel:
      ("you have no message here to take back", [])
    case .nothingToDelete:
      ("you have no message here to delete", [])
    case .nothingToRetry:
      ("you have no message here to send again", [])
    case .accountExists(let address):
      ("you already have the account %1; /account set %1 changes its settings", [address])
    case .onlyInARoom(let name, let domain):
      (
        "you know %1 only from a room; write to their address, as in /msg %1@%2",
        [name, domain]
      )
    case .accountTaken(let address):
      (
        "somebody else has the account %1 in this store; to use it yourself, open a store of your own",
        [address]
      )
    case .noSuchAccount(let address):
      ("there is no account %1; /account add %1 adds it", [address])
    case .tooManyReactions(let number, let most):
      (
        "you have %2 reactions to message %1 already; remove one first",
        [String(number), String(most)]
      )
    case .cannotEdit, .editsAreOver, .cannotDelete, .cannotReact, .cannotReply, .takesNoFiles,
      .fileTooLarge, .tooManyBytes:
      sentenceOfNetwork
    }
  }

  /// What a network cannot do.
  private var sentenceOfNetwork: Sentence {
    switch self {
    case .cannotEdit(let place, let deletable?):
      (
        "the network of %1 does not allow edits; /delete %2 removes the message",
        [place, String(deletable)]
      )
    case .cannotEdit(let place, nil):
      ("the network of %1 does not allow edits", [place])
    case .editsAreOver(let number, let place, let seconds):
      (
        "the network of %1 allows edits only for %2 after sending; message %3 is older",
        [place, Abilities.span(seconds), String(number)]
      )
    case .cannotDelete(let place):
      ("the network of %1 cannot delete messages", [place])
    case .cannotReact(let place):
      ("the network of %1 has no reactions", [place])
    case .cannotReply(let place):
      ("the network of %1 cannot show which message you answer; send it without /reply", [place])
    case .takesNoFiles(let place):
      ("the network of %1 takes no files", [place])
    case .fileTooLarge(let place, let bytes, let most):
      (
        "the network of %1 takes files of up to %2; this one has %3",
        [place, Attachment.size(most), Attachment.size(bytes)]
      )
    case .tooManyBytes(let place, let bytes, let most):
      (
        "the message has %1 bytes, but a message in %2 may have only %3; shorten it, or send it in parts",
        [String(bytes), place, String(most)]
      )
    default: ("", [])
    }
  }

  public var description: String { filled(sentence) }
}
