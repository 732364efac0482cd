// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

/// A program that runs beside the tests without a terminal; its output goes to files.
final class Program {
  struct Finished: Equatable {
    /// The exit status, or 128 and the signal that ended it.
    var status: Int32
    var output: String
    var errors: String
  }

  let processIdentifier: pid_t
  private let folder: String
  private var input: Int32
  private var status: Int32?

  /// - Parameters:
  ///   - input: the whole standard input; nil leaves it open for `type`.
  ///   - environment: all of it; nothing is inherited.
  init(_ command: [String], input text: String? = "", environment: [String: String]) throws {
    folder = try temporaryFolder()
    try text?.write(toFile: folder + "/input", atomically: false, encoding: .utf8)
    if text == nil {
      // A named pipe, since it can be opened so that no other child inherits this end.
      mkfifo(folder + "/input", 0o600)
      input = open(folder + "/input", O_RDWR | O_CLOEXEC)
    } else {
      input = -1
    }

    processIdentifier = try spawn(
      command, environment: environment,
      files: [
        .reading(folder + "/input"), .writing(folder + "/output"), .writing(folder + "/errors"),
      ])
  }

  deinit {
    if status == nil {
      Glibc.kill(processIdentifier, SIGKILL)
      waitpid(processIdentifier, nil, 0)
    }
    closeInput()
    try? FileManager.default.removeItem(atPath: folder)
  }

  var output: String { contents(of: "output") }
  var errors: String { contents(of: "errors") }

  /// Writes to an open standard input.
  func type(_ text: String) { type(bytes: Array(text.utf8)) }

  func type(bytes: [UInt8]) {
    _ = bytes.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
  }

  /// Ends an open standard input.
  func closeInput() {
    if input >= 0 { close(input) }
    input = -1
  }

  func kill(_ signal: Int32) {
    if status == nil { Glibc.kill(processIdentifier, signal) }
  }

  /// Waits until the output meets the condition.
  func wait(for seconds: Double, until condition: (Program) -> Bool) -> Bool {
    let end = Date(timeIntervalSinceNow: seconds)
    while !condition(self) {
      if Date() > end { return false }
      poll(nil, 0, 5)
    }
    return true
  }

  /// Waits for the end; a program that does not end is killed and fails the test.
  func finish(within seconds: Double = 20) -> Finished {
    let end = Date(timeIntervalSinceNow: seconds)
    while !hasEnded {
      if Date() > end {
        Issue.record("the program did not end within \(seconds) s; output: \(output)\(errors)")
        Glibc.kill(processIdentifier, SIGKILL)
        waitpid(processIdentifier, nil, 0)
        status = 137
      } else {
        poll(nil, 0, 1)
      }
    }
    return Finished(status: status ?? 127, output: output, errors: errors)
  }

  /// Whether it has ended.
  var hasEnded: Bool {
    var raw: Int32 = 0
    if status == nil, waitpid(processIdentifier, &raw, WNOHANG) == processIdentifier {
      status = exitStatus(raw)
    }
    return status != nil
  }

  private func contents(of name: String) -> String {
    let data = FileManager.default.contents(atPath: "\(folder)/\(name)") ?? Data()
    return String(decoding: data, as: UTF8.self)
  }
}

/// A folder of mode 0700 that nobody else uses.
func temporaryFolder() throws -> String {
  var template = Array("/tmp/hobnob-test-XXXXXX".utf8CString)
  guard mkdtemp(&template) != nil else { throw POSIXError(.EACCES) }
  return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
