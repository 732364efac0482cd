// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// The line under load: a menu over very many names, a large paste, a long text.
enum LongLines {
  static func measure(_ program: Program, names: BenchStore, keys: Int) throws -> [Figure] {
    try menu(program, names, keys) + paste(program, names) + longText(program, names, keys)
  }

  private static let letters = Array("abcdefghijklmnopqrstuvwxyz".utf8)

  /// Every name begins with all the letters that are typed, so that none of the keys makes the menu
  /// shorter.
  private static func menu(
    _ program: Program, _ store: BenchStore, _ keys: Int
  ) throws -> [Figure] {
    let shell = try program.open(store)
    var closed = Samples()
    var open = Samples()
    // The first look at the names is on its own.
    shell.type([UInt8(ascii: "@")])
    let asked = now()
    try shell.wait(for: Array("more)".utf8), seconds: 30)
    let first = now() - asked
    shell.settle(milliseconds: 100)
    shell.type([0x15])
    shell.settle(milliseconds: 100)
    // The second one after somebody said something: who spoke last stands first.
    let said = try Store(path: store.path)
    if let room = try said.room("lobby", create: true) {
      let ben = try said.participant(identity: "ben")
      try said.join(ben.id, room.id)
      _ = try said.send("hello", in: room.id, by: ben.id)
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
        name: "key to echo, menu over 100,000 names, 99 of 100",
        measured: milliseconds(open.percentile(99)),
        beside: "menu closed \(milliseconds(closed.percentile(99))): \(times(ratio))",
        target: "≤ 2×", isReached: ratio <= 2),
      Figure(name: "  … the first menu", measured: milliseconds(first)),
      Figure(
        name: "  … the first after a message", measured: milliseconds(second),
        beside: "the first menu \(milliseconds(first)): \(times(again))", target: "≤ 0.5×",
        isReached: again <= 0.5),
    ]
  }

  private static func paste(_ program: Program, _ store: BenchStore) throws -> [Figure] {
    let shell = try program.open(store)
    let line = Array("some words that fill a line of this paste, and then some more ……… ".utf8)
    var bytes = Array("\u{1B}[200~".utf8)
    while bytes.count < 1_000_000 { bytes += line }
    bytes += Array("the very end\u{1B}[201~".utf8)
    let start = now()
    try shell.typeAll(bytes)
    let time = try shell.wait(for: Array("the very end".utf8), seconds: 30) - start
    shell.settle(milliseconds: 300)
    shell.type([0x15])
    shell.settle(milliseconds: 300)
    try shell.leave()
    return [
      Figure(
        name: "paste of 1 MB to its end on the screen", measured: milliseconds(time),
        target: "< 500 ms", isReached: time < 500_000_000)
    ]
  }

  private static func longText(
    _ program: Program, _ store: BenchStore, _ keys: Int
  ) throws -> [Figure] {
    let shell = try program.open(store)
    let line = Array("words of a long text, some wide 漢字, some *bold* ones, 🎉 too\n".utf8)
    var bytes = Array("\u{1B}[200~".utf8)
    while bytes.count < 100_000 { bytes += line }
    try shell.typeAll(bytes + Array("the very end \u{1B}[201~".utf8))
    try shell.wait(for: Array("the very end".utf8), seconds: 30)
    shell.settle(milliseconds: 500)
    var times = Samples()
    for index in 0..<keys {
      let letter = letters[index % letters.count]
      let start = now()
      shell.type([letter])
      times.add(try shell.wait(for: [letter]) - start)
      shell.settle(milliseconds: 3)
      if index % 60 == 59 {
        for _ in 0..<60 { shell.type([0x7F]) }
        shell.settle(milliseconds: 60)
      }
    }
    shell.type([0x03])
    shell.settle(milliseconds: 300)
    try shell.leave()
    return [
      Figure(
        name: "key to echo at the end of 100 KB, 99 of 100",
        measured: milliseconds(times.percentile(99)),
        beside: "median \(milliseconds(times.median))",
        target: "< 3 ms", isReached: times.percentile(99) < 3_000_000)
    ]
  }
}
