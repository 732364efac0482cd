// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import Sentences

/// Shells' requests that the server answers with lines of its own: one at a time, each followed by
/// a PING, whose PONG ends the answer.
struct Questions: Sendable {
  private struct Running: Sendable {
    var request: NetworkRequest
    var number: Int
    var label: String?
    var answer: [String] = []
    /// The server's refusal.
    var failure: String?
    /// The folded nick of somebody whose program has to answer.
    var program: String?
  }

  private var running: Running?
  private var waiting: [(request: NetworkRequest, lines: [IRCLine], program: String?)] = []
  private var count = 0
  private static let ping = "hobnob-request-"
  /// Milliseconds for an answer, and lines of it.
  private static let patience: Milliseconds = 15_000
  private static let mostLines = 200

  mutating func restart() { (running, waiting) = (nil, []) }

  /// - Parameter program: the nick of somebody whose program has to answer.
  mutating func ask(
    _ request: NetworkRequest, _ lines: [IRCLine], program: String? = nil,
    in context: inout IRCContext
  ) {
    waiting.append((request, lines, program))
    run(in: &context)
  }

  private mutating func run(in context: inout IRCContext) {
    guard running == nil, !waiting.isEmpty else { return }
    var (request, lines, program) = waiting.removeFirst()
    count += 1
    let label = context.newLabel()
    if !lines.isEmpty { lines[0].tags["label"] = label }
    running = Running(
      request: request, number: count, label: label, program: program.map { context.fold($0) })
    for line in lines { context.send(line) }
    context.send(IRCLine("PING", [Self.ping + String(count)]))
    context.clock.set(.request, in: Self.patience)
  }

  /// Notes a line of the server that nothing else has asked for.
  mutating func note(_ line: IRCLine, in context: IRCContext) {
    guard running != nil else { return }
    if let label = line.tags["label"], label != running?.label { return }
    if let number = line.number {
      switch number {
      case 400..<600:
        if running?.failure == nil { running?.failure = Self.sentence(line) }
      default: add(Self.words(of: line, number, context))
      }
    } else if line.command == "FAIL", running?.failure == nil {
      running?.failure = line.parameters.last ?? ""
    }
  }

  private mutating func add(_ text: String?) {
    guard let text, !text.isEmpty, running?.answer.count ?? 0 < Self.mostLines else { return }
    running?.answer.append(text)
  }

  /// Notes the answer of somebody's program.
  mutating func noteProgram(_ nick: String, _ text: String, in context: inout IRCContext) {
    guard let program = running?.program, program == context.fold(nick) else { return }
    running?.answer = [nick + ": " + text]
    end(in: &context)
  }

  /// Notes a PONG.
  mutating func notePong(_ token: String, in context: inout IRCContext) {
    guard let running, token == Self.ping + String(running.number) else { return }
    // Somebody's program answers later than the server.
    if running.program != nil, running.failure == nil { return }
    end(in: &context)
  }

  mutating func giveUp(in context: inout IRCContext) {
    guard let running else { return }
    if running.failure == nil, running.answer.isEmpty {
      self.running?.failure =
        running.program == nil
        ? translated("The server does not answer.")
        : filled(("The program of %1 does not answer.", [running.request.target]))
    }
    end(in: &context)
  }

  private mutating func end(in context: inout IRCContext) {
    guard let ended = running else { return }
    running = nil
    context.clock.clear(.request)
    let answer = ended.answer.joined(separator: "\n")
    context.answer(
      ended.request,
      ended.failure.map { answer.isEmpty ? $0 : answer + "\n" + $0 }
        ?? (answer.isEmpty ? ended.request.doneSentence : answer))
    run(in: &context)
  }

  // MARK: Words

  /// A refusal, with what it is about if the server's words do not say it.
  static func sentence(_ line: IRCLine) -> String {
    let words = line.parameters.last ?? ""
    let subject = line.parameters.dropFirst().dropLast().joined(separator: " ")
    return subject.isEmpty || words.contains(subject) ? words : subject + ": " + words
  }

  /// What a line says, for a person; nil for nothing.
  private static func words(of line: IRCLine, _ number: Int, _ context: IRCContext) -> String? {
    let (name, words) = (line[1], line.parameters.last ?? "")
    switch number {
    case 311: return "\(name) (\(line[2])@\(line[3])): \(words)"
    case 312: return filled(("connected to %1", [line[2]]))
    case 313: return translated("is an operator of the network")
    case 317:
      let idle = line[2].isEmpty ? 0 : Int(line[2]) ?? 0
      return filled(("idle for %1", [Abilities.span(idle)]))
    case 319: return filled(("in %1", [words]))
    case 301: return filled(("away: %1", [words]))
    case 330: return filled(("logged in as %1", [line[2]]))
    case 671: return translated("has an encrypted connection")
    case 324: return line.parameters.dropFirst().joined(separator: " ")
    case 221: return line[1]
    // Ends of lists, and the time at which a room was made.
    case 315, 318, 323, 329, 333, 341, 347, 349, 366, 368, 369, 374: return nil
    default: return line.parameters.dropFirst().joined(separator: " ")
    }
  }
}

extension NetworkRequest {
  /// What to tell a shell about a success that it would not notice otherwise.
  fileprivate var doneSentence: String {
    let sentence: Sentence? =
      switch verb {
      case .invite: ("You invited %1.", [text])
      case .ban: ("%1 can no longer enter %2.", [text, target])
      case .unban: ("%1 can enter %2 again.", [text, target])
      case .promote: ("%1 is an operator of %2 now.", [text, target])
      case .demote: ("%1 is no longer an operator of %2.", [text, target])
      default: nil
      }
    return sentence.map { filled($0) } ?? ""
  }
}
