// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

extension Import {
  /// Imports history: an ``Export``, or the logs of other programs. It imports everything or, if
  /// anything fails, nothing: it is one transaction, for which other writers wait.
  ///
  /// In an empty store, everything becomes as it was in the exported store. Nothing is duplicated:
  /// the uid identifies a message, the name a room, the identity a person. Messages imported into
  /// an existing conversation are past (`Message.isPast`): they sort by their time, never count as
  /// unread, leave all read markers where they are, and no open shell prints them.
  ///
  /// ```swift
  /// let report = try Import.run(into: store, as: "anna") { try $0.read(0) }
  /// ```
  ///
  /// - Parameters:
  ///   - me: the identity of the importing person: one side of a log of a direct chat.
  ///   - complain: called for each line that it leaves out.
  ///   - body: calls the import to read one file after the other.
  /// - Throws: `ImportFault`, `StoreError`, `AttachmentError`, and what `body` throws.
  package static func run(
    into store: Store, as me: String, complain: @escaping (ImportFault) -> Void = { _ in },
    _ body: (Import) throws -> Void
  ) throws -> ImportReport {
    defer { store.upkeep.emptyLog() }
    return try store.withLargeCache {
      try store.writeDurably { transaction in
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

  func leaveOut(_ name: String, _ line: Int, _ fault: LineFault) {
    report.leftOut += 1
    complain(ImportFault(name, line, fault.sentence))
  }
}
