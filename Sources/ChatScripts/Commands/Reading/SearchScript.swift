// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// `hobnob search` (rule 11.3): prints the messages that match a query, newest first. It searches
/// the rooms that `log` can read, and your direct chats. It marks no message as seen or read
/// (rule 7.3).
struct SearchScript: JSONSubcommand {
  static let name = "search"
  static let abstract: StaticString = "Print the messages that a query finds, newest first."
  static var parameters: [Parameter<Self>] {
    [
      Parameter(
        "QUERY", \.query, isRequired: true,
        "Words, 'word*', '\"a phrase\"', from:NAME in:ROOM since:DATE until:DATE has:file."),
      Parameter(
        "--lines", \.lines, value: "n", takesDash: true, usual: String(Self().lines),
        "How many messages to print at most."),
      Parameter("--json", \.json, "Print one JSON object per line."),
    ]
  }

  var query: [String] = []
  var lines = 20
  var json = false

  func validate() throws { try validCount(lines) }

  static func refusal(of word: String) -> WrongUsage? {
    if word.hasPrefix("--") { return nil }
    return WrongUsage(
      say(
        "%1 is not an option, and a search cannot exclude words. To search for this word, write -- before it: hobnob search -- %1",
        SafeText(line: word)))
  }

  /// - Returns: the exit status 0.
  /// - Throws: ``Refusal`` if no messages match.
  func run(_ launch: Launch) throws -> Int32 {
    let parsed = try SearchQuery.parse(query.joined(separator: " "))
    return try launch.script { script in
      var (remaining, last): (Int, ID<Message>?) = (lines, nil)
      var isFound = false
      var names: [ID<Conversation>: SafeText] = [:]
      while remaining > 0, !script.output.isClosed {
        let limit = min(remaining, Script.page)
        let hits = try script.store.read {
          try $0.search(
            parsed, for: script.me.id, limit: limit, before: last, anyRoom: true)
        }
        let senders = try json ? ShownNames() : script.names(of: hits.map(\.message.sender))
        for hit in hits {
          let conversation = hit.message.conversation
          if json {
            try script.print([hit.message], isJSON: true)
          } else {
            let name = try names[conversation] ?? script.name(of: conversation)
            names[conversation] = name
            let line = Self.line(
              for: hit, in: name, names: senders, isWhole: script.folding == nil)
            script.output.write(line, isMarked: marksHits(launch, script.settings))
          }
        }
        isFound = isFound || !hits.isEmpty
        guard hits.count == limit, let message = hits.last?.message else { break }
        remaining -= limit
        last = message.id
      }
      if !isFound, lines > 0 { throw Refusal(say("No messages match.")) }
      return 0
    }
  }

  /// The line to print for a message: the line of its text that has the first match, with every
  /// match on that line in bold.
  ///
  /// - Parameter isWhole: whether to show a long line whole, or only the part around the first
  ///   match.
  static func line(
    for hit: SearchHit, in conversation: SafeText, names: ShownNames = ShownNames(),
    isWhole: Bool = true
  ) -> StyledLine {
    let message = hit.message
    let head = LogLines.head(message, in: conversation) + LogLines.sender(message, names)
    let body = Array(message.body.utf8)
    let newline = UInt8(ascii: "\n")
    let first = hit.ranges.first?.lowerBound ?? 0
    let lineStart = body[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let lineEnd = body[first...].firstIndex(of: newline) ?? body.count
    let text = SealedLink.hidingKeys(
      in: String(decoding: body[lineStart..<lineEnd], as: UTF8.self))
    let place = min(first - lineStart, text.utf8.count)
    let part = isWhole ? 0..<text.utf8.count : BodyPreview.part(around: place, of: text)
    let (start, end) = (lineStart + part.lowerBound, lineStart + part.upperBound)
    var line = StyledLine(head)
    func append(_ range: Range<Int>, _ style: Style) {
      line.append(SafeText(line: body[range]), style)
    }
    let dots = Glyphs.ascii.ellipsis
    if start > lineStart { line.append(dots) }
    var done = start
    for range in hit.ranges where range.lowerBound >= start && range.lowerBound < end {
      append(done..<range.lowerBound, .plain)
      append(range.lowerBound..<min(range.upperBound, end), .bold)
      done = min(range.upperBound, end)
    }
    append(done..<end, .plain)
    if end < lineEnd { line.append(dots) }
    let files = LogLines.files(of: message)
    if !files.isEmpty {
      line.append((start < end ? " " : "") + files.joined(separator: " "))
    }
    return line
  }

  /// Whether to print matches in bold. `NO_COLOR` does not matter, since bold is not a colour.
  @MainActor private func marksHits(_ launch: Launch, _ settings: Settings) -> Bool {
    StandardOutput.isTerminal && !launch.isPlain(settings)
  }
}

extension Script {
  func name(of conversation: ID<Conversation>) throws -> SafeText {
    SafeText(name: try store.read { try $0.conversation(conversation, for: me.id) }?.name ?? "")
  }
}
