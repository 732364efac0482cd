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
    func leaveOut(_ fault: LineFault, _ line: Int) {
      if fault.isSaidOnce, !said.insert(fault.sentence.key.description).inserted {
        work.report.leftOut += 1
      } else {
        work.leaveOut(name, line, fault)
      }
    }
    // A message waits for its further lines.
    var pending: (message: NewMessage<ID<Participant>>, line: Int)?
    func addPending() throws {
      guard let (message, line) = pending.take(), let joined else { return }
      var complete = message
      while complete.body.hasSuffix("\n") { complete.body.removeLast() }
      do {
        _ = try work.add(complete, in: joined)
      } catch let fault as LineFault {
        leaveOut(fault, line)
      }
    }
    // Further lines of an event are not messages either.
    var isInEvent = false
    while let line = try lines.next({ logLine($0) }) {
      let entry: LogEntry
      do {
        entry = try log.entry(in: line)
      } catch let fault as LineFault {
        try addPending()
        isInEvent = false
        leaveOut(fault, lines.number)
        continue
      }
      if case .more(let text) = entry {
        if pending != nil {
          pending?.message.body += "\n" + text
        } else if !isInEvent, !text.allSatisfy(\.isWhitespace) {
          leaveOut(
            LineFault("it is not a time, a name and a text with tabs between them"), lines.number)
        }
        continue
      }
      try addPending()
      isInEvent = entry == .event
      switch entry {
      case .nothing, .more: break
      case .event: work.report.events += 1
      case .message(let time, let nick, let text, let kind):
        do {
          try work.check(nick)
        } catch let fault as LineFault {
          leaveOut(fault, lines.number)
          continue
        }
        joined = try joined ?? self.conversation(of: wanted)
        var message = NewMessage(
          speaker: try speakerID(nick, in: wanted), body: text, kind: kind, time: time, isPast: true
        )
        // Earlier versions left out the further lines.
        message.uid = copies.uid(time, nick, text, kind)
        pending = (message, lines.number)
      }
    }
    try addPending()
  }

  /// The conversation of a log.
  private enum LogConversation {
    case room(String)
    case direct(DirectLog)
    /// A room, or the direct chat with a person, on the network of an own account.
    case networkRoom(String, Account, myNicks: Set<String>)
    case networkChat(String, Account, myNicks: Set<String>)

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
      case .networkRoom(let address, let account, _): return account.network + "\u{0}" + address
      case .networkChat(let address, let account, _):
        return account.network + "\u{0}@" + address
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

  /// The conversation that a name means (rule 11.2).
  ///
  /// - Parameter name: a room, or `@` and the name or identity of a person, who may be new.
  /// - Throws: `LineFault`; `RuleError.ambiguous`.
  private func logConversation(_ name: String) throws -> LogConversation {
    let mine = try work.transaction.participant(ifKnown: work.me)
    guard name.hasPrefix("@") else {
      var room: Conversation?
      do {
        room = try work.transaction.room(name, for: mine?.id)
      } catch RuleError.badName {}
      if let room, let account = try ownAccount(of: room.network, mine) {
        return .networkRoom(
          try work.transaction.networkAddress(of: room.id), account,
          myNicks: try nicks(of: mine, account))
      }
      // Use the spelling that the store has.
      if let room, room.network == nil { return .room(room.name) }
      guard try isOnNetwork(name, mine, Naming.isAddress(room: Naming.bare(name))) else {
        return .room(Naming.nameHere(name) ?? name)
      }
      let account = try ownAccount(reaching: name, mine)
      guard let address = account.address(ofRoom: name) else { throw Self.notReached(name) }
      return .networkRoom(address, account, myNicks: try nicks(of: mine, account))
    }
    let typed = String(name.dropFirst())
    let known = try work.transaction.find(participant: name, for: mine?.id)
    if let known, let account = try ownAccount(of: known.network, mine) {
      return .networkChat(known.identity, account, myNicks: try nicks(of: mine, account))
    }
    if try isOnNetwork(typed, mine, typed.contains("@")) {
      let account = try ownAccount(reaching: typed, mine)
      guard let address = account.address(ofPerson: typed) else { throw Self.notReached(name) }
      return .networkChat(address, account, myNicks: try nicks(of: mine, account))
    }
    let bare = Naming.nameHere(typed) ?? typed
    let log = DirectLog(
      me: mine?.identity ?? work.me, myNames: [mine?.name ?? work.me],
      other: known?.identity ?? bare,
      otherNames: [bare, known?.name ?? bare])
    try work.check(log.other)
    guard !Naming.same(log.other, log.me) else { throw LineFault("“%1” is your own name", name) }
    return .direct(log)
  }

  /// - Parameter isAddress: whether the name looks like an address with a server.
  private func isOnNetwork(_ name: String, _ me: Participant?, _ isAddress: Bool) throws -> Bool {
    if isAddress, Naming.nameHere(name) == nil { return true }
    let accounts = try me.map { try work.transaction.accounts(of: $0.id) } ?? []
    return accounts.contains { $0.isNamed(in: name) }
  }

  private func ownAccount(of network: String?, _ me: Participant?) throws -> Account? {
    guard let network, let me else { return nil }
    return try work.transaction.accounts(of: me.id).first { $0.network == network }
  }

  private func ownAccount(reaching address: String, _ me: Participant?) throws -> Account {
    let accounts = try me.map { try work.transaction.accounts(of: $0.id) } ?? []
    guard
      let account = try work.transaction.account(namedIn: address, among: accounts)
        ?? Account.reaching(Naming.bare(address), among: accounts)
    else {
      throw Self.notReached(address)
    }
    return account
  }

  private static func notReached(_ name: String) -> LineFault {
    LineFault("“%1” is an address on a network, and none of your accounts reaches it", name)
  }

  /// The importing person's nicks on an account's network, folded.
  private func nicks(of me: Participant?, _ account: Account) throws -> Set<String> {
    let nicks = try me.map {
      try work.transaction.roomNicknames(of: $0.id, on: account.network).values.map { $0 }
    }
    let own = String(account.address.prefix { $0 != "@" })
    return Set(((nicks ?? []) + [own]).map(account.rules.fold))
  }

  private func speakerID(_ nick: String, in log: LogConversation) throws -> ID<Participant> {
    switch log {
    case .room: return try work.person(nick, network: "")
    case .direct(let direct): return try work.person(direct.otherName(named: nick), network: "")
    case .networkRoom(let address, let account, let mine):
      // Their identity on this machine is another.
      if mine.contains(account.rules.fold(nick)) { return account.owner }
      return try work.person(nick: nick, at: address, of: account)
    case .networkChat(let address, let account, let mine):
      if mine.contains(account.rules.fold(nick)) { return account.owner }
      return try work.transaction.networkPerson(address, of: account).id
    }
  }

  /// Finds or creates the log's conversation, and lets the importing person join it. Who is in a
  /// network's room only the network says.
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
    case .networkRoom(let address, let account, _):
      return try work.room(at: address, of: account)
    case .networkChat(let address, let account, _):
      let other = try work.transaction.networkPerson(address, of: account).id
      let conversation = try work.direct(mine, other, network: account.network)
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
