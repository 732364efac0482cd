// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// What of the open conversation is on the screen, and so is read and counts as seen (rules 7.3, 7.6,
/// 7.7).
@MainActor
package final class Screen: SessionPart {
  unowned let session: Session
  /// The number up to which the open conversation was printed.
  private(set) var printedUpTo = 0
  /// What was printed and is not on the screen yet, for all that is known: up to which number.
  private var printed: [ID<Conversation>: Int] = [:]
  /// The number of the first unread message that entering did not print; nil: it printed all.
  private(set) var firstUnprinted: Int?
  /// Printing is held (`/pause`), and what is held.
  private(set) var isPaused = false
  private(set) var held = HeldLines()
  /// What comes is not looked at: the terminal takes nothing, or a line is being typed in plain mode.
  private(set) var isHolding = false
  private var isBehind = false
  /// The terminal's window has the focus, or does not tell.
  private var isFocused = true
  /// Something was printed while nobody looked: the others are told with the focus.
  private var hasUnsentReadMarker = false

  init(_ session: Session) { self.session = session }

  /// How many messages the opening screen shows at least.
  private static let openingMessages = 20
  /// How many lines are shown above what is unread when a conversation is gone to (rule 13.1).
  private static let contextLines = 5

  // MARK: Entering

  /// Opens a conversation: prints its end, with a rule above what is unread (rule 7.7), of which two
  /// screens are printed (rule 13.9).
  ///
  /// - Parameter isNew: it is a room that was made just now.
  func enter(_ target: Conversation, isNew: Bool = false) throws {
    let membership = try store.read { try $0.membership(of: me.id, in: target.id) }
    let marker = try store.read { try $0.readMarker(of: me.id, in: target.id) }
    // Nothing of the first screen shows how far a message got.
    let receipts = !session.isStarting
    // Messages of ignored people are not printed and take no room.
    var messages = try store.read {
      try $0.messages(
        in: target.id, limit: Self.openingMessages, for: me.id, receipts: receipts,
        andIgnored: false)
    }
    // Before what is past there may be more that is unread.
    let mayHaveMore =
      session.isInteractive && membership == .member
      && messages.first.map { $0.number > marker + 1 } == true
    if mayHaveMore {
      messages = try store.read {
        try $0.messages(
          in: target.id, limit: max(Self.openingMessages, transcript.entranceRows), for: me.id,
          receipts: receipts, andIgnored: false)
      }
    }
    printedUpTo = max(
      target.lastNumber, messages.filter { !$0.isPast }.map(\.number).max() ?? 0)
    let hidden = try keepWhatFits(
      of: &messages, behind: marker, in: target.id, mayHaveMore: mayHaveMore)
    firstUnprinted =
      hidden > 0
      ? try store.read { try $0.firstUnread(by: me.id, in: target.id, behind: marker) } : nil
    news.moved(from: place.conversation?.id, to: target.id)
    session.joinsAndLeaves.forget()
    place.becomes(
      target, membership,
      newestOwn: session.isStarting
        ? nil : messages.last { $0.sender == me.id && $0.deletedAt == nil && !$0.isPast })
    // What is held of another conversation is unread there.
    isPaused = false
    held = HeldLines()
    people.enter(target.id)
    people.recognise(sendersOf: messages)
    show(
      try session.isStarting || hidden > 0
        ? messages : onlyContext(of: messages, in: target, behind: marker),
      of: target, newBehind: marker, hidden: hidden, isNew: isNew)
    outgoing.write(.lastConversation(target.id))
    tellOthers()
    hasUnsentReadMarker = false
    if printedUpTo > 0 { markSeen() }
    if session.shellID != nil { place.refreshPeopleAndUnread() }
  }

  /// Keeps as many of the newest unread messages as entering prints.
  ///
  /// - Returns: how many unread messages that leaves out.
  private func keepWhatFits(
    of messages: inout [Message], behind marker: Int, in target: ID<Conversation>,
    mayHaveMore: Bool
  ) throws -> Int {
    guard session.isInteractive else { return 0 }
    func isUnread(_ message: Message) -> Bool {
      message.number > marker && message.sender != me.id && !message.isPast
        && message.deletedAt == nil
    }
    // All that fits may be deleted messages and my own.
    let start =
      messages.firstIndex { $0.number > marker && !$0.isPast } ?? messages.endIndex
    let printed = transcript.newest(messages[start...])
    guard mayHaveMore || printed.startIndex > start else { return 0 }
    let all = try store.read { try $0.listing(for: me.id, in: [target]) }.first?.unread ?? 0
    let hidden = max(0, all - printed.count(where: isUnread))
    if hidden > 0 { messages = Array(printed) }
    return hidden
  }

  /// The number of the first message that the entrance did not print, once.
  func takeFirstUnprinted() -> Int? { firstUnprinted.take() }

  /// What is unread, and the last lines before that.
  private func onlyContext(
    of messages: [Message], in target: Conversation, behind marker: Int
  ) throws -> [Message] {
    var known = messages.prefix {
      $0.number <= marker || $0.sender == me.id || $0.isPast
    }
    let unread = messages[known.endIndex...]
    if known.isEmpty, let first = unread.first {
      known = try store.read {
        try $0.messages(
          in: target.id, before: first.number, limit: Self.contextLines, for: me.id,
          andIgnored: false)
      }[...]
    }
    var lines = 0
    let context = known.reversed().prefix { message in
      lines += message.body.utf8.count { $0 == UInt8(ascii: "\n") } + 1
      // The newest is context enough, however long it is.
      return lines <= Self.contextLines || message.id == known.last?.id
    }
    return Array(context.reversed()) + unread
  }

  private func show(
    _ messages: [Message], of target: Conversation, newBehind marker: Int, hidden: Int,
    isNew: Bool
  ) {
    let messages = Store.ordered(messages)
    var lines = entrance(
      to: target, on: messages.first?.createdAt ?? Store.wallClock(), isNew: isNew)
    var isRuled = !place.isMember
    func beginNew() {
      isRuled = true
      transcript.endRun()
      lines.append(transcript.printer.rule(say("new")))
    }
    if hidden > 0 {
      beginNew()
      let count = SafeText(line: Self.grouped(hidden))
      lines.append(StyledLine(say("%1 more: /history", count), .dim))
    }
    for message in messages {
      if !isRuled, message.number > marker, message.sender != me.id, !message.isPast,
        !transcript.printer.hides(message)
      {
        beginNew()
      }
      lines += transcript.lines(for: message)
    }
    emit(.show(lines))
  }

  /// `2,800`
  private static func grouped(_ number: Int) -> String {
    var digits = String(number)
    for place in stride(from: digits.count - 3, to: 0, by: -3) {
      digits.insert(",", at: digits.index(digits.startIndex, offsetBy: place))
    }
    return digits
  }

  /// Where what follows belongs: `── #tea · Saturday, 21 November 2026 · 2 others here ──`
  /// (rule 13.4).
  ///
  /// - Parameter day: when what follows was said first.
  private func entrance(
    to target: Conversation, on day: Milliseconds, isNew: Bool
  ) -> [StyledLine] {
    // A batch shows none of it.
    guard session.isInteractive else { return [] }
    transcript.startOver(on: day)
    let others = (try? store.read { try $0.othersHere(in: target.id, than: me.id) }) ?? nil
    let isPlain = session.face == .plain
    let gap = isPlain ? ", " : " " + glyphs.separator + " "
    let side = isPlain ? SafeText() : glyphs.rule + glyphs.rule
    var line = StyledLine(isPlain ? "" : side + " ", .dim)
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
    if !isPlain { line.append(" " + side, .dim) }
    return [line.with(margin: 3)] + notes(on: target).map { StyledLine($0, .dim).with(margin: 2) }
  }

  /// What whoever enters has to know beside what was said.
  private func notes(on target: Conversation) -> [SafeText] {
    var notes: [SafeText] = []
    let name = SafeText(name: target.name)
    if let begin = (try? store.read { try $0.keepBegins(in: target.id) }) ?? nil {
      let age = SafeText(
        line: Keep.written((try? store.read { try $0.keep(of: target.id) }) ?? nil))
      notes.append(
        say(
          "From %1 on, hobnob deletes messages here that are older than %2; /set keep off stops that.",
          LocalTime.stamp(begin), age))
    }
    if session.attention.ignoredPlaces.contains(target.id) {
      notes.append(say("You ignore %1; /unignore %1 shows the messages.", name))
    }
    return notes
  }

  // MARK: What arrives

  /// A message in the open conversation. Its lines; nil where it is on the screen already.
  func arrived(_ message: Message) -> [StyledLine]? {
    guard message.number > printedUpTo, !message.isRecalled else { return nil }
    printedUpTo = message.number
    return transcript.lines(for: message)
  }

  /// Prints lines about what happened, below what is older.
  ///
  /// - Parameter new: how many messages of others there are among them.
  func present(_ lines: [StyledLine], new: Int) {
    if isPaused {
      held.lines += lines
      held.count += new
    } else if !lines.isEmpty {
      emit(.show(lines))
    }
  }

  /// Whether messages that come now are before somebody's eyes at the end of this turn: the
  /// terminal takes what is printed, and they are not more than a screen of it.
  func showsAtOnce(_ messages: [Message]) -> Bool {
    isLooking && !isBehind && printed.isEmpty && transcript.holds(messages)
  }

  // MARK: Holding

  /// `/pause` (rule 7.6).
  func pause() {
    isPaused = true
    // What is held shows its sender's name, whatever is printed above it then.
    transcript.endRun()
    tellOthers()
  }

  /// Prints what was held, in its order. Nothing where nothing is held.
  func letGo() {
    guard isPaused else { return }
    isPaused = false
    let held = held
    self.held = HeldLines()
    if !held.lines.isEmpty { emit(.show(held.lines)) }
    transcript.endRun()
    tellOthers()
    if held.count > 0 || hasUnsentReadMarker { markSeen() }
  }

  /// Looks for news, unless they would be drawn for nobody or over a line that is being typed
  /// (rules 7.6, 11.5).
  func holdOrCatchUp() {
    isHolding =
      isBehind || session.face == .plain && settings.holdWhileTyping && !line.isEmpty
    news.catchUp()
  }

  func terminal(isBehind: Bool) {
    self.isBehind = isBehind
    holdOrCatchUp()
  }

  // MARK: Seen (rules 7.3, 7.7)

  /// Who holds printing does not look on, nor who works in another window.
  var isLooking: Bool { !isPaused && isFocused }

  /// The window gained or lost the focus. What was printed meanwhile is seen from now on.
  ///
  /// - Parameter isFocused: nil while it is not known: then nothing counts as seen, and nobody is
  ///   told anything.
  func window(isFocused: Bool?) {
    self.isFocused = isFocused ?? false
    guard isFocused != nil, place.conversation != nil else { return }
    tellOthers()
    if isLooking, hasUnsentReadMarker { markSeen() }
  }

  /// Another program has the screen, or had it.
  func lent(_ isLent: Bool) {
    if isLent { drafts.save() }
    if !isPaused { tellOthers(isPaused: isLent || !isLooking) }
    if !isLent { news.catchUp() }
  }

  /// What was printed in the open conversation is read as soon as it is on the screen.
  func markSeen() {
    // A batch prints nothing of it, and what a command of it prints counts like `hobnob log`.
    guard session.isInteractive, let conversation = place.conversation else { return }
    printed[conversation.id] = printedUpTo
  }

  /// Whether ``SessionEvent/turnEnded`` has something to do.
  package var hasToMark: Bool { !printed.isEmpty }

  /// The same, at the end of a turn: the terminal has taken it.
  func markPrinted() {
    if printed.isEmpty || isBehind { return }
    hasUnsentReadMarker = !isFocused
    for (conversation, number) in printed {
      outgoing.write(
        .shown(conversation, upTo: number, tells: settings.receipts, isSeen: isFocused))
    }
    printed = [:]
  }

  private func tellOthers() { tellOthers(isPaused: !isLooking) }

  private func tellOthers(isPaused: Bool) {
    guard session.shellID != nil else { return }
    outgoing.write(.open(place.conversation?.id, isPaused: isPaused))
  }
}

/// What would have been printed, had printing not been held.
struct HeldLines {
  var lines: [StyledLine] = []
  /// Messages of others among them.
  var count = 0
}
