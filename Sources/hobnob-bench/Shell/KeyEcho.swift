// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// The time from a key to its echo on the terminal, compared with a program that only echoes raw
/// bytes.
enum KeyEcho {
  static let keysPerLine = 60

  static func measure(_ program: BenchedProgram, store: BenchStore, keys: Int) throws -> [Figure] {
    let shell = try program.open(store)
    let echo = try TerminalChild([ScratchFolder.ownPath, "--echo"], environment: [])
    try echo.wait(for: Array(RawEcho.greeting.utf8))
    echo.settle(milliseconds: 100)

    _ = try typeLine(into: shell, clearing: true)
    _ = try typeLine(into: echo, clearing: false)
    var ofShell = Samples()
    var ofEcho = Samples()
    var bytes = 0
    var typed = 0
    while typed < keys {
      // Alternate which one comes first, so that a change in the machine's speed affects both.
      if typed / keysPerLine % 2 == 0 {
        bytes += try typeLine(into: shell, clearing: true) { ofShell.add($0) }
        _ = try typeLine(into: echo, clearing: false) { ofEcho.add($0) }
      } else {
        _ = try typeLine(into: echo, clearing: false) { ofEcho.add($0) }
        bytes += try typeLine(into: shell, clearing: true) { ofShell.add($0) }
      }
      typed += keysPerLine
    }
    try shell.leave()

    let ratio = Double(ofShell.median) / Double(ofEcho.median)
    let perKey = Double(bytes) / Double(typed)
    return [
      Figure(
        name: "key to echo, median", measured: milliseconds(ofShell.median),
        beside: "raw echo \(milliseconds(ofEcho.median)): \(times(ratio))", target: "≤ 2×",
        isReached: ratio <= 2),
      Figure(
        name: "key to echo, 99th percentile", measured: milliseconds(ofShell.percentile(99)),
        beside: "raw echo \(milliseconds(ofEcho.percentile(99)))", target: "< 1 ms",
        isReached: ofShell.percentile(99) < 1_000_000),
      Figure(
        name: "bytes written per plain key", measured: decimal(perKey, 1), beside: "raw echo 1.0",
        target: "≤ 8", isReached: perKey <= 8),
    ]
  }

  /// Types one line of letters, each key after the echo of the previous one.
  ///
  /// - Returns: how many bytes the program wrote for them.
  static func typeLine(
    into child: TerminalChild, clearing: Bool, sample: (Int64) -> Void = { _ in }
  ) throws -> Int {
    let before = child.bytesReceived
    for index in 0..<keysPerLine {
      let key = UInt8(ascii: "a") + UInt8(index % 26)
      let start = now()
      child.type([key])
      sample(try child.wait(for: [key]) - start)
      // Pause like a person, so that the rest of the key's output arrives.
      child.settle(milliseconds: 3)
    }
    let written = child.bytesReceived - before
    if clearing {
      child.type([0x15])
      // The next line begins with the same letter, which the program need not write again if it is
      // typed now.
      try child.wait(for: Array("Message".utf8))
      child.settle(milliseconds: 50)
    }
    return written
  }
}
