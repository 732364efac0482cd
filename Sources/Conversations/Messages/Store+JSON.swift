// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

extension Row {
  /// Adds a JSON text that the statement made to `result`, as it may stand on a terminal.
  package func appendJSON(_ column: Int32, to result: inout [UInt8]) {
    let start = sqlite3_column_text(statement, column)
    let length = Int(sqlite3_column_bytes(statement, column))
    JSONText.append(
      UnsafeBufferPointer(start: start, count: start == nil ? 0 : length), to: &result)
  }
}

extension Store {
  /// A message as one line of JSON in the shape of hobnob-json(5), as `export` writes it.
  ///
  /// Who asks has to know that the message may be shown. Its state is the stored one: `failed`,
  /// `sending` or `sent`.
  ///
  /// - Returns: an object without a newline; pure ASCII but for letters, so safe to print. nil if
  ///   there is no such message.
  public func jsonLine(of message: ID<Message>) throws -> String? {
    try database.first(
      "SELECT \(JSONShape.message) FROM \(JSONShape.messageTables) WHERE m.id = ?", message
    ) {
      var line: [UInt8] = []
      $0.appendJSON(0, to: &line)
      return String(decoding: line, as: UTF8.self)
    }
  }
}
