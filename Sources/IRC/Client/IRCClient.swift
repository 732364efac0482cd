// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// An IRC client as a value, without a connection or a store: events go in, effects come out.
///
/// ```swift
/// var client = IRCClient(Start(rooms: ["#tea"]))
/// for effect in client.handle(.up(welcome), at: Clock.wall()) { … }
/// ```
struct IRCClient: NetworkClient {
  /// What the store knows at the start.
  struct Start: Sendable {
    /// The addresses of the rooms to enter.
    var rooms: [String] = []
    /// The last `caughtUp` of each conversation.
    var marks: [String: String] = [:]
    /// The addresses of direct chats with unread messages.
    var unread: Set<String> = []
    /// The server's ids for what the owner has sent lately.
    var sent: Set<String> = []
    /// The identities of people who have written while they were logged in, and their last nicks.
    var proven: [String: String] = [:]
    /// The identities of the owner's contacts, and their names.
    var contacts: [String: String] = [:]
    /// The owner's away message; nil if they are not away.
    var away: String?
    /// `/` and the name of the bouncer's network; empty without one.
    var scope = ""
  }

  var context = IRCContext()
  var rooms = Rooms()
  var history: History
  var outbox = IRCOutbox()
  private var uploads = UploadQueue()
  var batches = Batches()
  var playbacks = Playbacks()
  var questions = Questions()
  var watched: WatchList
  var programs = CTCPAnswers()
  var away: String?
  /// The nick that the owner wanted at login.
  private(set) var ownNick = ""
  /// The throttle for each new connection.
  private var throttle = Throttle()
  /// When the server was last heard, now and on the last connection; nil if there was none.
  private var (heardAt, brokenAt): (Milliseconds?, Milliseconds?)
  private var toldAbilities: NetworkAbilities?
  /// The sentences about what this connection skipped that the owner knows.
  private var toldSkips: Set<Remark> = []
  private var toldKeys: [String: String] = [:]
  /// The PING whose answer shows that the server is there.
  private static let alive = "hobnob-alive"
  /// After how many milliseconds of silence the client sends that PING, and how long it then waits.
  private var quiet: Milliseconds = 0
  private static let patience: Milliseconds = 30_000
  private static let greeting: Milliseconds = 10_000

  init(_ start: Start) {
    history = History(marks: start.marks, scope: start.scope)
    history.unread = start.unread
    watched = WatchList(contacts: start.contacts)
    outbox.sentBefore = start.sent
    rooms.people = People(proven: start.proven)
    context.names.scope = start.scope
    for room in start.rooms { rooms.noteWanted(room, context.names) }
    away = start.away
  }

  /// Reacts to an event.
  ///
  /// - Parameter now: the wall clock, in milliseconds since 1970. It may jump.
  /// - Returns: what to do, in order. Whatever relies on events comes after the effect that stores
  ///   them.
  mutating func handle(_ event: IRCClientEvent, at now: Milliseconds) -> [IRCClientEffect] {
    context.clock.move(to: now)
    switch event {
    case .up(let welcome): connect(welcome)
    case .down: disconnect()
    case .lines(let lines): if context.isUp { receive(lines) }
    case .tried(let ids): outbox.entries.noteTried(ids)
    case .requests(let new): context.add(new)
    case .signals(let signals): for signal in signals { handle(signal) }
    case .uploaded(let id, let result): finishUpload(id, result)
    case .tick: context.clock.woke()
    }
    for alarm in context.clock.takeDue() { handle(alarm) }
    if context.isReady {
      while let request = context.requests.next() { run(request) }
      beginUpload()
      readDoubtfulChats()
      sendReadMarkers()
      context.flushOne()
      for chat in outbox.chatsToWrite { history.noteActivity(in: chat, &context) }
      let wantsMore = outbox.pump(rooms, history, in: &context)
      context.flush(more: outbox.waitingLines > 0, yields: wantsMore)
      tellAbilities()
    }
    tellKeys()
    context.addLines()
    return context.takeEffects(status: context.isUp ? status : nil)
  }

  mutating func admit(
    _ entries: [OutboxEntry], at now: Milliseconds
  ) -> Set<OutboxEntry.ID> {
    context.clock.move(to: now)
    outbox.update(to: entries, rooms.people, in: &context)
    return outbox.admit(rooms, history, in: &context)
  }

  mutating func skip(to now: Milliseconds) { context.clock.skip(to: now) }

