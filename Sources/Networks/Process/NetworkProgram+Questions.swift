// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc
import Platform
import Sentences

/// The process at the owner's terminal, beside the one that serves the account.
extension NetworkProgram {
  /// Starts the process that serves the account and gives it the password through a pipe. What the
  /// network asks meanwhile, it asks the owner.
  ///
  /// - Parameter inBackground: whether the process goes on by itself, after at most ten seconds
  ///   without a question.
  /// - Returns: the process's last answer, empty if there was none in time, and its exit status,
  ///   nil if it goes on; nil if it could not start.
  func serveElsewhere(
    _ secret: String, inBackground: Bool
  ) -> (answer: String, status: Int32?)? {
    guard let passwords = ChildProcess.pipe(), let answers = ChildProcess.pipe() else { return nil }
    let words = [ownProgram, "--password-on-input"] + arguments.filter { $0 != "--ask" }
    let process = ChildProcess.start(
      words, input: .descriptor(passwords.reading), output: .descriptor(answers.writing),
      errors: inBackground ? .null : .ours, group: inBackground ? .session : .ours)
    close(passwords.reading)
    close(answers.writing)
    defer { for descriptor in [passwords.writing, answers.reading] { close(descriptor) } }
    func write(_ line: String) {
      _ = Array((line + "\n").utf8).withUnsafeBytes { try? writeAll(passwords.writing, $0) }
    }
    write(secret)
    guard let process else { return nil }
    var lines = WaitingLines(from: answers.reading)
    // Another process's signal is meant for the one that serves the account.
    if !inBackground { lines.signals.add([SIGTERM, SIGHUP]) }
    var (answer, patience) = ("", inBackground ? Int32(1_000) : -1)
    while true {
      switch lines.next(within: patience) {
      case .none:
        if patience != 1_000 { return (answer, nil) }
        say(translated("Connecting; C-c returns to hobnob, which goes on connecting."))
        patience = 9_000
      case .signal: kill(process, SIGTERM)
      case .end:
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return (answer, ChildProcess.exitStatus(status))
      case .line(let line) where line.hasPrefix("ask "):
        guard case .line(let text) = lines.next(within: 1_000),
          case .line(let code) = lines.next(within: 1_000)
        else { continue }
        let question = OwnerQuestion(text, code: code, isSecret: line.hasSuffix(" secret"))
        if let typed = answered(question, unless: answers.reading) {
          write(line.dropFirst(4).prefix { $0 != " " } + " " + typed)
          if inBackground { patience = 30_000 }
        } else if !lines.hasMore {
          // C-c: if the network needs the answer, the account's state says so.
          return (answer, nil)
        }
      case .line(let line):
        answer = line
        // The next process needs the lease that this one still has.
        if line == Answer.refused.rawValue { waitpid(process, nil, 0) }
        if inBackground { return (answer, nil) }
      }
    }
  }

  /// The owner's answer; nil after C-c, or if there is something new to read before it.
  private func answered(_ question: OwnerQuestion, unless other: Int32) -> String? {
    if !question.code.isEmpty { show(code: question.code) }
    return TypedSecret.ask(
      question.text + " ", allowsNone: true, isShown: !question.isSecret, unless: other)
  }

  /// Shows a QR code, or its text where a drawing is of no use.
  private func show(code: String) {
    var size = winsize()
    let isKnown = ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    if isPlain {
      say(translated("A QR code would contain this text:"))
    } else if let drawn = Self.drawn(code), !drawn.isEmpty {
      if !isKnown || Self.columns(of: drawn) <= Int(size.ws_col) {
        _ = drawn.withUnsafeBytes { try? writeAll(2, $0) }
        return
      }
      say(translated("The terminal is too narrow for the QR code, which contains this text:"))
    } else {
      say(
        translated(
          "To see a QR code here, install qrencode; until then, here is the text that it would contain:"
        ))
    }
    say(code)
  }

  /// The columns of the first row, without escape sequences.
  private static func columns(of drawn: [UInt8]) -> Int {
    let row = String(decoding: drawn.prefix { $0 != 0x0A }, as: UTF8.self)
    return row.replacing(/\u{1B}\[[0-9;]*m/, with: "").count
  }

  /// What qrencode(1) draws, without colours if `NO_COLOR` is set; nil if it is not installed.
  private static func drawn(_ code: String) -> [UInt8]? {
    let hasColours = getenv("NO_COLOR").map { $0.pointee == 0 } ?? true
    guard let input = QRCode.input(code) else { return nil }
    defer { close(input) }
    guard let output = ChildProcess.pipe() else { return nil }
    defer { close(output.reading) }
    let process = ChildProcess.start(
      QRCode.command(inColours: hasColours), input: .descriptor(input),
      output: .descriptor(output.writing), errors: .null)
    close(output.writing)
    guard let process else { return nil }
    let drawn = try? readAll(output.reading) { $0 < 1 << 20 }
    waitpid(process, nil, 0)
    return drawn
  }
}

/// Lines from a pipe, read with patience.
private struct WaitingLines: ~Copyable {
  enum Next {
    case line(String)
    case signal
    case end
    /// Nothing in time.
    case none
  }

  var signals = SignalDescriptor()
  private let descriptor: Int32
  private var received: [UInt8] = []

  init(from descriptor: Int32) { self.descriptor = descriptor }

  /// - Parameter patience: in milliseconds; -1 for ever.
  mutating func next(within patience: Int32) -> Next {
    while true {
      if let end = received.firstIndex(of: 0x0A) {
        defer { received.removeSubrange(...end) }
        return .line(String(decoding: received[..<end], as: UTF8.self))
      }
      var inputs = [descriptor, signals.descriptor].map {
        pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
      }
      let count = poll(&inputs, 2, patience)
      if count < 0 { continue }
      if count == 0 { return .none }
      if inputs[1].revents != 0, !signals.read().isEmpty { return .signal }
      var chunk = [UInt8](repeating: 0, count: 4096)
      let size = read(descriptor, &chunk, chunk.count)
      if size <= 0 { return .end }
      received += chunk[..<size]
    }
  }

  /// Whether there is something to read at once.
  var hasMore: Bool {
    var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !received.isEmpty || poll(&input, 1, 0) > 0
  }
}
