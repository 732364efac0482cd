// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatRendering
import Composer
import Conversations
import StyledText

/// The rows below the line: who is typing, how far the newest message got, what is unread (rule
/// 7.4).
@MainActor
package struct StatusLine {
  private let session: Session

  package init(session: Session) { self.session = session }

  private var open: OpenConversation { session.open }
  private var mode: LineMode { session.mode }
  private var settings: Settings { session.preferences.settings }
  private var glyphs: Glyphs { session.preferences.glyphs }
  private var me: Participant { session.me }
  private var elsewhere: UnreadElsewhere { session.navigator.otherConversations }
  private var screenState: ScreenState { session.feed.screenState }

  package var prompt: StyledLine {
    switch mode.withoutQuestion {
    case .choosing: return StyledLine(say("switch to> "), .bold)
    case .editing(let edited): return StyledLine(edited.mode.prompt, .bold)
    case .draft, .history, .asking: break
    }
    if let target = session.navigator.target {
      return settings.appearance.promptLine(SafeText(name: target.name), glyphs: glyphs)
    }
    let name = open.conversation.map { SafeText(name: $0.name) } ?? "hobnob"
    switch open.membership {
    case .member: break
    case .left: return StyledLine(say("%1 (left)> ", name), .dim)
    case .removed: return StyledLine(say("%1 (removed)> ", name), .dim)
    case .never: return StyledLine(say("%1 (not joined)> ", name), .dim)
    }
    return settings.appearance.promptLine(name, glyphs: glyphs)
  }

  /// The title of the window: how many messages wait to be looked at, and the open conversation.
  /// Muted messages do not count (rule 7.11).
  package var title: SafeText {
    let count = elsewhere.unread.reduce(screenState.unseen) { $0 + $1.count - $1.muted }
    let name = open.conversation.map { SafeText(name: $0.name) + glyphs.separator } ?? ""
    return (count > 0 ? "(\(SafeText(count))) " : "") + name + "hobnob"
  }

  /// The status line's items for a terminal of `columns`.
  ///
  /// - Parameter notice: a short-lived message; typing and urgent items stay visible if there is
  ///   room for both.
  package func items(notice: SafeText?, columns: Int) -> [Item] {
    let space = columns - 1
    func rest(beside line: StyledLine) -> Int {
      line.isEmpty ? space : space - 2 - line.columns(widths)
    }
    let waiting = waitingForMe
    let urgent = statusRight(waiting, columns: columns / 3, isUrgentOnly: true)
    let left = statusLeft(notice: notice, columns: max(1, rest(beside: urgent)))
    // When idle, the left side says only who is here, which matters least.
    let isIdle = notice == nil && !mode.isEditing && open.typing.isEmpty
    let widest = max(columns * 2 / 3, min(space, waiting.first?.line.columns(widths) ?? 0))
    let right = statusRight(
      waiting,
      columns: isIdle
        ? max(widest, rest(beside: left))
        : min(widest, max(urgent.columns(widths), rest(beside: left))))
    var line = left.truncated(to: max(1, rest(beside: right)), widths: widths)
    // A few letters of who is here tell nothing.
    if isIdle, line != left, rest(beside: right) < 8 { line = StyledLine() }
    if isIdle, !mode.isChoosing, let topic {
      let room = rest(beside: right) - (line + separator).columns(widths)
      // A shorter piece of a topic is not worth its place.
      if room >= min(12, topic.columns(widths)) {
        line += separator
        line += topic.truncated(to: room, widths: widths, ellipsis: glyphs.ellipsis)
      }
    }
    var items = [Item(id: "left", line: line)]
    if !right.isEmpty { items += [.flexibleSpace, Item(id: "right", line: right)] }
    return items
  }

  /// The row below the status line.
  package func toolbarItems(columns: Int) -> [Item] {
    settings.appearance.toolbar == .conversations
      ? conversationItems(columns: columns) : settings.appearance.toolbarItems
  }

  /// The person's conversations with their unread counts, in the order of `/list` and with its
  /// numbers, as many as fit, then how many do not, as `+N`.
  private func conversationItems(columns: Int) -> [Item] {
    let unread = Dictionary(
      elsewhere.unread.map { ($0.conversation.id, $0) }, uniquingKeysWith: { $1 })
    var items: [Item] = []
    var room = columns - 1
    // The number after a name stays visible, however long the name.
    let longestName = min(24, max(4, room - 8))
    for (number, conversation) in session.navigator.joined.shown {
      var line = StyledLine(SafeText(number) + " ", .dim)
      line.append(
        SafeText(name: conversation.name).truncated(to: longestName, widths: widths),
        conversation.id == session.lineConversation?.id ? .bold : .plain)
      if let entry = unread[conversation.id] {
        line.append(" " + entry.mark, entry.style(accent: settings.appearance.color))
      }
      let others = session.navigator.joined.count - items.count - 1
      let rest = others > 0 ? 3 + String(others).count : 0
      guard line.columns(widths) + rest <= room else { break }
      items.append(Item(id: "conversation-\(number)", line: line))
      room -= line.columns(widths) + 2
    }
    let others = session.navigator.joined.count - items.count
    if others > 0 {
      items.append(Item(id: "more", line: StyledLine("+" + SafeText(others), .dim)))
    }
    return items
  }

  private var widths: Widths { session.feed.renderer.printer.options.widths }

  /// The topic, shown only in the space that the other items leave.
  private var topic: StyledLine? {
    guard let topic = open.conversation?.topic, !topic.isEmpty else { return nil }
    return StyledLine(SafeText(line: topic), .dim)
  }

  private var separator: StyledLine { StyledLine(glyphs.separator, .dim) }

  private func statusLeft(notice: SafeText?, columns: Int) -> StyledLine {
    let typing = mode.isEditing ? nil : open.typing.line(columns: columns, widths: widths)
    if let notice {
      let both = typing.map { $0 + separator + StyledLine(notice, .dim) }
      if let both, both.columns(widths) <= columns { return both }
      return StyledLine(notice, .dim)
    }
    switch mode.withoutQuestion {
    case .choosing(let choices, _):
      let name = session.line.selected ?? session.line.text
      return StyledLine(choices.hint(for: name, in: session.lineConversation), .dim)
    case .editing(let edited): return StyledLine(edited.mode.status, .dim)
    case .draft, .history, .asking: break
    }
    if let typing { return typing }
    if !open.isMember, let conversation = open.conversation {
      let name = SafeText(name: conversation.name)
      if conversation.isRemoved {
        return StyledLine(say("%1: the room was removed; only commands work here", name), .dim)
      }
      let words =
        switch open.membership {
        case .left: say("You left %1; only commands work here", name)
        case .removed: say("You are no longer in %1; /join %1 enters it again", name)
        case .never, .member: say("Only commands work here; /join %1 enters the room", name)
        }
      return StyledLine(words, .dim)
    }
    if screenState.isPaused {
      return StyledLine(say("Output paused; type /bottom to resume"), .dim)
    }
    let myName = SafeText(name: open.nick ?? me.name)
    if let away = open.away {
      return StyledLine(
        away.isEmpty
          ? say("%1, away", myName)
          : say("%1, away: %2", myName, SafeText(line: away)), .dim)
    }
    if let absent { return StyledLine(absent, .dim) }
    let others = open.othersHere
    switch others {
    // hobnob cannot say who is here before the network has reported presence or while the network
    // is offline; and some people hide their presence.
    case 0
    where open.conversation?.network != nil
      && (open.conversation?.kind == .direct
        || session.accounts.isUnsettled(open.conversation?.network)):
      return StyledLine(myName, .dim)
    case 0: return StyledLine(say("%1, alone here", myName), .dim)
    case 1: return StyledLine(say("%1, with 1 other here", myName), .dim)
    default:
      return StyledLine(
        say("%1, with %2 others here", myName, SafeText(others)), .dim)
    }
  }

  /// Says, in a direct chat, that the other person is away or has no shell open.
  private var absent: SafeText? {
    guard open.conversation?.kind == .direct,
      let other = open.here.first(where: { $0.participant.id != me.id })
    else { return nil }
    let name = SafeText(name: other.participant.name)
    if let away = other.away {
      return away.isEmpty
        ? say("%1 is away", name) : say("%1 is away: %2", name, SafeText(line: away))
    }
    if other.isHere { return nil }
    guard let network = open.conversation?.network else {
      return say("%1 does not have hobnob open", name)
    }
    return other.isKnown && !session.accounts.isUnsettled(network)
      ? say("%1 is not online", name) : nil
  }

  /// The right side, as much of it as fits: first what waits here and what is urgent elsewhere,
  /// then how far the newest message got, then other unread messages and, as `+N`, how many
  /// conversations do not fit.
  private func statusRight(
    _ waiting: [RankedLine], columns: Int, isUrgentOnly: Bool = false
  ) -> StyledLine {
    let unread = elsewhere.unread
    // The number after a name stays visible, however long the name.
    let longestName = min(24, max(4, columns - 8))
    let tokens = unread.prefix(columns / 4 + 1).map { entry in
      let name = SafeText(name: entry.conversation.name).truncated(to: longestName, widths: widths)
      return StyledLine(name + " " + entry.mark, entry.style(accent: settings.appearance.color))
    }
    let urgent = tokens.indices.filter { unread[$0].isForMe }.count
    var parts: [RankedLine] = []
    var shown = 0
    func line(_ parts: [RankedLine], shown: Int) -> StyledLine {
      var list = Array(tokens.prefix(shown))
      if shown < unread.count { list.append(StyledLine("+" + SafeText(unread.count - shown))) }
      let all =
        parts.sorted { $0.rank < $1.rank }.map(\.line)
        + (list.isEmpty ? [] : [list.joined(by: StyledLine(", "))])
      return all.joined(by: separator)
    }
    func fits(_ parts: [RankedLine], shown: Int) -> Bool {
      line(parts, shown: shown).columns(widths) <= columns
    }
    func add(_ part: RankedLine) {
      if fits(parts + [part], shown: shown) { parts.append(part) }
    }
    func show(upTo count: Int) {
      while shown < count, fits(parts, shown: shown + 1) { shown += 1 }
    }
    waiting.forEach(add)
    show(upTo: urgent)
    if !isUrgentOnly {
      delivery.forEach(add)
      let rest = columns - line(parts, shown: shown).columns(widths) - separator.columns(widths)
      let networks = elsewhere.networksAwaited.union(
        [session.lineConversation?.network].compactMap { $0 })
      let details: [AccountStatus.Detail] =
        session.outputMode == .tty ? [.whole, .withTime, .word] : [.withTime, .word]
      let statuses = details.compactMap { session.accounts.status($0, of: networks) }
      if let status = statuses.first(where: { widths.columns(of: $0.string) <= rest }) {
        add((5, StyledLine(status, .dim)))
      } else if let status = statuses.last, rest > 12 {
        add((5, StyledLine(status.truncated(to: rest, widths: widths), .dim)))
      }
      show(upTo: tokens.count)
    }
    return line(parts, shown: shown).truncated(to: columns, widths: widths)
  }

  /// A part of the right side; those of lower rank are further left.
  private typealias RankedLine = (rank: Int, line: StyledLine)

  /// What waits for the person's action.
  private var waitingForMe: [RankedLine] {
    var parts: [RankedLine] = []
    let messages = session.messageCount(of: session.line.text)
    if messages > 1 {
      let count = OpenConversation.written(messageCount: messages)
      parts.append((-1, StyledLine(say("becomes %1 messages", count), .bold)))
    }
    if screenState.isPaused, screenState.held.count > 0 {
      parts.append((0, StyledLine(say("%1 new", SafeText(screenState.held.count)), .bold)))
    }
    // If the newest message failed, its own state already says so.
    let failed = elsewhere.unsent.failed
    if failed > (open.newestOwn?.state == .failed ? 1 : 0) {
      let red = Style(foreground: .red)
      parts.append((2, StyledLine(say("%1 failed", SafeText(failed)), red)))
    }
    return parts
  }

  /// How far the newest message got, how many messages wait, and whether they are encrypted.
  private var delivery: [RankedLine] {
    var parts: [RankedLine] = []
    if let newestOwn = open.newestOwn {
      let state = newestOwn.state
      let said = open.deliveryCounts.words ?? state.word
      let mark =
        state == .seen || open.deliveryCounts.seen > 0
        ? SafeText() : glyphs.lead(MessagePrinter.mark(state, glyphs))
      let style = state == .failed ? Style(foreground: .red) : .dim
      parts.append((1, StyledLine("[\(newestOwn.number)] " + mark + said, style)))
    }
    let waiting = elsewhere.unsent.waiting
    if waiting > (open.newestOwn?.state == .sending ? 1 : 0) {
      parts.append((3, StyledLine(say("%1 waiting", SafeText(waiting)), .dim)))
    }
    if let encryption { parts.append((4, StyledLine(encryption, .dim))) }
    return parts
  }

  private var encryption: SafeText? {
    guard open.isMember, let conversation = open.conversation else { return nil }
    switch open.abilities.encryption {
    case .never: return nil
    case .off: return say("not encrypted")
    case .asking:
      // Without a connection, nobody is asked.
      switch session.accounts.list.first(where: { $0.network == conversation.network })?.status {
      case .offline, .connecting, .ended: return nil
      default: break
      }
      return say("asking for %1's keys", conversation.addressee.truncated(to: 16, widths: widths))
    case .on: return say("encrypted")
    case .verified: return say("encrypted, verified")
    }
  }
}

extension [StyledLine] {
  fileprivate func joined(by separator: StyledLine) -> StyledLine {
    dropFirst().reduce(first ?? StyledLine()) { $0 + separator + $1 }
  }
}
