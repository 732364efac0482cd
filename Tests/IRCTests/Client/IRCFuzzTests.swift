// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Repeatable
import Testing

@testable import IRC

/// Lines that are almost right, from raw bytes, in an order that makes no sense:
///
///     HOBNOB_LONG=100 swift test --filter IRCFuzz
struct IRCFuzzTests {
  private static let words = [
    "", "*", "+", "-", "anna", "Anna", "anna_", "ben", "BEN", "~ben", "eve", "a[]\\", "srv",
    "irc.example.net", "#tea", "#Tea", "#milk", "&here", "#", "@#tea", "+#tea", "#tea,#milk", "0",
    "1", "42", "-1", "99999999999999999999", "+o", "-o+v", "+b", "+k", "+ovklb", "hobnob-1",
    "hobnob-2", "hobnob-request-1", "hobnob-alive", "h1", "h2", "h3", "m1", "m2", "x", "active",
    "👍", "timestamp=2023-11-14T22:13:20.000Z", "2023-11-14T22:13:20.000Z", "0000-00-00T00:00:00Z",
    "LS", "ACK", "NAK", "NEW", "DEL", "TARGETS", "LATEST", "chathistory", "draft/multiline",
    "labeled-response", "netsplit", "znc.in/playback", "draft/chathistory-targets", "+b1", "-b1",
    "+b2", "-b2", "batch", "echo-message", "\u{1}VERSION\u{1}", "\u{1}PING x\u{1}",
    "\u{1}ACTION waves\u{1}", "\u{1}DCC SEND x\u{1}", "a b", ":x", "\u{202E}x", "é\u{301}",
    " \u{301}", ":\u{301}", "\u{3}4,4x\u{2}", "CASEMAPPING=ascii", "PREFIX=(qov)~@+",
    "CHANTYPES=#b", "CHATHISTORY=2", "STATUSMSG=@+", "BOUNCER_NETID=1", "a.b c.d",
    String(repeating: "y", count: 600), String(repeating: "é", count: 4_000),
  ]

  private static let tags = [
    "time", "msgid", "account", "label", "batch", "+typing", "+reply", "+draft/reply",
    "+draft/react", "+draft/unreact", "bot", "draft/multiline-concat",
    "draft/chathistory-context",
  ]

  /// Valid ones, of every kind that a client understands.
  private static let valid = [
    ":ben!b@h PRIVMSG #tea :hi", ":ben!b@h PRIVMSG anna :hi", ":eve!e@h NOTICE #milk :x",
    "@msgid=m1;time=2023-11-14T22:13:20.000Z;account=ben :ben!b@h PRIVMSG #tea :hi",
    ":anna!a@h PRIVMSG #tea :one", ":anna!a@h PRIVMSG ben :two", "@label=h1 :srv ACK",
    "@label=h2;msgid=m2 :anna!a@h PRIVMSG #tea :one", ":srv PONG srv hobnob-1",
    "@+typing=active :ben!b@h TAGMSG #tea", "@+draft/react=👍;+reply=m1 :ben!b@h TAGMSG #tea",
    ":ben!b@h REDACT #tea m1 :spam", ":eve!e@h JOIN #tea", ":eve!e@h JOIN #tea eve :Eve",
    ":eve!e@h PART #tea :bye", ":ben!b@h KICK #tea eve :out", ":ben!b@h KICK #milk anna :out",
    ":eve!e@h QUIT :a.example.net b.example.net", ":ben!b@h NICK benny", ":benny!b@h NICK ben",
    ":anna!a@h NICK annie", ":annie!a@h NICK anna", ":ben!b@h MODE #tea +o-v eve eve",
    ":ben!b@h MODE #tea +k key", ":ben!b@h TOPIC #tea :green", ":ben!b@h INVITE anna #milk",
    ":ben!b@h ACCOUNT ben", ":ben!b@h ACCOUNT *", ":ben!b@h AWAY :lunch", ":ben!b@h AWAY",
    ":anna!a@h CHGHOST a other.host", ":ben!b@h RENAME #milk #water :x", ":srv PING :x",
    ":anna!a@h JOIN #milk", ":srv 353 anna = #milk :@ben +eve!e@h anna", ":srv 366 anna #milk :End",
    ":srv 332 anna #tea :topic", ":srv 324 anna #tea +nt", ":srv 301 anna ben :away",
    ":srv 401 anna ben :No such nick", ":srv 404 anna #tea :no", ":srv 471 anna #milk :full",
    ":srv 470 anna #milk ##milk :Forwarding", ":srv 433 anna anna :in use",
    ":srv 730 anna :ben!b@h,eve", ":srv 731 anna :ben", ":srv 303 anna :ben",
    ":srv 354 anna 42 ben H ben", ":srv 311 anna ben b h * :Ben", ":srv 318 anna ben :End",
    ":srv 396 anna host :x", ":srv 005 anna CHATHISTORY=5 MONITOR=5 :are supported",
    ":srv MARKREAD #tea timestamp=2023-11-14T22:13:20.000Z",
    ":srv FAIL CHATHISTORY X LATEST #tea :x",
    ":srv FAIL PRIVMSG X #tea :x", ":srv CAP anna NEW :echo-message", ":srv CAP anna DEL :batch",
    ":srv BATCH +b1 chathistory #tea", "@label=h3 :srv BATCH +b1 labeled-response",
    ":ben!b@h BATCH +b2 draft/multiline #tea", ":srv BATCH -b1", ":srv BATCH -b2",
    "@batch=b1;time=2023-11-14T22:13:20.000Z :ben!b@h PRIVMSG #tea :old",
    "@batch=b2 :ben!b@h PRIVMSG #tea :more", "@batch=b1 :srv CHATHISTORY TARGETS ben x",
    ":srv BATCH +b1 draft/chathistory-targets", ":srv BOUNCER NETWORK 1 name=x",
  ]