  /// Call this before each connection.
  ///
  /// - Parameters:
  ///   - settings: the options that the owner has set.
  ///   - keys: the fact `keys`: the passwords of rooms that an earlier process learned.
  mutating func prepare(_ settings: [String: String], keys: String?) {
    throttle = Throttle(settings["flood"])
    programs.isOn = settings["ctcp"] != "off"
    watched.regains = settings["regain"] == "on"
    let seconds = settings["keep-alive"].flatMap { Int64($0) } ?? 180
    quiet = min(max(seconds, 1), 86_400) * 1_000
    rooms.note(keys: Rooms.keys(keys))
    toldKeys = rooms.keys
  }

  // MARK: The connection

  private mutating func connect(_ welcome: Login.Welcome) {
    disconnect()
    (context.isUp, context.connectedAt) = (true, context.clock.wall)
    (context.nick, context.capabilities) = (welcome.nick, welcome.capabilities)
    context.account = welcome.account
    (context.support, context.throttle) = (ISupport(), throttle)
    (watched.wanted, ownNick) = (welcome.wantedNick, welcome.wantedNick ?? welcome.nick)
    (batches, toldSkips) = (Batches(), [])
    playbacks.connect()
    context.clock.set(.silence, in: quiet)
    context.clock.set(.greeting, in: Self.greeting)
  }

  private mutating func disconnect() {
    guard context.isUp else { return }
    if context.isReady { brokenAt = heardAt }
    questions.noteBreak(in: &context)
    context.disconnect()
    context.tell(.offline(scope: context.names.scope))
    outbox.noteBreak(in: &context)
    rooms.resetAll()
    history.reset()
  }

  /// Starts working, now that the server has said what it is and can do.
  mutating func begin() {
    guard !context.isReady else { return }
    context.isReady = true
    context.clock.clear(.greeting)
    if context.support.hasNoLimit { context.throttle.turnOff() }
    context.tell(.rules(context.support.rules))
    context.tellNick()
    tellAbilities()
    // A bouncer knows which rooms its owner is in.
    if context.isBouncersNetwork {
      rooms.expectAll(in: &context)
    } else if !offersNetworks {
      rooms.enterAll(in: &context)
    }
    if let away { context.send(IRCLine("AWAY", [away.isEmpty ? "away" : away])) }
    if let wanted = watched.wanted {
      let network = context.support["NETWORK"] ?? "IRC"
      context.tell(
        .notice(
          filled(("You are %1 on %2: %3 is taken.", [context.nick, network, wanted]))))
    }
    tellGap()
    watched.begin(in: &context)
    if context.isBouncerItself {
      context.send(IRCLine("BOUNCER", ["LISTNETWORKS"]))
    } else {
      history.askForChats(in: &context)
      // The owner may have read them on another device.
      for address in history.unread.sorted() { askForMark(wireName(address), isUrgent: false) }
    }
    context.add(.ready)
  }

  /// Tells the owner what may be missing after a break.
  private mutating func tellGap() {
    // A bouncer stays connected, and sends later what it has heard.
    guard let brokenAt, context.historyLimit == nil, !offersNetworks,
      !context.capabilities.isOfZNC
    else { return }
    let seconds = max(1, Int((context.clock.wall - brokenAt) / 1_000))
    context.tell(
      .notice(
        filled(
          (
            "The connection was broken for %1. The server keeps no history, so what others wrote in that time is missing here.",
            [Abilities.span(seconds)]
          ))))
  }

  /// Reads the histories of direct chats with messages that may have arrived. The histories of
  /// rooms are read in any case.
  private mutating func readDoubtfulChats() {
    for conversation in outbox.doubtfulConversations where history.states[conversation] == nil {
      if case .direct(let identity) = conversation,
        !outbox.awaitsHolder(identity, rooms, context)
      {
        history.begin(
          conversation, as: rooms.people.nick(of: identity, context.names), in: &context)
      }
    }
  }

  private mutating func handle(_ alarm: IRCAlarm) {
    switch alarm {
    case .throttle, .upload, .markers: break
    case .silence:
      context.sendNow(IRCLine("PING", [Self.alive]))
      context.clock.set(.noAnswer, in: Self.patience)
    case .noAnswer: context.add(.hangUp(translated("The server does not answer.")))
    case .greeting: begin()
    case .answers: outbox.askForAnswers(in: &context)
    case .entering: rooms.endWaiting(in: &context)
    case .names: rooms.endLists(in: &context)
    case .request: questions.giveUp(in: &context)
    case .history: history.failAll(in: &context)
    case .hosts: rooms.endNewHosts(in: &context)
    case .holders: outbox.forgetHolders(in: &context)
    case .watch: watched.ask(in: &context)
    case .strangers: context.tell(.countStrangers)
    }
  }

