// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

/// What to print on entering a conversation: its newest messages, with a rule above the unread ones
/// (rule 7.7). Of unread messages it prints at most two screens (rule 13.9).
@MainActor
struct OpeningScreen {
  let target: Conversation
  let membership: Membership
  /// The number of the last message that the person has read.
  let marker: Int
  /// The newest messages, printed or not; the printer fits its columns to them.
  let recent: [Message]
  private(set) var messages: [Message]
  /// The number up to which messages count as printed.
  let printedUpTo: Int
  /// How many unread messages are not printed, and the number of the first.
  private(set) var hidden = 0
  private(set) var firstUnprinted: Int?
  /// The person's newest message among those that were loaded and fit; nil if unknown.
  private(set) var newestOwn: Message?

  private static let openingMessages = 20
  /// The number of lines above the unread messages after switching (rule 13.1).
  private static let contextLines = 5

  /// - Parameter isFirst: whether this is the first screen of the shell, which leaves out delivery
  ///   states and shows more than the unread messages.
  init(
    to target: Conversation, of me: ID<Participant>, _ renderer: Renderer, isInteractive: Bool,
    isFirst: Bool, _ snapshot: borrowing Snapshot
  ) throws {
    let membership = try snapshot.membership(of: me, in: target.id)
    let marker = try snapshot.readMarker(of: me, in: target.id)
    // Messages of ignored people are not printed, so they take no room.
    var messages = try snapshot.messages(
      in: target.id, limit: Self.openingMessages, for: me, receipts: !isFirst, andIgnored: false)
    // More unread messages may come before the first of these: it may be a past message (`isPast`),
    // and missed messages come before some with lower numbers.
    var mayHaveMore =
      isInteractive && membership == .member
      && messages.first.map { $0.number > marker + 1 } == true
    // Ask the store only if there are more numbers, some of which may be past or the person's own.
    if isInteractive, membership == .member, !mayHaveMore,
      target.lastNumber - marker > messages.count(where: { $0.number > marker && !$0.isPast })
    {
      mayHaveMore =
        try Self.countUnread(in: target, of: me, snapshot)
        > messages.count { Self.isUnread($0, by: me, behind: marker) }
    }
    if mayHaveMore {
      messages = try snapshot.messages(
        in: target.id, limit: max(Self.openingMessages, renderer.entranceRows), for: me,
        receipts: !isFirst, andIgnored: false)
    }
    (self.target, self.membership, self.marker) = (target, membership, marker)
    (self.messages, recent) = (messages, messages)
    printedUpTo = max(
      target.lastNumber, messages.filter { !$0.isPast }.map(\.number).max() ?? 0)
    if isInteractive { try keepWhatFits(me, renderer, mayHaveMore: mayHaveMore, snapshot) }
    if hidden > 0 {
      firstUnprinted = try snapshot.firstUnread(by: me, in: target.id, behind: marker)
    }
    if isFirst { return }
    newestOwn = self.messages.last { $0.sender == me && $0.deletedAt == nil && !$0.isPast }
    if hidden == 0 { try keepContext(me, snapshot) }
  }