  private struct Dice {
    var random: FixedRandom

    mutating func one<Item>(of items: [Item]) -> Item { items[random.below(items.count)] }

    mutating func change(_ line: IRCLine) -> IRCLine {
      var line = line
      switch random.below(9) {
      case 0: line.command = one(of: valid).command
      case 1: line.source = one(of: valid).source
      case 2: line.source = IRCLine.Source(one(of: words))
      case 3: line.tags[one(of: IRCFuzzTests.tags)] = one(of: words)
      case 4: line.tags.merge(one(of: valid).tags) { $1 }
      case 5: line.parameters.append(one(of: words))
      case 6: if !line.parameters.isEmpty { line.parameters.removeFirst() }
      default:
        if !line.parameters.isEmpty {
          line.parameters[random.below(line.parameters.count)] = one(of: words)
        }
      }
      return line
    }

    /// A line as bytes, which are seldom changed as well.
    mutating func bytes() -> [UInt8] {
      var line = one(of: valid)
      for _ in 0..<random.below(4) { line = change(line) }
      var bytes = Array(line.text.utf8)
      if random.below(8) == 0 {
        for _ in 0...random.below(3) where !bytes.isEmpty {
          bytes[random.below(bytes.count)] = UInt8(random.below(256))
        }
      }
      return bytes + (random.below(50) == 0 ? [] : [0x0D, 0x0A])
    }

    private var words: [String] { IRCFuzzTests.words }
    private var valid: [IRCLine] { IRCFuzzTests.lines }
  }

  private static let lines = valid.compactMap { IRCLine($0) }

  /// The addresses and identities in an event.
  private static func addresses(_ event: NetworkEvent) -> [String] {
    func of(_ place: ConversationAddress) -> String { place.address }
    func of(_ user: NetworkUser) -> [String] { user.isOwner ? [] : [user.identity] }
    return switch event {
    case .messageReceived(let message, let place): [of(place)] + of(message.speaker)
    // The server changed the owner's own message; its place comes from the store.
    case .edited(_, let user, _, _, _, _, _, _) where user.isOwner: []
    case .edited(_, let user, let place, _, _, _, _, _), .retracted(_, let user, let place, _),
      .reacted(_, _, let user, let place, _, _, _), .receipt(_, let user, let place, _, _),
      .typing(let user, let place, _):
      [of(place)] + of(user)
    case .read(_, let place), .readUntil(_, let place), .bounced(_, let place, _),
      .page(let place, _, _), .abilitiesHere(_, let place), .missing(let place):
      [of(place)]
    case .complete(let place), .unanswered(let place): place.map { [of($0)] } ?? []
    case .joined(let room, _), .left(let room, _), .lost(let room, _), .roomNamed(let room, _),
      .historySent(let room), .removed(_, let room, _, _):
      [room]
    case .roomMoved(let room, let new, let user, _): [room, new] + (user.map { of($0) } ?? [])
    case .forwarded(let room, let new, _): [room, new]
    case .present(let user, let room, _, _, _), .ranked(let user, let room, _),
      .absent(let user, let room, _), .invited(let room, let user):
      [room] + of(user)
    case .topic(let room, _, let user, _), .moderated(_, let room, let user, _):
      [room] + (user.map { of($0) } ?? [])
    case .renamed(let user, let room, _): of(user) + (room.map { [$0] } ?? [])
    case .contact(let user, _, _), .wantsContact(let user), .answeredContact(let user, _),
      .contactRemoved(let user), .noticeAbout(let user, _):
      of(user)
    case .accepted, .acceptedPart, .refused, .neverSent, .caughtUp, .answered, .fetched, .notice,
      .alert,
      .countStrangers, .offline, .named, .rules, .abilities:
      []
    }
  }

