// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

// The figures that hobnob aims for, each measured in the same run as something to compare it with.

signal(SIGPIPE, SIG_IGN)

let arguments = Arguments(CommandLine.arguments.dropFirst())
if arguments.echo {
  RawEcho.run()
  exit(0)
}
do {
  if arguments.ircServer { try InventedIRC.run() }
  let report = try measure(arguments)
  print(report.table)
  exit(report.isReached ? 0 : 1)
} catch {
  note("hobnob-bench: \(error)")
  exit(2)
}

/// Runs every figure and gathers the rows.
@MainActor func measure(_ arguments: Arguments) throws -> BenchReport {
  let folder = try ScratchFolder()
  defer { folder.remove() }
  let home = ScratchFolder.home
  defer { _ = try? run(["rm", "-rf", home]) }
  let program = try BenchedProgram(arguments.hobnob, in: folder)
  if arguments.lifetime {
    return BenchReport(
      rows: try Lifetime.measure(
        program, in: folder, messages: arguments.messages ?? 1_000_000, rounds: arguments.rounds))
  }
  if arguments.irc { return BenchReport(rows: IRCFigures.measure(program, in: folder)) }

  let messages = arguments.messages ?? 100_000
  note("storing \(messages) messages …")
  let full = try BenchStore.make(in: folder, named: "full", messages: messages)
  let empty = try BenchStore.make(in: folder, named: "empty", messages: 0)

  var report = BenchReport()
  note("key to echo …")
  report.rows += try KeyEcho.measure(program, store: full, keys: 1_200)
  note("start to prompt …")
  report.rows += try StartUp.measure(program, full: full, empty: empty, rounds: arguments.rounds)
  note("commit to printed line …")
  report.rows += try Delivery.measure(program, store: full, folder: folder, lines: 300)
  report.rows += try Arrivals.measure(program, store: full)
  note("watch …")
  report.rows += try Following.measure(program, store: full, lines: messages)
  note("a menu over 100,000 names …")
  let names = try BenchStore.make(in: folder, named: "names", messages: 0, names: 100_000)
  report.rows += try NamesMenu.measure(program, store: names, keys: 1_200)
  note("memory …")
  report.rows += try Footprint.memory(program, store: full)
  report.rows += IRCFigures.measure(program, in: folder)
  return report
}
