// SPDX-License-Identifier: GPL-3.0-or-later

extension Row {
  /// Adds the statement's JSON text to `result`, safe for a terminal.
  package func appendJSON(to result: inout [UInt8]) {
    withText { JSONText.append($0, to: &result) }
  }
}

extension JSONShape {
  /// A row's object, safe for a terminal.
  package static func line(_ row: Row) -> String {
    var line: [UInt8] = []
    row.appendJSON(to: &line)
    return String(decoding: line, as: UTF8.self)
  }
}

extension Access {
  /// A message as one line of JSON in the shape of hobnob-json(5), as `export` writes it.
  ///
  /// The caller must have checked that it may show the message. Its state is the stored one:
  /// `failed`, `sending` or `sent`.
  ///
  /// - Returns: an object without a newline; only letters can be outside ASCII, so it is safe to
  ///   print. Nil if there is no such message.
  package func jsonLine(of message: ID<Message>) throws -> String? {
    try database.first(
      "SELECT \(JSONShape.message) FROM \(JSONShape.messageTables) WHERE m.id = ?", message,
      read: JSONShape.line)
  }
}