  /// What people can make a server send.
  private static let commands: Set<String> = [
    "PRIVMSG", "NOTICE", "TAGMSG", "REDACT", "JOIN", "PART", "KICK", "MODE", "TOPIC", "INVITE",
    "NICK", "QUIT", "ACCOUNT", "AWAY", "RENAME", "CHGHOST",
  ]

  /// Whether somebody on the network may have caused an event by this line. A server may do
  /// anything; what a person does belongs to one room, to their direct chat, or to themselves.
  private static func mayTell(_ event: NetworkEvent, _ line: IRCLine, _ context: IRCContext) -> Bool
  {
    guard commands.contains(line.command), let source = line.source, source.host != nil,
      !context.isMe(source.nick)
    else { return true }
    let names = context.names
    let room = names.fold(context.support.withoutStatus(line[0]))
    func isTheirs(
      _ place: ConversationAddress, _ user: NetworkUser, at time: Milliseconds? = nil
    ) -> Bool {
      // An old line may be the owner's, under a former nick.
      place == .room(room) || place == .direct(user.identity) || time != nil && user.isOwner
    }
    func isSource(_ user: NetworkUser) -> Bool {
      names.fold(user.name) == names.fold(source.nick)
    }
    switch event {
    case .messageReceived(let message, let place):
      return isTheirs(place, message.speaker, at: message.time)
    case .retracted(_, let user, let place, let time),
      .reacted(_, _, let user, let place, _, let time, _):
      return isTheirs(place, user, at: time)
    case .typing(let user, let place, _): return isTheirs(place, user)
    case .removed(_, let place, _, _), .topic(let place, _, _, _), .moderated(_, let place, _, _):
      return place == room
    case .ranked(let user, let place, _):
      return place == room || line.command == "RENAME"
        || line.tags["bot"] != nil && isSource(user)
    case .left(let place, _), .joined(let place, _), .roomNamed(let place, _),
      .roomMoved(let place, _, _, _), .forwarded(let place, _, _):
      return place == room || line.command == "RENAME"
    case .present(let user, let place, _, _, _), .absent(let user, let place, _):
      return place == room || line.command == "RENAME" || isSource(user)
        || line.command == "NICK" && names.fold(user.name) == names.fold(line[0])
    case .renamed(let user, _, _):
      return isSource(user) || names.fold(user.name) == names.fold(line[0])
    case .named: return line.command == "NICK"
    case .invited: return line.command == "INVITE"
    case .contact(let user, _, _), .noticeAbout(let user, _): return isSource(user)
    case .answered, .notice, .abilities, .accepted, .acceptedPart, .refused, .neverSent,
      .countStrangers, .caughtUp, .missing, .complete, .unanswered:
      return true
    case .lost, .rules, .offline, .edited, .receipt, .read, .readUntil, .bounced, .page,
      .historySent, .fetched, .wantsContact, .answeredContact, .contactRemoved, .abilitiesHere,
      .alert:
      return false
    }
  }

  /// Whether these lines can be the server's answer for a message.
  private static func isAnswer(_ line: IRCLine, _ context: IRCContext) -> Bool {
    // The end of a WHOIS (318) is ZNC's PONG.
    ["PONG", "BATCH", "318"].contains(line.command) || line.tags["label"] != nil
      || line.source.map { context.isMe($0.nick) } ?? false
      // So can what somebody answers whose server echoes nothing for them.
      || ["PRIVMSG", "NOTICE"].contains(line.command) && context.isMe(line[0])
  }

