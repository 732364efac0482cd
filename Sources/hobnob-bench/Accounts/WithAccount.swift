// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// The shell of someone who has an account, connected, beside the shell of someone who has none.
@MainActor enum WithAccount {
  static func measure(
    _ program: Program, _ network: String, in folder: ScratchFolder, at server: LocalServer,
    keys: Int, rounds: Int
  ) throws -> [Figure] {
    let with = try BenchStore.make(in: folder, named: "with", messages: 10_000)
    let without = try BenchStore.make(in: folder, named: "without", messages: 10_000)
    let child = try NetworkChild(network, with.path, name: "anna", at: server)
    _ = try child.start()
    return [
      try start(program, with, without, rounds), try memory(program, with, without),
      try echo(program, with, without, keys),
    ]
  }

  private static func start(
    _ program: Program, _ with: BenchStore, _ without: BenchStore, _ rounds: Int
  ) throws -> Figure {
    var (times, others, ratios) = (Samples(), Samples(), Samples())
    let warmUp = 3
    for round in 0..<(rounds + warmUp) {
      var (time, other): (Int64, Int64) = (0, 0)
      if round % 2 == 0 {
        time = try StartUp.ofShell(program, with)
        other = try StartUp.ofShell(program, without)
      } else {
        other = try StartUp.ofShell(program, without)
        time = try StartUp.ofShell(program, with)
      }
      guard round >= warmUp else { continue }
      times.add(time)
      others.add(other)
      ratios.add(time * 1000 / other)
    }
    return figure(
      "with an account: start to first prompt", milliseconds(times.median),
      milliseconds(others.median), Double(ratios.median) / 1000)
  }

  private static func memory(
    _ program: Program, _ with: BenchStore, _ without: BenchStore
  ) throws -> Figure {
    let (shell, other) = (try program.open(with), try program.open(without))
    let bytes = try Footprint.residentBytes(of: shell.process)
    let otherBytes = try Footprint.residentBytes(of: other.process)
    try shell.leave()
    try other.leave()
    return figure(
      "  … memory at the prompt (resident)", megabytes(bytes), megabytes(otherBytes),
      Double(bytes) / Double(otherBytes))
  }

  private static func echo(
    _ program: Program, _ with: BenchStore, _ without: BenchStore, _ keys: Int
  ) throws -> Figure {
    let (shell, other) = (try program.open(with), try program.open(without))
    for child in [shell, other] { _ = try KeyEcho.typeLine(into: child, clearing: true) }
    var (times, others) = (Samples(), Samples())
    for line in 0..<max(1, keys / KeyEcho.keysPerLine) {
      let order = line % 2 == 0 ? [shell, other] : [other, shell]
      for child in order {
        _ = try KeyEcho.typeLine(into: child, clearing: true) {
          if child === shell { times.add($0) } else { others.add($0) }
        }
      }
    }
    try shell.leave()
    try other.leave()
    return figure(
      "  … key to echo, median", milliseconds(times.median), milliseconds(others.median),
      Double(times.median) / Double(others.median))
  }

  private static func figure(
    _ name: String, _ measured: String, _ other: String, _ ratio: Double
  ) -> Figure {
    Figure(
      name: name, measured: measured, beside: "without one \(other): \(times(ratio))",
      target: "≤ 1.1×", isReached: ratio <= 1.1)
  }
}
