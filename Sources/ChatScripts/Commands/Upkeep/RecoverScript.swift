// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import Exchange
import Glibc
import StyledText

/// The path of a store without its extension, for making the names of files beside the store.
struct StoreName {
  private let stem: String

  init(_ path: String) {
    stem = path.hasSuffix(".sqlite") ? String(path.dropLast(7)) : path
  }

  func with(_ ending: String) -> String { stem + ending }

  /// `store.WORD.sqlite`, with a number in it if that name is taken.
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

/// `hobnob check --recover`: makes a new store from the readable parts of a damaged one.
extension Launch {
  /// Writes the new store beside the old one, which it only reads, and says how to use it.
  ///
  /// - Returns: 1 if so little was readable that it is of no use.
  func recover(_ output: StandardOutput) throws -> Int32 {
    let path = try storePath
    guard access(path, F_OK) == 0 else {
      throw Refusal(say("%1 cannot be opened: %2.", SafeText(line: path), systemReason()))
    }
    let name = StoreName(path)
    let report: RecoveryReport
    do {
      report = try Recovery.run(
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
          "hobnob was able to read less than a tenth of %1. Do not replace this store with the new one; keep it, and look for a backup made with hobnob check --backup, or for an export.",
          SafeText(line: path)))
    }
    output.write(say("Recovered into %1:", SafeText(line: report.path)))
    for table in report.tables where table.got + table.lost > 0 {
      output.write("  " + say(table.sentence))
    }
    if report.isMeagre { return 1 }
    output.write(say("To use it, quit every running hobnob, then type:"))
    let kept = name.free("damaged")
    output.write("  " + Self.moving(path, to: kept))
    // The last hobnob to exit removes these.
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
        "hobnob found nothing readable in the store %1. Replace it with a backup made with hobnob check --backup, or move it away and read an export into a new store with hobnob import.",
        SafeText(line: path)))
  }

  private static func moving(_ path: String, to other: String) -> SafeText {
    SafeText(line: "mv -n \(quoted(path)) \(quoted(other))")
  }

  /// Quotes a path as one word for a shell.
  package static func quoted(_ path: String) -> String {
    "'" + path.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
