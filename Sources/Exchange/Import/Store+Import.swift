// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

extension Store {
  /// Brings history from elsewhere in: what `export` wrote, or the logs of other programs. All of it
  /// or, whatever fails, nothing: it is one transaction, for which other writers wait.
  ///
  /// Into an empty store everything comes as it was. What is here already stays once: messages are
  /// known by their uid, rooms by their name, people by their identity. What comes
  /// into a conversation that was here is past (`Message.isPast`): it stands among what is there by
  /// its time, is unread to nobody, moves nobody's marker, and no open shell prints it.
  ///
  /// ```swift
  /// let report = try store.importing(as: "anna") { try $0.read(0) }
  /// ```
  ///
  /// - Parameters:
  ///   - me: the identity of whoever imports: one side of a log of a direct chat.
  ///   - complain: is told of each line that is left out.
  ///   - body: reads one file after the other.
  /// - Throws: `ImportFault`, `StoreError`, `AttachmentError`, and what `body` throws.
  package func importing(
    as me: String, complain: @escaping (ImportFault) -> Void = { _ in },
    _ body: (Import) throws -> Void
  ) throws -> ImportReport {
    // With the usual two megabytes the indexes of a large import are read and written again and
    // again.
    let pages = try database.first("PRAGMA cache_size") { $0.int64() } ?? -2000
    try database.execute("PRAGMA cache_size=-65536")
    defer { try? database.execute("PRAGMA cache_size=\(pages)") }
    return try writeDurably { transaction in
      let work = try Import(transaction, me: me, complain: complain)
      try transaction.indexTogether(listedIn: "import_message") {
        try body(work)
        try work.finish()
      }
      try work.applyChanges()
      work.dropTables()
      return work.report
    }
  }
}

extension Import {
  /// Reads a file to its end.
  ///
  /// - Parameters:
  ///   - descriptor: an open file, pipe or terminal.
  ///   - name: of the file, for what is said about it and to tell the conversation of a log by;
  ///     empty for standard input.
  ///   - format: nil to tell it by the content.
  ///   - conversation: where a log belongs, a room or `@name`; nil to tell it by the file's name,
  ///     and for exports, which tell it themselves.
  /// - Throws: `ImportFault`, `StoreError`, `AttachmentError`.
  package func read(
    _ descriptor: Int32, name: String = "", format: ImportFormat? = nil,
    conversation: String? = nil
  ) throws {
    let lines = LineReader(descriptor: descriptor) { [self] number in
      leaveOut(name, number, LineFault("the line is longer than 16 MB"))
    }
    do {
      guard let format = try format ?? ImportFormat.told(by: lines.peek()) else {
        throw try ImportFault(
          name, 0,
          lines.peek().isEmpty
            ? ("there is nothing in it", [])
            : (
              "it is neither an export of hobnob nor a log of irssi or WeeChat; name the --format",
              []
            ))
      }
      switch format {
      case .json:
        guard conversation == nil else {
          throw ImportFault(
            name, 0,
            (
              "it is an export, which names its own conversations; leave out --conversation",
              []
            ))
        }
        try ExportReader(self).read(lines, name)
      case .irssi: try LogReader(self, lines, name).read(as: IrssiLog(), into: conversation)
      case .weechat: try LogReader(self, lines, name).read(as: WeeChatLog(), into: conversation)
      }
    } catch let fault as LineFault {
      throw ImportFault(name, lines.number, fault.sentence)
    } catch let failure as SystemFailure {
      throw ImportFault(name, lines.number, ("it cannot be read: %1", [failure.reason]))
    }
  }

  func leaveOut(_ name: String, _ line: Int, _ fault: LineFault) {
    report.leftOut += 1
    complain(ImportFault(name, line, fault.sentence))
  }
}
