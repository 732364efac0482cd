// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite
import Composer
import Conversations
import Foundation
import Glibc
import Platform
import StoreFixture
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// A store for one test, and the people in it.
@MainActor
final class Town {
  let folder: TemporaryFolder
  /// In its own folder, as accounts require.
  var path: String { folder.path + "/data/store.sqlite" }
  /// The folder of the network programs.
  var programs: String { folder.path + "/programs" }
  private var stores: [Store] = []
  private var leases: [AccountLease] = []
  /// For people who arrive from now on.
  var environment: [String: String]
  /// Their account files; all people are one user.
  let accounts: AccountFiles

  init() throws {
    folder = try TemporaryFolder()
    environment = ["HOME": folder.path]
    accounts = AccountFiles(environment: environment)
    try install("xmpp", addresses: "[a-z]*@[a-z]*.org")
  }

  /// Installs a network program where shells look for it: a link, since a file that this process
  /// has written cannot be started while a child that is being forked has it open.
  ///
  /// - Parameter addresses: the pattern of its addresses (glob(7)).
  func install(_ kind: String, addresses: String = "*") throws {
    mkdir(programs, 0o700)
    let program = programs + "/hobnob-" + kind
    try addresses.write(toFile: program + ".addresses", atomically: false, encoding: .utf8)
    let script = (#filePath as NSString).deletingLastPathComponent + "/network-program"
    try #require(symlink(script, program) == 0 || errno == EEXIST)
  }

  isolated deinit {
    leases = []
    for store in stores { store.close() }
  }

  /// Serves an account like a network process, as long as this object exists.
  @discardableResult
  func serve(_ account: Account, _ process: Store) throws -> AccountLease {
    let lease = try #require(try AccountLease.acquire(account, in: process))
    leases.append(lease)
    return lease
  }

  func store() throws -> Store {
    try Fixture.placeStore(at: path)
    let store = try Store(path: path, options: .init(createIfMissing: true, patience: 0))
    stores.append(store)
    return store
  }

  /// Someone at a prompt in #lobby.
  func person(_ name: String, in room: String = "lobby", outputMode: Session.OutputMode = .tty)
    throws
    -> Person
  {
    let store = try store()
    let me = try store.writeDurablyIfNeeded { try $0.participant(identity: name) }
    let place = try store.writeDurablyIfNeeded { try $0.makeRoom(room) }
    try store.writeDurablyIfNeeded { try $0.join(me.id, place.id) }
    let person = Person(store: store, me: me, outputMode: outputMode, town: self)
    try person.begin(in: place)
    return person
  }
}

/// Another process that holds the store's lock.
final class Lock {
  private var database: OpaquePointer?

  init(_ path: String) throws {
    try #require(sqlite3_open(path, &database) == SQLITE_OK)
    try #require(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
  }

  func release() {
    sqlite3_close(database)
    database = nil
  }

  deinit { release() }
}

/// A person at an imaginary prompt: a session, the typed line and what the screen would show.
@MainActor
final class Person: InputLine {
  let town: Town
  let store: Store
  private(set) var session: Session!
  /// What was printed, the oldest line first; events without their time, and without the blanks
  /// up to the text column.
  private(set) var printed: [String] = []
  private(set) var lines: [StyledLine] = []
  private(set) var notice = ""
  private(set) var bells = 0
  /// How many lists were longer than the screen.
  private(set) var pages = 0
  /// What notify-command would have been told: sender, conversation, text.
  private(set) var notified: [[String]] = []
  /// The question in the status line.
  private(set) var asked: Question?
  var question: (text: String, keys: [Character])? {
    asked.map { ($0.line.string, $0.answers.map(\.key)) }
  }
  /// The texts that were to be shown with their QR codes.
  private(set) var codes: [String] = []
  private(set) var status: Int32?
  private(set) var history: [String] = []
  /// Files that are still to be copied.
  private var copies: [FileChore] = []
  /// Files that are still to be written.
  private var writes: [FileChore] = []
  /// The accounts whose network processes were to be started, and whether they could ask.
  private(set) var connected: [(network: String, asks: Bool)] = []
  /// Monotonic milliseconds.
  var now: MonotonicTime = 1_000_000
  private var setAside: String?
  /// The line that the name of a conversation replaces for now.
  private var putBy = ""

