// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/help`, `/set`, `/clear`, `/status`, `/pause`, `/bottom`, `/quit`.
@MainActor
struct ShellCommands: SessionPart {
  let session: Session

  func help(_ argument: String) throws {
    let name = argument.hasPrefix("/") ? String(argument.dropFirst()) : argument
    if !name.isEmpty {
      guard let command = Command.named(name) else { throw Command.unknown(name) }
      return transcript.answer(
        [
          StyledLine(SafeText(line: command.usage), .bold), StyledLine("  " + command.help),
        ] + command.more.map { StyledLine("  " + $0) }, indent: 4)
    }
    func entry(_ usage: String, _ help: SafeText) -> Explained {
      Explained(name: StyledLine(SafeText(line: usage), .bold), help: StyledLine(help))
    }
    var sections = Command.sections.map { section in
      (heading: section.heading, entries: section.commands.map { entry($0.usage, $0.help) })
    }
    sections.append(
      (
        say("Keys"),
        [
          entry("Return", say("send the line; M-Return begins a new one")),
          entry("TAB", say("complete a word or name, then enter the menu")),
          entry("C-c", say("empty the line; C-_ brings it back")),
          entry("C-d", say("leave, on an empty line")),
          entry("/keys", say("list all keys; man hobnob has the rest")),
        ]
      ))
    list(sections)
  }

  private struct Explained {
    var name: StyledLine
    var help: StyledLine
  }

  /// Prints names and what is said of them in two columns. The first takes no more than a third of a
  /// row, where the margin of wrapped rows ends; behind a longer name the help begins on a row of its
  /// own.
  private func list(_ sections: [(heading: SafeText, entries: [Explained])]) {
    let widths = transcript.printer.options.widths
    let longest = sections.flatMap(\.entries).map { $0.name.columns(widths) }.max() ?? 0
    // A list has two columns before each line.
    let most = max(8, transcript.printer.options.columns / 3 - 2 - 2)
    let start = min(longest, most) + 2
    func blanks(_ count: Int) -> StyledLine {
      StyledLine(SafeText(line: String(repeating: " ", count: count)))
    }
    transcript.list(
      sections.map { section in
        (
          section.heading,
          section.entries.flatMap { entry in
            let gap = start - entry.name.columns(widths)
            return gap >= 2
              ? [entry.name + blanks(gap) + entry.help] : [entry.name, blanks(start) + entry.help]
          }
        )
      }, indent: start)
  }

  func set(_ argument: String) throws {
    let parts = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let name = parts.first else {
      return try listSettings()
    }
    if name == Keep.name {
      return try KeepCommand(session: session).keep(parts.count > 1 ? parts[1].trimmingBlanks : nil)
    }
    if name == NotifySetting.name {
      return try AttentionCommands(session: session).notify(
        parts.count > 1 ? parts[1].trimmingBlanks : nil)
    }
    guard parts.count > 1 else {
      guard let entry = Settings.entry(name) else {
        throw Settings.unknown(name)
      }
      return transcript.answer([
        StyledLine(SafeText(line: "\(entry.name) \(value(of: entry))"), .bold)
          + StyledLine("  " + entry.help, .dim)
      ])
    }
    try session.preferences.change(name, to: parts[1].trimmingBlanks)
    session.applyPreferences()
    // Who has another name is told so, and it lasts.
    if name == "nick" { return try PersonCommands(session: session).nick(parts[1]) }
    emit(
      .notice(
        say(
          "%1 %2, until you leave (to keep it: hobnobrc)", SafeText(line: name),
          SafeText(line: Settings.entry(name)?.get(settings) ?? ""))))
  }

  /// As it is now: who set no name has one.
  private func value(of entry: Settings.Entry) -> String {
    entry.name == "nick" ? me.name : entry.get(settings)
  }

