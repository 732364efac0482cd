// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Testing

/// Tries something again as long as a process works: how long its work takes depends on the machine
/// and on what else runs there. It may use ten minutes of the processor's time, and must use a second
/// of it between two attempts.
///
/// - Parameter attempt: waits a while for what should happen; whether it did.
func waitWhileBusy(_ process: pid_t, attempt: () throws -> Bool) throws -> Bool {
  var used = try processorTime(of: process)
  while true {
    if try attempt() { return true }
    let before = used
    used = try processorTime(of: process)
    if used < before + 1 || used > 600 { return false }
  }
}

/// The processor's time that a process has used, in seconds; zero if it has ended.
private func processorTime(of process: pid_t) throws -> Double {
  guard let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else {
    return 0
  }
  // The name of the program, in brackets, may contain blanks.
  let fields = try #require(status.split(separator: ")").last).split(separator: " ")
  let ticks = fields.dropFirst(11).prefix(2).compactMap { Double($0) }
  return ticks.reduce(0, +) / Double(sysconf(Int32(_SC_CLK_TCK)))
}
