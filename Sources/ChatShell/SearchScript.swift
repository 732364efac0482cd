// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `hobnob search` (rule 11.3). It marks nothing as seen or read (rule 7.3).
extension Launch {
  /// Refuses a word of a query that looks like short options. Returns the exit status.
  public nonisolated static func refuse(searchWord word: String) -> Int32 {
    let sentence = say(
      "%1 is no option, and a search cannot leave words out. To look for the word, write -- in front: hobnob search -- %1",
      SafeText(line: word))
    return answer("hobnob: " + sentence.string, status: 64)
  }

  /// Prints the messages that a query finds, newest first: of the rooms, as `log` reads them, and
  /// of one's direct chats.
  ///
  /// - Parameters:
  ///   - words: of the query, as `SearchQuery.parse` reads them.
  ///   - lines: at most so many.
  ///   - isJSON: prints one JSON object a line instead of text.
  /// - Returns: 1 when nothing was found, which standard error then says.
  public func search(_ words: [String], lines: Int, isJSON: Bool) throws -> Int32 {
    let query = try SearchQuery.parse(words.joined(separator: " "))
    return try script { script in
      var (left, last): (Int, ID<Message>?) = (lines, nil)
      var isFound = false
      var names: [ID<Conversation>: SafeText] = [:]
      while left > 0, !script.output.isClosed {
        let limit = min(left, Script.page)
        let hits = try script.store.search(
          query, for: script.me.id, limit: limit, before: last, anyRoom: true)
        let senders = try isJSON ? ShownNames() : script.names(of: hits.map(\.message.sender))
        for hit in hits {
          let place = hit.message.conversation
          if isJSON {
            try script.print([hit.message], isJSON: true)
          } else {
            let name = try names[place] ?? script.name(of: place)
            names[place] = name
            let line = Self.line(
              for: hit, in: name, names: senders, isWhole: script.folding == nil)
            script.output.write(line, isMarked: marksHits)
          }
        }
        isFound = isFound || !hits.isEmpty
        guard hits.count == limit, let message = hits.last?.message else { break }
        left -= limit
        last = message.id
      }
      if !isFound, lines > 0 { throw Refusal(say("Nothing was found.")) }
      return 0
    }
  }

  /// One line: the line of the message that holds the first hit, with every hit on it marked.
  ///
  /// - Parameter isWhole: whether a long line is shown whole, or what stands around the first hit.
  nonisolated static func line(
    for hit: SearchHit, in place: SafeText, names: ShownNames = ShownNames(), isWhole: Bool = true
  ) -> StyledLine {
    let message = hit.message
    let head = LogLines.head(message, in: place) + LogLines.sender(message, names)
    let body = Array(message.body.utf8)
    let newline = UInt8(ascii: "\n")
    let first = hit.ranges.first?.lowerBound ?? 0
    let lineStart = body[..<first].lastIndex(of: newline).map { $0 + 1 } ?? 0
    let lineEnd = body[first...].firstIndex(of: newline) ?? body.count
    let text = String(decoding: body[lineStart..<lineEnd], as: UTF8.self)
    let part =
      isWhole ? 0..<text.utf8.count : Folding.part(around: first - lineStart, of: text)
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

  /// Whether standard output shows bold: a terminal, and nobody asked for plain text. `NO_COLOR` is
  /// about colours.
  private var marksHits: Bool {
    let term = environment["TERM"] ?? ""
    return StandardOutput.isTerminal && !options.isPlain && !term.isEmpty && term != "dumb"
  }
}

extension Script {
  /// What a conversation is called here.
  func name(of conversation: ID<Conversation>) throws -> SafeText {
    SafeText(name: try store.conversation(conversation, for: me.id)?.name ?? "")
  }
}