  /// All settings as they are now; that of the open conversation last.
  private func listSettings() throws {
    func entry(_ name: String, _ value: String, _ help: SafeText) -> Explained {
      Explained(
        name: StyledLine(SafeText(line: name), .bold) + StyledLine(SafeText(line: " " + value)),
        help: StyledLine(help, .dim))
    }
    var sections = Settings.sections.map { section in
      (
        heading: section.heading,
        entries: section.entries.map { entry($0.name, value(of: $0), $0.help) }
      )
    }
    if let conversation = place.conversation {
      let value = Keep.written(try store.read { try $0.keep(of: conversation.id) })
      let notify = AttentionCommands.notify(session.attention, in: conversation).word
      sections.append(
        (
          say("This conversation"),
          [
            entry(Keep.name, value, Keep.help),
            entry(NotifySetting.name, notify, NotifySetting.help),
          ]
        ))
    }
    list(sections)
  }

  func clear(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("clear") }
    transcript.startOver()
    emit(.clearScreen)
  }

  func quit(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("quit") }
    outgoing.leave(status: 0, insists: true)
  }

  func status(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("status") }
    place.refreshNewestOwn()
    var lines: [StyledLine] = []
    if let conversation = place.conversation {
      let shown = SafeText(name: conversation.name)
      let belonging =
        switch place.membership {
        case .member: say("You are %1 in %2.", SafeText(name: me.name), shown)
        case .left: say("You are %1; you left %2.", SafeText(name: me.name), shown)
        case .removed: say("You are %1, and no longer in %2.", SafeText(name: me.name), shown)
        case .never: say("You are %1, and not in %2.", SafeText(name: me.name), shown)
        }
      lines.append(StyledLine(belonging))
      if let newestOwn = place.newestOwn {
        lines.append(
          StyledLine(
            say(
              "Your newest message here, [%1], is %2.", SafeText(newestOwn.number),
              place.reach.words ?? newestOwn.state.word)))
      }
      let unsent = try store.read { try $0.unsent(by: me.id, in: nil) }
      let failed = unsent.filter { $0.state == .failed }.count
      if unsent.count > failed {
        lines.append(StyledLine(say("%1 waiting to be sent.", SafeText(unsent.count - failed))))
      }
      if failed > 0 {
        lines.append(
          StyledLine(say("%1 failed; /retry all sends them again.", SafeText(failed))))
      }
    }
    if screen.isPaused {
      lines.append(
        StyledLine(
          screen.held.count > 0
            ? say("Output paused; %1 new. Type /bottom to resume.", SafeText(screen.held.count))
            : say("Output paused; type /bottom to resume.")))
    }
    if let away = place.away {
      lines.append(
        StyledLine(
          away.isEmpty
            ? say("You are away; /back ends it.")
            : say("You are away: %1. /back ends it.", SafeText(line: away))))
    }
    for account in session.accounts.list {
      let state = AccountCommands(session: session).state(of: account)
      lines.append(
        StyledLine(say("The account %1: %2.", SafeText(line: account.address), state)))
    }
    for entry in news.unread {
      lines.append(
        StyledLine(
          say(
            "%1 unread in %2.", SafeText(entry.count), SafeText(name: entry.conversation.name))))
    }
    lines.append(StyledLine(say("The store is %1.", SafeText(line: store.path)), .dim))
    transcript.answer(lines)
  }

  // MARK: Holding what comes (rule 7.6)

  func pause(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("pause") }
    guard !screen.isPaused else {
      return tell(say("Output is already paused; type /bottom to resume."))
    }
    _ = try place.required()
    screen.pause()
    tell(say("Output paused; type /bottom or send a message to resume."))
  }

  func bottom(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("bottom") }
    guard screen.isPaused else {
      return tell(say("Output is not paused; type /pause to pause it."))
    }
    let count = screen.held.count
    screen.letGo()
    news.catchUp()
    if count == 0 { emit(.notice(say("Nothing came meanwhile"))) }
  }
}

extension DeliveryState {
  /// In one word.
  package var word: SafeText {
    switch self {
    case .failed: say("failed")
    case .sending: say("sending")
    case .sent: say("sent")
    case .delivered: say("delivered")
    case .seen: say("seen")
    }
  }
}

extension String {
  /// Without white space at either end.
  var trimmingBlanks: String {
    let head = drop { $0.isWhitespace }
    let tail = head.reversed().drop { $0.isWhitespace }
    return String(String(tail.reversed()))
  }
}
