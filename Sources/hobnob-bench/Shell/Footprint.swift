// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform

/// How much memory the program takes at its prompt, and the sizes of files.
enum Footprint {
  static func memory(_ program: BenchedProgram, store: BenchStore) throws -> [Figure] {
    let shell = try program.open(store)
    let bash = try BenchedProgram.openBash().child
    let ofShell = try residentBytes(of: shell.process)
    let ofBash = try residentBytes(of: bash.process)
    let own = (try ownBytes(of: shell.process), try ownBytes(of: bash.process))
    try shell.leave()
    try bash.leave()
    return [
      Figure(
        name: "memory at the prompt (resident)", measured: megabytes(ofShell),
        beside: "bash --norc -i \(megabytes(ofBash))", target: "< 14 MB",
        isReached: ofShell < 14_000_000),
      Figure(
        name: "  … what a second shell costs", measured: megabytes(own.0),
        beside: "bash --norc -i \(megabytes(own.1))", target: "≤ 1.6 MB",
        isReached: own.0 <= 1_600_000),
    ]
  }

  static func residentBytes(of process: pid_t) throws -> Int {
    try 1024 * number(after: "VmRSS:", in: "status", of: process)
  }

  /// The memory that only this process uses: private pages that it wrote to. Everything else is in
  /// memory once, however many shells run.
  static func ownBytes(of process: pid_t) throws -> Int {
    try 1024 * number(after: "Private_Dirty:", in: "smaps_rollup", of: process)
  }

  /// The number after a name in a file of the process's folder in `/proc`.
  private static func number(after name: String, in file: String, of process: pid_t) throws -> Int {
    let text = try contents(of: "/proc/\(process)/\(file)")
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n")
    where line.hasPrefix(name) {
      if let number = line.split(whereSeparator: { !$0.isNumber }).first.flatMap({ Int($0) }) {
        return number
      }
    }
    throw MeasuringError("/proc/\(process)/\(file) does not tell \(name)")
  }

  static func size(of path: String) throws -> Int {
    var found = stat()
    guard stat(path, &found) == 0 else { throw MeasuringError("no file at \(path)") }
    return Int(found.st_size)
  }

  private static func contents(of path: String) throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MeasuringError("\(path) cannot be read") }
    defer { close(descriptor) }
    guard let bytes = try? readAll(descriptor) else {
      throw MeasuringError("\(path) cannot be read")
    }
    return bytes
  }
}
