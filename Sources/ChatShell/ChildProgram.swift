// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import StyledText

/// Other programs, started by their words and never through a shell, unless a shell is the first
/// word.
enum ChildProgram {
  /// A command as people write it into a setting or a variable: words between blanks, with quotes and
  /// backslashes taken off as a shell does. Nothing else of a shell: no `$`, `~`, `*`, `|`. A command
  /// with a quote that never ends is split at its blanks only.
  static func words(_ command: String) -> [String] {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var rest = Substring(command)
    while let next = rest.popFirst() {
      if next == "\\", quote != "'", let escaped = rest.first {
        let isItself = quote == "\"" && escaped != "\"" && escaped != "\\"
        word = (word ?? "") + (isItself ? "\\" : "") + String(escaped)
        rest.removeFirst()
      } else if next == quote {
        quote = nil
      } else if quote == nil, next == "'" || next == "\"" {
        quote = next
        word = word ?? ""
      } else if quote == nil, next.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(next)
      }
    }
    if quote != nil { return command.split(whereSeparator: \.isWhitespace).map(String.init) }
    return words + [word].compactMap { $0 }
  }

  /// Where a program's standard input, output and error are.
  enum Place {
    /// The terminal is its own; standard input may be a file instead.
    case foreground(input: Int32?)
    /// No terminal, a session of its own: what is typed here, C-c too, does not reach it.
    case detached
  }

  /// Starts a program, found by `PATH`.
  ///
  /// - Returns: its process, or nil with the reason in `errno`.
  static func start(_ words: [String], _ place: Place) -> pid_t? {
    switch place {
    case .foreground(let input):
      ChildProcess.start(words, input: input.map { .descriptor($0) } ?? .ours)
    case .detached:
      ChildProcess.start(words, input: .null, output: .null, errors: .null, group: .session)
    }
  }

  /// What the terminal sends to all that run on it.
  private static var terminalSignals: sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for signal in [SIGINT, SIGQUIT, SIGTSTP] { sigaddset(&signals, signal) }
    return signals
  }

  /// Runs a program on the terminal and waits for its end.
  ///
  /// - Returns: its exit status, or 128 and the signal that ended it; nil with the reason in `errno`
  ///   where it could not be started.
  static func run(_ words: [String], input: Int32? = nil) -> Int32? {
    guard let process = start(words, .foreground(input: input)) else { return nil }
    var status: Int32 = 0
    while waitpid(process, &status, WUNTRACED) >= 0 || errno == EINTR {
      // C-z in it: both stop, and go on together.
      guard status & 0xFF == 0x7F else { break }
      kill(getpid(), SIGSTOP)
      status = 0
    }
    // What the terminal sent to both was meant for the other.
    var signals = terminalSignals
    sigaddset(&signals, SIGCONT)
    var moment = timespec()
    while sigtimedwait(&signals, nil, &moment) > 0 {}
    return exitStatus(status)
  }

  static func exitStatus(_ status: Int32) -> Int32 {
    status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
  }
}

/// Programs that run beside the shell: `/open`, `notify-command`.
@MainActor
final class DetachedPrograms {
  /// Nobody needs more at a time; a flood of mentions is no flood of programs.
  static let most = 16

  private var running: [pid_t: (Int32) -> Void] = [:]
  /// The first of them was started: from now on ``reap()`` is to be called when a child ends.
  var began: () -> Void = {}
  private var hasBegun = false

  /// Whether one has to end before another can be started.
  var isFull: Bool { running.count >= Self.most }

  /// Starts one.
  ///
  /// - Parameter ended: called with its exit status, where the shell still runs.
  /// - Returns: false with the reason in `errno`.
  func start(_ words: [String], ended: @escaping (Int32) -> Void) -> Bool {
    guard !isFull else {
      errno = EAGAIN
      return false
    }
    if !hasBegun { began() }
    hasBegun = true
    guard let process = ChildProgram.start(words, .detached) else { return false }
    running[process] = ended
    return true
  }

  /// Takes note of those that have ended, without waiting.
  func reap() {
    for (process, ended) in running {
      var status: Int32 = 0
      guard waitpid(process, &status, WNOHANG) == process else { continue }
      running[process] = nil
      ended(ChildProgram.exitStatus(status))
    }
  }
}
