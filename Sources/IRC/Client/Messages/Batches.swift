// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A complete batch: lines that belong together (IRCv3 batch).
struct Batch: Sendable {
  var type: String
  var parameters: [String]
  /// The tags of the line that began it.
  var tags: [String: String]
  var source: IRCLine.Source?
  /// With the lines of inner batches; an inner message of several lines counts as one line.
  var lines: [IRCLine] = []
  /// Whether it lacks lines because it was too large.
  var isTruncated = false
  /// The number of bytes in its lines.
  var bytes = 0
  /// Whether it is a message that is larger than `Batches.mostOfMessage`; its lines are then gone.
  var isTooLarge = false

  /// A message of several lines as one line, with the tags of the batch (IRCv3 multiline); nil if
  /// there is none.
  var joined: IRCLine? {
    var (result, text) = (IRCLine?.none, "")
    for line in lines where ["PRIVMSG", "NOTICE"].contains(line.command) {
      if result == nil {
        // The id is only on the batch.
        result = IRCLine(
          line.command, [line[0]], tags: line.tags.merging(tags) { $1 },
          source: line.source ?? source)
      } else if line.tags["draft/multiline-concat"] == nil {
        text += "\n"
      }
      text += line[1]
    }
    result?.parameters.append(text)
    return result
  }
}

/// The batches that have not ended yet.
struct Batches: Sendable {
  static let mostOpen = 64
  /// The most bytes in all unfinished batches together.
  static let mostBytes = 4 << 20
  /// The most bytes in one message of several lines, as in one of XMPP.
  static let mostOfMessage = 1 << 20

  /// For how many milliseconds without a line a batch counts as open while others need its place.
  private static let patience: Milliseconds = 60_000

  private(set) var open: [String: (batch: Batch, outer: String?, heardAt: Milliseconds)] = [:]
  var bytes: Int { open.values.reduce(0) { $0 + $1.batch.bytes } }
  /// Whether the current lines are from a batch about a netsplit or its end.
  var isOfSplit = false

  /// What a line means for the batches.
  enum Part: Sendable {
    /// It belongs to no batch.
    case line(IRCLine)
    case batch(Batch)
    /// Its batch is not complete.
    case unfinished
    /// It ends a message that is skipped, since it has more than this many bytes (rule 14.6).
    case skipped(Int)
    /// It begins a batch, but too many others are still open.
    case tooMany
  }

  mutating func take(_ line: IRCLine, at now: Milliseconds = 0) -> Part {
    if line.command == "BATCH" { return takeBoundary(line, at: now) }
    guard let reference = line.tags["batch"], open[reference] != nil else { return .line(line) }
    open[reference]?.heardAt = now
    let size =
      line.parameters.reduce(64) { $0 + $1.utf8.count }
      + line.tags.reduce(0) { $0 + $1.value.utf8.count }
    if let batch = open[reference]?.batch, batch.type == Capabilities.multiline,
      batch.isTooLarge || batch.bytes + size > Self.mostOfMessage
    {
      open[reference]?.batch.isTooLarge = true
      open[reference]?.batch.lines = []
      open[reference]?.batch.bytes = 0
      return .unfinished
    }
    // Behind a line that was left out, leave out all: the next page then begins with that line.
    if open[reference]?.batch.isTruncated == false, bytes + size <= Self.mostBytes {
      open[reference]?.batch.bytes += size
      open[reference]?.batch.lines.append(line)
    } else {
      open[reference]?.batch.isTruncated = true
    }
    return .unfinished
  }

  private mutating func takeBoundary(_ line: IRCLine, at now: Milliseconds) -> Part {
    let reference = String(line[0].dropFirst())
    if line[0].hasPrefix("+") {
      if open[reference] != nil { return .unfinished }
      if open.count >= Self.mostOpen {
        open = open.filter { now - $0.value.heardAt < Self.patience }
      }
      guard open.count < Self.mostOpen else { return .tooMany }
      let batch = Batch(
        type: line[1], parameters: Array(line.parameters.dropFirst(2)), tags: line.tags,
        source: line.source)
      open[reference] = (batch, line.tags["batch"], now)
      return .unfinished
    }
    guard let (closed, outer, _) = open.removeValue(forKey: reference) else { return .unfinished }
    if closed.isTooLarge { return .skipped(Self.mostOfMessage) }
    guard let outer, let around = open[outer]?.batch else { return .batch(closed) }
    if around.type == Capabilities.labels {
      var batch = closed
      batch.tags["label"] = around.tags["label"]
      return .batch(batch)
    }
    let isMessage = closed.type == Capabilities.multiline
    open[outer]?.batch.isTruncated = around.isTruncated || closed.isTruncated
    if around.isTruncated || closed.isTruncated && isMessage { return .unfinished }
    open[outer]?.batch.lines += isMessage ? [closed.joined].compactMap(\.self) : closed.lines
    open[outer]?.batch.bytes += closed.bytes
    return .unfinished
  }
}
