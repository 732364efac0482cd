// SPDX-License-Identifier: GPL-3.0-or-later
import ChatSession
import Conversations
import Exchange
import Glibc
import StyledText

/// The name of a store's file without its ending, from which those beside it are named.
struct StoreName {
  private let stem: String

  init(_ path: String) {
    stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
  }

  func with(_ ending: String) -> String { stem + ending }

  /// `store.WORD.sqlite`, or with a number where that is taken.
  func free(_ word: String) -> String {
    var number = 1
    while true {
      let path = with(number == 1 ? ".\(word).sqlite" : ".\(word)-\(number).sqlite")
      var found = stat()
      if lstat(path, &found) != 0 { return path }
      number += 1
    }
  }
}

/// `hobnob check --recover`: a new store from what can be read of a damaged one.
extension Launch {
  /// Writes the new store beside the old one, which is only read, and says how to take it.
  ///
  /// - Returns: 1 where so little came that it is not worth taking.
  func recover(_ output: StandardOutput) throws -> Int32 {
    let path = try storePath
    guard access(path, F_OK) == 0 else {
      throw Refusal(say("%1 cannot be opened: %2.", SafeText(line: path), systemReason()))
    }
    let name = StoreName(path)
    let report: RecoveryReport
    do {
      report = try Store.recover(
        from: path, to: name.free("recovered"), shared: options.shared ? true : nil)
    } catch let error as StoreError {
      switch error {
      case .corrupt, .notAStore: throw Self.nothingLeft(of: path)
      default: throw error
      }
    }
    if report.isMeagre {
      StandardError.say(
        say(
          "hobnob could read less than a tenth of %1, so do not put the new store in its place. Keep it, and look for a copy that hobnob check --backup wrote, or an export.",
          SafeText(line: path)))
    }
    output.write(say("Recovered into %1:", SafeText(line: report.path)))
    for table in report.tables where table.got + table.lost > 0 {
      output.write("  " + say(table.sentence))
    }
    if report.isMeagre { return 1 }
    output.write(say("To use it, end every hobnob, then type:"))
    let kept = name.free("damaged")
    output.write("  " + Self.moving(path, to: kept))
    // The last hobnob that ends takes these away.
    for ending in ["-wal", "-shm"] where access(path + ending, F_OK) == 0 {
      output.write(
        "  " + SafeText(line: "[ ! -e \(Self.quoted(path + ending)) ] || ")
          + Self.moving(path + ending, to: kept + ending))
    }
    output.write("  " + Self.moving(report.path, to: path))
    return 0
  }

  private static func nothingLeft(of path: String) -> Refusal {
    Refusal(
      say(
        "hobnob can read nothing of a store in %1. Replace it with a copy that hobnob check --backup wrote, or move it away and read an export into a new store with hobnob import.",
        SafeText(line: path)))
  }

  private static func moving(_ path: String, to other: String) -> SafeText {
    SafeText(line: "mv -n \(quoted(path)) \(quoted(other))")
  }

  /// As a shell takes it for one word.
  package static func quoted(_ path: String) -> String {
    "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
