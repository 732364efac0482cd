// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// Where the next page of a search begins.
private struct SearchPlace {
  var query: SearchQuery
  /// As it was typed.
  var text: SafeText
  /// nil: all of it was shown.
  var before: ID<Message>?
}

/// `/search`: messages of all conversations, the newest next to the prompt. Reads only; nothing of it
/// counts as seen (rule 7.3).
@MainActor
final class Search: SessionPart {
  unowned let session: Session
  private var last: SearchPlace?

  init(_ session: Session) { self.session = session }

  private static let hitsAtOnce = 20

  func run(_ argument: String) throws {
    let query: SearchQuery
    let text: SafeText
    var before: ID<Message>?
    if argument.isEmpty {
      guard let last else { throw usage("search") }
      guard let next = last.before else { return tell(say("Nothing older was found.")) }
      (query, text, before) = (last.query, last.text, next)
    } else {
      query = try SearchQuery.parse(argument)
      text = SafeText(line: argument)
    }
    // One more tells whether there are more.
    var hits = try store.read {
      try $0.search(query, for: me.id, limit: Self.hitsAtOnce + 1, before: before)
    }
    let hasMore = hits.count > Self.hitsAtOnce
    if hasMore { hits.removeLast() }
    last = SearchPlace(
      query: query, text: text, before: hasMore ? hits.last?.message.id : nil)
    guard !hits.isEmpty else {
      // What was left was forgotten meanwhile.
      if before != nil { return tell(say("Nothing older was found.")) }
      return tell(say("Nothing was found.") + (try longerWords(of: query)))
    }
    people.recognise(hits.map(\.message.sender))
    var names: [ID<Conversation>: SafeText] = [:]
    // With the colours that each has in its place.
    var printers: [ID<Conversation>: MessagePrinter] = [:]
    let count = SafeText(hits.count)
    let head =
      before != nil
      ? say("Search for %1: %2 older", text, count)
      : hasMore
        ? say("Search for %1: the newest %2", text, count)
        : say("Search for %1: %2 found", text, count)
    let more = hasMore ? "; " + say("/search alone shows older ones.") : "."
    var lines = [StyledLine(head + more, .dim)]
    for hit in hits.reversed() {
      let place = hit.message.conversation
      if names[place] == nil {
        names[place] = SafeText(
          name: try store.read { try $0.conversation(place, for: me.id) }?.name ?? "")
        printers[place] = transcript.printer
        printers[place]?.options.colours = try store.read { try $0.colours(in: place) }
      }
      let printer = printers[place] ?? transcript.printer
      lines.append(line(of: hit, in: names[place] ?? "", query, printer))
    }
    transcript.answer(lines)
  }

  /// Where longer words would have been found, how they are looked for.
  private func longerWords(of query: SearchQuery) throws -> SafeText {
    var wider = query
    for index in wider.terms.indices { wider.terms[index].isPrefix = true }
    guard wider != query, try !store.read({ try $0.search(wider, for: me.id, limit: 1) }).isEmpty
    else { return "" }
    let words = wider.terms.map {
      $0.text.contains(where: \.isWhitespace) ? "\"\($0.text)\"*" : $0.text + "*"
    }
    return " " + say("%1 finds longer words.", SafeText(line: words.joined(separator: " ")))
  }

  /// `#tea 2026-11-21 10:03 [42] anna: green or black`, with the words marked that were looked for.
  private func line(
    of hit: SearchHit, in place: SafeText, _ query: SearchQuery, _ printer: MessagePrinter
  ) -> StyledLine {
    let message = hit.message
    var line = StyledLine(place + " ", .bold)
    line.append(LocalTime.stamp(message.createdAt) + " [\(message.number)] ", .dim)
    line +=
      message.kind == .action
      ? StyledLine("* ", .dim) + printer.name(of: message) + StyledLine(" ")
      : printer.name(of: message) + StyledLine(": ")
    let texts = SafeText(body: message.body).lines
    let text = texts.first { !query.ranges(in: $0.string).isEmpty } ?? texts[0]
    let shown = Self.around(query.ranges(in: text.string).first, in: text)
    line += StyledLine(shown).overlaid(
      query.ranges(in: shown.string).map { Overlay($0, Style([.bold, .underline])) })
    for (index, file) in message.attachments.enumerated() {
      line += StyledLine(" ") + MessagePrinter.file(file, index + 1)
    }
    return line
  }

  /// A long line cut to what stands around its first hit.
  private static func around(_ range: Range<Int>?, in text: SafeText) -> SafeText {
    let part = Folding.part(around: range?.lowerBound ?? 0, of: text.string)
    let dots = Glyphs.ascii.ellipsis
    return (part.lowerBound > 0 ? dots : "") + text.bytes(part)
      + (part.upperBound < text.string.utf8.count ? dots : "")
  }
}
