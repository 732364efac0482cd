// SPDX-License-Identifier: GPL-3.0-or-later

/// The time from the start of the program to its first prompt, compared with bash and with an empty
/// store.
enum StartUp {
  static func measure(
    _ program: BenchedProgram, full: BenchStore, empty: BenchStore, rounds: Int
  ) throws -> [Figure] {
    let starts: [() throws -> Int64] = [
      { try timeOfBash() },
      { try timeOfShell(program, full) },
      { try timeOfShell(program, empty) },
    ]
    var samples = starts.map { _ in Samples() }
    // A machine's speed varies, and a median over all starts may hit a fast moment for one program
    // and a slow one for another. Programs started within one round share the same moment, so the
    // ratios are medians of the rounds' ratios.
    var (besideBash, besideEmpty) = (Samples(), Samples())
    let warmUp = 3
    for round in 0..<(rounds + warmUp) {
      var times = starts.map { _ in Int64(0) }
      for turn in starts.indices {
        let which = (turn + round) % starts.count
        times[which] = try starts[which]()
      }
      guard round >= warmUp else { continue }
      for (which, time) in times.enumerated() { samples[which].add(time) }
      besideBash.add(times[1] * 1000 / times[0])
      besideEmpty.add(times[1] * 1000 / times[2])
    }
    let (bash, withAll, withNone) = (samples[0].median, samples[1].median, samples[2].median)
    let overBash = Double(besideBash.median) / 1000
    let overEmpty = Double(besideEmpty.median) / 1000
    return [
      Figure(
        name: "start to first prompt, full store", measured: milliseconds(withAll),
        beside: "bash --norc -i \(milliseconds(bash)): \(times(overBash))", target: "≤ 2×",
        isReached: overBash <= 2),
      Figure(
        name: "", measured: "",
        beside: "empty store \(milliseconds(withNone)): \(times(overEmpty))",
        target: "≤ 1.1×", isReached: overEmpty <= 1.1),
    ]
  }

  private static func timeOfBash() throws -> Int64 {
    let bash = try BenchedProgram.openBash()
    defer { try? bash.child.leave() }
    return bash.promptAt - bash.child.startedAt
  }

  static func timeOfShell(_ program: BenchedProgram, _ store: BenchStore) throws -> Int64 {
    let child = try program.start(store)
    let prompt = try child.wait(for: BenchedProgram.prompt)
    child.settle(milliseconds: 20)
    try child.leave()
    return prompt - child.startedAt
  }
}