  // The line.
  var text = ""
  var caret: Int { text.utf8.count }
  var mentions: [Span] = []
  var isEmpty: Bool { text.isEmpty }
  var isLive = true
  var isIdle = true
  var isAsking = false
  var bindings: [(function: String, keys: String)] = [("accept-line", "\\C-m")]
  var selected: String?

  init(store: Store, me: Participant, outputMode: Session.OutputMode, town: Town) {
    self.town = town
    self.store = store
    let preferences = Preferences(
      RcFile(environment: town.environment), environment: town.environment,
      glyphs: outputMode == .plain ? .spoken : .unicode,
      networks: NetworkPrograms(in: [town.programs]))
    session = Session(
      store: store, me: me, preferences: preferences, outputMode: outputMode, line: self, at: now)
  }

  func begin(in place: Conversation) throws {
    tell(.resized(rows: 24, columns: 80))
    perform(try session.begin(in: place))
    tell(.lineReady)
    tell(.promptShown)
  }

  // MARK: What they do

  /// Types a text, in place of what is in the line.
  func type(_ text: String) {
    self.text = text
    tell(.changed)
  }

  /// Types a line and presses Return. False: it was refused and stays.
  @discardableResult
  func say(_ text: String) -> Bool {
    type(text)
    isAccepting = true
    let isDone = tell(.entered(text))
    isAccepting = false
    if isDone { self.text = "" }
    let waiting = afterLine
    afterLine = []
    for action in waiting { action() }
    guard isDone else { return false }
    tell(.lineBegan)
    tell(.turnEnded)
    return true
  }

  /// The store's bell, and the end of that turn.
  func look() {
    tell(.bellRang(store.drainBell()))
    tell(.turnEnded)
  }

  /// Time passes, with everything that is due in between.
  func wait(_ milliseconds: Int64) {
    let end = now + milliseconds
    while let deadline = session.deadline, deadline <= end {
      now = max(now, deadline)
      tell(.tick)
      tell(.turnEnded)
    }
    now = end
  }

  /// Completes what `/save` and `/export` began.
  func writeFiles() {
    let chores = writes
    writes = []
    for chore in chores { tell(.choreEnded(chore, chore.runHere())) }
  }

  /// The files of a line have been copied.
  func copyFiles() {
    guard !copies.isEmpty else { return }
    let chore = copies.removeFirst()
    tell(.choreEnded(chore, chore.runHere()))
  }

  /// Answers the question with a key.
  func answer(_ key: Character) {
    guard let question = asked.take() else { return }
    tell(.answered(question.intent(of: key)))
  }

  func press(_ key: SessionEvent) -> Bool { tell(key) }

  // MARK: The results

  /// What waits for the next line while this one is handled.
  private var afterLine: [@MainActor () -> Void] = []
  private var isAccepting = false

  private func note(_ lines: [StyledLine]) {
    printed += lines.map { $0.plain.string.replacing(/^ \d\d:\d\d {4,}(?=\S)/, with: "") }
  }

  /// The prompt, the line and the status below it.
  var picture: [String] {
    let line = StatusLine(session: session)
    let status = line.items(notice: nil, columns: 60).map { $0.line.plain.string }
    return [line.prompt.plain.string + text + "|", status.joined(separator: "   ")]
  }

  /// The rows that were printed since the last time this was asked.
  func rows() -> [String] {
    defer { (printed, lines) = ([], []) }
    let options = session.feed.renderer.printer.options
    return lines.flatMap {
      options.wraps ? $0.wrapped(at: options.columns, widths: options.widths) : [$0]
    }.map(\.plain.string)
  }

  /// My newest message in the open conversation.
  func newest() throws -> Message? {
    guard let place = session.open.conversation else { return nil }
    return try store.read { try $0.newest(by: session.me.id, in: place.id) }
  }

  /// The status line.
  func status(notice: SafeText? = nil, columns: Int = 80) -> String {
    StatusLine(session: session).items(notice: notice, columns: columns)
      .map { $0.line.plain.string }.joined(separator: " | ").replacing(" |  |", with: " |")
  }

  /// What was printed since the last time this was asked.
  func news() -> [String] {
    defer { (printed, lines) = ([], []) }
    return printed
  }
}

extension Person: SessionShell {
  func handle(_ event: SessionEvent) -> [Effect] { session.handle(event, at: now) }
  func failed(_ error: any Error) { Issue.record(error) }
  func refused(_ reason: SafeText) {
    if session.outputMode == .batch { printed.append(reason.string) }
  }

