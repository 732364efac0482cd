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
  ///   - me: the identity of the importing person: one side of a log of a direct chat.
  ///   - complain: called for each line that is left out.
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
  func leaveOut(_ name: String, _ line: Int, _ fault: LineFault) {
    report.leftOut += 1
    complain(ImportFault(name, line, fault.sentence))
  }
}
