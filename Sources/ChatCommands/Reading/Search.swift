// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import StyledText

/// `/search`: messages of all conversations, the newest next to the prompt. It only reads: no
/// message counts as seen (rule 7.3).
@MainActor
struct Search {
  let context: CommandContext

  private static let hitsAtOnce = 20

  func run(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let query: SearchQuery
    let text: SafeText
    var before: ID<Message>?
    if argument.isEmpty {
      guard let last = context.lastSearch else { throw usage("search") }
      guard let next = last.before else { return .tell(say("There are no older matches.")) }
      (query, text, before) = (last.query, last.text, next)
    } else {
      query = try SearchQuery.parse(argument)
      text = SafeText(line: argument)
    }
    // Ask for one more than needed, to know whether there are more.
    var hits = try snapshot.search(
      query, for: context.me.id, limit: Self.hitsAtOnce + 1, before: before,
      in: context.open.id)
    let hasMore = hits.count > Self.hitsAtOnce
    if hasMore { hits.removeLast() }
    let page = Effect.searched(
      SearchContinuation(
        query: query, text: text, before: hasMore ? hits.last?.message.id : nil))
    guard !hits.isEmpty else {
      // With `before`, the older matches were removed meanwhile.
      let said =
        before != nil
        ? say("There are no older matches.")
        : say("No messages match.") + (try longerWords(of: query, snapshot))
      return Step([page, .tell(said)])
    }
    let own = context.printerMarkingLookAlikes(among: hits.map(\.message.sender), snapshot)
    var names: [ID<Conversation>: SafeText] = [:]
    // A name can have another colour in each conversation.
    var printers: [ID<Conversation>: MessagePrinter] = [:]
    let count = SafeText(hits.count)
    let head =
      before != nil
      ? say("Search for %1: %2 older", text, count)
      : hasMore
        ? say("Search for %1: the newest %2", text, count)
        : say("Search for %1: %2 found", text, count)
    let more = hasMore ? "; " + say("/search with no words shows older matches.") : "."
    var lines = [StyledLine(head + more, .dim)]
    for hit in hits.reversed() {
      let id = hit.message.conversation
      if names[id] == nil {
        names[id] = SafeText(
          name: try snapshot.conversation(id, for: context.me.id)?.name ?? "")
        printers[id] = own
        printers[id]?.options.colours = try snapshot.colours(in: id)
      }
      lines.append(line(of: hit, in: names[id] ?? "", query, printers[id] ?? own))
    }
    return Step([page, .answer(lines)])
  }

  /// A hint on how to find longer words; empty if that would find no messages either.
  private func longerWords(
    of query: SearchQuery, _ snapshot: borrowing Snapshot
  ) throws -> SafeText {
    var wider = query
    for index in wider.terms.indices { wider.terms[index].isPrefix = true }
    guard wider != query,
      try !snapshot.search(wider, for: context.me.id, limit: 1, in: context.open.id).isEmpty
    else { return "" }
    let words = wider.terms.map {
      $0.text.contains(where: \.isWhitespace) ? "\"\($0.text)\"*" : $0.text + "*"
    }
    return " "
      + say(
        "To also find longer words that begin like these, search for %1.",
        SafeText(line: words.joined(separator: " ")))
  }

  /// `#tea 2026-11-21 10:03 [42] anna: green or black`, with the searched words marked.
  private func line(
    of hit: SearchHit, in conversation: SafeText, _ query: SearchQuery, _ printer: MessagePrinter
  ) -> StyledLine {
    let message = hit.message
    var line = StyledLine(conversation + " ", .bold)
    line.append(LocalTime.stamp(message.createdAt) + " [\(message.number)] ", .dim)
    if !message.kind.isSpeech {
      line.append(printer.lead(message.kind == .action ? \.action : \.notice), .dim)
    }
    line += printer.name(of: message) + StyledLine(message.kind == .action ? " " : ": ")
    let texts = SafeText(body: message.shownBody).lines
    let text = texts.first { !query.ranges(in: $0.string).isEmpty } ?? texts[0]
    let shown = Self.surroundings(query.ranges(in: text.string).first, in: text)
    line += StyledLine(shown).overlaid(
      query.ranges(in: shown.string).map { Overlay($0, Style([.bold, .underline])) })
    for (index, file) in message.attachments.enumerated() {
      line += StyledLine(" ") + MessagePrinter.file(file, index + 1)
    }
    return line
  }

  /// Cuts a long line to the text around its first hit.
  private static func surroundings(_ range: Range<Int>?, in text: SafeText) -> SafeText {
    let part = BodyPreview.part(around: range?.lowerBound ?? 0, of: text.string)
    let dots = Glyphs.ascii.ellipsis
    return (part.lowerBound > 0 ? dots : "") + text.bytes(part)
      + (part.upperBound < text.string.utf8.count ? dots : "")
  }
}

extension Arguments {
  /// The filters of `/search`, and their values.
  static let search = Arguments { query, snapshot in
    let (context, word) = (query.context, query.word)
    if word.hasPrefix("from:") {
      return [Candidate("from:" + (context.open.nick ?? context.me.name))]
        + query.names(snapshot).map { Candidate("from:" + $0.text, mark: $0.mark) }
    }
    if word.hasPrefix("in:") {
      return query.conversations(snapshot).map {
        // Only a quoted value may have blanks.
        let isQuoted = word.hasPrefix("in:\"") || $0.text.contains(where: \.isWhitespace)
        return Candidate(isQuoted ? "in:\"\($0.text)\"" : "in:" + $0.text, mark: $0.mark)
      }
    }
    for filter in ["since:", "until:"] where word.hasPrefix(filter) {
      return ["today", "yesterday", "7d", "1mo", "1y"].map { Candidate(filter + $0) }
    }
    guard !word.isEmpty else { return [] }
    return ["from:", "in:", "since:", "until:", "has:file"].filter { $0.hasPrefix(word) }
      .map { Candidate($0) }
  }
}
