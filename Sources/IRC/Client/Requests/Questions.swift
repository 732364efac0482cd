// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// Shells' requests that the server answers with lines of text. The client sends one at a time.
/// Where the server has labels, one of its lines or batches is the whole answer (IRCv3
/// labeled-response); elsewhere a PING follows the request, and the PONG ends the answer.
struct Questions: Sendable {
  private struct Running: Sendable {
    var request: NetworkRequest
    var label: String?
    var answer: [Remark] = []
    /// The server's refusal.
    var failure: Remark?
    /// The folded nick or room that it is about.
    var subject: String
    /// The person that it is about, in the server's spelling; empty if there is none.
    var person: String
    /// The room in which to set or lift the ban, if this asks for the person's host first.
    var banRoom: String?
    /// Whether the answer to a WHOIS is complete. It may come from another server, after the PONG.
    var isWhole = false
    /// Whether the server has answered, or has handled the request without an answer.
    var isHandled = false

    /// Whether the answer comes from another person's program, not from the server.
    var asksProgram: Bool { request.verb == .ctcp }
  }

  private var running: Running?
  private var waiting: [(question: Running, line: IRCLine)] = []
  /// The masks with which the owner has banned people, by folded nick: the server may no longer
  /// know the people when the owner lifts the ban.
  private var banned: [String: String] = [:]

  /// How many requests wait to be sent: none unless the throttle holds the running one, or only its
  /// PING.
  ///
  /// - Parameter unsent: how many lines of requests it holds.
  func waitingCount(unsent: Int) -> Int {
    unsent > 0 ? waiting.count + (isSent(unsent: unsent) ? 0 : 1) : 0
  }

  /// Whether the line of the running request has gone out.
  private func isSent(unsent: Int) -> Bool { unsent < (running?.label == nil ? 2 : 1) }

  /// How many requests there have been, including the running one.
  private var count = 0
  private static let probe = "request-"
  /// How many lines of an answer are kept.
  private static let mostLines = 200

  /// Notes that the connection is gone. The queue of requests begins all others anew.
  mutating func noteBreak(in context: inout IRCContext) {
    // What one of these lines does may happen twice.
    if let running, running.request.verb.speaks, isSent(unsent: context.waiting.requests) {
      context.answer(running.request, RequestQueue.doubt(about: running.request))
    }
    (running, waiting) = (nil, [])
  }

  /// - Parameters:
  ///   - subject: the nick or the room that it is about.
  ///   - person: the person whom the answer names.
  mutating func ask(
    _ request: NetworkRequest, _ line: IRCLine, about subject: String = "", person: String = "",
    in context: inout IRCContext
  ) {
    add(
      Running(request: request, subject: context.fold(subject), person: person), line, in: &context)
  }

  private mutating func add(
    _ question: Running, _ line: IRCLine, in context: inout IRCContext
  ) {
    waiting.append((question, line))
    run(in: &context)
  }

  private mutating func run(in context: inout IRCContext) {
    guard running == nil, !waiting.isEmpty else { return }
    var (question, line) = waiting.removeFirst()
    count += 1
    question.label = context.newLabel()
    line.tags["label"] = question.label
    running = question
    context.send(line, .request)
    if question.label == nil {
      context.send(context.probe(Self.probe + String(count)), .request)
    }
  }

  /// Whether the running request asks who somebody is.
  func isAbout(_ nick: String, _ context: IRCContext) -> Bool {
    running.map { $0.request.verb == .whois && $0.subject == context.fold(nick) } ?? false
  }

  /// Whether a line has the label of the running request.
  func isLabelled(_ line: IRCLine) -> Bool {
    running.map { $0.label != nil && $0.label == line.tags["label"] } ?? false
  }

  /// Whether the running request has anything to do with a person.
  func names(_ nick: String, _ context: IRCContext) -> Bool {
    running.map { [$0.subject, context.fold($0.person)].contains(context.fold(nick)) } ?? false
  }

  /// Whether the running request is the owner's own line with this command, and a line of the
  /// server may answer it.
  func isCommand(_ command: String, answeredBy line: IRCLine) -> Bool {
    guard let running, running.request.verb == .line, running.label == line.tags["label"] else {
      return false
    }
    return IRCLine(running.request.text)?.command == command
  }

