// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// An entry of the outbox as lines of IRC. A long text becomes several messages on IRC, and stays
/// one in the store.
struct Outgoing: OutgoingItem {
  /// Lines that go out together and get one answer: a message, or a batch of them.
  struct Part: Sendable {
    enum State: Hashable, Sendable {
      case waiting
      /// The server may have it.
      case written
      /// The server has returned it, so that nobody has it.
      case refused
      /// The server has confirmed it.
      case answered
      /// The owner has deleted the message before this part went out.
      case dropped
    }

    var lines: [IRCLine]
    /// The text that the server's history would show.
    var text: String
    var state = State.waiting
    /// The text as the server changed it; nil if it did not.
    var change: String?

    /// Whether nothing more happens with it.
    var isSettled: Bool { state == .answered || state == .dropped }
  }

  var entry: OutboxEntry
  /// The nick or the room to send it to.
  private(set) var target: String
  var parts: [Part] = []
  /// The id that the server gave to the first part.
  var id: String?
  /// Whether it may have arrived before the connection broke or the process ended.
  var isDoubtful: Bool
  /// Why the server has refused a part; nil if it has refused none.
  var refusal: Remark?
  /// Whether the owner has deleted it while it was on its way.
  private(set) var isCancelled = false

  var isWaiting: Bool { entry.nextFile == nil && (nextPart != nil || isDoubtful) }
  var isRecallable: Bool { isUntouched && !isDoubtful }
  var lineCount: Int { parts.reduce(0) { $0 + $1.lines.count } }
  /// Whether none of it was sent.
  var isUntouched: Bool { parts.allSatisfy { $0.state == .waiting } }
  /// Whether others may have some of it.
  var mayHaveArrived: Bool {
    isDoubtful || parts.contains { $0.state == .written || $0.state == .answered }
  }
  var isAnswered: Bool {
    parts.allSatisfy(\.isSettled) && parts.contains { $0.state == .answered }
  }
  /// The first part that goes out: its id is that of the message.
  var firstPart: Int? { parts.firstIndex { $0.state != .dropped } }
  var nextPart: Int? { refusal == nil ? parts.firstIndex { $0.state == .waiting } : nil }

  /// Notes a text from the server's history if it is a part of this entry. An earlier process may
  /// have cut the entry at other places, since the length of a line depends on the owner's prefix.
  ///
  /// - Returns: the index of the part that it matches; nil if it matches none.
  mutating func noteArrival(of text: String) -> Int? {
    for index in parts.indices where !parts[index].isSettled {
      // No process cuts a text shorter than this.
      let maySpan = text.utf8.count >= 200 && parts[index].lines.count == 1
      var (whole, end) = (parts[index].text, index + 1)
      while maySpan, whole.utf8.count < text.utf8.count, end < parts.count,
        !parts[end].isSettled
      {
        whole += parts[end].text
        end += 1
      }
      guard whole.utf8.elementsEqual(text.utf8) || maySpan && whole.hasPrefix(text) else {
        continue
      }
      let found = Part(lines: [], text: text, state: .answered)
      var rest = parts[end - 1]
      // Some servers remove the blank at the end of a line.
      rest.text = String(whole.dropFirst(text.count).drop(while: \.isWhitespace))
      rest.lines[0].parameters[1] = wrapped(rest.text)
      parts.replaceSubrange(index..<end, with: rest.text.isEmpty ? [found] : [found, rest])
      return index
    }
    return nil
  }

  /// Notes that it has left the outbox, so that nothing more of it may be sent. Keeps
  /// the parts of a message in doubt: the history may still show that they arrived.
  mutating func cancel() {
    isCancelled = true
    if !isDoubtful { drop { $0.state == .waiting } }
  }

  /// Drops parts, but keeps their places: a line in flight names its part by its index.
  mutating func drop(where isOpen: (Part) -> Bool) {
    for index in parts.indices where isOpen(parts[index]) { parts[index].state = .dropped }
  }

  /// Gives the waiting parts another target.
  mutating func readdress(to new: String) {
    target = new
    for index in parts.indices where parts[index].state == .waiting {
      for line in parts[index].lines.indices {
        let place = parts[index].lines[line].command == "BATCH" ? 2 : 0
        if parts[index].lines[line].parameters.count > place {
          parts[index].lines[line].parameters[place] = new
        }
      }
    }
  }

  /// Notes the server's echo of a part. The server may have removed colours, or cut the line.
  mutating func note(echo: String, of part: Int) {
    let text = SpokenLine.unwrapped(echo)?.dropFirst("ACTION ".count) ?? echo[...]
    // Some servers remove the blank at the end of a line.
    if text.isEmpty || Self.trimmed(text) == Self.trimmed(parts[part].text) { return }
    parts[part].change = Formatting.marked(String(text))
  }

  /// The whole text as the server passed it on; nil if it did not change it.
  var changedText: String? {
    guard parts.contains(where: { $0.change != nil }) else { return nil }
    var (text, rest) = ("", Self.text(of: entry)[...])
    for part in parts {
      guard let range = rest.firstRange(of: part.text) else { return nil }
      text += rest[..<range.lowerBound] + (part.change ?? part.text)
      rest = rest[range.upperBound...]
    }
    return text + rest
  }

