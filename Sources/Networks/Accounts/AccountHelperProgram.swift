// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform
import Sentences

/// The code that runs in the helper's process.
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
  /// A password request that waits until the running command has ended.
  private var next: ((Result<String, PasswordFailure>) -> Void)?
  private let names: any NameSource
  private let programs: BridgedPrograms
  /// The running program; the network process numbers the runs.
  private var program: (number: Int, run: ProgramRun)?
  /// The run to start as soon as no program runs.
  private var wanted: Int?
  private var isWaitingForLock = false
  private var isEndAwaited = false
  private var lastEnd: (number: Int, reason: Remark)?
  private var isLeaving = false
  /// Held while a program of the account may run, also by a helper that was killed with its network
  /// process and waits for the program's end.
  private var lock: Int32 = -1

  /// - Parameters:
  ///   - input: the descriptor of the questions.
  ///   - output: the descriptor of the answers.
  ///   - names: nil for the system's resolver.
  ///   - programs: where to find the program that connects the account, if it has one.
  init(
    _ files: AccountFiles, _ account: Account, inStoreAt store: String,
    loop: EventLoop = EventLoop(), input: Int32 = 0, output: Int32 = 1,
    names: (any NameSource)? = nil, programs: BridgedPrograms = .installed(OwnFolder.environment)
  ) {
    (self.files, self.account, self.store) = (files, account, store)
    (self.loop, self.input, self.output) = (loop, input, output)
    self.names = names ?? Resolver(loop: loop)
    self.programs = programs
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
    if count <= 0 { return leave() }
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
            self?.answer(question, .success([("unknown", unknown.reason.text)]))
          }
        }
      case "settings":
        settings { [weak self] in
          self?.answer(question, $0.map { $0.map(Self.entries) ?? [] })
        }
      case "password":
        password { [weak self] in self?.answer(question, $0.map { [("is", $0)] }) }
      case "start" where words.count == 2: start(Int(words[1]) ?? 0)
      case "end" where words.count == 2: awaitEnd(Int(words[1]) ?? 0)
      case "stop" where words.count == 2: stop(Int(words[1]) ?? 0)
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

  private func leave() {
    loop.unwatch(input)
    wanted = nil
    guard let program else { return loop.stop() }
    isLeaving = true
    program.run.stop()
  }

  /// Starts the account's program, if the owner's file lists the account, as soon as a former run has
  /// ended. Only the newest wish counts.
  private func start(_ number: Int) {
    refuseStart(.none)
    wanted = number
    startWanted()
  }

  /// Answers the start that waits.
  private func refuseStart(_ reason: PasswordFailure) {
    guard let number = wanted else { return }
    wanted = nil
    answer("start \(number)", .failure(reason))
  }

  private func startWanted() {
    guard wanted != nil, program == nil, !isWaitingForLock else { return }
    settings { [self] settings in
      switch settings {
      case .success(let settings?) where settings.isWanted: startProgram()
      case .success: refuseStart(.none)
      case .failure(let failure): refuseStart(failure)
      }
    }
  }

  private func startProgram() {
    guard let number = wanted else { return }
    do {
      let path = try programs.path(of: account.kind)
      let folder = try files.makeProgramFolder(of: account, inStoreAt: store)
      guard takeLock(in: folder) else {
        isWaitingForLock = true
        loop.after(milliseconds: 200) { [weak self] in
          self?.isWaitingForLock = false
          self?.startWanted()
        }
        return
      }
      let run = try ProgramRun(path, in: folder, loop: loop)
      run.ended = { [weak self] in self?.programEnded(number, $0) }
      (program, wanted) = ((number, run), nil)
      _ = PassedDescriptors.send(
        run.pipes.writing, run.pipes.reading, with: Array("start \(number)\n\n".utf8), to: output)
      close(run.pipes.writing)
      close(run.pipes.reading)
    } catch let error as BridgedProgramError {
      refuseStart(.settings(filled(error.sentence)))
    } catch {
      let name = BridgedPrograms.name(of: account.kind)
      refuseStart(.settings(filled(("%1 could not be run: %2.", [name, "\(error)"]))))
    }
  }

  private func stop(_ number: Int) {
    if wanted == number { refuseStart(.none) }
    if program?.number == number { program?.run.stop() }
    answer("stop \(number)", .success([]))
  }

  /// Answers when the run has ended, or at once if it has.
  private func awaitEnd(_ number: Int) {
    if program?.number == number {
      isEndAwaited = true
    } else if let lastEnd, lastEnd.number == number {
      answer("end \(number)", .failure(.settings(lastEnd.reason)))
    } else {
      answer("end \(number)", .success([]))
    }
  }

  /// - Returns: false while a former program of the account may run.
  private func takeLock(in folder: String) -> Bool {
    if lock < 0 { lock = open(folder + "/lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }
    return lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0
  }

  private func programEnded(_ number: Int, _ reason: Remark) {
    (program, lastEnd) = (nil, (number, reason))
    if isEndAwaited { awaitEnd(number) }
    isEndAwaited = false
    if isLeaving { return loop.stop() }
    startWanted()
  }

  func settings(_ then: @escaping (Result<AccountSettings?, PasswordFailure>) -> Void) {
    do throws(AccountFileError) {
      then(.success(try files.settings(of: account, inStoreAt: store)))
    } catch {
      then(.failure(.settings(filled(error.sentence))))
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

  /// The command that prints the password of an account.
  static func words(for account: Account, _ settings: AccountSettings) -> [String] {
    if let command = settings["password-command"] { return ChildProcess.words(command) }
    return ["secret-tool", "lookup", "service", "hobnob", "account", account.network]
  }

  /// Hides the error if the Secret Service has no password or is not running: the owner need not
  /// have one.
  static func withoutBlame(
    _ result: Result<String, PasswordFailure>, _ settings: AccountSettings
  ) -> Result<String, PasswordFailure> {
    settings["password-command"] == nil ? result.mapError { _ in .none } : result
  }
}
