// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/react`, and `+:tada:` alone on a line (rule 7.8).
@MainActor
final class Reactions: SessionPart {
  unowned let session: Session
  /// What `+:` is being typed about: the message that was newest then (rule 7.8).
  private var target: Message?

  init(_ session: Session) { self.session = session }

  func react(_ argument: String) throws {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    guard words.count == 2 else { throw usage("react") }
    guard let found = emoji(named: words[1]) ?? session.preferences.emoji[words[1]] else {
      throw unknown(
        say(
          "%1 is not an emoji; /react %2 :tada: reacts with one.", SafeText(line: words[1]),
          SafeText(line: words[0])))
    }
    try react(to: try session.message(named: words[0]), with: found)
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
    throw unknown(
      say(
        "%1 is not an emoji, so nothing was sent. To send this line as a text, put a word beside it.",
        SafeText(line: name)))
  }

  /// Without the table nothing is known to be an emoji.
  private func unknown(_ sentence: SafeText) -> Refusal {
    guard session.preferences.emoji.candidates.isEmpty else { return Refusal(sentence) }
    return Refusal(
      say(
        "hobnob found no emoji, so it sent no reaction; emoji belong in share/hobnob/emoji.tsv beside the program."
      ))
  }

  /// An emoji by its shortcode between colons, or as it is.
  private func emoji(named name: String) -> String? {
    if name.hasPrefix(":"), name.hasSuffix(":"), name.count > 2 {
      return session.preferences.emoji[name]
    }
    return session.preferences.emoji.emoji(name)
  }

  /// The message that a reaction typed now would be to: the newest that somebody has.
  private func newest() -> Message? {
    guard let conversation = place.conversation else { return nil }
    let newest = try? store.read { try $0.messages(in: conversation.id, limit: 20, for: me.id) }
    return newest?.last {
      $0.deletedAt == nil && $0.state >= .sent && !transcript.printer.hides($0)
    }
  }

  /// A line that is a reaction was entered.
  func react(with emoji: String) throws {
    guard let target = target ?? newest() else {
      throw Refusal(say("There is no message here to react to."))
    }
    try react(to: target, with: emoji)
    self.target = nil
  }

  private func react(to message: Message, with emoji: String) throws {
    _ = try store.writeDurably { try $0.react(message.id, by: me.id, with: emoji) }
    news.catchUp()
  }

  /// `+:` at the start of a line is about the message that is the newest at that moment, whatever
  /// comes while the emoji is chosen.
  func noteChange(of text: String) {
    guard !editing.isOn, text.hasPrefix("+:") || text.hasPrefix("+") && !text.isASCII else {
      target = nil
      return
    }
    if target == nil { target = newest() }
    guard let target else { return }
    let first = SafeText(body: target.body).lines.first ?? SafeText()
    emit(
      .notice(
        say(
          "Reaction to [%1] %2: %3", SafeText(target.number), SafeText(name: target.senderName),
          first.truncated(to: 40, widths: transcript.printer.options.widths))))
  }

  /// What a reaction prints: a line that was printed cannot change.
  func line(for news: ReactionNews) -> StyledLine {
    if let failure = news.failure {
      return Transcript.error(
        say(
          "The reaction to [%1] was not sent: %2.", SafeText(news.message.number),
          SafeText(line: failure)))
    }
    return MessagePrinter.line(
      for: news, by: people.shownName(news.participant), widths: transcript.printer.options.widths)
  }
}

extension MessagePrinter {
  /// `🎉 anna [42] the text` (`ben yawns` if it is an action), or that a reaction was withdrawn.
  package static func line(for news: ReactionNews, by name: SafeText, widths: Widths) -> StyledLine
  {
    let number = SafeText(news.message.number)
    guard let emoji = news.emoji else {
      return StyledLine(say("%1 removed the reaction to [%2]", name, number), .dim)
    }
    let first = SafeText(body: news.message.body).lines.first ?? SafeText()
    // An action means nothing without its actor.
    let text =
      news.message.kind == .action
      ? SafeText(name: news.message.senderName) + " " + first : first
    return StyledLine(
      say("%1 %2 [%3] ", SafeText(line: emoji), name, number)
        + text.truncated(to: 40, widths: widths), .dim)
  }
}

extension String {
  /// No letter of it is anything but ASCII.
  var isASCII: Bool { utf8.allSatisfy { $0 < 0x80 } }
}
