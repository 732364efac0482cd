// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// Makes `tokenize='hobnob'` known to a connection
/// (https://www.sqlite.org/fts5.html#custom_tokenizers). Every connection that reads the search
/// index or writes messages needs it: the triggers that update the index tokenize texts too.
///
/// - Returns: a result code of SQLite.
func registerTokenizer(on handle: OpaquePointer) -> Int32 {
  var api: UnsafeMutablePointer<fts5_api>?
  let code = withUnsafeMutablePointer(to: &api) { pointer in
    var statement: OpaquePointer?
    let code = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nil)
    guard code == SQLITE_OK else { return code }
    // FTS5 returns its interface through a pointer of this name, which SQLite does not copy.
    let name = UnsafeRawPointer(pointerName.utf8Start).assumingMemoryBound(to: CChar.self)
    sqlite3_bind_pointer(statement, 1, pointer, name, nil)
    sqlite3_step(statement)
    return sqlite3_finalize(statement)
  }
  guard code == SQLITE_OK, let api else { return code == SQLITE_OK ? SQLITE_ERROR : code }
  var tokenizer = fts5_tokenizer(xCreate: create, xDelete: { _ in }, xTokenize: tokenize)
  return api.pointee.xCreateTokenizer(api, "hobnob", nil, &tokenizer, nil)
}

private let pointerName: StaticString = "fts5_api_ptr"

/// It keeps no state between texts, but FTS5 wants something other than NULL.
private let create:
  @convention(c) (
    UnsafeMutableRawPointer?, UnsafeMutablePointer<UnsafePointer<CChar>?>?, Int32,
    UnsafeMutablePointer<OpaquePointer?>?
  ) -> Int32 = { _, _, _, result in
    result?.pointee = OpaquePointer(bitPattern: 1)
    return SQLITE_OK
  }

private typealias Report =
  @convention(c) (
    UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Int32, Int32
  ) -> Int32

private let tokenize:
  @convention(c) (
    OpaquePointer?, UnsafeMutableRawPointer?, Int32, UnsafePointer<CChar>?, Int32, Report?
  ) -> Int32 = { _, context, _, text, length, report in
    guard let text, let report else { return SQLITE_OK }
    let bytes = UnsafeRawBufferPointer(start: text, count: Int(length))
    return Tokenizer.scan(bytes.assumingMemoryBound(to: UInt8.self)) { folded, range in
      let piece = UnsafeRawPointer(folded.baseAddress)?.assumingMemoryBound(to: CChar.self)
      return report(
        context, 0, piece, Int32(folded.count), Int32(range.lowerBound), Int32(range.upperBound))
    }
  }

extension Database {
  /// Opens an existing file, with the tokenizer of the search index.
  package convenience init(
    path: String, patience: Int32, access: Int32 = SQLITE_OPEN_READWRITE
  ) throws {
    try self.init(at: path, patience: patience, access: access, setUp: registerTokenizer(on:))
  }
}