  private static func check(_ sent: [String]) {
    for text in sent {
      let tags = text.hasPrefix("@") ? text.prefix { $0 != " " }.utf8.count + 1 : 0
      #expect(tags <= 4_096)
      #expect(text.utf8.count - tags <= 510, "\(text)")
      #expect(!text.unicodeScalars.contains { ["\r", "\n", "\0"].contains($0) }, "\(text)")
    }
  }

  private static let labels = [
    "labeled-response", "echo-message", "message-tags", "batch", "server-time", "account-tag",
    "account-notify", "extended-join", "away-notify", "draft/message-redaction",
    "draft/chathistory", "draft/read-marker", "draft/multiline=max-bytes=300,max-lines=3",
  ]
  private static let settings: [(capabilities: [String], scope: String)] = [
    ([], ""), (labels, ""), (labels.filter { $0 != "labeled-response" }, "/net"),
    (["echo-message", "server-time"], ""),
  ]

  private static func act(_ dice: inout Dice, _ talk: inout IRCTalk, _ round: Int) {
    let scope = talk.client.context.names.scope
    // The store has no empty address.
    func address() -> String {
      let word = dice.one(of: words)
      return (word.isEmpty ? "nobody" : word) + scope
    }
    switch dice.random.below(12) {
    case 0: talk.write(dice.one(of: words), to: .room("#tea" + scope))
    case 1: talk.write("a\nb\n\nc\nd\ne", to: .direct("ben" + scope), answers: "m1")
    case 2: talk.post(.react, of: "m1", in: .room("#tea" + scope))
    case 3: talk.post(.delete, of: "m1", in: .direct("ben" + scope))
    case 4:
      talk.write(dice.one(of: words), to: .direct(address()), wasTried: dice.random.below(2) == 0)
    case 5, 6:
      let verb = dice.one(of: NetworkRequest.Verb.allCases)
      let request = NetworkRequest(
        id: Int64(round), verb: verb, target: address(), person: address(),
        text: dice.one(of: words) + " " + dice.one(of: words), count: dice.random.below(300))
      talk.tell(.requests([request]))
    case 7:
      let signals: [NetworkSignal] = [
        .typing(.room("#tea" + scope), true),
        .receipt(
          .direct("ben" + scope), MessageIDs(archive: "m1"), by: .init(identity: "x"), .seen),
      ]
      talk.tell(.signals(signals))
    case 8: talk.change(Int64(dice.random.below(round + 1)), to: nil)
    case 9: talk.deliver()
    default: talk.wait(Milliseconds(dice.random.below(5_000)))
    }
  }

  @Test(arguments: 0..<4)
  func nothingIsSentOrStoredThatMayNotBeAndNothingGrowsWithoutEnd(part: Int) {
    var dice = Dice(random: FixedRandom(seed: LongRun.seed &+ UInt64(part)))
    let (capabilities, scope) = Self.settings[part]
    let flood = part % 2 == 0 ? "off" : "3/0.5"
    func connect() -> IRCTalk {
      var talk = IRCTalk(
        capabilities, settings: ["flood": flood], rooms: ["#tea" + scope], proven: ["ben" + scope],
        contacts: ["eve" + scope: "eve"], scope: scope)
      talk.enter("#tea")
      return talk
    }
    var talk = connect()
    var reader = LineReader()
    var rest: [UInt8] = []
    for round in 0..<LongRun.rounds(4_000) {
      if round % 997 == 996 {
        talk.reconnect(capabilities)
        talk.enter("#tea")
      }
      // Nobody would write that much.
      if round % 3_001 == 3_000 { talk = connect() }
      talk.forget()
      if talk.outbox.count > 30 { talk.change(talk.outbox[0].id, to: nil) }
      Self.act(&dice, &talk, round)
      Self.check(talk.sent)
      // Without a line of the server, nothing is answered; but if a part has its answer, and the
      // owner deletes the rest, no other comes.
      for case .accepted(let entry, _, _) in talk.events {
        #expect(talk.deleted.contains(entry.id))
      }
      rest += dice.bytes()
      let count = dice.random.below(rest.count + 1)
      let lines = reader.read(Array(rest.prefix(count)))
      rest.removeFirst(count)
      for line in lines {
        talk.forget()
        let before = talk.client.context
        talk.tell(.lines([line]))
        Self.check(talk.sent)
        for event in talk.events {
          for address in Self.addresses(event) where address.isEmpty || address == scope {
            Issue.record("\(event)\nfrom \(line.text)")
          }
          // Lines of a batch count when it ends.
          if line.command != "BATCH", !Self.mayTell(event, line, before) {
            Issue.record("\(event)\nfrom \(line.text)")
          }
          if case .accepted = event {
            #expect(Self.isAnswer(line, before), "\(line.text)")
          }
        }
      }
    }
    let client = talk.client
    #expect(client.rooms.byAddress.count <= Rooms.most)
    #expect(client.rooms.people.count < 10_000)
    #expect(client.rooms.people.strangers.count <= People.mostStrangers)
    #expect(client.batches.open.count <= Batches.mostOpen)
    #expect(client.batches.bytes <= Batches.mostBytes)
    #expect(client.outbox.inFlight.count <= 100)
  }

