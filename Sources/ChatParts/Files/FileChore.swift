// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Composer
import Conversations
import Exchange
import Glibc
import Sentences
import StyledText

/// Work on files: copying them into the store, or writing them out of it. A shell does it in a
/// child process of this same program: hashing, copying and syncing large files takes seconds, and
/// keys must not wait.
package enum FileChore {
  /// Copies the files of a line into the store's folder. `limit`: the maximum size of each file, in
  /// bytes; 0 for none. `line`: the line's number, by which the session knows it.
  case keep(WaitingFiles, limit: Int, in: AttachmentFolder, line: Int = 0)
  /// `/save`: writes attachments into a folder, or one under a new name.
  case save([Attachment], to: String, from: AttachmentFolder)
  /// `/export`: writes a conversation into a new file. `of`: the path of the store.
  case export(ID<Conversation>, of: String, to: String)

  /// How far the work got.
  package struct Outcome {
    /// For `keep`, the hash, type and size of each file; for `save`, the paths of the new files;
    /// for `export`, the number of messages, how many of them are too long for an import, and then
    /// the names of missing files.
    package var done: [String] = []
    /// Why the work stopped; nil if it did not fail.
    package var failure: SafeText?

    /// The files that `keep` copied.
    ///
    /// - Throws: why they are not in the store.
    package func attachments(of files: WaitingFiles) throws(Refusal) -> [Attachment] {
      if let failure { throw Refusal(failure) }
      let kept = zip(files.files, done).compactMap { file, line -> Attachment? in
        let words = line.split(separator: " ")
        guard words.count == 3, let bytes = Int(words[2]) else { return nil }
        return Attachment(
          hash: String(words[0]), name: FileName.safe(file.name), type: String(words[1]),
          bytes: bytes)
      }
      // The process may have been unable to write its whole answer.
      guard kept.count == files.files.count else {
        throw Refusal(say("The files could not be copied into the store."))
      }
      return kept
    }
  }

  /// The first argument of the child process.
  package static let option = "--file-chore"

  /// The command for the child process.
  package var command: [String] {
    let words =
      switch self {
      case .keep(let files, let limit, let folder, _):
        // A blank means no identity.
        ["keep", String(limit), folder.path, folder.isShared ? "shared" : "own"]
          + files.files.flatMap { [$0.path, $0.name, $0.identity ?? " "] }
      case .save(let files, let target, let folder):
        ["save", target, folder.path, folder.isShared ? "shared" : "own"]
          + files.flatMap { [$0.hash, $0.name] }
      case .export(let conversation, let path, let target):
        ["export", target, path, String(conversation.rawValue)]
      }
    return ["/proc/self/exe", Self.option] + words
  }

  /// Parses the arguments; nil if they are not from ``command``.
  private init?(_ arguments: ArraySlice<String>) {
    var words = arguments
    guard let kind = words.popFirst(), let target = words.popFirst(), let path = words.popFirst(),
      let detail = words.popFirst()
    else { return nil }
    let folder = AttachmentFolder(path: path, isShared: detail == "shared")
    switch kind {
    case "keep":
      guard let limit = Int(target) else { return nil }
      var files: [WaitingFiles.File] = []
      while let file = words.popFirst(), let name = words.popFirst(),
        let identity = words.popFirst()
      {
        files.append(
          .init(path: file, name: name, bytes: 0, identity: identity == " " ? nil : identity))
      }
      self = .keep(WaitingFiles(files), limit: limit, in: folder)
    case "save":
      var files: [Attachment] = []
      while let hash = words.popFirst(), let name = words.popFirst() {
        files.append(Attachment(hash: hash, name: name, type: FileType.unknown, bytes: 0))
      }
      self = .save(files, to: target, from: folder)
    case "export":
      guard let id = Int64(detail) else { return nil }
      self = .export(ID(rawValue: id), of: path, to: target)
    default: return nil
    }
  }

  /// Does the work in the child process, which prints texts that each end with a NUL; the last is
  /// an error sentence if the exit status is not 0.
  ///
  /// - Parameter arguments: those after the option.
  /// - Returns: the exit status; nil if the arguments are not from ``command``.
  package static func run(_ arguments: ArraySlice<String>) -> Int32? {
    guard let chore = FileChore(arguments) else { return nil }
    // Typing comes first. At a file size limit, fail the write instead of dying.
    _ = nice(10)
    signal(SIGXFSZ, SIG_IGN)
    do {
      try chore.perform { print($0, terminator: "\0") }
      return 0
    } catch {
      print(sentence(for: error).string, terminator: "\0")
      return 1
    }
  }

  package func outcome(answer: String, status: Int32) -> Outcome {
    var done = answer.split(separator: "\0").map(String.init)
    if status == 0 { return Outcome(done: done) }
    let reason = status == 1 ? done.popLast() : nil
    return Outcome(
      done: done,
      failure: reason.map { SafeText(line: $0) }
        ?? say("The process that copies the files ended with status %1.", SafeText(Int(status))))
  }

  package func runHere() -> Outcome {
    var outcome = Outcome()
    do { try perform { outcome.done.append($0) } } catch { outcome.failure = sentence(for: error) }
    return outcome
  }

  private func perform(_ done: (String) -> Void) throws {
    switch self {
    case .keep(let files, let limit, let folder, _):
      for file in files.files {
        let kept = try folder.keep(
          fileAt: file.path, name: file.name, identity: file.identity, limit: limit)
        done("\(kept.hash) \(kept.type) \(kept.bytes)")
      }
    case .save(let files, let target, let folder):
      for file in files { done(try folder.save(file, to: target)) }
    case .export(let conversation, let path, let target):
      let store = try Store(path: path, options: .init(createIfMissing: false))
      defer { store.close() }
      let report = try Export(of: store, [conversation]).write(to: target)
      done(String(report.messages))
      done(String(report.longLines))
      for name in report.missingFiles { done(name) }
    }
  }

  /// Refuses what can be refused without reading files, while the line is still there.
  ///
  /// - Throws: `AttachmentError`, `StoreError.cannotOpen`.
  package func check() throws {
    let folder: String
    switch self {
    case .keep: return
    case .save(let files, let target, let store):
      guard let first = files.first else { return }
      for file in files where store.size(of: file.hash) == nil {
        throw AttachmentError.gone(name: file.name)
      }
      folder = AttachmentFolder.destination(target, of: first).folder
    case .export(_, _, let target):
      folder = StoreFiles.split(target).folder
      var found = Glibc.stat()
      if lstat(target, &found) == 0 {
        throw StoreError.cannotOpen(path: target, reason: translated("it exists; name a new file"))
      }
    }
    if access(folder, W_OK | X_OK) != 0 {
      throw AttachmentError.unwritable(path: folder, reason: systemReason().string)
    }
  }

  /// The result, in sentences.
  package func sentences(_ outcome: Outcome) -> [SafeText] {
    switch self {
    case .keep: return []
    case .save: return outcome.done.map { say("Saved as %1", SafeText(line: $0)) }
    case .export(_, _, let path):
      guard let messages = outcome.done.first else { return [] }
      var said = [say("Wrote %1 messages to %2", SafeText(line: messages), SafeText(line: path))]
      if let count = outcome.done.dropFirst().first, count != "0" {
        said.append(
          say(
            "hobnob import will skip %1 of the messages: each is larger than 16 MB, counting its edits and reactions.",
            SafeText(line: count)))
      }
      return said
        + outcome.done.dropFirst(2).map {
          say(
            "File %1 is gone or damaged; its message is exported without it.",
            SafeText(name: $0))
        }
    }
  }
}