  private mutating func receive(_ lines: [IRCLine]) {
    context.clock.clear(.noAnswer)
    context.clock.set(.silence, in: quiet)
    heardAt = context.clock.wall
    for line in lines {
      switch batches.take(line, at: context.clock.time) {
      case .line(let line):
        receive(line)
        questions.noteEnd(ofLabelled: line.tags["label"], in: &context)
      case .batch(let batch):
        receive(batch)
        // An inner batch is not the whole answer.
        if batch.tags["batch"] == nil {
          questions.noteEnd(ofLabelled: batch.tags["label"], in: &context)
        }
      case .unfinished: break
      case .skipped(let bytes):
        tellOnce(
          filled(
            (
              "hobnob skipped a message of more than %1. Until the next connection, it skips others without telling you.",
              [Attachment.size(bytes)]
            )))
      case .tooMany:
        tellOnce(
          filled(
            (
              "hobnob skipped a group of lines, because the server has not ended the %1 groups before it. Until the next connection, it skips others without telling you.",
              [String(Batches.mostOpen)]
            )))
      }
    }
  }

  /// Tells the owner what this connection skips (rule 14.6).
  private mutating func tellOnce(_ sentence: Remark) {
    if toldSkips.insert(sentence).inserted { context.tell(.notice(sentence)) }
  }

  // MARK: Files

  /// Uploads a file to the server's web address (soju.im/FILEHOST).
  private mutating func beginUpload() {
    uploads.keep(only: { [outbox] in outbox.entries[$0]?.entry.nextFile != nil }, in: &context)
    guard let entry = outbox.nextUpload, let file = entry.nextFile, uploads.isFree(in: &context)
    else { return }
    let id = entry.id
    guard let address = context.support[ISupport.files], !address.isEmpty else {
      return outbox.refuse(id, translated("The server accepts no files."), in: &context)
    }
    let name = file.name.filter { $0 != "\"" && $0 != "\\" && !$0.isNewline }
    uploads.begin(
      FileUpload(
        entry: id, file: file, address: address,
        headers: ["Content-Disposition: attachment; filename=\"\(name)\""]), in: &context)
  }

  private mutating func finishUpload(
    _ id: OutboxEntry.ID, _ result: Result<String, UploadFailure>
  ) {
    let failure = uploads.noteEnd(id, result, in: &outbox.entries, at: context.clock.time)
    if let failure { outbox.refuse(id, failure, in: &context) }
    outbox.noteUploaded(id, rooms.people, in: &context)
  }

  // MARK: The output

  private mutating func tellAbilities() {
    let abilities = context.abilities
    if abilities == toldAbilities { return }
    toldAbilities = abilities
    context.tell(.abilities(abilities))
  }

  private mutating func tellKeys() {
    let keys = rooms.keys
    // A bouncer knows the passwords of its owner's rooms.
    guard context.isReady, keys != toldKeys, context.names.scope.isEmpty else { return }
    toldKeys = keys
    // Once a shell knows that the owner is in a room, a kill must not lose its password.
    context.output.add(.learned("keys", Rooms.fact(keys)), early: true)
  }

  /// Whether it is about to send messages, or waits for the server to confirm some.
  var isSending: Bool {
    context.isReady && (outbox.waitingLines > 0 || !outbox.inFlight.isEmpty)
  }

  /// Whether the connection is to a bouncer that has networks, or to one of those networks.
  var offersNetworks: Bool { context.has(Capabilities.networks) }

  /// The state of the connection.
  var status: AccountStatus {
    guard context.isReady else { return .connecting }
    if rooms.entering > 0 { return .connected([.entering(rooms: rooms.entering)]) }
    if history.isReading {
      return .connected([.catchingUp(received: history.received, percent: nil)])
    }
    let lines = outbox.waitingLines + questions.waitingCount(unsent: context.waiting.requests)
    return .connected(lines > 0 ? [.throttled(lines: lines)] : [])
  }
}

extension IRCContext {
  /// What people can do in the account's conversations.
  var abilities: NetworkAbilities {
    var abilities = Abilities()
    let hasTags = has(Capabilities.tags)
    let hasReplies =
      hasTags && (support.passes(tag: "reply") || support.passes(tag: "draft/reply"))
    (abilities.editsWithin, abilities.deletes) = (0, has(Capabilities.redaction))
    (abilities.delivered, abilities.seen, abilities.blocks) = (false, false, false)
    abilities.reactionLimit =
      hasReplies && support.passes(tag: "draft/react") ? .several : .no
    abilities.replies = hasReplies
    abilities.repliesMayBeHidden = true
    abilities.typing = hasTags && support.passes(tag: "typing")
    abilities.repeatsTyping = true
    abilities.largestFile = support[ISupport.files]?.hasPrefix("https://") == true ? nil : 0
    abilities.longestLine = longestLine
    abilities.joinsLines = has(Capabilities.multiline) && has(Capabilities.batch)
    return NetworkAbilities(rooms: abilities)
  }
}
