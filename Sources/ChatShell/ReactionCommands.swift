// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/react`, `/reply`, and `+:tada:` alone on a line (rule 7.8).
extension Shell {
  func react(_ argument: String) throws {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 2 else { throw usage("react") }
    guard let found = emoji(named: words[1]) else {
      throw Refusal(
        say("%1 is no emoji; /react 42 :tada: reacts with one.", SafeText(line: words[1])))
    }
    try react(to: try anyone(words[0]), with: found)
  }

  /// The emoji that a line is a reaction with: `+:tada:`, or `+` and the emoji itself.
  ///
  /// - Throws: for a shortcode that is none: it was hardly meant for everyone to read.
  func reaction(in line: String) throws -> String? {
    let line = line.trimmingBlanks
    guard line.hasPrefix("+"), !line.contains(where: \.isWhitespace) else { return nil }
    let name = String(line.dropFirst())
    guard !name.isEmpty, name.hasPrefix(":") ? name.count > 2 && name.hasSuffix(":") : !name.isASCII
    else { return nil }
    if let found = emoji(named: name) { return found }
    guard EmojiTable.isShortcode(name) else { return nil }
    throw Refusal(
      say(
        "%1 is no emoji, so nothing was sent. To send this line as a text, put a word beside it.",
        SafeText(line: name)))
  }

  /// An emoji by its shortcode between colons, or as it is.
  private func emoji(named name: String) -> String? {
    if name.hasPrefix(":"), name.hasSuffix(":"), name.count > 2 { return emoji[name] }
    return emoji.emoji(name)
  }

  /// The message that a reaction typed now would be to: the newest that somebody has.
  func newestForReaction() -> Message? {
    guard let conversation else { return nil }
    let newest = try? store.messages(in: conversation.id, limit: 20, for: me.id)
    return newest?.last { $0.deletedAt == nil && $0.state >= .sent }
  }

  func react(to message: Message, with emoji: String) throws {
    _ = try store.react(message.id, by: me.id, with: emoji)
    catchUp()
  }

  /// The message that N names, or -N from the newest, whoever said it.
  func anyone(_ argument: String) throws -> Message {
    let conversation = try requireConversation()
    guard let number = Int(written: argument, in: -Int.max...Int.max), number != 0 else {
      throw Refusal(
        say("%1 is no message number; numbers stand before messages.", SafeText(line: argument)))
    }
    return try store.message(named: number, in: conversation.id, for: me.id)
  }

  func reply(_ argument: String) throws {
    let number = argument.prefix { !$0.isWhitespace }
    let text = argument.dropFirst(number.count).drop { $0.isWhitespace }
    guard !number.isEmpty, !text.isEmpty else { throw usage("reply") }
    let message = try anyone(String(number))
    try send(String(text), typed: "/reply " + argument, replyTo: message.id)
  }

  /// What a reaction prints: a line that was printed cannot change.
  func line(for news: ReactionNews) -> StyledLine {
    if let failure = news.failure {
      return Self.error(
        say(
          "The reaction to [%1] was not sent: %2.", SafeText(news.message.number),
          SafeText(line: failure)))
    }
    return MessagePrinter.line(
      for: news, by: shownName(news.participant), widths: printer.options.widths)
  }
}

extension MessagePrinter {
  /// `🎉 anna [42] the text`, or that a reaction was taken back.
  static func line(for news: ReactionNews, by name: SafeText, widths: Widths) -> StyledLine {
    let number = SafeText(news.message.number)
    guard let emoji = news.emoji else {
      return StyledLine(say("%1 took the reaction to [%2] back", name, number), .dim)
    }
    let first = SafeText(body: news.message.body).lines.first ?? SafeText()
    return StyledLine(
      say("%1 %2 [%3] ", SafeText(line: emoji), name, number)
        + first.truncated(to: 40, widths: widths), .dim)
  }
}

extension String {
  /// No letter of it is anything but ASCII.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
