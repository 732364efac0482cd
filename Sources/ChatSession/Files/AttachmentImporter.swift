// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Glibc
import StyledText

/// Copies the files of a line into its store, in a child process of this same program: copying,
/// hashing and syncing a large file takes seconds, and keys must not wait.
package enum AttachmentImporter {
  /// The first argument of such a process.
  package static let option = "--keep-files"

  /// The command that stores these files. It prints a line for each, or an error sentence.
  ///
  /// - Parameter limit: of each file, in bytes; 0 for none.
  package static func command(
    _ files: WaitingFiles, limit: Int, in store: Store
  ) -> [String] {
    let folder = store.attachmentFolder
    let target = [folder.path, folder.isShared ? "shared" : "own", String(limit)]
    // A blank means no identity.
    return ["/proc/self/exe", option] + target
      + files.files.flatMap { [$0.path, $0.name, $0.identity ?? " "] }
  }

  /// The child process.
  ///
  /// - Parameter arguments: what follows the option.
  /// - Returns: its exit status; nil if they are not from ``command(_:limit:in:)``.
  package static func run(_ arguments: ArraySlice<String>) -> Int32? {
    var words = arguments
    guard let path = words.popFirst(), let kind = words.popFirst(),
      let limit = words.popFirst().flatMap({ Int($0) }), words.count.isMultiple(of: 3)
    else { return nil }
    // Typing comes first. At a file size limit, fail the write instead of dying.
    _ = nice(10)
    signal(SIGXFSZ, SIG_IGN)
    let folder = AttachmentFolder(path: path, isShared: kind == "shared")
    do {
      while let file = words.popFirst(), let name = words.popFirst(),
        let identity = words.popFirst()
      {
        let kept = try folder.keep(
          fileAt: file, name: name, identity: identity == " " ? nil : identity,
          type: FileType.sniff(path:), limit: limit)
        print(kept.hash, kept.type, kept.bytes)
      }
      return 0
    } catch {
      print("!" + sentence(for: error).string)
      return 1
    }
  }

  /// The same in this process.
  ///
  /// - Throws: ``Refusal``.
  package static func keep(
    _ files: WaitingFiles, limit: Int, in store: Store
  ) throws(Refusal) -> [Attachment] {
    do {
      return try files.files.map { file in
        try store.attachmentFolder.keep(
          fileAt: file.path, name: file.name, identity: file.identity,
          type: FileType.sniff(path:), limit: limit)
      }
    } catch { throw Refusal(sentence(for: error)) }
  }

  /// Parses its output.
  ///
  /// - Throws: ``Refusal``, with its sentence.
  package static func attachments(
    _ files: WaitingFiles, answer: String, status: Int32
  ) throws(Refusal) -> [Attachment] {
    let lines = answer.split(separator: "\n")
    if let last = lines.last, last.hasPrefix("!") {
      throw Refusal(SafeText(line: String(last.dropFirst())))
    }
    let kept = zip(files.files, lines).compactMap { file, line -> Attachment? in
      let words = line.split(separator: " ")
      guard words.count == 3, let bytes = Int(words[2]) else { return nil }
      return Attachment(
        hash: String(words[0]), name: FileName.safe(file.name), type: String(words[1]),
        bytes: bytes)
    }
    guard status == 0, kept.count == files.files.count else {
      throw Refusal(
        say(
          "The files could not be copied into the store: the copying process ended with status %1.",
          SafeText(Int(status))))
    }
    return kept
  }
}
