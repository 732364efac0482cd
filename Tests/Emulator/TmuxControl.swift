// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// A tmux server that takes all its commands from one client in control mode. A client for each
/// command costs ten times as much, and tests ask a lot.
///
/// ```swift
/// let tmux = try TmuxControl(
///   folder: folder, environment: environment, ["new-session", "-d", "cat"])
/// #expect(try tmux.run(["capture-pane", "-p"]).first == "")
/// ```
public final class TmuxControl {
  /// tmux refused a command.
  public struct Failure: Error {
    public var what: String
  }

  private let client: pid_t
  /// Where commands go, and where answers come from.
  private let commands: Int32
  private let answers: Int32
  private var unread: [UInt8] = []

  /// Starts the server with its first session.
  ///
  /// - Parameters:
  ///   - folder: its own; the socket and two pipes are made there.
  ///   - settings: a configuration file.
  ///   - session: the command that makes the first session.
  public init(
    folder: String, settings: String = "/dev/null", environment: [String: String],
    _ session: [String]
  ) throws {
    let server = ["tmux", "-u", "-S", folder + "/socket", "-f", settings]
    // Named pipes, since they can be opened so that no other child inherits these ends.
    let paths = [folder + "/commands", folder + "/answers"]
    for path in paths { mkfifo(path, 0o600) }
    commands = open(paths[0], O_RDWR | O_CLOEXEC)
    answers = open(paths[1], O_RDWR | O_CLOEXEC)
    try Self.run(server + session, environment)
    client = try spawn(
      server + ["-C", "attach-session", "-f", "ignore-size,no-output"], environment: environment,
      files: [.reading(paths[0]), .writing(paths[1]), .writing("/dev/null")])
    // To be attached is its first command.
    _ = try answer(to: "attach-session")
  }

  deinit {
    // Not by a new client: the socket may be gone with its folder.
    write("kill-server\n")
    waitpid(client, nil, 0)
    close(commands)
    close(answers)
  }

  /// Runs a command.
  ///
  /// - Returns: the lines it prints.
  @discardableResult
  public func run(_ words: [String]) throws -> [String] {
    let line = words.map(quoted).joined(separator: " ")
    write(line + "\n")
    return try answer(to: line)
  }

  private func write(_ text: String) {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(commands, $0.baseAddress, $0.count) }
      if count > 0 { rest = rest.dropFirst(count) } else if errno != EINTR { break }
    }
  }

  /// A word in which nothing means anything to tmux.
  private func quoted(_ word: String) -> String {
    word.split(separator: "\n", omittingEmptySubsequences: false)
      .map {
        "'" + $0.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
          + "'"
      }
      .joined(separator: "\"\\n\"")
  }

  /// The text between %begin and %end; notifications may precede it.
  private func answer(to command: String) throws -> [String] {
    while let line = nextLine() {
      if line.hasPrefix("%exit") { break }
      if !line.hasPrefix("%begin") { continue }
      var lines: [String] = []
      while let line = nextLine() {
        if line.hasPrefix("%end ") { return lines }
        if line.hasPrefix("%error ") { throw Failure(what: "\(command): \(lines)") }
        lines.append(line)
      }
    }
    throw Failure(what: "no answer to \(command)")
  }

  /// Nil when it does not come in twenty seconds.
  private func nextLine() -> String? {
    while true {
      if let end = unread.firstIndex(of: 0x0A) {
        defer { unread.removeFirst(end + 1) }
        return String(decoding: unread[..<end], as: UTF8.self)
      }
      var descriptors = pollfd(fd: answers, events: Int16(POLLIN), revents: 0)
      var buffer = [UInt8](repeating: 0, count: 65_536)
      switch poll(&descriptors, 1, 20_000) {
      case 0: return nil
      case 1:
        let count = read(answers, &buffer, buffer.count)
        if count > 0 { unread += buffer[..<count] }
      default: if errno != EINTR { return nil }
      }
    }
  }

  private static func run(_ command: [String], _ environment: [String: String]) throws {
    let null = StandardFile.writing("/dev/null")
    let process = try spawn(
      command, environment: environment, files: [.reading("/dev/null"), null, null])
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    if status != 0 { throw Failure(what: command.joined(separator: " ")) }
  }
}
