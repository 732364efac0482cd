// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

// The figures hobnob means to reach, measured beside something else in the same run.

signal(SIGPIPE, SIG_IGN)

do {
  let arguments = try Arguments(CommandLine.arguments.dropFirst())
  switch arguments.task {
  case .help:
    print(Arguments.usage)
  case .echo:
    RawEcho.run()
  case .measure, .lifetime, .accounts:
    let report = try measure(arguments)
    print(report.table)
    exit(report.isReached ? 0 : 1)
  }
} catch let error as ArgumentError {
  complain("\(error.text)\n\(Arguments.usage)")
  exit(64)
} catch {
  complain("hobnob-bench: \(error)")
  exit(2)
}

/// Runs every figure and gathers the rows.
@MainActor func measure(_ arguments: Arguments) throws -> BenchReport {
  let folder = try ScratchFolder()
  defer { folder.remove() }
  let home = ScratchFolder.home
  defer { _ = try? run(["rm", "-rf", home]) }
  let program = try BenchedProgram(arguments.hobnob, in: folder)
  if arguments.task == .lifetime {
    return BenchReport(
      messages: arguments.messages,
      rows: try Lifetime.measure(
        program, in: folder, messages: arguments.messages, rounds: arguments.rounds))
  }
  if arguments.task == .accounts {
    return BenchReport(
      messages: arguments.messages,
      rows: try NetworkFigures.measure(program, in: folder))
  }

  complain("storing \(arguments.messages) messages …")
  let full = try BenchStore.make(in: folder, named: "full", messages: arguments.messages)
  let empty = try BenchStore.make(in: folder, named: "empty", messages: 0)

  var report = BenchReport(messages: arguments.messages)
  complain("key to echo …")
  report.rows += try KeyEcho.measure(program, store: full, keys: arguments.keys)
  complain("start to prompt …")
  report.rows += try StartUp.measure(program, full: full, empty: empty, rounds: arguments.rounds)
  complain("commit to printed line …")
  report.rows += try Delivery.measure(program, store: full, folder: folder, lines: arguments.lines)
  report.rows += try Arrivals.measure(program, store: full)
  complain("a menu over 100,000 names …")
  let names = try BenchStore.make(in: folder, named: "names", messages: 0, names: 100_000)
  report.rows += try NamesMenu.measure(program, store: names, keys: arguments.keys)
  complain("memory and size …")
  report.rows += try Footprint.memory(program, store: full)
  report.rows += try Footprint.size(program, folder: folder)
  report.rows += try NetworkFigures.measure(program, in: folder)
  return report
}
