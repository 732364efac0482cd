// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// What every part of a client shares: facts about the owner and the server, the clock, and the
/// output of this step.
struct IRCContext: NetworkContext, Sendable {
  /// The owner's nick, as the server spells it.
  var nick = "" {
    didSet { if ownNicks.count < Self.mostNicks { ownNicks.insert(nick) } }
  }
  /// The nicks that the owner has had on this connection.
  private(set) var ownNicks: Set<String> = []
  private static let mostNicks = 20
  /// The account that the owner is logged in to.
  var account: String?
  /// `user@host` of the owner, as others see it; nil until the server has shown it.
  var userAndHost: String?
  var isUp = false
  /// The wall clock at the beginning of the connection.
  var connectedAt: Milliseconds = 0
  /// How far this machine's clock is ahead of the server's, as its last answer showed.
  private(set) var clockLead: Milliseconds = 0
  /// Whether the server's greeting is over.
  var isReady = false
  var clock = AlarmClock<IRCAlarm>()
  var support = ISupport() {
    didSet { names.rules = support.rules }
  }
  var capabilities = Capabilities()
  var requests = RequestQueue()
  var output = StepOutput<SessionAct>()
  var throttle = Throttle()
  /// Lines that wait for the throttle, beside the owner's messages.
  private(set) var waiting = LineQueue()
  /// The addresses of the rooms that are open in the owner's shells.
  private(set) var openRooms: Set<String> = []
  /// Whether a message went out after the owner's last waiting line, so that such a line is next.
  private var owesTurn = false
  /// How many turns in a row the owner has had while a line of the client's own waited.
  private var ownersTurns = 0
  /// After that many, it is the client's own turn.
  private static let mostOwnersTurns = 4
  /// Whether the waiting lines have just let a message go first.
  private var hasYielded = false
  private var lines: [IRCLine] = []
  private var labels = 0

  var names = ScopedNames()

  func fold(_ name: String) -> String { names.fold(name) }

  func has(_ capability: String) -> Bool { capabilities.has(capability) }

  /// Whether the server tells who is logged in to which account.
  var knowsAccounts: Bool {
    has(Capabilities.accountTag) || has("extended-join") || has("account-notify")
      || support["WHOX"] != nil
  }

  func isMe(_ nick: String) -> Bool { fold(nick) == fold(self.nick) }

  /// What the server's clock shows.
  var serverTime: Milliseconds { clock.wall - clockLead }

  /// Notes the time at which the server wrote a line, which has just arrived.
  mutating func noteTime(of line: IRCLine) {
    if let time = line.time { clockLead = clock.wall - time }
  }

  /// Whether this connection is to one network of a bouncer.
  var isBouncersNetwork: Bool { support["BOUNCER_NETID"]?.isEmpty == false }
  /// Whether this connection is to the bouncer itself, not to one of its networks.
  var isBouncerItself: Bool { has(Capabilities.networks) && !isBouncersNetwork }

  func isRoom(_ target: String) -> Bool { names.isRoom(target) }

  mutating func disconnect() {
    (isUp, isReady, userAndHost) = (false, false, nil)
    (account, ownNicks, clockLead) = (nil, [], 0)
    (waiting, lines, owesTurn, ownersTurns) = (LineQueue(), [], false, 0)
    forgetConnection()
  }

  // MARK: The output

  /// Tells what the people on this network call the owner.
  mutating func tellNick() { tell(.named(nick: nick, scope: names.scope)) }

  /// Sends a line now, whatever the throttle says.
  mutating func sendNow(_ line: IRCLine) { lines.append(line) }

  /// Sends a line as soon as the throttle lets it.
  mutating func send(_ line: IRCLine, _ urgency: LineQueue.Urgency = .owner) {
    waiting.add(line, urgency, at: clock.time)
  }

  /// Enters a room, with others that wait in the same line.
  mutating func enter(_ room: String, key: String) {
    if key.isEmpty, waiting.addRoom(room, most: support.targets(of: "JOIN")) { return }
    send(IRCLine("JOIN", [room] + (key.isEmpty ? [] : [key])))
  }

  /// Asks about the people in rooms that are open in shells before it asks about others.
  mutating func noteOpen(_ rooms: Set<String>) {
    let new = rooms.subtracting(openRooms)
    openRooms = rooms
    if !new.isEmpty { waiting.hurry { [names] in new.contains(names.fold($0)) } }
  }

  /// Gives the lines that wait for the throttle the new name of a room.
  ///
  /// - Parameter former: its address before.
  mutating func follow(_ former: String, to name: String) {
    waiting.rename(to: name) { [names] in names.fold($0) == former }
  }