  /// Notes a line from the server that belongs to nothing else.
  mutating func note(_ line: IRCLine, in context: inout IRCContext) {
    guard let running else { return }
    let label = line.tags["label"]
    if let label, label != running.label { return }
    // Another server may answer a WHOIS, and then without the label.
    let isLabelled = label == running.label || isAbout(line[1], context)
    switch line.number {
    case nil:
      if running.failure == nil, isLabelled {
        self.running?.failure = line.parameters.last.map { running.request.refusal($0) }
      }
    case let number? where (400..<600).contains(number):
      if running.failure == nil, isLabelled {
        self.running?.failure = running.request.refusal(line.refusalWords)
      }
    case let number?:
      switch running.request.verb {
      case .line: break
      case .whois: guard isAbout(line[1], context) else { return }
      case .ban, .unban: guard number == Self.hosts else { return }
      case .mode: guard number == 221 || running.subject == context.fold(line[1]) else { return }
      default: return
      }
      let isEmpty = running.answer.isEmpty && Self.endsOfLists.contains(number)
      add(isEmpty ? translated("The list is empty.") : Self.words(of: line, number, context))
      if number == Self.endOfWhois, running.request.verb == .whois {
        self.running?.isWhole = true
        if running.isHandled { end(in: &context) }
      }
    }
  }

  /// Notes a remark from the server (WARN, NOTE).
  ///
  /// - Returns: whether it is about the running request.
  mutating func noteRemark(_ line: IRCLine) -> Bool {
    guard let label = line.tags["label"], label == running?.label else { return false }
    add(line.parameters.last.map { Remark($0) })
    return true
  }

  private static let (endOfWhois, hosts) = (318, 302)
  /// Those of lists of masks.
  private static let endsOfLists: Set = [347, 349, 368]

  private mutating func add(_ text: Remark?) {
    guard let text, !text.isEmpty, running?.answer.count ?? 0 < Self.mostLines else { return }
    running?.answer.append(text)
  }

  /// Takes the answer that another person's program sent.
  mutating func noteProgram(_ nick: String, _ text: String, in context: inout IRCContext) {
    guard let running, running.asksProgram, running.subject == context.fold(nick) else { return }
    self.running?.answer = [Remark(nick + ": " + text)]
    end(in: &context)
  }

  /// Notes a PONG.
  mutating func notePong(_ token: String, in context: inout IRCContext) {
    if token == IRCContext.probe + Self.probe + String(count) { noteHandled(in: &context) }
  }

  /// Notes the end of a line or a batch with this label.
  mutating func noteEnd(ofLabelled label: String?, in context: inout IRCContext) {
    if let label, label == running?.label { noteHandled(in: &context) }
  }

  private mutating func noteHandled(in context: inout IRCContext) {
    guard let running else { return }
    self.running?.isHandled = true
    // Somebody's program, or another server, answers later.
    let isComplete = running.request.verb == .whois ? running.isWhole : !running.asksProgram
    if isComplete || running.failure != nil { end(in: &context) }
  }

  mutating func giveUp(in context: inout IRCContext) {
    guard let running else { return }
    if running.failure == nil, running.answer.isEmpty {
      self.running?.failure =
        !running.asksProgram
        ? translated("The server does not answer.")
        : filled(("The program of %1 does not answer.", [running.request.target]))
    }
    end(in: &context)
  }

  private mutating func end(in context: inout IRCContext) {
    guard let ended = running else { return }
    running = nil
    context.clock.clear(.request)
    if let room = ended.banRoom { return setBan(ended, in: room, &context) }
    let answer = ended.answer.joined(separator: "\n")
    context.answer(
      ended.request,
      ended.failure.map { answer.isEmpty ? $0 : answer + "\n" + $0 }
        ?? (answer.isEmpty ? ended.request.doneSentence(about: ended.person) : answer))
    run(in: &context)
  }

  // MARK: Bans

  /// Bans somebody, or lifts the ban. It bans the host, since people can change their nick, and
  /// asks the server for it first (RFC 1459, 5.7).
  mutating func askBan(
    _ request: NetworkRequest, of person: String, isMask: Bool, in room: String,
    _ context: inout IRCContext
  ) {
    if isMask {
      let mode = request.verb == .ban ? "+b" : "-b"
      return ask(
        request, IRCLine("MODE", [room, mode, person]), about: room, person: person, in: &context)
    }
    add(
      Running(
        request: request, subject: context.fold(person), person: person, banRoom: room),
      IRCLine("USERHOST", [person]), in: &context)
  }

