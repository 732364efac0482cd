// SPDX-License-Identifier: GPL-3.0-or-later

extension Row {
  /// Adds the JSON text that the statement made to `result`, as it may stand on a terminal.
  package func appendJSON(to result: inout [UInt8]) {
    withText { JSONText.append($0, to: &result) }
  }
}

extension Reading where Self: ~Copyable {
  /// A message as one line of JSON in the shape of hobnob-json(5), as `export` writes it.
  ///
  /// Who asks has to know that the message may be shown. Its state is the stored one: `failed`,
  /// `sending` or `sent`.
  ///
  /// - Returns: an object without a newline; pure ASCII but for letters, so safe to print. nil if
  ///   there is no such message.
  package func jsonLine(of message: ID<Message>) throws -> String? {
    try database.first(
      "SELECT \(JSONShape.message) FROM \(JSONShape.messageTables) WHERE m.id = ?", message
    ) {
      var line: [UInt8] = []
      $0.appendJSON(to: &line)
      return String(decoding: line, as: UTF8.self)
    }
  }
}
