// SPDX-License-Identifier: GPL-3.0-or-later

/// How many changes a second `hobnob watch` prints to a program that follows all conversations,
/// compared with the lines of `hobnob export`.
enum Following {
  static func measure(_ program: BenchedProgram, store: BenchStore, lines: Int) throws -> [Figure] {
    var (watching, exporting) = (Samples(), Samples())
    for _ in 0..<3 {
      watching.add(try time(["watch", "--json", "--after", "0"], program, store, lines))
      exporting.add(try time(["export"], program, store, lines))
    }
    let (watched, exported) = (
      rate(lines, in: watching.median), rate(lines, in: exporting.median)
    )
    return [
      Figure(
        name: "changes that watch prints a second", measured: decimal(watched, 0),
        beside: "lines of export \(decimal(exported, 0)): \(times(watched / exported))",
        target: "≥ 10,000", isReached: watched >= 10_000)
    ]
  }

  private static func rate(_ lines: Int, in nanoseconds: Int64) -> Double {
    Double(lines) * 1e9 / Double(nanoseconds)
  }

  /// How long a command takes for its first lines, in nanoseconds.
  private static func time(
    _ words: [String], _ program: BenchedProgram, _ store: BenchStore, _ lines: Int
  ) throws -> Int64 {
    let start = now()
    let script = #"HOME=$1 "$2" --store "$3" --as anna "${@:5}" | head -n "$4" >/dev/null"#
    let status = try run(
      ["bash", "-c", script, "-", ScratchFolder.home, program.path, store.path, String(lines)]
        + words)
    guard status == 0 else { throw MeasuringError("\(words[0]) ended with status \(status)") }
    return now() - start
  }
}