  private static func trimmed(_ text: some StringProtocol) -> [UInt8] {
    Array(text.utf8.reversed().drop { $0 == 0x20 })
  }

  // MARK: Lines

  /// Why an entry cannot be sent, as a sentence.
  struct Refusal: Error {
    let sentence: Remark

    init(_ sentence: Remark) { self.sentence = sentence }
  }

  /// Cuts an entry into lines.
  init(_ entry: OutboxEntry, to target: String, _ context: IRCContext) throws(Refusal) {
    (self.entry, self.target) = (entry, target)
    // A reaction or a deletion may arrive twice: the second has no effect.
    isDoubtful = entry.wasTried && entry.operation == .send
    switch entry.operation {
    case .send where entry.nextFile != nil: break
    case .send: try addMessage(context)
    case .edit:
      throw Refusal(
        translated("On IRC nobody can edit a sent message; others still see the old text."))
    case .delete:
      guard context.has(Capabilities.redaction) else {
        throw Refusal(translated("This server cannot delete messages."))
      }
      add(IRCLine("REDACT", [target, try messageID()]), text: "")
    case .react:
      guard let reaction = entry.reaction, context.has(Capabilities.tags),
        context.support.passes(tag: "draft/react")
      else { throw Refusal(translated("This server does not pass on reactions.")) }
      var tags = ["+draft/reply": try messageID(), "+reply": try messageID()]
      tags[reaction.isRemoved ? "+draft/unreact" : "+draft/react"] = reaction.emoji
      add(IRCLine("TAGMSG", [target], tags: tags), text: "")
    }
  }

  private func messageID() throws(Refusal) -> String {
    if let id = entry.name.archive { return id }
    throw Refusal(
      translated("The message has no id on the network, so you cannot delete it or react to it."))
  }

  private mutating func add(_ line: IRCLine, text: String) {
    parts.append(Part(lines: [line], text: text))
  }

  private mutating func addMessage(_ context: IRCContext) throws(Refusal) {
    let message = entry.message
    var tags: [String: String] = [:]
    if context.has(Capabilities.tags), let id = entry.answers?.name.archive {
      (tags["+reply"], tags["+draft/reply"]) = (id, id)
    }
    let command = message.kind == .notice ? "NOTICE" : "PRIVMSG"
    let isAction = message.kind == .action
    let wrapping = isAction ? "\u{01}ACTION \u{01}".utf8.count : 0
    let longest = context.longestLine - target.utf8.count - wrapping
    let all = MessageParts.of(Self.text(of: entry), longest: longest)
    let visible = all.filter { !$0.text.allSatisfy(\.isWhitespace) }
    guard !visible.isEmpty else { throw Refusal(translated("The message is empty.")) }
    if all.count > 1, !isAction, context.has(Capabilities.multiline),
      context.has(Capabilities.batch)
    {
      return addBatches(all, command, tags, context)
    }
    for (index, part) in visible.enumerated() {
      let tags = index == 0 ? tags : [:]
      add(IRCLine(command, [target, wrapped(part.text)], tags: tags), text: part.text)
    }
  }

  /// A part of the text as it goes to the server.
  private func wrapped(_ text: String) -> String {
    entry.message.kind == .action ? "\u{01}ACTION \(text)\u{01}" : text
  }

  /// The text with the links to its files, without U+0001, which would make it a question to a
  /// program (CTCP), and without NUL, which no line can contain.
  private static func text(of entry: OutboxEntry) -> String {
    let text = ([entry.message.body] + entry.links).filter { !$0.isEmpty }.joined(separator: "\n")
    return text.without(["\u{01}", "\0"])
  }

  /// Adds the text as batches, each within the server's limits (IRCv3 multiline).
  private mutating func addBatches(
    _ all: [MessageParts.Part], _ command: String, _ tags: [String: String],
    _ context: IRCContext
  ) {
    let mostLines = context.capabilities.number("max-lines", of: Capabilities.multiline) ?? 20
    let mostBytes = context.capabilities.number("max-bytes", of: Capabilities.multiline) ?? 4_096
    var groups: [[MessageParts.Part]] = []
    var bytes = 0
    for part in all {
      let size = part.text.utf8.count + (part.continues ? 0 : 1)
      if groups.isEmpty || groups[groups.count - 1].count >= mostLines || bytes + size > mostBytes {
        // A batch of only blank lines is not allowed.
        if part.text.isEmpty { continue }
        groups.append([])
        bytes = 0
      }
      groups[groups.count - 1].append(part)
      bytes += size
    }
    for (number, group) in groups.enumerated() {
      // An earlier batch may have used it, but has ended by now.
      let reference = "m" + String(number)
      var first = IRCLine("BATCH", ["+" + reference, Capabilities.multiline, target])
      if number == 0 { first.tags = tags }
      var lines = [first]
      var text = ""
      for (index, part) in group.enumerated() {
        var line = IRCLine(command, [target, part.text], tags: ["batch": reference])
        let joins = index > 0 && part.continues
        if joins { line.tags["draft/multiline-concat"] = "" }
        lines.append(line)
        text += (index == 0 || joins ? "" : "\n") + part.text
      }
      parts.append(Part(lines: lines + [IRCLine("BATCH", ["-" + reference])], text: text))
    }
  }
}
