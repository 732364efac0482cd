// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// How often a process wakes up that has nothing to do but to answer for its connection.
struct Idleness {
  private let process: pid_t
  private let wakings: Int
  private let since: Int64

  init(of process: pid_t) throws {
    // Until what belongs to the connecting is done.
    poll(nil, 0, 3_000)
    self.process = process
    wakings = try Self.wakings(of: process)
    since = now()
  }

  func figures() throws -> [Figure] {
    let minutes = Double(now() - since) / 60_000_000_000
    let perMinute = Double(try Self.wakings(of: process) - wakings) / minutes
    let bytes = try (
      Footprint.residentBytes(of: process), Footprint.ownBytes(of: process)
    )
    return [
      // A question of the server's, or one to it and its answer, in three minutes.
      Figure(
        name: "idle connection, wake-ups per minute", measured: decimal(perMinute, 2),
        beside: "in \(decimal(minutes, 1)) minutes", target: "≤ 2", isReached: perMinute <= 2),
      Figure(
        name: "  … memory of its process (resident)", measured: megabytes(bytes.0),
        beside: "what is its own \(megabytes(bytes.1))"),
    ]
  }

  /// How often it has waited for something, in all its threads.
  private static func wakings(of process: pid_t) throws -> Int {
    guard let folder = opendir("/proc/\(process)/task") else {
      throw MeasuringError("process \(process) is gone")
    }
    defer { closedir(folder) }
    var sum = 0
    while let entry = readdir(folder) {
      let thread = withUnsafeBytes(of: entry.pointee.d_name) { name in
        pid_t(String(decoding: name.prefix { $0 != 0 }, as: UTF8.self))
      }
      guard let thread else { continue }
      sum += try Footprint.number(
        after: "voluntary_ctxt_switches:", in: "task/\(thread)/status", of: process)
    }
    return sum
  }
}