  @Test func floodsEndAtTheirLimits() {
    var talk = IRCTalk(Self.labels)
    talk.enter("#tea", with: "")
    for number in 0..<4_000 {
      talk.forget()
      talk.receive(
        ":n\(number)!n@h PRIVMSG anna :x", ":srv BATCH +b\(number) netsplit",
        ":x\(number)!x@h NICK y",
        "@batch=b\(number % 50) :ben!b@h PRIVMSG #tea :\(String(repeating: "x", count: 400))",
        ":n\(number)!n@h NICK m\(number)", ":anna!a@h JOIN #r\(number)",
        ":srv 005 anna A\(number)=x :are supported", ":srv CAP anna NEW :cap\(number)")
    }
    let client = talk.client
    #expect(client.rooms.byAddress.count <= Rooms.most)
    #expect(client.rooms.people.strangers.count <= People.mostStrangers)
    #expect(client.rooms.people.count <= 2 * People.mostStrangers)
    #expect(client.batches.open.count == Batches.mostOpen)
    #expect(client.batches.bytes <= Batches.mostBytes)
    #expect(client.context.capabilities.offered.count <= 1_000)
    let number = { client.playbacks.number(in: .room($0), client.rooms) }
    #expect(number("#r1") != nil && number("#r3999") == nil)
  }

  @Test func roomsThatTheOwnerIsPutIntoAndOutOfLeaveNothing() {
    var talk = IRCTalk()
    for number in 0..<2_000 {
      talk.forget()
      talk.receive(":anna!a@h JOIN #r\(number)", ":ben!b@h KICK #r\(number) anna :out")
    }
    let client = talk.client
    #expect(client.rooms.byAddress.isEmpty)
    #expect(client.playbacks.number(in: .room("#r1"), client.rooms) == nil)
  }

  @Test func bytesWithoutLinesEndAtTheirLimit() {
    var reader = LineReader()
    for _ in 0..<1_000 { #expect(reader.read([UInt8](repeating: 0x61, count: 1_000)).isEmpty) }
    #expect(reader.skipped == 1)
    #expect(reader.read(Array("\nPING x\r\n".utf8)).map(\.text) == ["PING x"])
  }

  @Test func onePingIsAnsweredByOneLineHoweverLongItIs() {
    var talk = IRCTalk()
    _ = talk.takeSent()
    talk.receive("PING :" + String(repeating: "é", count: 4_000))
    let sent = talk.takeSent()
    #expect(sent.count == 1)
    Self.check(sent)
    #expect(sent[0].hasPrefix("PONG éé"))
  }

  @Test func aBatchThatNeverEndsLeavesRoomForOthers() {
    var talk = IRCTalk(Self.labels)
    talk.enter("#tea")
    talk.receive(":srv BATCH +open netsplit x y")
    let text = String(repeating: "x", count: 8_000)
    for number in 0..<2_000 {
      talk.forget()
      talk.receive(
        ":ben!b@h BATCH +b\(number) draft/multiline #tea",
        "@batch=b\(number) :ben!b@h PRIVMSG #tea :\(text)", ":ben!b@h BATCH -b\(number)")
      #expect(talk.said.count == 1)
    }
  }
}