  func print(_ lines: [StyledLine]) {
    note(lines)
    self.lines += lines
  }
  func show(code text: SafeText) { codes.append(text.string) }
  func page(_ lines: [StyledLine], atEnd: Bool) {
    pages += 1
    print(lines)
  }
  func show(notice text: SafeText) { notice = text.string }
  func end(notice text: SafeText?) { if text == nil || notice == text?.string { notice = "" } }
  func ask(_ question: Question) {
    // A terminal shows the question while the line is one.
    #expect(session.mode.question != nil)
    asked = question
  }
  func bell() { bells += 1 }
  func notify(_ news: [ChatParts.Notification]) {
    notified += news.map { [$0.sender, $0.conversation, $0.body] }
  }
  func clearScreen() {}

  var shellLine: any ShellLine { self }
  func bind(_ bindings: [KeyBinding], mustWork: Bool) {}

  func copy(_ text: SafeText) {}
  func run(_ chore: FileChore) {
    if case .keep = chore { copies.append(chore) } else { writes.append(chore) }
  }
  func launch(_ words: [String], target: SafeText) {}
  func connect(_ account: Account, asks: Bool) { connected.append((account.network, asks)) }
  func quit(status: Int32) { self.status = status }
}

extension Person: ShellLine {
  func whenBegun(_ action: @escaping @MainActor () -> Void) {
    if isAccepting { afterLine.append(action) } else { action() }
  }
  func fill(_ text: String, _ mentions: [Span]) {
    (self.text, self.mentions) = (text, mentions)
  }
  var isFree: Bool { text.isEmpty }
  func replace(by draft: Conversations.Draft) { text = draft.text }
  func beginChoice() { (putBy, text) = (text, "") }
  func endChoice() { text = putBy }
  func beginEdit(_ text: String, offering: String?, _ mentions: [Span], isAnother: Bool) {
    if !isAnother { setAside = self.text }
    (self.text, self.mentions) = (text, mentions)
  }
  func endEdit(offering: String?) { text = setAside ?? "" }
  func addHistory(_ line: String) { history.append(line) }
  func setHistory(_ lines: [String]) { history = lines }
}

extension Person {
  /// Their first account.
  func account() throws -> Account {
    try #require(try store.read { try $0.accounts(of: session.me.id) }.first)
  }

  /// What they have set for an account.
  func settings(of account: Account) throws -> AccountSettings? {
    try town.accounts.settings(of: account, inStoreAt: store.path)
  }

  /// The account's process learns a fact about its server.
  func learn(_ facts: [String: String], of account: Account) throws {
    try town.accounts.learn(facts, of: account, inStoreAt: store.path)
  }

  /// The account's process learns the server's service for rooms.
  func learn(rooms: String, of account: Account) throws {
    try provide(AddressRules(domain: account.server, roomDomain: rooms), for: account)
  }

  /// The account's process learns how its network names people and rooms.
  func provide(_ rules: AddressRules, for account: Account) throws {
    try store.inbox.apply([.rules(rules)], of: account)
    look()
  }

  /// What people can do in the account's conversations, as its process learns it.
  func provide(_ abilities: NetworkAbilities, for account: Account) throws {
    try store.inbox.apply([.abilities(abilities)], of: account)
    look()
  }

  /// Adds an account on a network of bare names, as IRC's are.
  func addedOnIRC(roomSigns: String = "#") throws -> Account {
    let account = try added("stub:anna@irc.x.org")
    try provide(
      AddressRules(roomSigns: roomSigns, folding: .rfc1459, identityScope: .network), for: account)
    // A new #room is one of the network.
    try town.accounts.set(
      AccountSettings(isWanted: false, values: ["rooms": "network"]), of: account,
      inStoreAt: store.path)
    look()
    return account
  }

  /// Another shell of mine adds an account.
  func added(_ network: String) throws -> Account {
    let me = session.me.id
    let account = try store.writeDurably { try $0.addAccount(owner: me, network: network) }
    look()
    return account
  }

  /// A new account, whose process is not started.
  func added() throws -> Account {
    say("/account add anna@x.org --host h.x.org")
    return try account()
  }
}
