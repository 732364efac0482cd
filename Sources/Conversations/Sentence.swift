// SPDX-License-Identifier: GPL-3.0-or-later

/// An English sentence with the places `%1` … `%9`, and what stands in them. The key is what a
/// translation is looked up by; the arguments are text from elsewhere and not yet safe to print.
public typealias Sentence = (key: StaticString, arguments: [String])

/// The sentence in English, for those who translate nothing.
func filled(_ sentence: Sentence) -> String {
  var result = ""
  var pendingPercent = false
  for character in sentence.key.description {
    if pendingPercent {
      pendingPercent = false
      if let place = character.wholeNumberValue, 1...9 ~= place,
        place <= sentence.arguments.count
      {
        result += sentence.arguments[place - 1]
      } else {
        result += "%"
        result.append(character)
      }
    } else if character == "%" {
      pendingPercent = true
    } else {
      result.append(character)
    }
  }
  return pendingPercent ? result + "%" : result
}

/// Why the store could not do it: something about the file, not about the conversation.
public enum StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process holds the store's lock for longer than `Store.patience`.
  case locked(path: String)
  /// The disk, or the quota, is full.
  case full(path: String)
  case readOnly(path: String)
  /// SQLite's words are in `detail`.
  case corrupt(path: String, detail: String)
  /// Made by a newer program: its schema version is `found`.
  case newer(path: String, found: Int, supported: Int)
  case notAStore(path: String)
  /// The store's file, one beside it, or its folder is a symbolic link.
  case isLink(path: String)
  case foreign(path: String, owner: String)
  case folderWritableByOthers(path: String)
  case cannotOpen(path: String, reason: String)
  /// The file at `path` is not the one that is open here, or in another process.
  case moved(path: String)
  /// The same of a file beside it, its write-ahead log or the index of that.
  case parted(path: String, file: String)
  /// There is no store, but its write-ahead log.
  case leftOver(path: String, file: String)
  case failed(path: String, detail: String)
  /// Nothing tells when others have written to the store.
  case deaf(path: String, reason: String)

  /// What happened, to what, and what to do.
  public var sentence: Sentence {
    switch self {
    case .locked(let path):
      ("the store %1 is locked by another process; try again when that has finished", [path])
    case .full(let path):
      ("the disk that holds %1 is full; make room and try again", [path])
    case .readOnly(let path):
      ("%1 cannot be written to; change its permissions or name another with --store", [path])
    case .corrupt(let path, let detail):
      (
        "the store %1 is damaged (%2); keep a copy of it and run `hobnob check --store %1`",
        [path, detail]
      )
    case .newer(let path, let found, let supported):
      (
        "the store %1 was written by a newer hobnob (version %2, this one reads up to %3); use that one",
        [path, String(found), String(supported)]
      )
    case .notAStore(let path):
      ("%1 is not a hobnob store; name another file with --store", [path])
    case .isLink(let path):
      ("%1 is a link, which a store must not be; name the file it leads to", [path])
    case .foreign(let path, let owner):
      (
        "%1 belongs to %2; name a store of your own with --store, or have %2 make a shared one with --shared",
        [path, owner]
      )
    case .folderWritableByOthers(let path):
      (
        "others may write to the folder %1; name a store in a folder of your own with --store",
        [path]
      )
    case .cannotOpen(let path, let reason):
      ("%1 cannot be opened: %2", [path, reason])
    case .moved(let path):
      (
        "the store %1 was moved, deleted or replaced while it was open; put it back, or end every hobnob that has it open",
        [path]
      )
    case .parted(let path, let file):
      (
        "%2 was deleted or replaced while the store %1 is open; end every hobnob that has it open, then start again",
        [path, file]
      )
    case .leftOver(let path, let file):
      (
        "there is no store %1, but %2 holds what was stored in it last; put the store back, or delete %2 to begin anew",
        [path, file]
      )
    case .failed(let path, let detail):
      (
        "the store %1 could not do it: %2; look at the disk, its limits and the file, and try again",
        [path, detail]
      )
    case .deaf(let path, let reason):
      (
        "what others write to %1 is not noticed (inotify: %2); close other programs that watch files, or raise fs.inotify.max_user_instances",
        [path, reason]
      )
    }
  }

  public var description: String { filled(sentence) }
}

/// Why a conversation's rules forbid it. Numbers are message numbers.
public enum RuleError: Error, Hashable, Sendable, CustomStringConvertible {
  case noSuchMessage(Int)
  case notYours(Int)
  case deleted(Int)
  /// Somebody else has it already, so it cannot be taken back (rule 3.7).
  case othersHaveIt(Int)
  case notFailed(Int)
  /// It waits for its network or failed, so nobody can react to it (rule 7.8).
  case notSent(Int)
  case notAnEmoji(String)
  case notAMember(String)
  /// A topic or an invitation anywhere but in a room of this machine.
  case onlyInRooms(String)
  case noSuchParticipant(String)
  case noSuchRoom(String)
  case nameTaken(String)
  case badName(String)
  case ambiguous(String, candidates: [String])
  case nothingToEdit
  case nothingToCancel
  case nothingToDelete

  /// What is wrong, with what, and what to do.
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
    case .notFailed(let number):
      ("message %1 has not failed, so there is nothing to retry", [String(number)])
    case .notSent(let number):
      ("message %1 has not been sent yet; react to it when it has", [String(number)])
    case .notAnEmoji(let text):
      ("“%1” is not an emoji; a reaction is one", [text])
    case .notAMember(let conversation):
      ("you are not in %1; /join it first", [conversation])
    case .onlyInRooms(let conversation):
      (
        "%1 is no room of this machine; only those have a topic and invitations here",
        [conversation]
      )
    case .noSuchParticipant(let name):
      ("nobody here is called %1; /who shows who is", [name])
    case .noSuchRoom(let name):
      ("there is no room %1; /join makes it", [name])
    case .nameTaken(let name):
      ("the name %1 is taken; choose another", [name])
    case .badName(let name):
      (
        "“%1” cannot be a name: 1 to 64 characters, no blanks, not beginning with @, # or /",
        [name]
      )
    case .ambiguous(let name, let candidates):
      ("%1 could be %2; write it in full", [name, candidates.joined(separator: ", ")])
    case .nothingToEdit:
      ("there is no message of yours to edit here", [])
    case .nothingToCancel:
      ("there is no message of yours to take back here", [])
    case .nothingToDelete:
      ("there is no message of yours to delete here", [])
    }
  }

  public var description: String { filled(sentence) }
}
