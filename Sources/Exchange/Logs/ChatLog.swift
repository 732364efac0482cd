// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Conversations
import Glibc

/// A line of another program's log.
enum LogEntry: Hashable {
  case message(at: Milliseconds, nick: String, text: String, kind: Message.Kind)
  /// A join, a leave, a mode, a topic, or a message without a text.
  case event
  /// A further line of the message before it.
  case more(String)
  /// Not an event: the opening of the log, a new day, an empty line.
  case nothing
}

/// The log of another program, line by line. Times without a zone are this machine's local times.
protocol ChatLog {
  /// - Throws: `LineFault` for an unreadable line.
  mutating func entry(in line: String) throws -> LogEntry
  /// The room whose log has this base name; nil if the name does not tell.
  static func room(ofFile name: String) -> String?
  /// Whether it could be a line of such a log.
  static func matches(_ line: String) -> Bool
}

/// Turns the wall times of a log, which are in order, into points in time: in the hour that comes
/// twice at the end of summer time, a time that goes backwards begins its second round.
struct LogClock {
  private let zone: TimeZoneRules
  private var last = Milliseconds.min

  init(zone: TimeZoneRules = .local) { self.zone = zone }

  /// - Throws: `LineFault` for a time that messages cannot have.
  mutating func time(_ wall: WallTime) throws -> Milliseconds {
    let times = zone.times(wall)
    let time =
      times.lowerBound < last && last <= times.upperBound ? times.upperBound : times.lowerBound
    guard Message.times.contains(time) else { throw LineFault("there is no such time") }
    last = time
    return time
  }
}

/// irssi's log: `10:00 <@anna> text`, and the day in separate lines; or a time in brackets, or with
/// a date in front (https://irssi.org/documentation/settings/, log_timestamp, log_day_changed,
/// log_open_string).
struct IrssiLog: ChatLog {
  /// The last day mentioned.
  private var day: WallTime?
  /// The error in that day, if it makes all following lines unreadable.
  private var unknownDay: LineFault?
  private var clock: LogClock

  init(zone: TimeZoneRules = .local) { clock = LogClock(zone: zone) }

  static func matches(_ line: String) -> Bool {
    line.hasPrefix("--- Log opened ") || line.hasPrefix("--- Day changed ")
      || (stamp(of: line) != nil)
  }

  static func room(ofFile name: String) -> String? {
    let bare = name.hasSuffix(".log") ? String(name.dropLast(4)) : name
    return roomName(bare)
  }

  mutating func entry(in line: String) throws -> LogEntry {
    if line.allSatisfy(\.isWhitespace) { return .nothing }
    if line.hasPrefix("--- ") { return try mark(line) }
    guard let (written, rest) = Self.stamp(of: line) else {
      throw LineFault("it does not begin with a time")
    }
    switch written {
    case .exact(let time): return try said(rest, at: time)
    case .wall(let moment):
      (day, unknownDay) = (moment, nil)
      return try said(rest, at: clock.time(moment))
    case .ofDay(let time):
      guard var moment = day else {
        throw unknownDay ?? LineFault("no earlier line says which day this is")
      }
      (moment.hour, moment.minute, moment.second) = (time.hour, time.minute, time.second)
      return try said(rest, at: clock.time(moment))
    }
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

  /// A time before a line.
  private enum Stamp {
    case exact(Milliseconds)
    /// With its day.
    case wall(WallTime)
    /// Without its day.
    case ofDay(WallTime)

    init?(_ text: Substring) {
      let fields = text.split(separator: " ", maxSplits: 1)
      if fields.count == 2 {
        // 21.11.2026 10:00
        let date = fields[0].split(separator: ".", omittingEmptySubsequences: false)
        let day = date.count == 3 ? date.reversed().joined(separator: "-") : String(fields[0])
        self.init(DateParser(day + "T" + fields[1]))
      } else if text.utf8.dropFirst(4).first == UInt8(ascii: "-") {
        self.init(DateParser(String(text)))
      } else {
        guard text.utf8.count <= 8, text.contains(":"),
          let time = DateParser("2000-01-01T" + text)?.wall
        else { return nil }
        self = .ofDay(time)
      }
    }

    /// - Parameter written: a date without a time is nil.
    private init?(_ written: DateParser?) {
      guard let written, written.hasTime else { return nil }
      if let time = written.exact { self = .exact(time) } else { self = .wall(written.wall) }
    }
  }

  /// The time at the beginning of a line, and the text after one blank.
  private static func stamp(of line: String) -> (time: Stamp, rest: String)? {
    var rest = line[...]
    if rest.first == "[" {
      guard let end = rest.firstIndex(of: "]"), let time = Stamp(rest[..<end].dropFirst()) else {
        return nil
      }
      rest = rest[end...].dropFirst()
      return (time, String(rest.first == " " ? rest.dropFirst() : rest))
    }
    // A date and a time, or a time.
    let first = rest.prefix { $0 != " " }
    let second = rest.dropFirst(first.count + 1).prefix { $0 != " " }
    for end in [second.endIndex, first.endIndex] where end < rest.endIndex {
      if let time = Stamp(rest[..<end]) { return (time, String(rest[end...].dropFirst())) }
    }
    return nil
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
  private var clock: LogClock

  init(zone: TimeZoneRules = .local) { clock = LogClock(zone: zone) }

  static func matches(_ line: String) -> Bool {
    let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    return fields.count == 3 && written(fields[0]) != nil
  }

  static func room(ofFile name: String) -> String? {
    // irc.libera.#tea.weechatlog
    guard name.hasSuffix(".weechatlog"), let start = name.firstIndex(of: "#") else { return nil }
    return roomName(String(name[start...].dropLast(11)))
  }

  mutating func entry(in line: String) throws -> LogEntry {
    let fields = line.split(separator: "\t", maxSplits: 2, omittingEmptySubsequences: false)
    // WeeChat writes the newlines of a message as they are.
    guard fields.count == 3, DateParser(String(fields[0].prefix(4))) != nil else {
      return .more(line)
    }
    guard let written = Self.written(fields[0]) else {
      throw LineFault("there is no such time: %1", String(fields[0]))
    }
    var time = written.exact ?? 0
    if written.exact == nil {
      time = try clock.time(written.wall) + Milliseconds(written.thousandths)
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

  /// Exactly `2026-11-21 10:00:00`; newer versions add microseconds, or UTC.
  private static func written(_ text: Substring) -> DateParser? {
    guard let written = DateParser(String(text)) else { return nil }
    if written.exact != nil { return written }
    let hasSecond = text.utf8.count == 19 || text.utf8.dropFirst(19).first == UInt8(ascii: ".")
    return written.minutesEast == nil && hasSecond && text.contains(" ") ? written : nil
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
