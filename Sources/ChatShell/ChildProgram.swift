// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
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
    guard let first = words.first else {
      errno = ENOENT
      return nil
    }
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
    arguments.append(nil)
    defer { for argument in arguments { free(argument) } }
    // It starts with the signals as any program has them; here they stay blocked.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var signals = terminalSignals
    for signal in [SIGPIPE, SIGXFSZ] { sigaddset(&signals, signal) }
    posix_spawnattr_setsigdefault(&attributes, &signals)
    var files = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&files)
    defer { posix_spawn_file_actions_destroy(&files) }
    var flags = Int32(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
    switch place {
    case .foreground(let input):
      if let input { posix_spawn_file_actions_adddup2(&files, input, 0) }
    case .detached:
      flags |= 0x80  // POSIX_SPAWN_SETSID, a macro that Swift does not see
      posix_spawn_file_actions_addopen(&files, 0, "/dev/null", O_RDONLY, 0)
      for output in [1, 2] as [Int32] {
        posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0)
      }
    }
    posix_spawnattr_setflags(&attributes, Int16(flags))
    var process: pid_t = 0
    let failure = posix_spawnp(&process, first, &files, &attributes, arguments, environ)
    errno = failure
    return failure == 0 ? process : nil
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
