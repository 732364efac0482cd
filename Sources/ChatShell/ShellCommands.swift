// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText

/// `/help`, `/set`, `/nick`, `/clear`, `/status`, `/quit`.
extension Shell {
  func help(_ argument: String) throws {
    let name = argument.hasPrefix("/") ? String(argument.dropFirst()) : argument
    if !name.isEmpty {
      guard let command = Command.named(name) else {
        throw Refusal(say("/%1 is no command. /help lists them.", SafeText(line: name)))
      }
      return answer(
        [
          StyledLine(SafeText(line: command.usage), .bold), StyledLine("  " + command.help),
        ], indent: 2)
    }
    let width = Command.table.map { $0.usage.count }.max() ?? 0
    let lines = Command.table.map { command in
      let blanks = String(repeating: " ", count: width - command.usage.count + 2)
      return StyledLine(SafeText(line: command.usage), .bold)
        + StyledLine(SafeText(line: blanks) + command.help)
    }
    answer(lines, indent: width + 2)
    tell(
      say(
        "Return sends; M-Return begins a new line; TAB completes; C-c empties the line, C-_ brings it back; C-d leaves. man hobnob tells the rest."
      ))
  }

  func set(_ argument: String) throws {
    let parts = argument.split(maxSplits: 1, whereSeparator: \.isWhitespace).map(String.init)
    guard let name = parts.first else {
      return try listSettings()
    }
    if name == Keep.name { return try keep(parts.count > 1 ? parts[1].trimmingBlanks : nil) }
    guard parts.count > 1 else {
      guard let entry = Settings.entry(name) else {
        throw Refusal(say("%1 is no setting; /set lists them.", SafeText(line: name)))
      }
      return answer([
        StyledLine(SafeText(line: "\(entry.name) \(entry.get(settings))"), .bold)
          + StyledLine("  " + entry.help, .dim)
      ])
    }
    try settings.change(name, to: parts[1].trimmingBlanks)
    if name == "nick" { try nick(parts[1]) }
    applySettings()
  }

  /// All settings as they are now; that of the open conversation last.
  private func listSettings() throws {
    var entries = Settings.table.map { (name: $0.name, value: $0.get(settings), help: $0.help) }
    if let conversation {
      let age = try store.keep(of: conversation.id)
      entries.append((name: Keep.name, value: Keep.written(age), help: Keep.help))
    }
    let width = entries.map(\.name.count).max() ?? 0
    answer(
      entries.map { entry in
        let blanks = String(repeating: " ", count: width - entry.name.count + 2)
        return StyledLine(SafeText(line: entry.name + blanks), .bold)
          + StyledLine(SafeText(line: entry.value)) + StyledLine("  " + entry.help, .dim)
      }, indent: width)
  }

  func nick(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("nick") }
    me = try store.rename(me.id, to: argument)
    nameMyself()
    tell(say("Others see you as %1 now.", SafeText(name: me.name)))
    catchUp()
  }

  func clear(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("clear") }
    printer.startOver()
    face?.clearScreen()
  }

  func quit(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("quit") }
    face?.quit()
  }

  func status(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("status") }
    refreshNewestOwn()
    var lines: [StyledLine] = []
    if let conversation {
      let shown = SafeText(name: conversation.name)
      let belonging =
        switch membership {
        case .member: say("You are %1 in %2.", SafeText(name: me.name), shown)
        case .left: say("You are %1; you left %2.", SafeText(name: me.name), shown)
        case .never: say("You are %1, and not in %2.", SafeText(name: me.name), shown)
        }
      lines.append(StyledLine(belonging))
      if let newestOwn {
        lines.append(
          StyledLine(
            say(
              "Your newest message here, [%1], is %2.", SafeText(newestOwn.number),
              Self.word(for: newestOwn.state))))
      }
      let unsent = try store.unsent(by: me.id, in: nil)
      let failed = unsent.filter { $0.state == .failed }.count
      if unsent.count > failed {
        lines.append(StyledLine(say("%1 waiting to be sent.", SafeText(unsent.count - failed))))
      }
      if failed > 0 {
        lines.append(
          StyledLine(say("%1 failed; /retry all sends them again.", SafeText(failed))))
      }
    }
    if isPaused {
      lines.append(
        StyledLine(
          held.count > 0
            ? say("Printing is held; %1 new. /bottom goes on.", SafeText(held.count))
            : say("Printing is held; /bottom goes on.")))
    }
    if let away {
      lines.append(
        StyledLine(
          away.isEmpty
            ? say("You are away; /back ends it.")
            : say("You are away: %1. /back ends it.", SafeText(line: away))))
    }
    for (name, count) in unread.values.sorted(by: { $0.name < $1.name }) {
      lines.append(StyledLine(say("%1 unread in %2.", SafeText(count), SafeText(name: name))))
    }
    lines.append(StyledLine(say("The store is %1.", SafeText(line: store.path)), .dim))
    answer(lines)
  }

  static func word(for state: DeliveryState) -> SafeText {
    switch state {
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
