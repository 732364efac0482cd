// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences
import Storage

/// What happens to a ``BridgeClient``.
package enum BridgeEvent: ClientEventKind {
  /// The program has said this of its network.
  /// `kept`: the names of the values that hobnob keeps for it.
  case hello(BridgeHello, kept: Set<String> = [])
  /// A line of the program, and the files that it brings, which are in the store's folder now.
  /// `bytes`: how long it was.
  case line(BridgeLine, bytes: Int, files: [Attachment])
  /// A line is not as it should be, and was skipped.
  case fault(BridgeFault)
  /// The program has ended, or is about to.
  case down
  case tried(Set<OutboxEntry.ID>)
  case requests([NetworkRequest])
  case signals([NetworkSignal])
  case uploaded(OutboxEntry.ID, Result<String, UploadFailure>)
  case tick
}

/// What a ``BridgeClient`` asks of its wire.
package enum BridgeAct: NetworkAct {
  case write(String)
  /// Read nothing from the program for so many milliseconds.
  case rest(Milliseconds)
  /// The program is logged in.
  case ready
  /// End the program; the reason is a sentence.
  case hangUp(Remark, isFinal: Bool = false, isSecretRefused: Bool = false)
  case ask(BridgeQuestion)
}

/// A question of a program to the account's owner, such as a code that a network has sent.
package struct BridgeQuestion: Hashable, Sendable {
  package var id: String
  package var text: String
  /// The content of a QR code to show.
  package var code: String?
  /// Whether the answer must not be shown while it is typed.
  package var isSecret: Bool
}