  private mutating func setBan(
    _ asked: Running, in room: String, _ context: inout IRCContext
  ) {
    // `ben=+user@host`
    let said = asked.answer.first?.text.split(separator: "=").last?.dropFirst().prefix { $0 != " " }
    let isBan = asked.request.verb == .ban
    let nick = asked.person + "!*@*"
    let mask = said.flatMap { Self.mask(of: String($0), context) }
    if isBan, let mask, banned.count < Self.mostBanned { banned[asked.subject] = mask }
    let masks = isBan ? [mask ?? nick] : [banned[asked.subject] ?? mask, nick].compactMap(\.self)
    let modes = (isBan ? "+" : "-") + String(repeating: "b", count: masks.count)
    let person = asked.person + " (" + masks.joined(separator: ", ") + ")"
    let question = Running(request: asked.request, subject: context.fold(room), person: person)
    waiting.insert((question, IRCLine("MODE", [room, modes] + masks)), at: 0)
    run(in: &context)
  }

  private static let mostBanned = 1_000

  /// Makes the mask for a ban: it names the host, and also the user name if the owner has the same
  /// host.
  ///
  /// - Returns: nil if the owner has both.
  private static func mask(of userAndHost: String, _ context: IRCContext) -> String? {
    guard let at = userAndHost.lastIndex(of: "@"), userAndHost != context.userAndHost else {
      return nil
    }
    let host = userAndHost[at...]
    return context.userAndHost?.hasSuffix(host) == true ? "*!" + userAndHost : "*!*" + host
  }

  // MARK: Words

  /// A line in words for the owner; nil if they do not need it.
  private static func words(of line: IRCLine, _ number: Int, _ context: IRCContext) -> Remark? {
    let (name, words) = (line[1], line.parameters.last ?? "")
    switch number {
    case 311: return "\(name) (\(line[2])@\(line[3])): \(words)"
    case 312: return filled(("connected to %1", [line[2]]))
    case 313: return translated("is an operator of the network")
    case 317:
      return filled(("idle for %1", [Abilities.span(Int(line[2]) ?? 0)]))
    case 319: return filled(("in %1", [words]))
    case 301: return filled(("away: %1", [words]))
    case 330: return filled(("logged in as %1", [line[2]]))
    case 671: return translated("has an encrypted connection")
    // Lists of masks, and who set each.
    case 346...367 where [346, 348, 367].contains(number) && line.parameters.count > 3:
      return filled(("%1, set by %2", [line[2], IRCLine.Source(line[3][...]).nick]))
    case 303 where words.isEmpty: return translated("None of them is online.")
    // Ends of lists, and the time when a room was created.
    case 315, 318, 323, 329, 333, 341, 347, 349, 366, 368, 369, 374: return nil
    default: return Remark(line.parameters.dropFirst().joined(separator: " "))
    }
  }
}

extension NetworkRequest {
  /// The server's refusal, with what it refused: its words name the room at most.
  fileprivate func refusal(_ words: String) -> Remark {
    switch verb {
    case .kick, .ban, .unban, .promote, .demote, .invite:
      return filled(("Refused: %1 (%2)", ["/\(verb.command) \(person)", words]))
    default: return Remark(words)
    }
  }

  /// The sentence for a success that the owner would not notice otherwise; empty for others.
  fileprivate func doneSentence(about person: String) -> Remark {
    let sentence: Sentence? =
      switch verb {
      case .invite: ("You invited %1.", [person])
      case .kick: ("You removed %1 from %2.", [person, target])
      case .ban: ("%1 can no longer enter %2.", [person, target])
      case .unban: ("%1 can enter %2 again.", [person, target])
      case .promote: ("%1 is an operator of %2 now.", [person, target])
      case .demote: ("%1 is no longer an operator of %2.", [person, target])
      case .mode where text.hasPrefix("+") || text.hasPrefix("-"):
        ("The server has accepted the mode %1 for %2.", [text, target.isEmpty ? person : target])
      default: nil
      }
    return sentence.map { filled($0) } ?? ""
  }
}