  static let historyCommand = "CHATHISTORY"
  /// How long a question to the history, and a shell's request, wait for their answers.
  private static let (historyPatience, requestPatience): (Milliseconds, Milliseconds) = (
    30_000, 15_000
  )

  private mutating func sendWaiting(_ next: (line: IRCLine, urgency: LineQueue.Urgency)?) {
    guard let next else { return }
    // While a question waits here, the server is not silent.
    if next.line.command == Self.historyCommand { clock.set(.history, in: Self.historyPatience) }
    if next.urgency == .request, waiting.requests == 0 {
      clock.set(.request, in: Self.requestPatience)
    }
    lines.append(next.line)
    if next.urgency <= .owner { noteOwnersTurn() } else { ownersTurns = 0 }
  }

  private mutating func noteOwnersTurn() { ownersTurns = waiting.hasOthers ? ownersTurns + 1 : 0 }

  /// Whether the owner has had so many turns that the client's own lines are next.
  private var owesOthersTurn: Bool { waiting.hasOthers && ownersTurns >= Self.mostOwnersTurns }

  /// Takes one line from what the throttle allows; false if it allows none now.
  mutating func takeTurn() -> Bool {
    guard throttle.count(at: clock.time) > 0 else { return false }
    throttle.use()
    return true
  }

  /// Sends a line of a message.
  mutating func sendMessage(_ line: IRCLine) {
    throttle.use()
    lines.append(line)
    owesTurn = true
    noteOwnersTurn()
  }

  /// Sends one waiting line if it is its turn after messages. Without turns, a long text would keep
  /// those lines waiting.
  mutating func flushOne() {
    if owesOthersTurn {
      if takeTurn() { sendWaiting(waiting.takeOthers(at: clock.time)) }
    } else if owesTurn, waiting.hasOwners, takeTurn() {
      sendWaiting(waiting.takeOwners())
      owesTurn = false
    }
  }

  /// How many lines may go out now.
  mutating func freeTurns() -> Int { throttle.count(at: clock.time) }

  /// Sends what waited for the throttle.
  ///
  /// - Parameters:
  ///   - more: whether the outbox has lines that wait as well.
  ///   - yields: whether the next turn is for the outbox, and the store must first record it.
  mutating func flush(more: Bool, yields: Bool) {
    hasYielded = yields && !hasYielded
    if hasYielded { return }
    while !waiting.isEmpty {
      let isOwners = waiting.hasOwners && !owesOthersTurn
      // One turn stays free for what the owner does next.
      let reserve = isOwners || owesOthersTurn ? 0 : throttle.reserve
      guard throttle.count(at: clock.time) > reserve, takeTurn() else { break }
      sendWaiting(isOwners ? waiting.takeOwners() : waiting.takeOthers(at: clock.time))
    }
    // A batch may have taken more turns than there were.
    if more && throttle.count(at: clock.time) <= 0 || !waiting.isEmpty {
      clock.set(.throttle, in: throttle.wait(at: clock.time))
    }
  }

  /// A line that makes the server repeat a token, after it has answered all lines before.
  func probe(_ token: String) -> IRCLine {
    IRCLine(capabilities.isOfZNC ? "WHOIS" : "PING", [Self.probe + token])
  }

  static let probe = "hobnob-"

  /// A label for one line; nil if the server does not support labels.
  mutating func newLabel() -> String? {
    guard has(Capabilities.labels) else { return nil }
    labels += 1
    return "h" + String(labels, radix: 36)
  }

  /// Adds the lines of this step to its output.
  mutating func addLines() {
    if !lines.isEmpty { output.addFirst(.act(.send(lines))) }
    lines = []
  }

  // MARK: Ranks

  /// The words for the highest of these signs and for a bot; empty for none.
  func rank(for signs: String, isBot: Bool = false) -> String {
    [rank(for: signs), isBot ? Presence.bot : ""].filter { !$0.isEmpty }.joined(separator: ", ")
  }

  private func rank(for signs: String) -> String {
    let ranks = support.ranks
    guard let index = ranks.signs.firstIndex(where: { signs.contains($0) }) else { return "" }
    return switch ranks.modes[index] {
    case "q": "founder"
    case "a": "administrator"
    case "o": "operator"
    case "h": "half-operator"
    case "v": "voice"
    case let mode: String(mode)
    }
  }

  // MARK: Bytes

  /// The most bytes that a message's text and target can have in one line: 512 minus CR, LF and the
  /// source that the server puts in front (RFC 1459, 2.3).
  var longestLine: Int {
    // The longest names that servers usually allow.
    let prefix = userAndHost.map { nick.utf8.count + $0.utf8.count + 3 } ?? 20 + 20 + 63 + 4
    return 512 - 2 - prefix - "PRIVMSG  :".utf8.count
  }
}