/// The account of one program as a value: lines come in, events for the store and lines go out.
package struct BridgeClient: NetworkClient {
  struct Alarm: NetworkAlarm {
    var name: String
    static let upload = Alarm(name: "upload")
    static let strangers = Alarm(name: "strangers")
    /// A batch is open for too long.
    static let batch = Alarm(name: "batch")
    /// Entries are without an answer for too long.
    static let answer = Alarm(name: "answer")
  }

  struct Context: NetworkContext, Sendable {
    var clock = AlarmClock<Alarm>()
    var requests = RequestQueue()
    var output = StepOutput<BridgeAct>()
  }

  let account: Account
  let writing: BridgeWriting
  var context = Context()
  var outbox = OutboxQueue<BridgeItem>()
  /// Nil until the program has introduced itself.
  private(set) var hello: BridgeHello?
  private var reading: BridgeEvents?
  private(set) var isUp = false
  private var batch: BridgeBatch?
  /// Requests that the program has and did not answer.
  var open: [NetworkRequest.ID: NetworkRequest] = [:]
  private var activity: AccountStatus.Activity?
  private var floods = BridgeFloods()
  /// Since when the entries that are under way wait for an answer; nil if there are none.
  private var waitsSince: Milliseconds?
  /// The names of the values that hobnob keeps for the program.
  private var kept: Set<String> = []
  /// Whether the owner knows that lines of this program were skipped.
  private var hasToldSkipped = false

  /// - Parameter attachments: returns the path of the file with a hash.
  package init(_ account: Account, attachments: @escaping @Sendable (String) -> String) {
    self.account = account
    writing = BridgeWriting(attachments: attachments)
  }

  package mutating func handle(
    _ event: BridgeEvent, at now: Milliseconds
  ) -> [NetworkEffect<BridgeAct>] {
    context.clock.move(to: now)
    switch event {
    case .hello(let hello, let kept):
      self.kept = kept
      take(hello)
    case .line(let line, let bytes, let files): take(line, bytes, files)
    case .fault(let fault): noteFault(fault)
    case .down: end()
    case .tried(let ids): send(ids)
    case .requests(let requests):
      context.add(requests)
      runRequests()
    case .signals(let signals): if isUp { pass(signals) }
    case .uploaded: break
    case .tick:
      context.clock.woke()
      for alarm in context.clock.takeDue() { due(alarm) }
    }
    return context.takeEffects(status: status)
  }

  package mutating func skip(to now: Milliseconds) { context.clock.skip(to: now) }

  private var status: AccountStatus? {
    guard hello != nil else { return nil }
    if isUp {
      let unanswered = waitsSince.map {
        AccountStatus.Activity.unanswered(entries: underWay.count, since: $0)
      }
      // Until the alarm, the wait is a usual one.
      let isLong = !context.clock.isSet(.answer)
      return .connected([activity, isLong ? unanswered : nil].compactMap(\.self))
    }
    return activity == nil ? .connecting : nil
  }

  private mutating func due(_ alarm: Alarm) {
    switch alarm {
    case .strangers: context.tell(.countStrangers)
    case .batch:
      hangUp(
        filled(
          (
            "%1 began a batch and did not end it within %2 s",
            [name, String(BridgeLimits.batchTime / 1000)]
          )))
    default: break
    }
  }

  /// Begins to wait for an answer to the entries that are under way, if there are any.
  mutating func awaitAnswer() {
    waitsSince = underWay.isEmpty ? nil : context.clock.wall
    if waitsSince == nil {
      context.clock.clear(.answer)
    } else {
      context.clock.set(.answer, in: BridgeLimits.answerTime)
    }
  }

  /// Whether the program has something that it did not answer.
  package var isBusy: Bool { !open.isEmpty || !underWay.isEmpty }

  /// What the owner calls the program.
  package var name: String { BridgedPrograms.name(of: account.kind) }

  // MARK: The program

  private mutating func take(_ hello: BridgeHello) {
    self.hello = hello
    reading = BridgeEvents(rules: hello.rules, own: account.address)
    context.tell(.rules(hello.rules))
    context.tell(.abilities(hello.abilities))
  }

  private mutating func end() {
    (isUp, hello, batch, activity, hasToldSkipped) = (false, nil, nil, nil, false)
    (open, floods, waitsSince) = ([:], BridgeFloods(), nil)
    // The store has recorded which of them the program may have.
    for id in outbox.ids { outbox[id] = nil }
    context.forgetConnection()
    context.tell(.offline())
  }

  private mutating func hangUp(_ reason: Remark) { context.add(.hangUp(reason)) }

  /// Skips a line that is not as it should be; the owner learns of the first one. In a batch, no
  /// line can be skipped, since the program would take it for stored.
  private mutating func noteFault(_ fault: BridgeFault) {
    if batch != nil {
      endBatch()
      return hangUp(
        filled(
          ("%1 wrote a batch that cannot be stored: %2", [Remark(name), fault.remark])))
    }
    if let entry = fault.entry { doubt(entry) }
    if hasToldSkipped { return }
    hasToldSkipped = true
    context.tell(
      .notice(
        filled(
          (
            "%1 wrote a line that hobnob skipped: %2. Until it starts again, hobnob will skip any more of these silently.",
            [Remark(name), fault.remark]
          ))))
  }

  private mutating func take(_ line: BridgeLine, _ bytes: Int, _ files: [Attachment]) {
    guard admits(bytes, of: line.type) else { return }
    do throws(BridgeFault) {
      switch line.type {
      case "begin": try begin()
      case "commit": try commit(line[.batch].integer)
      case "down": down(line)
      default: if batch == nil { try apply(line, files) } else { hold(line, files) }
      }
    } catch {
      noteFault(error)
    }
  }

  private mutating func apply(_ line: BridgeLine, _ files: [Attachment]) throws(BridgeFault) {
    guard let reading else { return }
    switch line.type {
    case "up": if !isUp { beUp() }
    case "status": activity = Self.activity(line)
    case "ask": ask(line)
    case "keep":
      let fact = try BridgeFacts.fact(line[.name].text ?? "", line[.value].text ?? "")
      if fact.value.isEmpty { kept.remove(fact.name) } else { kept.insert(fact.name) }
      guard kept.count <= BridgeLimits.keptValues else {
        kept.remove(fact.name)
        throw BridgeFault(
          filled(
            (
              "hobnob keeps no more than %1 values for a program",
              [String(BridgeLimits.keptValues)]
            )))
      }
      context.add(.learned(fact.name, fact.value))
    case "sent", "part", "failed", "answer":
      for event in try answers(in: line, reading) { context.tell(event) }
    default:
      for event in try reading.events(of: line, files) ?? [] { context.tell(event) }
      if line.type == "message", line[.mine].flag == true { noteRepeated(line[.uid].text) }
      countStrangers(line)
    }
  }

  private mutating func beUp() {
    isUp = true
    context.add(.ready)
    runRequests()
  }

  private mutating func down(_ line: BridgeLine) {
    context.add(
      .hangUp(
        Remark(line[.reason].text ?? ""), isFinal: line[.final].flag ?? false,
        isSecretRefused: line[.secret].flag ?? false))
  }

  private mutating func ask(_ line: BridgeLine) {
    guard floods.questions.admits(at: context.clock.time) else {
      return hangUp(
        filled(
          (
            "%1 asked more than %2 questions in a minute",
            [name, String(BridgeLimits.questions)]
          )))
    }
    context.add(
      .ask(
        BridgeQuestion(
          id: line[.ask].text ?? "", text: line[.text].text ?? "", code: line[.qr].text,
          isSecret: line[.secret].flag ?? false)))
  }

  private static func activity(_ line: BridgeLine) -> AccountStatus.Activity? {
    guard line[.activity].text != nil else { return nil }
    return AccountStatus.Activity(json: line.members)
      ?? .catchingUp(received: 0, percent: nil)
  }

  private mutating func countStrangers(_ line: BridgeLine) {
    if ["message", "invited", "wants_contact"].contains(line.type) {
      context.countStrangersLater()
    }
  }

  // MARK: Batches

  private mutating func begin() throws(BridgeFault) {
    guard batch == nil else {
      throw BridgeFault(translated("a batch begins within another one"))
    }
    batch = BridgeBatch()
    context.clock.set(.batch, in: BridgeLimits.batchTime)
  }

  private mutating func commit(_ number: Int64?) throws(BridgeFault) {
    guard let batch else { throw BridgeFault(translated("a batch ends that did not begin")) }
    // All of it is as it should be, or nothing is stored.
    for (line, files) in batch.lines { try reading?.check(line, files) }
    for (line, files) in batch.lines { try apply(line, files) }
    endBatch()
    if let number { context.add(.write(BridgeWriting.line("stored", [.batch: .integer(number)]))) }
  }

  private mutating func endBatch() {
    batch = nil
    context.clock.clear(.batch)
  }

  /// Keeps a line of a batch until the batch ends: if it breaks off, it counts as never written.
  private mutating func hold(_ line: BridgeLine, _ files: [Attachment]) {
    batch?.lines.append((line, files))
    if (batch?.lines.count ?? 0) > BridgeLimits.batchLines {
      hangUp(
        filled(
          ("%1 wrote a batch of more than %2 lines", [name, String(BridgeLimits.batchLines)])))
    }
  }

  /// Notes a line that has arrived, before it is read.
  ///
  /// - Returns: whether it is to be read: of lines that mean nothing later, only so many are. Of
  ///   the others, those wait in the program that come after so many.
  private mutating func admits(_ bytes: Int, of type: String) -> Bool {
    guard batch != nil else {
      let time = context.clock.time
      if type == "typing" { return floods.typing.admits(at: time) }
      if !floods.lines.admits(at: time) { context.add(.rest(floods.lines.rest(at: time))) }
      return true
    }
    batch?.bytes += bytes
    if (batch?.bytes ?? 0) > BridgeLimits.batchBytes {
      hangUp(
        filled(
          ("%1 wrote a batch of more than %2 bytes", [name, String(BridgeLimits.batchBytes)])))
    }
    return true
  }
}

/// What a program wrote since `begin`.
private struct BridgeBatch: Sendable {
  var lines: [(line: BridgeLine, files: [Attachment])] = []
  var bytes = 0
}

/// How much a program has written lately, by kind.
private struct BridgeFloods: Sendable {
  var typing = BridgeFlood(of: BridgeLimits.passingLines, in: 1_000)
  var lines = BridgeFlood(of: BridgeLimits.lines, in: 1_000)
  var questions = BridgeFlood(of: BridgeLimits.questions, in: 60_000)
}

/// Lets only so much through in a period.
private struct BridgeFlood: Sendable {
  private let most: Int
  private let period: Milliseconds
  private var (current, count): (Milliseconds, Int) = (.min, 0)

  init(of most: Int, in period: Milliseconds) { (self.most, self.period) = (most, period) }

  mutating func admits(at time: Milliseconds) -> Bool {
    if time / period != current { (current, count) = (time / period, 0) }
    count += 1
    return count <= most
  }

  /// Milliseconds until the next period.
  func rest(at time: Milliseconds) -> Milliseconds { period - time % period }
}