  private static func countUnread(
    in target: Conversation, of me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws -> Int {
    try snapshot.listing(for: me, in: [target.id]).first?.unread ?? 0
  }

  private static func isUnread(
    _ message: Message, by me: ID<Participant>, behind marker: Int
  ) -> Bool {
    message.number > marker && message.sender != me && !message.isPast
      && message.deletedAt == nil && message.kind != .notice
  }

  /// Keeps the newest unread messages that fit on two screens.
  private mutating func keepWhatFits(
    _ me: ID<Participant>, _ renderer: Renderer, mayHaveMore: Bool,
    _ snapshot: borrowing Snapshot
  ) throws {
    let start = messages.firstIndex { $0.number > marker && !$0.isPast } ?? messages.endIndex
    let printed = renderer.newest(messages[start...])
    guard mayHaveMore || printed.startIndex > start else { return }
    // Some messages from `start` on may be deleted or the person's own, and so not unread: ask the
    // store.
    let all = try Self.countUnread(in: target, of: me, snapshot)
    hidden = max(0, all - printed.count { Self.isUnread($0, by: me, behind: marker) })
    if hidden == 0 { return }
    // If all of the unread messages were missed, those that followed are known.
    messages = Array(printed.isEmpty ? messages.suffix(Self.contextLines) : printed)
  }

  /// Keeps the unread messages, and the last lines before them.
  private mutating func keepContext(
    _ me: ID<Participant>, _ snapshot: borrowing Snapshot
  ) throws {
    var known = messages.prefix { $0.number <= marker || $0.sender == me || $0.isPast }
    let unread = messages[known.endIndex...]
    if known.isEmpty, let first = unread.first {
      known =
        try snapshot.messages(
          in: target.id, before: first.number, limit: Self.contextLines, for: me,
          andIgnored: false)[...]
    }
    var lines = 0
    let context = known.reversed().prefix { message in
      lines += message.body.utf8.count { $0 == UInt8(ascii: "\n") } + 1
      // Always keep the newest message, however long it is.
      return lines <= Self.contextLines || message.id == known.last?.id
    }
    messages = Array(context.reversed()) + unread
  }

  // MARK: Printing

  /// The messages, with a rule above the new ones.
  ///
  /// - Parameter gaps: the sort keys after which messages may be missing, ascending.
  func lines(
    for me: ID<Participant>, gaps: [Int64], by renderer: inout Renderer
  ) -> [StyledLine] {
    var (lines, gaps) = ([StyledLine](), GapRules(gaps))
    var isRuled = membership != .member
    func beginNew(_ printer: inout MessagePrinter) {
      isRuled = true
      printer.endRun()
      lines.append(printer.rule(say("new")))
    }
    if hidden > 0 {
      beginNew(&renderer.printer)
      lines.append(
        StyledLine(say("%1 more: /history", SafeText(grouped: hidden)), .dim))
    }
    for message in messages.inOrder() {
      if !isRuled, message.number > marker, message.sender != me, !message.isPast,
        !renderer.printer.hides(message)
      {
        beginNew(&renderer.printer)
      }
      lines += gaps.lines(before: message, &renderer.printer)
      renderer.printer.add(message, to: &lines)
    }
    return lines + gaps.linesAtEnd(&renderer.printer)
  }

  /// The day of the first printed message.
  var day: Milliseconds { messages.inOrder().first?.createdAt ?? Clock.wall() }

  /// A heading, `── #tea · Saturday, 21 November 2026 · 2 others here ──` (rule 13.4), and notices
  /// for the person who enters.
  func headingLines(
    for me: ID<Participant>, isNew: Bool, glyphs: Glyphs, ignores: Bool,
    _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    let others = (try? snapshot.othersHere(in: target.id, than: me)) ?? nil
    let gap = glyphs.separator
    let side = glyphs.rule + glyphs.rule
    var line = StyledLine(glyphs.lead(side), .dim)
    line.append(SafeText(name: target.name), .bold)
    line.append(gap + LocalTime.day(day), .dim)
    switch others {
    case nil: break
    case 0?: line.append(gap + (isNew ? say("new room") : say("alone here")), .dim)
    case 1?: line.append(gap + say("1 other here"), .dim)
    case let others?: line.append(gap + say("%1 others here", SafeText(others)), .dim)
    }
    if !target.topic.isEmpty {
      line.append(gap + say("topic:") + " ", .dim)
      line.append(SafeText(line: target.topic))
    }
    if !side.isEmpty { line.append(" " + side, .dim) }
    return [line.with(margin: 3)]
      + notes(ignores: ignores, snapshot).map { StyledLine($0, .dim).with(margin: 2) }
  }

  private func notes(ignores: Bool, _ snapshot: borrowing Snapshot) -> [SafeText] {
    var notes: [SafeText] = []
    let name = SafeText(name: target.name)
    if let begin = (try? snapshot.keepBegins(in: target.id)) ?? nil {
      let age = SafeText(line: KeepSetting.written((try? snapshot.keep(of: target.id)) ?? nil))
      notes.append(
        say(
          "From %1 on, hobnob deletes messages here that are older than %2; /set keep off stops that.",
          LocalTime.stamp(begin), age))
    }
    if ignores { notes.append(say("You ignore %1; /unignore %1 shows the messages.", name)) }
    return notes
  }
}
