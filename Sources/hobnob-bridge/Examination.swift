// SPDX-License-Identifier: GPL-3.0-or-later
import Bridge
import Conversations
import Glibc
import Networks
import Platform
import Sentences

/// `hobnob bridge try` and `hobnob bridge check`, which start this program: `--try` or `--check`,
/// the program, then `address=`, `secret-file=`, `room=` or `NAME=`, an option of the account.
@MainActor
struct Examination {
  private let isCheck: Bool
  private let words: [String]

  /// - Returns: nil for other arguments.
  init?(_ arguments: [String]) {
    guard let verb = arguments.first, ["--try", "--check"].contains(verb), arguments.count > 1
    else {
      return nil
    }
    (isCheck, words) = (verb == "--check", Array(arguments.dropFirst()))
  }

  /// The program's path: of the file itself, or of the network of that name.
  private static func path(of word: String) -> (path: String?, fault: String) {
    if word.contains("/") {
      guard let path = realPath(word) else {
        return (nil, filled(("%1 cannot be used: %2", [word, SystemFailure().reason])))
      }
      guard fileStatus(path).map({ $0.st_mode & S_IFMT }) == S_IFREG else {
        return (nil, filled(("%1 is not a file", [word])))
      }
      return access(path, X_OK) == 0
        ? (path, "") : (nil, filled(BridgedProgramError.unexecutable(path: word).sentence))
    }
    do throws(BridgedProgramError) {
      return (try programs.path(of: word), "")
    } catch {
      guard case .missing = error else { return (nil, filled(error.sentence)) }
      return (
        nil,
        access(word, F_OK) == 0
          ? filled(("%1 is not the name of a network; for the file, write ./%1", [word]))
          : filled(("%1 is neither a program nor the name of a network.", [word]))
      )
    }
  }

  private func write(_ line: String, to descriptor: Int32 = 1) {
    _ = Array((line.withoutControls + "\n").utf8).withUnsafeBytes { try? writeAll(descriptor, $0) }
  }

  /// - Returns: the exit status.
  func run() throws -> Int32 {
    let (found, fault) = Self.path(of: words[0])
    guard let program = found else {
      write(fault, to: 2)
      return 64
    }
    let folder = try ScratchFolder("hobnob-bridge-", in: ["/tmp"])
    defer { folder.remove() }
    var options = ExaminedAccount.Options(program: program, folder: folder.path)
    var room: String?
    for word in words.dropFirst() {
      let pair = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value = pair.count > 1 ? String(pair[1]) : ""
      switch pair[0] {
      case "address": options.address = value
      case "room": room = value
      case "secret-file":
        let descriptor = open(value, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
          write(filled(("%1 cannot be used: %2", [value, SystemFailure().reason])), to: 2)
          return 1
        }
        defer { close(descriptor) }
        let line = try readAll(descriptor) { $0 < 65_536 }.prefix { $0 != 0x0A }
        options.secret = String(decoding: line, as: UTF8.self)
      default: options.settings[String(pair[0])] = value
      }
    }
    guard isCheck else {
      guard let trial = try ProgramTrial(options) else {
        write(filled(("%1 could not be run: %2.", [program, SystemFailure().reason])), to: 2)
        return 1
      }
      return trial.run()
    }
    let check = try ProgramCheck(options, room: room) { name, outcome in
      switch outcome {
      case .passed: write("ok       " + name)
      case .failed(let reason): write("FAILED   " + name + ": " + reason)
      case .skipped(let reason): write("skipped  " + name + ": " + reason)
      case .noted(let sentence): write("note     " + name + ": " + sentence)
      }
    }
    return check.run() ? 0 : 1
  }
}
