// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// From one conversation to another by C-x b and a name: until what is there stands on the screen,
/// and until the menu of names that a key leaves is complete.
enum Moving {
  static func measure(
    _ program: Program, in folder: ScratchFolder, messages: Int, rounds: Int
  ) throws -> [Figure] {
    let many = try BenchStore.makeTwoRooms(in: folder, messages: messages)
    return try switching(program, many, messages, rounds) + menu(program, in: folder, rounds)
  }

  private static func switching(
    _ program: Program, _ store: BenchStore, _ messages: Int, _ rounds: Int
  ) throws -> [Figure] {
    let shell = try program.open(store)
    var samples = Samples()
    for round in 0..<(rounds * 2 + 2) {
      let name = round % 2 == 0 ? "other" : "lobby"
      shell.type([0x18, UInt8(ascii: "b")] + Array(name.utf8))
      shell.settle(milliseconds: 100)
      let start = now()
      shell.type([0x0D])
      // The prompt is drawn below what is printed, in the same write.
      let time = try shell.wait(for: Array("#\(name)> ".utf8)) - start
      shell.settle(milliseconds: 100)
      if round > 1 { samples.add(time) }
    }
    try shell.leave()
    return [
      Figure(
        name: "between two conversations of \(messages) messages, median",
        measured: milliseconds(samples.median),
        beside: "99 of 100: \(milliseconds(samples.percentile(99)))", target: "< 10 ms",
        isReached: samples.median < 10_000_000)
    ]
  }

  private static func menu(
    _ program: Program, in folder: ScratchFolder, _ rounds: Int
  ) throws -> [Figure] {
    let store = try BenchStore.make(in: folder, named: "rooms", messages: 0, rooms: 1000)
    let shell = try program.open(store)
    var opened = Samples()
    var keys = Samples()
    for _ in 0..<max(40, rounds) {
      var start = now()
      shell.type([0x18, UInt8(ascii: "b")])
      opened.add(try shell.wait(for: Array("more)".utf8)) - start)
      shell.settle(milliseconds: 30)
      // The menu is complete a moment behind the letter.
      for letter in "abcdefgh".utf8 {
        start = now()
        shell.type([letter])
        keys.add(shell.settle(milliseconds: 30) - start)
      }
      shell.type([0x07])
      shell.settle(milliseconds: 30)
    }
    try shell.leave()
    return [
      Figure(
        name: "key in the menu of 1,000 conversations, 99 of 100",
        measured: milliseconds(keys.percentile(99)),
        beside: "median \(milliseconds(keys.median)), to open it \(milliseconds(opened.median))",
        target: "< 5 ms",
        isReached: keys.percentile(99) < 5_000_000)
    ]
  }
}
