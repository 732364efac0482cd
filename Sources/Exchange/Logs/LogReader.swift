// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform

/// Reads the log of another program into an import.
struct LogReader {
  private let work: Import
  private let lines: LineReader
  /// The name of the file.
  private let name: String

  init(_ work: Import, _ lines: LineReader, _ name: String) {
    (self.work, self.lines, self.name) = (work, lines, name)
  }

  func read(as log: some ChatLog, into conversation: String?) throws {
    var log = log
    let file = name.split(separator: "/").last.map(String.init) ?? ""
    guard let named = conversation ?? type(of: log).room(ofFile: file) else {
      throw ImportFault(
        name, 0,
        ("its name does not show the room of the log; name the room with --conversation", []))
    }
    try work.beginSource()
    let wanted = try logConversation(named)
    // Find or create it at the first message: a file without messages creates no room.
    var joined: ImportedConversation?
    var copies = LogUIDs(conversation: wanted.key)
    var said: Set<String> = []
    func leaveOut(_ fault: LineFault) {
      if fault.isSaidOnce, !said.insert(fault.sentence.key.description).inserted {
        work.report.leftOut += 1
      } else {
        work.leaveOut(name, lines.number, fault)
      }
    }
    while let line = try lines.next({ logLine($0) }) {
      let entry: LogEntry
      do {
        entry = try log.entry(in: line)
      } catch let fault as LineFault {
        leaveOut(fault)
        continue
      }
      switch entry {
      case .nothing: break
      case .event: work.report.events += 1
      case .message(let time, let nick, let text, let kind):
        do {
          try work.check(nick)
        } catch let fault as LineFault {
          leaveOut(fault)
          continue
        }
        let found = try joined ?? self.conversation(of: wanted)
        joined = found
        var message = NewMessage(
          speaker: try speakerID(nick, in: wanted), body: text, kind: kind, time: time, isPast: true
        )
        message.uid = copies.uid(time, nick, text, kind)
        do {
          _ = try work.add(message, in: found)
        } catch let fault as LineFault {
          leaveOut(fault)
        }
      }
    }
  }

  /// The conversation of a log.
  private enum LogConversation {
    case room(String)
    case direct(DirectLog)

    /// A key that does not depend on spelling or on the importing person, since it is part of the
    /// messages' uids.
    var key: String {
      switch self {
      case .room(let name):
        let folded = name.lowercased()
        return folded.hasPrefix("#") ? folded : "#" + folded
      case .direct(let log):
        let two = [log.other, log.me].map { $0.lowercased() }.sorted()
        return "@" + two.joined(separator: "\u{0}")
      }
    }
  }

  /// The log of a direct chat of the importing person.
  private struct DirectLog {
    /// The identity of the importing person, and their names in the log.
    var me: String
    var myNames: [String]
    /// The identity of the other person, and their names in the log.
    var other: String
    var otherNames: [String]

    /// The identity of the person with this name in the log, in which only these two people speak.
    func otherName(named nick: String) -> String {
      if Naming.same(nick, me) { return me }
      if Naming.same(nick, other) { return other }
      if otherNames.contains(where: { Naming.same($0, nick) }) { return other }
      return myNames.contains { Naming.same($0, nick) } ? me : nick
    }
  }

  /// - Parameter name: a room, or `@` and the name or identity of a person, who may be new.
  private func logConversation(_ name: String) throws -> LogConversation {
    guard name.hasPrefix("@") else {
      // Use the spelling that the store has.
      return .room((try? work.transaction.room(name))??.name ?? name)
    }
    let typed = String(name.dropFirst())
    let known = try work.transaction.find(participant: name).flatMap {
      $0.network == nil ? $0 : nil
    }
    let mine = try work.transaction.participant(ifKnown: work.me)
    let log = DirectLog(
      me: mine?.identity ?? work.me, myNames: [mine?.name ?? work.me],
      other: known?.identity ?? typed,
      otherNames: [typed, known?.name ?? typed])
    try work.check(log.other)
    guard !Naming.same(log.other, log.me) else { throw LineFault("“%1” is your own name", name) }
    return .direct(log)
  }

  private func speakerID(_ nick: String, in log: LogConversation) throws -> ID<Participant> {
    guard case .direct(let direct) = log else { return try work.person(nick, network: "") }
    return try work.person(direct.otherName(named: nick), network: "")
  }

  /// Finds or creates the log's conversation, and lets the importing person join it.
  private func conversation(of log: LogConversation) throws -> ImportedConversation {
    let mine = try work.person(work.me, network: "")
    switch log {
    case .room(let name):
      let conversation = try work.room(name, network: "")
      work.entering.append((mine, conversation))
      return conversation
    case .direct(let log):
      let other = try work.person(log.other, network: "")
      let conversation = try work.direct(mine, other, network: "")
      work.entering += [(mine, conversation), (other, conversation)]
      return conversation
    }
  }
}

/// Gives messages of a log, which have no ids, the same uid each time, so that importing a longer
/// version adds only the new messages.
private struct LogUIDs {
  let conversation: String
  /// How often the same message was sent at the same time, which is a minute for irssi.
  private var counts: [String: Int] = [:]
  private var day: Milliseconds = 0

  init(conversation: String) {
    self.conversation = conversation
  }

  mutating func uid(
    _ time: Milliseconds, _ nick: String, _ text: String, _ kind: Message.Kind
  ) -> [UInt8] {
    if day != time / 86_400_000 {
      counts.removeAll(keepingCapacity: true)
      day = time / 86_400_000
    }
    // A notice has the uid of a text, since earlier versions imported it as a text.
    let kind = kind == .notice ? .text : kind
    let said = "\(time)\u{0}\(kind.rawValue)\u{0}\(nick)\u{0}\(text)"
    let count = counts[said, default: 0]
    counts[said] = count + 1
    var hash = SHA256()
    let all = Array("hobnob log\u{0}\(conversation)\u{0}\(count)\u{0}\(said)".utf8)
    all.withUnsafeBytes { hash.update($0) }
    return Array((bytes(ofHexadecimal: hash.finish()) ?? []).prefix(16))
  }
}
