// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// Where a network process gets what only its owner decides: the account's settings and password.
@MainActor
package protocol AccountSource: AnyObject {
  /// Called in the loop when it can no longer answer.
  var ended: () -> Void { get set }
  /// The settings as they are now; nil where the owner's file no longer lists the account.
  func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void)
  /// The password, from the account's command or the Secret Service.
  func password(_ then: @escaping (Result<String, PasswordFailure>) -> Void)
}

/// A process that stays outside the network process's sandbox: it reads the owner's file of accounts,
/// runs the `password-command` and looks names up. It ends with the network process, whose questions
/// come on its standard input. The network process can choose neither the file nor the command.
///
/// A question is a line: `settings`, `password`, `services NAME` or `addresses HOST`. An answer is the
/// question, then lines of a name and a value (or one of `!` and the reason), then an empty line.
/// Answers may overtake each other.
@MainActor
package final class AccountHelper: AccountSource, NameSource {
  private let loop: EventLoop
  private let questions: Int32
  private let answers: Int32
  package var ended: () -> Void = {}
  private var isGone = false
  private var received: [UInt8] = []
  private var waiting: [(question: String, then: (Answer) -> Void)] = []

  private typealias Answer = Result<[(String, String)], PasswordFailure>

  /// Starts it; nil where no process can be started.
  ///
  /// - Parameter command: this program, `--helper`, the store and the account's network.
  package init?(_ command: [String], loop: EventLoop) {
    guard let asking = ChildProcess.pipe() else { return nil }
    guard let answering = ChildProcess.pipe() else {
      close(asking.reading)
      close(asking.writing)
      return nil
    }
    (self.loop, questions, answers) = (loop, asking.writing, answering.reading)
    let process = ChildProcess.start(
      command, input: .descriptor(asking.reading),
      output: .descriptor(answering.writing))
    close(asking.reading)
    close(answering.writing)
    guard process != nil else { return nil }
    _ = fcntl(answers, F_SETFL, O_NONBLOCK)
    loop.watch(answers) { [weak self] in self?.read() }
  }

  isolated deinit {
    loop.unwatch(answers)
    close(questions)
    close(answers)
  }

  package func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void) {
    ask("settings") { answer in
      then(
        answer.map { entries in
          guard let first = entries.first, first.0 == "connect" else { return nil }
          return AccountSettings(
            isWanted: first.1 == "yes", values: Dictionary(entries.dropFirst()) { $1 })
        })
    }
  }

  package func password(_ then: @escaping (Result<String, PasswordFailure>) -> Void) {
    ask("password") { answer in
      then(
        answer.flatMap { entries in
          entries.first.map { .success($0.1) } ?? .failure(.none)
        })
    }
  }

  package func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void) {
    ask("services " + name) { answer in
      then(((try? answer.get()) ?? []).compactMap { ServiceRecord(written: $0.1) })
    }
  }

  package func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void
  ) {
    ask("addresses " + host) { answer in
      let entries = (try? answer.get()) ?? [("unknown", "no answer")]
      if let unknown = entries.first(where: { $0.0 == "unknown" }) {
        then(.failure(UnknownHost(unknown.1)))
      } else {
        then(.success(entries.map(\.1)))
      }
    }
  }

  private func ask(_ question: String, _ then: @escaping (Answer) -> Void) {
    if isGone { return then(.failure(.none)) }
    // A line break in a name would be a second question.
    let question = question.filter { !$0.isNewline }
    waiting.append((question, then))
    let bytes = Array((question + "\n").utf8)
    if (try? bytes.withUnsafeBytes { try writeAll(questions, $0) }) == nil { end() }
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = Glibc.read(answers, &chunk, chunk.count)
      if count < 0 {
        if errno == EINTR { continue }
        break
      }
      if count == 0 { return end() }
      received += chunk[..<count]
    }
    while let end = received.firstRange(of: [0x0A, 0x0A]) {
      let text = String(decoding: received[..<end.lowerBound], as: UTF8.self)
      received.removeSubrange(..<end.upperBound)
      let lines = text.split(separator: "\n")
      guard let index = waiting.firstIndex(where: { $0.question[...] == lines.first }) else {
        continue
      }
      waiting.remove(at: index).then(Self.answer(lines.dropFirst()))
    }
  }

  private static func answer(_ lines: ArraySlice<Substring>) -> Answer {
    if let first = lines.first, first.hasPrefix("!") {
      return .failure(PasswordFailure(written: first.dropFirst()))
    }
    return .success(
      lines.map { line in
        let name = line.prefix { $0 != " " }
        return (String(name), String(line.dropFirst(name.count + 1)))
      })
  }

  private func end() {
    isGone = true
    loop.unwatch(answers)
    ended()
    let left = waiting
    waiting = []
    for one in left { one.then(.failure(.none)) }
  }
}

extension PasswordFailure {
  /// As it stands in an answer.
  fileprivate init(written: Substring) {
    let words = written.split(separator: " ", maxSplits: 2).map(String.init)
    switch words.first {
    case "command" where words.count == 3:
      self = .command(words[2], status: Int32(words[1]) ?? 127)
    case "slow" where words.count > 1: self = .tooSlow(words.dropFirst().joined(separator: " "))
    case "settings": self = .settings(words.dropFirst().joined(separator: " "))
    default: self = .none
    }
  }

