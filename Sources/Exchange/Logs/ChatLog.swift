// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Conversations
import Glibc

/// A line of another program's log.
enum LogEntry: Hashable {
  case message(at: Milliseconds, nick: String, text: String, kind: Message.Kind)
  /// A join, a leave, a mode, a topic, or a message without a text.
  case event
  /// Not an event: the opening of the log, a new day, an empty line.
  case nothing
}

/// The log of another program, line by line. Times in it are this machine's local times.
protocol ChatLog {
  /// - Throws: `LineFault` for an unreadable line.
  mutating func entry(in line: String) throws -> LogEntry
  /// The room whose log has this base name; nil if the name does not tell.
  static func room(ofFile name: String) -> String?
  /// Whether it could be a line of such a log.
  static func matches(_ line: String) -> Bool
}

/// irssi's log in its default format: `10:00 <@anna> text`, and the day in separate lines
/// (https://irssi.org/documentation/settings/, log_timestamp, log_day_changed, log_open_string).
struct IrssiLog: ChatLog {
  /// The last day mentioned.
  private var day: WallTime?
  /// The error in that day, if it makes all following lines unreadable.
  private var unknownDay: LineFault?

  static func matches(_ line: String) -> Bool {
    line.hasPrefix("--- Log opened ") || line.hasPrefix("--- Day changed ")
      || (clock(in: line) != nil)
  }

  static func room(ofFile name: String) -> String? {
    let bare = name.hasSuffix(".log") ? String(name.dropLast(4)) : name
    return roomName(bare)
  }

  mutating func entry(in line: String) throws -> LogEntry {
    if line.allSatisfy(\.isWhitespace) { return .nothing }
    if line.hasPrefix("--- ") { return try mark(line) }
    guard let (time, rest) = Self.clock(in: line) else {
      throw LineFault("it does not begin with a time")
    }
    guard var moment = day else {
      throw unknownDay ?? LineFault("no earlier line says which day this is")
    }
    (moment.hour, moment.minute, moment.second) = (time.hour, time.minute, time.second)
    return try said(String(rest), at: milliseconds(of: moment))
  }

  private mutating func mark(_ line: String) throws -> LogEntry {
    if line.hasPrefix("--- Log closed") { return .nothing }
    // November 21 10:00:00 2026, and without a time of day.
    for (prefix, count) in [("--- Log opened", 4), ("--- Day changed", 3)]
    where (line + " ").hasPrefix(prefix + " ") {
      let date = line.dropFirst(prefix.count).drop { $0 == " " }
      // The weekday, in whatever language, adds nothing.
      let parts = date.split(separator: " ").suffix(count)
      // The following lines belong to an unknown day, not to the previous one.
      (day, unknownDay) = (nil, nil)
      guard parts.count == count, let name = parts.first else {
        throw LineFault("there is no such day: %1", String(date))
      }
      guard let month = MonthNames.number(of: name) else {
        let fault = LineFault(
          "hobnob does not know the month “%1”; set LC_TIME to the language of the log",
          String(name)
        ).once
        unknownDay = fault
        throw fault
      }
      let numbers = [String(month), String(parts[parts.startIndex + 1])].map {
        $0.utf8.count == 1 ? "0" + $0 : $0
      }
      day =
        DateParser(([parts.last.map(String.init) ?? ""] + numbers).joined(separator: "-"))?.wall
      if day == nil { throw LineFault("there is no such day: %1", String(date)) }
      return .nothing
    }
    throw LineFault("it does not look like a line that irssi itself writes")
  }

  private static func clock(
    in line: String
  ) -> (time: (hour: Int, minute: Int, second: Int), rest: Substring)? {
    guard let space = line.firstIndex(of: " ") else { return nil }
    let fields = line[..<space].split(separator: ":", omittingEmptySubsequences: false)
    let numbers = fields.compactMap { $0.utf8.count == 2 ? Int($0) : nil }
    guard (2...3).contains(fields.count), numbers.count == fields.count, numbers[0] < 24,
      numbers.allSatisfy({ (0..<60).contains($0) })
    else { return nil }
    let second = numbers.count > 2 ? numbers[2] : 0
    return ((numbers[0], numbers[1], second), line[line.index(after: space)...])
  }

  private func said(_ rest: String, at time: Milliseconds) throws -> LogEntry {
    if rest.hasPrefix("-!-") || rest.hasPrefix("!") { return .event }
    if rest.hasPrefix("<"), let end = rest.firstIndex(of: ">") {
      return messageEntry(
        rest[rest.index(after: rest.startIndex)..<end], rest[rest.index(after: end)...], at: time)
    }
    for mark in [" * ", "* "] where rest.hasPrefix(mark) {
      let action = rest.dropFirst(mark.count)
      let nick = action.prefix { $0 != " " }
      return messageEntry(nick, action.dropFirst(nick.count), at: time, .action)
    }
    // -anna:#tea- or -anna(~a@host)-
    if rest.hasPrefix("-"), let end = rest.firstRange(of: "- ") {
      let source = rest[..<end.lowerBound].dropFirst()
      let nick = source.prefix { $0 != ":" && $0 != "(" }
      if nick.count < source.count {
        return messageEntry(nick, rest[end.upperBound...], at: time, .notice)
      }
      return .event
    }
    throw LineFault("it is neither a message nor an event")
  }

