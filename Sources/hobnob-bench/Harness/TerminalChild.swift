// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// Why a figure could not be measured.
struct MeasuringError: Error, CustomStringConvertible {
  var description: String
  init(_ description: String) { self.description = description }
}

/// A program on a pseudo-terminal of its own, of 24 rows and 100 columns.
final class TerminalChild {
  let process: pid_t
  /// When the program was started.
  let startedAt: Int64
  private(set) var bytesReceived = 0

  private let descriptor: Int32
  private let name: String
  private var text = PlainText()
  /// When the last bytes arrived.
  private var receivedAt: Int64 = 0
  private var buffer = [UInt8](repeating: 0, count: 65536)
  private var isRunning = true

  init(_ command: [String], environment: [String]) throws {
    name = command.joined(separator: " ")
    var ends: (own: Int32, childs: Int32) = (-1, -1)
    var path = [CChar](repeating: 0, count: 128)
    var size = winsize(ws_row: 24, ws_col: 100, ws_xpixel: 0, ws_ypixel: 0)
    guard openpty(&ends.own, &ends.childs, &path, nil, &size) == 0 else {
      throw MeasuringError("no pseudo-terminal: \(String(cString: strerror(errno)))")
    }
    descriptor = ends.own
    _ = fcntl(ends.own, F_SETFD, FD_CLOEXEC)
    _ = fcntl(ends.childs, F_SETFD, FD_CLOEXEC)
    defer { close(ends.childs) }

    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // A terminal that the leader of a new session opens becomes its controlling terminal.
    posix_spawn_file_actions_addopen(&actions, 0, path, O_RDWR, 0)
    posix_spawn_file_actions_adddup2(&actions, 0, 1)
    posix_spawn_file_actions_adddup2(&actions, 0, 2)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // POSIX_SPAWN_SETSID, which the overlay hides behind _GNU_SOURCE; SIGPIPE is ignored here.
    var signals = sigset_t()
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(&attributes, Int16(0x80 | POSIX_SPAWN_SETSIGDEF))

    let words = (command + [nil]).map { $0.flatMap { strdup($0) } }
    let variables = (environment + [nil]).map { $0.flatMap { strdup($0) } }
    defer { for pointer in words + variables { free(pointer) } }
    var child: pid_t = 0
    startedAt = now()
    let failure = posix_spawnp(&child, command[0], &actions, &attributes, words, variables)
    process = child
    guard failure == 0 else {
      isRunning = false
      throw MeasuringError("cannot start \(command[0]): \(String(cString: strerror(failure)))")
    }
  }

  deinit {
    if isRunning {
      kill(process, SIGKILL)
      waitpid(process, nil, 0)
    }
    close(descriptor)
  }

  /// Types bytes.
  func type(_ bytes: [UInt8]) {
    _ = Glibc.write(descriptor, bytes, bytes.count)
  }

  /// Reads until `wanted` appears in what was printed since the last call, without escape
  /// sequences.
  ///
  /// - Returns: when the bytes that completed it arrived. Finding it also takes time, more if more
  ///   was printed, but this time does not count as the program's.
  @discardableResult
  func wait(for wanted: [UInt8], seconds: Int64 = 10) throws -> Int64 {
    let end = now() + seconds * 1_000_000_000
    var searched = 0
    while true {
      if text.consume(upTo: wanted, from: &searched) { return receivedAt }
      let left = end - now()
      if left <= 0 || !receive(milliseconds: left / 1_000_000 + 1) {
        throw MeasuringError(
          "\(name) did not print \"\(String(decoding: wanted, as: UTF8.self))\" in \(seconds) s; "
            + "it printed: \(String(decoding: text.bytes.suffix(200), as: UTF8.self))")
      }
    }
  }

  /// Reads and drops all output until none has arrived for a while.
  func settle(milliseconds: Int64) {
    while receive(milliseconds: milliseconds) {}
    text.bytes.removeAll(keepingCapacity: true)
  }

  /// Types an end of input, and waits for the program's end.
  func leave() throws {
    type([0x04])
    let limit = now() + 5_000_000_000
    while waitpid(process, nil, WNOHANG) != process {
      if now() > limit { throw MeasuringError("\(name) did not leave") }
      if !receive(milliseconds: 10) { poll(nil, 0, 1) }
    }
    isRunning = false
  }

  /// Reads once, when there is something to read.
  private func receive(milliseconds: Int64) -> Bool {
    var descriptors = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&descriptors, 1, Int32(milliseconds)) > 0 else { return false }
    let count = read(descriptor, &buffer, buffer.count)
    guard count > 0 else { return false }
    receivedAt = now()
    bytesReceived += count
    buffer.withUnsafeBufferPointer { text.feed($0[..<count]) }
    return true
  }
}

/// What a program printed, without its escape sequences.
struct PlainText {
  var bytes: [UInt8] = []
  private enum State { case text, escape, control, string, stringEscape }
  private var state = State.text

  mutating func feed(_ input: Slice<UnsafeBufferPointer<UInt8>>) {
    for byte in input {
      switch state {
      case .text:
        if byte == 0x1B { state = .escape } else { bytes.append(byte) }
      case .escape:
        switch byte {
        case UInt8(ascii: "["): state = .control
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "_"): state = .string
        default: state = .text
        }
      case .control:
        if 0x40...0x7E ~= byte { state = .text }
      case .string:
        if byte == 0x07 { state = .text } else if byte == 0x1B { state = .stringEscape }
      case .stringEscape:
        state = .text
      }
    }
  }

  /// Drops `wanted` and everything before it.
  ///
  /// - Parameter searched: the offset before which `wanted` is known not to begin; 0 at first.
  /// - Returns: whether it was printed.
  mutating func consume(upTo wanted: [UInt8], from searched: inout Int) -> Bool {
    let end = max(searched, bytes.count - wanted.count + 1)
    let found = bytes.withUnsafeBufferPointer { bytes in
      (searched..<end).first {
        bytes[$0] == wanted[0] && bytes[$0...].starts(with: wanted)
      }
    }
    searched = end
    guard let found else { return false }
    bytes.removeFirst(found + wanted.count)
    return true
  }
}