  fileprivate var written: String {
    switch self {
    case .none: "none"
    case .command(let name, let status): "command \(status) \(name)"
    case .tooSlow(let name): "slow \(name)"
    case .settings(let sentence): "settings \(sentence)"
    }
  }
}

/// What runs in the helper's process.
@MainActor
final class AccountHelperProgram {
  private let files: AccountFiles
  private let account: Account
  private let store: String
  private let loop: EventLoop
  private let input: Int32
  private let output: Int32
  private var received: [UInt8] = []
  private var command: PasswordCommand?
  /// Who waits for the command to be ended, to have it run again.
  private var next: ((Result<String, PasswordFailure>) -> Void)?
  private let names: any NameSource

  /// - Parameters:
  ///   - input: where the questions come from.
  ///   - output: where the answers go.
  ///   - names: nil for the system's.
  init(
    _ files: AccountFiles, _ account: Account, inStoreAt store: String,
    loop: EventLoop = EventLoop(), input: Int32 = 0, output: Int32 = 1,
    names: (any NameSource)? = nil
  ) {
    (self.files, self.account, self.store) = (files, account, store)
    (self.loop, self.input, self.output) = (loop, input, output)
    self.names = names ?? Resolver(loop: loop)
  }

  /// Answers until its input ends.
  func run() -> Int32 {
    // Signals that end the network process must not end this one first: it ends when its input
    // does.
    loop.handleSignals([SIGTERM, SIGINT, SIGHUP]) { _ in }
    _ = fcntl(input, F_SETFL, O_NONBLOCK)
    loop.watch(input) { [weak self] in self?.read() }
    loop.run()
    command?.kill()
    return 0
  }

  private func read() {
    var chunk = [UInt8](repeating: 0, count: 256)
    let count = Glibc.read(input, &chunk, chunk.count)
    if count < 0, errno == EINTR || errno == EAGAIN { return }
    // The network process is gone.
    if count <= 0 { return loop.stop() }
    received += chunk[..<count]
    while let end = received.firstIndex(of: 0x0A) {
      let question = String(decoding: received[..<end], as: UTF8.self)
      received.removeSubrange(...end)
      let words = question.split(separator: " ").map(String.init)
      switch words.first {
      case "services" where words.count == 2:
        names.services(words[1]) { [weak self] records in
          self?.answer(question, .success(records.map { ("service", $0.written) }))
        }
      case "addresses" where words.count == 2:
        names.addresses(of: words[1]) { [weak self] result in
          switch result {
          case .success(let found):
            self?.answer(question, .success(found.map { ("address", $0) }))
          case .failure(let unknown):
            self?.answer(question, .success([("unknown", unknown.reason)]))
          }
        }
      case "settings":
        settings { [weak self] in
          self?.answer(question, $0.map { $0.map(Self.entries) ?? [] })
        }
      case "password":
        password { [weak self] in self?.answer(question, $0.map { [("is", $0)] }) }
      default: answer(question, .success([]))
      }
    }
  }

  private static func entries(_ settings: AccountSettings) -> [(String, String)] {
    [("connect", settings.isWanted ? "yes" : "no")] + settings.values.map { ($0.key, $0.value) }
  }

  private func answer(
    _ question: String, _ answer: Result<[(String, String)], PasswordFailure>
  ) {
    let lines =
      switch answer {
      case .success(let entries): entries.map { "\($0.0) \($0.1)\n" }.joined()
      case .failure(let failure): "!" + failure.written.filter { !$0.isNewline } + "\n"
      }
    let bytes = Array((question + "\n" + lines + "\n").utf8)
    _ = bytes.withUnsafeBytes { try? writeAll(output, $0) }
  }

  func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void) {
    do throws(AccountFileError) {
      then(.success(try files.settings(of: account, inStoreAt: store)))
    } catch {
      then(.failure(.settings(error.description)))
    }
  }

  func password(_ then: @escaping (Result<String, PasswordFailure>) -> Void) {
    if let command {
      // The owner wants another try, perhaps with another command.
      next?(.failure(.none))
      next = then
      return command.kill()
    }
    settings { [self] settings in
      guard case .success(let settings?) = settings else {
        return then(settings.flatMap { _ in .failure(.none) })
      }
      let command = PasswordCommand(Self.words(for: account, settings), loop: loop) { [weak self] in
        self?.command = nil
        then(Self.withoutBlame($0, settings))
        guard let self, let next else { return }
        self.next = nil
        password(next)
      }
      self.command = command
      command.start()
    }
  }

  /// What prints the password of an account.
  static func words(for account: Account, _ settings: AccountSettings) -> [String] {
    if let command = settings["password-command"] { return ChildProcess.words(command) }
    return ["secret-tool", "lookup", "service", "hobnob", "account", account.network]
  }

  /// That the Secret Service has none, or is not there, is nobody's fault.
  static func withoutBlame(
    _ result: Result<String, PasswordFailure>, _ settings: AccountSettings
  ) -> Result<String, PasswordFailure> {
    settings["password-command"] == nil ? result.mapError { _ in .none } : result
  }
}

extension ServiceRecord {
  fileprivate var written: String { "\(priority) \(weight) \(port) \(target)" }

  fileprivate init?(written: String) {
    let words = written.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 4, let priority = UInt16(words[0]), let weight = UInt16(words[1]),
      let port = UInt16(words[2])
    else { return nil }
    self.init(priority: priority, weight: weight, port: port, target: String(words[3]))
  }
}
