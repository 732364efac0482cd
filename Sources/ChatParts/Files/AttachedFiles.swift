// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import StyledText

/// The files to send with the line (rule 8.1).
@MainActor
package struct AttachedFiles {
  package private(set) var waiting = WaitingFiles()
  /// The text and files that C-c removed: C-_ brings both back.
  private var emptied: (text: String, files: WaitingFiles)?
  private let environment: [String: String]
  private let storePath: String
  /// The files waiting in all conversations, according to this user's own file.
  private lazy var record = AttachedRecord(environment: environment)

  package init(environment: [String: String], storePath: String) {
    (self.environment, self.storePath) = (environment, storePath)
  }

  /// Adds a file, named as people name files: with `~`, quotes, escaped blanks, or as a `file://`
  /// URL.
  ///
  /// - Parameter limit: the maximum size, in bytes; 0 for none.
  package mutating func attach(fileAt argument: String, limit: Int) throws -> WaitingFiles.File {
    var path = Self.absolute(argument, environment)
    // If the name of a file really has these quotes or backslashes, that file is meant.
    let unquoted = PastedContent.fileCandidate(in: argument, allowsRelative: true)
    if let unquoted, (try? AttachmentCopy.inspect(fileAt: path, limit: limit)) == nil {
      path = Self.absolute(unquoted, environment)
    }
    let found = try AttachmentCopy.inspect(fileAt: path, limit: limit)
    // The person attached the file again because it has changed.
    let former = waiting.files.firstIndex {
      $0.path.utf8.elementsEqual(path.utf8) && $0.identity != found.identity
    }
    if let former { waiting.remove(at: former + 1) }
    let file = WaitingFiles.File(
      path: path, name: found.name, bytes: found.bytes, identity: found.identity)
    waiting.add(file)
    return file
  }

  /// Makes a person's path absolute, for a process in another folder.
  package static func absolute(_ named: String, _ environment: [String: String]) -> String {
    let path = RcFile.expanded(named, environment)
    guard !path.hasPrefix("/"), !path.hasPrefix("file:///"), let folder = WorkingFolder.path else {
      return path
    }
    return folder + "/" + path
  }

  /// - Parameter number: as `/attach` lists them; nil for all.
  /// - Returns: the removed files; nil if no file has that number.
  package mutating func detach(_ number: Int?) -> [WaitingFiles.File]? {
    let former = waiting.files
    if let number {
      guard waiting.remove(at: number) != nil else { return nil }
    } else {
      waiting = WaitingFiles()
    }
    return former
  }

  // MARK: Which files

  /// Records that this user attached files in a conversation.
  mutating func remember(
    _ files: [WaitingFiles.File], in conversation: ConversationKey
  ) {
    for file in files {
      guard let identity = file.identity else { continue }
      record.add(key(file.path, conversation), identity)
    }
  }

  /// A conversation, with the address that survives renaming.
  package struct ConversationKey {
    let id: ID<Conversation>
    let address: String
  }

  private func key(_ path: String, _ conversation: ConversationKey) -> AttachedRecord.Key {
    AttachedRecord.Key(path, in: conversation.id, at: conversation.address, of: storePath)
  }

  /// Removes files of a conversation from the record, except those that still wait to be sent
  /// there.
  mutating func forget(
    _ files: [WaitingFiles.File], in conversation: ConversationKey, except waiting: Set<String>
  ) {
    record.remove(
      files.filter { !waiting.contains($0.path) }.map { key($0.path, conversation) })
  }

  /// Empties the list: the files now belong to a line that is being sent or was set aside, or to
  /// another conversation.
  mutating func clear() { waiting = WaitingFiles() }

  /// Attaches unsent files again, before those that were attached meanwhile.
  package mutating func bringBack(_ files: WaitingFiles) {
    waiting = WaitingFiles(files.files + waiting.files)
  }

  /// Restores a draft's file. Others may have written the draft, so a path counts only if this user
  /// attached it here and it is still the same file (rule 12.7).
  ///
  /// - Throws: if the file is missing, was replaced, or was not attached by this user.
  mutating func restore(_ file: DraftFile, in conversation: ConversationKey, limit: Int) throws {
    guard let identity = record.knownIdentity(of: key(file.path, conversation)) else {
      throw Refusal(
        say(
          "This draft includes the file %1, but you did not attach it in this conversation, so hobnob will not send it.",
          SafeText(line: file.path)))
    }
    let found = try AttachmentCopy.inspect(fileAt: file.path, limit: limit)
    guard found.identity == identity else { throw AttachmentError.replaced(path: file.path) }
    waiting.add(
      WaitingFiles.File(
        path: file.path, name: file.name ?? found.name, bytes: found.bytes, identity: identity))
  }

  // MARK: C-c and C-_

  /// Removes the files together with the text of the line.
  ///
  /// - Returns: false if no file was waiting.
  mutating func setAside(with text: String) -> Bool {
    guard !waiting.isEmpty else { return false }
    emptied = (text, waiting)
    waiting = WaitingFiles()
    return true
  }

  /// Brings the files back after C-_ restored the text that C-c removed.
  mutating func noteChange(of text: String) {
    guard let emptied, !text.isEmpty else { return }
    if text == emptied.text, waiting.isEmpty { waiting = emptied.files }
    self.emptied = nil
  }

  /// Brings the files back after a C-c that removed only files and no text.
  ///
  /// - Returns: false if there was no such C-c.
  mutating func undo() -> Bool {
    guard let emptied, emptied.text.isEmpty, waiting.isEmpty else { return false }
    waiting = emptied.files
    self.emptied = nil
    return true
  }
}
