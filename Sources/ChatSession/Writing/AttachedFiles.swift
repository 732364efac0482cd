// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// The files that wait to be sent with the line (rule 8.1).
@MainActor
package final class AttachedFiles: SessionPart {
  unowned let session: Session
  package private(set) var waiting = WaitingFiles()
  /// What C-c took away beside the text: it comes back with it.
  private var emptied: (text: String, files: WaitingFiles)?
  /// The files that wait in any conversation, as this user's own file knows them.
  private lazy var record = AttachedRecord(environment: session.preferences.environment)

  init(_ session: Session) { self.session = session }

  /// Adds a file that is named as people name files: with `~`, quotes, escaped blanks, or as a
  /// `file://` URL.
  func attach(fileAt argument: String) throws {
    _ = try place.requiredAsMember()
    var path = absolute(argument)
    // A name that really has quotes or backslashes in it is that of its file.
    let unquoted = PastedContent.fileCandidate(in: argument, allowsRelative: true)
    let limit = NetworkCommands(session: session).fileLimit
    if let unquoted, (try? look(at: path)) == nil { path = absolute(unquoted) }
    let found = try look(at: path, limit: limit)
    // It is attached again because it is another file by now.
    let former = waiting.files.firstIndex {
      $0.path.utf8.elementsEqual(path.utf8) && $0.identity != found.identity
    }
    if let former { waiting.remove(at: former + 1) }
    let file = WaitingFiles.File(
      path: path, name: found.name, bytes: found.bytes, identity: found.identity)
    waiting.add(file)
    remember([file])
    drafts.noteAndLeave()
    emit(
      .notice(
        say(
          "%1 will be sent with your next message; /detach %2 removes it.",
          SafeText(name: found.name),
          SafeText(waiting.count))))
  }

  /// What a file is called and its size.
  ///
  /// - Throws: `AttachmentError` where it cannot be sent.
  package func look(
    at path: String, limit: Int? = nil
  ) throws -> (name: String, bytes: Int, identity: String) {
    let own = settings.attachmentLimit * 1_000_000
    return try Store.look(
      atFile: path, limit: limit.map { own > 0 ? min(own, $0) : $0 } ?? own)
  }

  /// A path as people write it, for whoever works in another folder.
  func absolute(_ named: String) -> String {
    let path = RcFile.expanded(named, session.preferences.environment)
    guard !path.hasPrefix("/"), !path.hasPrefix("file:///"), let folder = WorkingFolder.path else {
      return path
    }
    return folder + "/" + path
  }

  /// - Parameter number: as `/attach` lists them. Nil: all of them.
  /// - Returns: false if no file has that number.
  func detach(_ number: Int?) -> Bool {
    let former = waiting.files
    if let number {
      guard waiting.remove(at: number) != nil else { return false }
    } else {
      waiting = WaitingFiles()
    }
    if let here = switcher.present { forget(former, in: here.id) }
    drafts.noteAndLeave()
    return true
  }

  // MARK: Which files

  /// Notes that this user attached files here.
  private func remember(_ files: [WaitingFiles.File]) {
    guard session.isInteractive, let here = switcher.present else { return }
    for file in files {
      guard let identity = file.identity else { continue }
      record.add(key(file.path, in: here.id), identity)
    }
  }

  private func key(_ path: String, in conversation: ID<Conversation>) -> AttachedRecord.Key {
    let address = (try? store.read { try $0.lastingAddress(of: conversation, for: me.id) }) ?? ""
    return AttachedRecord.Key(path, in: conversation, at: address, of: store)
  }

  /// Forgets files of a conversation, except those that were attached again, or wait in a line that
  /// was set aside.
  private func forget(_ files: [WaitingFiles.File], in conversation: ID<Conversation>) {
    guard session.isInteractive else { return }
    let here = conversation == switcher.present?.id ? waiting.files.map(\.path) : []
    let left = Set(here + drafts.filesSetAside(in: conversation).map(\.path))
    record.remove(
      files.filter { !left.contains($0.path) }.map { key($0.path, in: conversation) })
  }

  /// The files of a line are in a message now.
  func sent(_ line: Line) { forget(line.files.files, in: line.conversation) }

  /// They are on their way with a line, or belong to a conversation that was left.
  func areSent() { waiting = WaitingFiles() }

  /// Files that were on their way wait again, before those that were attached since.
  func bringBack(_ files: WaitingFiles) {
    guard !files.isEmpty else { return }
    waiting = WaitingFiles(files.files + waiting.files)
    remember(files.files)
    drafts.save()
  }

  /// Restores a draft's files and reports missing ones. Others may have written the draft, so a
  /// path counts only if this user attached it here and it is still the same file (rule 12.7).
  func restore(_ files: [DraftFile]) {
    guard let here = switcher.present else { return }
    for file in files {
      session.reportingErrors {
        guard let identity = record.identity(of: key(file.path, in: here.id)) else {
          throw Refusal(
            say(
              "This draft names the file %1, which you did not attach here; it is not sent.",
              SafeText(line: file.path)))
        }
        let found = try look(at: file.path)
        guard found.identity == identity else {
          throw AttachmentError.replaced(path: file.path)
        }
        waiting.add(
          WaitingFiles.File(
            path: file.path, name: file.name ?? found.name, bytes: found.bytes,
            identity: identity))
      }
    }
  }

  // MARK: C-c and C-_

  /// The line is emptied, and with it they go. False: none waits, or an edit is emptied, which takes
  /// no files: those that wait are the draft's.
  @discardableResult
  func setAside(with text: String) -> Bool {
    guard !editing.isOn, !waiting.isEmpty else { return false }
    emptied = (text, waiting)
    waiting = WaitingFiles()
    if text.isEmpty {
      drafts.note()
      emit(.notice(say("The waiting files are removed; C-_ restores them")))
    }
    return true
  }

  /// C-_ gave back what C-c took; the files that went with it come back too.
  func noteChange(of text: String) {
    guard let emptied, !text.isEmpty else { return }
    if text == emptied.text, waiting.isEmpty { waiting = emptied.files }
    self.emptied = nil
  }

  /// C-_ after a C-c that found only files: there is no text to bring back, but they are.
  func undo() -> Bool {
    guard let emptied, emptied.text.isEmpty, line.isEmpty, waiting.isEmpty else { return false }
    waiting = emptied.files
    self.emptied = nil
    drafts.note()
    emit(.notice(say("The files wait again")))
    return true
  }
}
