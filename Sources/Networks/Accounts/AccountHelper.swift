// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Sentences

/// Gives a network process what only the owner decides: the account's settings and password.
@MainActor
package protocol AccountSource: AnyObject {
  /// Called in the loop when the source can no longer answer.
  var ended: () -> Void { get set }
  /// The settings as they are now; nil if the owner's file no longer lists the account.
  func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void)
  /// The password, from the account's command or the Secret Service.
  func password(_ then: @escaping (Result<String, PasswordFailure>) -> Void)
}

/// A process that stays outside the network process's sandbox: it reads the owner's file of
/// accounts, runs the `password-command` and looks names up. It reads the network process's
/// questions from its standard input, and ends when its input does. The network process can choose
/// neither the file nor the command.
///
/// A question is a line: `settings`, `password`, `services NAME` or `addresses HOST`. An answer is
/// the question, then lines of a name and a value (or one of `!` and the reason), then an empty
/// line. Answers may come in another order than the questions.
///
/// For an account that a program of its own connects (`BridgedPrograms`), it also starts that
/// program: the answer to `start NUMBER` brings the pipes, the answer to `end NUMBER` comes when that
/// run has ended, and `stop NUMBER` ends it, or takes back a start that waits.
@MainActor
package final class AccountHelper: AccountSource, NameSource, ProgramSource {
  private let loop: EventLoop
  private let questions: Int32
  private let answers: Int32
  package var ended: () -> Void = {}
  private var isGone = false
  private var received: [UInt8] = []
  /// The pipes that came with the answer to `start`.
  private var pipes: ProgramPipes?
  /// How many runs of the program were wanted; the number of the last one.
  private var runs = 0
  private var waiting: [(question: String, then: (Answer) -> Void)] = []

  private typealias Answer = Result<[(String, String)], PasswordFailure>

  /// Starts it; nil if no process can be started.
  ///
  /// - Parameter command: this program, `--helper`, the store and the account's network.
  package init?(_ command: [String], loop: EventLoop) {
    guard let asking = ChildProcess.pipe() else { return nil }
    // Descriptors travel only through a socket.
    var answering: [Int32] = [-1, -1]
    guard
      socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0, &answering) == 0
    else {
      close(asking.reading)
      close(asking.writing)
      return nil
    }
    (self.loop, questions, answers) = (loop, asking.writing, answering[0])
    let process = ChildProcess.start(
      command, input: .descriptor(asking.reading), output: .descriptor(answering[1]))
    close(asking.reading)
    close(answering[1])
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
      guard let entries = try? answer.get() else {
        return then(.failure(UnknownHost(translated("no answer"))))
      }
      if let unknown = entries.first(where: { $0.0 == "unknown" }) {
        then(.failure(UnknownHost(Remark(unknown.1))))
      } else {
        then(.success(entries.map(\.1)))
      }
    }
  }

  package func startProgram(
    _ then: @escaping (Result<ProgramPipes, PasswordFailure>) -> Void
  ) -> Int {
    runs += 1
    ask("start \(runs)") { [weak self] answer in
      guard case .failure(let reason) = answer else {
        defer { self?.pipes = nil }
        return then(self?.pipes.map { .success($0) } ?? .failure(.none))
      }
      then(.failure(reason))
    }
    return runs
  }

  package func awaitProgramEnd(of run: Int, _ then: @escaping (Remark) -> Void) {
    ask("end \(run)") { answer in
      guard case .failure(let reason) = answer else { return }
      then(reason.sentence)
    }
  }

  package func stopProgram(_ run: Int) { ask("stop \(run)") { _ in } }

  private func ask(_ question: String, _ then: @escaping (Answer) -> Void) {
    if isGone { return then(.failure(.none)) }
    // A line break in a name would be a second question.
    let question = question.filter { !$0.isNewline }
    waiting.append((question, then))
    let bytes = Array((question + "\n").utf8)
    if (try? bytes.withUnsafeBytes { try writeAll(questions, $0) }) == nil { end() }
  }

  private func read() {
    while true {
      guard let (bytes, descriptors) = PassedDescriptors.receive(from: answers, atMost: 4096)
      else {
        if errno == EINTR { continue }
        break
      }
      if bytes.isEmpty { return end() }
      if let descriptors { pipes = descriptors }
      received += bytes
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

/// The process outside the sandbox has ended. This process cannot start another one, and alone it
/// can neither look up names nor read settings. It ends as after a crash, so that a shell starts
/// both again.
package struct HelperIsGone: Error, CustomStringConvertible {
  package var description: String {
    translated("the helper process has ended")
  }
}
