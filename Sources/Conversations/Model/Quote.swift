// SPDX-License-Identifier: GPL-3.0-or-later

/// The line above an answer: whom and what it answers (rule 7.8).
public struct Quote: Hashable, Sendable {
  /// The number of the message, in the same conversation.
  public var number: Int
  /// The sender's current name; empty if the message is no longer stored.
  public var senderName: String
  /// The first line that is not blank, cut to 80 graphemes with `…`; without one, the name of the
  /// first file; empty if the message no longer exists.
  public var line: String
  /// Whether the message was deleted, recalled or removed.
  public var isDeleted = false

  /// The beginning of a message's text.
  ///
  /// - Parameter file: the name of the first file of the message.
  static func line(of body: String, file: String) -> String {
    let line =
      SealedLink.hidingKeys(in: body).split(whereSeparator: \.isNewline)
      .first { !$0.allSatisfy(\.isWhitespace) }.map(String.init) ?? file
    return line.count > 80 ? line.prefix(79) + "…" : line
  }
}
