// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Sentences

/// What an export wrote.
package struct ExportReport: Hashable, Sendable {
  package var messages = 0
  /// The names of missing or damaged attachments; the export has their messages, but not their
  /// bytes.
  package var missingFiles: [String] = []
  /// Lines that are longer than an import accepts.
  package var longLines = 0

  package init() {}
}

/// Writes a store, or some conversations of it, as JSON Lines in the shape of hobnob-json(5). The
/// export is one state of the store, even if others write during it. The memory that it takes does
/// not depend on the store's size.
///
/// ```swift
/// try Export(of: store).write { piece in fwrite(piece, 1, piece.count, stdout) == piece.count }
/// ```
package struct Export {
  private let store: Store
  private let wanted: String?
  private let includesFiles: Bool
  private let me: ID<Participant>?

  /// - Parameters:
  ///   - conversations: those to export, with their messages; nil for everything, drafts and input
  ///     history included.
  ///   - files: whether to include the bytes of attachments.
  ///   - me: who asks: leaves out direct chats, accounts, drafts and input history of others.
  ///     nil to export everything.
  package init(
    of store: Store, _ conversations: [ID<Conversation>]? = nil, files: Bool = true,
    for me: ID<Participant>? = nil
  ) {
    (self.store, includesFiles, self.me) = (store, files, me)
    wanted = conversations.map { list in
      "[" + list.map { String($0.rawValue) }.joined(separator: ",") + "]"
    }
  }

  /// Writes the export piece by piece. A slow `write` does not delay reading the store: the output
  /// waits in a file without a name beside the store, as long as there is room on that disk.
  ///
  /// - Parameter write: receives one piece of whole lines after the other; returns false to end the
  ///   export early.
  /// - Throws: `StoreError`, and what `write` throws.
  @discardableResult
  package func write(_ write: (_ piece: [UInt8]) throws -> Bool) throws -> ExportReport {
    try withoutActuallyEscaping(write) { write in
      let spool = InputBuffer(in: store.files.folder, write: write)
      return try run(write: spool.add, whenRead: spool.release)
    }
  }

  /// Writes the export into a new file that only its owner may read. The name appears when the
  /// whole file is on disk; nothing is overwritten.
  ///
  /// - Parameter path: a file that does not exist yet, in a folder that does.
  /// - Throws: `StoreError`, `.cannotOpen` if the name is taken; `AttachmentError` `.full` and
  ///   `.unwritable`. Then there is no file.
  @discardableResult
  package func write(to path: String) throws -> ExportReport {
    let (folder, name) = StoreFiles.split(path)
    do {
      let new = try NewFile(name, in: folder)
      return try new.finished {
        try run(
          write: { piece in
            try new.write(piece)
            return true
          }, whenRead: { true })
      }
    } catch let failure as SystemFailure {
      if failure.code == EEXIST {
        throw StoreError.cannotOpen(path: path, reason: translated("it exists; name a new file"))
      }
      throw AttachmentError(failure, at: folder)
    }
  }

  /// - Parameter release: called when the store has been read.
  private func run(
    write: @escaping (_ piece: [UInt8]) throws -> Bool, whenRead release: () throws -> Bool
  ) throws -> ExportReport {
    // While a transaction reads, the write-ahead log can only grow.
    let (lines, named) = try store.read { snapshot in
      let lines = ExportLines(database: snapshot.database, write: write)
      try lines.writeHeader(at: snapshot.clock())
      for part in [
        JSONShape.participants, JSONShape.conversations, JSONShape.members, JSONShape.readers,
      ] {
        try lines.add(part, wanted, me)
      }
      lines.report.messages = try lines.add(JSONShape.messages, wanted, me)
      for part in [JSONShape.events, JSONShape.drafts, JSONShape.inputHistory] {
        try lines.add(part, wanted, me)
      }
      return (lines, includesFiles ? try lines.named(wanted, me) : [])
    }
    try lines.flush()
    guard try release() else { return lines.report }
    try lines.files(named, from: store.attachmentFolder)
    try lines.end()
    return lines.report
  }
}

/// The lines of an export in progress.
private final class ExportLines {
  var report = ExportReport()
  private let database: any Queries
  private let write: ([UInt8]) throws -> Bool
  private var buffer: [UInt8] = []
  private var goesOn = true

  /// Bytes to write at once.
  private static let piece = 1 << 16
  /// Bytes of a file in one line.
  private static let filePiece = 48 * 1024

  init(database: any Queries, write: @escaping ([UInt8]) throws -> Bool) {
    self.database = database
    self.write = write
  }

  func writeHeader(at time: Milliseconds) throws {
    try database.each(JSONShape.header, time, each: line)
  }

  /// Writes a line for each row.
  ///
  /// - Returns: how many lines it wrote.
  @discardableResult
  func add(_ sql: String, _ wanted: String?, _ me: ID<Participant>?) throws -> Int {
    var count = 0
    guard goesOn else { return 0 }
    try database.each(sql, wanted, me) { row in
      count += 1
      return try line(row)
    }
    return count
  }

  private func line(_ row: Row) throws -> Bool {
    let start = buffer.count
    row.appendJSON(to: &buffer)
    if buffer.count - start > JSONShape.longestLine { report.longLines += 1 }
    try endLine()
    return goesOn
  }

  private func endLine() throws {
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.piece { try flush() }
  }

  func end() throws {
    guard goesOn else { return }
    buffer += JSONShape.end.utf8
    try endLine()
    try flush()
  }

  func flush() throws {
    guard goesOn, !buffer.isEmpty else { return }
    goesOn = try write(buffer)
    buffer.removeAll(keepingCapacity: true)
  }

  // MARK: Files

  func named(
    _ wanted: String?, _ me: ID<Participant>?
  ) throws -> [(hash: String, name: String)] {
    try database.rows(JSONShape.files, wanted, me) {
      (hash: $0.text("hash"), name: $0.text("name"))
    }
  }

  func files(_ named: [(hash: String, name: String)], from folder: AttachmentFolder) throws {
    for (hash, name) in named where goesOn {
      // Check the file first, and write nothing of a damaged one, since no import would accept it.
      guard (try? folder.file(of: hash).hashed()) == hash else {
        report.missingFiles.append(name)
        continue
      }
      do {
        try writePieces(of: folder.file(of: hash), hash)
      } catch let failure as SystemFailure {
        throw AttachmentError.unreadable(path: folder.path(of: hash), reason: failure.reason)
      }
    }
  }

  private func writePieces(of file: consuming OpenFile, _ hash: String) throws {
    let total = Int(try file.status().st_size)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.filePiece, alignment: 16)
    defer { piece.deallocate() }
    var offset = 0
    repeat {
      let count = try file.read(into: piece)
      if count == 0, offset < total { throw SystemFailure(code: EIO) }
      // The data goes straight between the quotes of the last member: it needs no escapes.
      let line = JSONTable.file.line([
        .hash: .text(hash), .bytes: .integer(Int64(total)), .offset: .integer(Int64(offset)),
        .data: .text(""),
      ]).utf8
      buffer += line.dropLast(2)
      Base64.encode(UnsafeRawBufferPointer(rebasing: piece[..<count]), to: &buffer)
      buffer += line.suffix(2)
      try endLine()
      offset += count
    } while offset < total && goesOn
  }
}