  private func messageEntry(
    _ nick: Substring, _ text: Substring, at time: Milliseconds, _ kind: Message.Kind = .text
  ) -> LogEntry {
    logMessage(nick, text.hasPrefix(" ") ? text.dropFirst() : text, at: time, kind)
  }
}

/// WeeChat's log in its default format: date and time, prefix and text between tabs
/// (https://weechat.org/files/doc/weechat/stable/weechat_user.en.html, logger.file.time_format).
struct WeeChatLog: ChatLog {
  static func matches(_ line: String) -> Bool {
    let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    return fields.count == 3 && time(String(fields[0])) != nil
  }

  static func room(ofFile name: String) -> String? {
    // irc.libera.#tea.weechatlog
    guard name.hasSuffix(".weechatlog"), let start = name.firstIndex(of: "#") else { return nil }
    return roomName(String(name[start...].dropLast(11)))
  }

  func entry(in line: String) throws -> LogEntry {
    if line.allSatisfy(\.isWhitespace) { return .nothing }
    let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    guard fields.count == 3 else {
      throw LineFault("it is not a time, a name and a text with tabs between them")
    }
    guard let time = Self.time(String(fields[0])) else {
      throw LineFault("there is no such time: %1", String(fields[0]))
    }
    switch fields[1] {
    case "--":
      guard let (nick, text) = Self.noticeParts(fields[2]) else { return .event }
      return logMessage(nick, text, at: time, .notice)
    case "", "-->", "<--", "=!=": return .event
    case " *", "*":
      let nick = fields[2].prefix { $0 != " " }
      return logMessage(nick, fields[2].dropFirst(nick.count + 1), at: time, .action)
    default:
      return logMessage(fields[1], fields[2], at: time, .text)
    }
  }

  /// `Notice(anna): text`, or `Notice(anna) -> #tea: text`.
  private static func noticeParts(_ said: Substring) -> (nick: Substring, text: Substring)? {
    guard said.hasPrefix("Notice("), let end = said.firstIndex(of: ")"),
      let text = said[end...].firstRange(of: ": ")
    else { return nil }
    let target = said[end..<text.lowerBound].dropFirst()
    guard target.isEmpty || target.hasPrefix(" -> ") else { return nil }
    return (said[..<end].dropFirst("Notice(".count), said[text.upperBound...])
  }

  /// Newer versions write microseconds and UTC.
  private static func time(_ text: String) -> Milliseconds? {
    guard let written = DateParser(text) else { return nil }
    if written.minutesEast != nil { return written.exact }
    // Exactly this form: 2026-11-21 10:00:00.
    let isUsual = text.utf8.count == 19 && text.contains(" ")
    return isUsual ? try? milliseconds(of: written.wall) : nil
  }
}

extension ImportFormat {
  /// The format of the first lines of a file; nil if it is none of these.
  static func format(of lines: [[UInt8]]) -> ImportFormat? {
    for line in lines.map(logLine) {
      if line.drop(while: { $0 == "\u{FEFF}" || $0.isWhitespace }).hasPrefix("{") { return .json }
      if IrssiLog.matches(line) { return .irssi }
      if WeeChatLog.matches(line) { return .weechat }
    }
    return nil
  }
}

/// The line as text. Bytes that are not UTF-8 are read as Latin-1, as was usual on IRC.
func logLine(_ bytes: some Collection<UInt8>) -> String {
  if let text = String(validating: bytes, as: UTF8.self) { return text }
  return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

/// The nick without the prefix for its rank in the channel.
private func logMessage(
  _ nick: Substring, _ text: Substring, at time: Milliseconds, _ kind: Message.Kind
) -> LogEntry {
  var nick = nick.drop { $0 == " " }
  if let sign = nick.first, "@+%&~!".contains(sign) { nick = nick.dropFirst() }
  if text.allSatisfy(\.isWhitespace) { return .event }
  return .message(at: time, nick: String(nick), text: String(text), kind: kind)
}

/// The name, if it is a channel's; nil otherwise. `##tea` is not the same channel as `#tea`.
private func roomName(_ name: String) -> String? {
  name.hasPrefix("#") && !name.allSatisfy { $0 == "#" } ? name : nil
}

private func milliseconds(of local: WallTime) throws -> Milliseconds {
  let time = TimeZoneRules.local.time(local)
  guard Message.times.contains(time) else { throw LineFault("there is no such time") }
  return time
}
