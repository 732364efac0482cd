// SPDX-License-Identifier: GPL-3.0-or-later

/// From the start of the program to its first prompt, beside bash and beside an empty store.
enum StartUp {
  static func measure(
    _ program: Program, full: BenchStore, empty: BenchStore, rounds: Int
  ) throws -> [Figure] {
    let starts: [() throws -> Int64] = [
      { try ofBash() },
      { try ofShell(program, full) },
      { try ofShell(program, empty) },
    ]
    var samples = starts.map { _ in Samples() }
    let warmUp = 3
    for round in 0..<(rounds + warmUp) {
      for turn in starts.indices {
        let which = (turn + round) % starts.count
        let time = try starts[which]()
        if round >= warmUp { samples[which].add(time) }
      }
    }
    let (bash, withAll, withNone) = (samples[0].median, samples[1].median, samples[2].median)
    let besideBash = Double(withAll) / Double(bash)
    let besideEmpty = Double(withAll) / Double(withNone)
    return [
      Figure(
        name: "start to first prompt, full store", measured: milliseconds(withAll),
        beside: "bash --norc -i \(milliseconds(bash)): \(times(besideBash))", target: "≤ 2×",
        isReached: besideBash <= 2),
      Figure(
        name: "", measured: "",
        beside: "empty store \(milliseconds(withNone)): \(times(besideEmpty))",
        target: "≤ 1.1×", isReached: besideEmpty <= 1.1),
    ]
  }

  private static func ofBash() throws -> Int64 {
    let bash = try Program.openBash()
    defer { try? bash.child.leave() }
    return bash.promptAt - bash.child.startedAt
  }

  private static func ofShell(_ program: Program, _ store: BenchStore) throws -> Int64 {
    let child = try program.start(store)
    let prompt = try child.wait(for: Program.prompt)
    child.settle(milliseconds: 20)
    try child.leave()
    return prompt - child.startedAt
  }
}
