// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// The time from a key to its echo while a menu of very many names is open.
enum NamesMenu {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)

  /// Every name begins with all the typed letters, so that none of the keys makes the menu shorter.
  static func measure(_ program: BenchedProgram, store: BenchStore, keys: Int) throws -> [Figure] {
    let shell = try program.open(store)
    var closed = Samples()
    var open = Samples()
    // Measure the first reading of the names separately.
    shell.type([UInt8(ascii: "@")])
    let asked = now()
    try shell.wait(for: Array("more)".utf8), seconds: 30)
    let first = now() - asked
    shell.settle(milliseconds: 100)
    shell.type([0x15])
    shell.settle(milliseconds: 100)
    // Measure the second reading after somebody said something, since the last speaker comes first.
    let said = try Store(path: store.path)
    try said.writeDurably {
      let (room, ben) = (try $0.makeRoom("lobby"), try $0.participant(identity: "ben"))
      try $0.join(ben.id, room.id)
      try $0.send("hello", in: room.id, by: ben.id)
    }
    said.close()
    try shell.wait(for: Array("hello".utf8), seconds: 30)
    shell.settle(milliseconds: 100)
    shell.type([UInt8(ascii: "@")])
    let askedAgain = now()
    try shell.wait(for: Array("more)".utf8), seconds: 30)
    let second = now() - askedAgain
    shell.settle(milliseconds: 100)
    shell.type([0x15])
    shell.settle(milliseconds: 100)
    for round in 0..<max(8, keys / letters.count) {
      let isOpen = round % 2 == 0
      shell.type([isOpen ? UInt8(ascii: "@") : UInt8(ascii: "=")])
      shell.settle(milliseconds: 60)
      for letter in letters {
        let start = now()
        shell.type([letter])
        let time = try shell.wait(for: [letter]) - start
        if isOpen { open.add(time) } else { closed.add(time) }
        shell.settle(milliseconds: 3)
      }
      shell.type([0x15])
      shell.settle(milliseconds: 60)
    }
    try shell.leave()
    let again = Double(second) / Double(first)
    let ratio = Double(open.percentile(99)) / Double(closed.percentile(99))
    return [
      Figure(
        name: "key to echo, menu over 100,000 names, 99th percentile",
        measured: milliseconds(open.percentile(99)),
        beside: "menu closed \(milliseconds(closed.percentile(99))): \(times(ratio))",
        target: "≤ 2×", isReached: ratio <= 2),
      Figure(
        name: "  … the first menu", measured: milliseconds(first), target: "< 50 ms",
        isReached: first < 50_000_000),
      Figure(
        name: "  … the first after a message", measured: milliseconds(second),
        beside: "the first menu \(milliseconds(first)): \(times(again))", target: "≤ 0.5×",
        isReached: again <= 0.5),
    ]
  }
}
