// SPDX-License-Identifier: GPL-3.0-or-later

/// The logs of other programs on their way in.
extension Import {
  func read(
    _ lines: LineReader, _ name: String, as log: some ChatLog, into conversation: String?
  ) throws {
    var log = log
    let file = name.split(separator: "/").last.map(String.init) ?? ""
    guard let wanted = conversation ?? type(of: log).room(ofFile: file) else {
      throw ImportFault(
        name, 0,
        ("its name does not tell which room it is the log of; name it with --conversation", []))
    }
    // Found or made for the first message: a file of which nothing comes makes no room.
    var place: ImportedPlace?
    var copies = Copies(place: wanted.lowercased())
    var said: Set<String> = []
    func leaveOut(_ fault: LineFault) {
      if fault.isSaidOnce, !said.insert(fault.sentence.key.description).inserted {
        report.leftOut += 1
      } else {
        self.leaveOut(name, lines.number, fault)
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
      case .event: report.events += 1
      case .message(let time, let nick, let text, let kind):
        do {
          try check(nick)
        } catch let fault as LineFault {
          leaveOut(fault)
          continue
        }
        let found = try place ?? logPlace(wanted)
        place = found
        let message = ImportedMessage(
          uid: copies.uid(time, nick, text, kind), sender: try person(nick, network: ""),
          kind: kind, createdAt: time, body: text, isPast: true)
        do {
          _ = try add(message, in: found)
        } catch let fault as LineFault {
          leaveOut(fault)
        }
      }
    }
  }

  /// Whoever brings a log is in its conversation from then on.
  private func logPlace(_ name: String) throws -> ImportedPlace {
    let mine = try person(me, network: "")
    guard name.hasPrefix("@") else {
      let place = try room(name, network: "")
      if place.isNew { entering.append((mine, place)) }
      return place
    }
    let other = try person(String(name.dropFirst()), network: "")
    let place = try direct(mine, other, network: "")
    if place.isNew { entering += [(mine, place), (other, place)] }
    return place
  }
}

/// Gives messages of a log, which have no names of their own, the same uid each time: so a log that
/// has grown adds only what is new.
private struct Copies {
  /// The conversation, in lower case.
  let place: String
  /// How often the same was said at the same time, which is a minute for irssi.
  private var counts: [String: Int] = [:]
  private var day: Milliseconds = 0

  init(place: String) {
    self.place = place.hasPrefix("#") || place.hasPrefix("@") ? place : "#" + place
  }

  mutating func uid(
    _ time: Milliseconds, _ nick: String, _ text: String, _ kind: Message.Kind
  ) -> [UInt8] {
    if day != time / 86_400_000 {
      counts.removeAll(keepingCapacity: true)
      day = time / 86_400_000
    }
    let said = "\(time)\u{0}\(kind.rawValue)\u{0}\(nick)\u{0}\(text)"
    let count = counts[said, default: 0]
    counts[said] = count + 1
    var hash = SHA256()
    let all = Array("hobnob log\u{0}\(place)\u{0}\(count)\u{0}\(said)".utf8)
    all.withUnsafeBytes { hash.update($0) }
    return Array((bytes(ofHexadecimal: hash.finish()) ?? []).prefix(16))
  }
}
