// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import ProsodyFixture

/// Enters a room of thousands of people while somebody types. Measures the time from Return until
/// everybody is in the store, and how long each key waits during that time.
enum BigRoom {
  private static let rooms = 4
  /// None of these letters occurs in what the shell prints during the measurement.
  private static let letters = Array("qzjkv".utf8)

  static func measure(
    _ program: BenchedProgram, _ network: String, in folder: ScratchFolder, at server: Prosody
  ) throws -> [Figure] {
    let stream = try TypedStream("ben", at: server)
    let echo = try TerminalChild([ScratchFolder.ownPath, "--echo"], environment: [])
    try echo.wait(for: Array(RawEcho.greeting.utf8))
    let store = try BenchStore.make(in: folder, named: "crowd", messages: 1_000)
    let child = try NetworkChild(network, store.path, name: "anna", at: server)
    _ = try child.start()
    let shell = try program.open(store)

    var (joined, alone) = (Samples(), Samples())
    var (keys, plain) = (Samples(), Samples())
    for round in 0..<(2 * rooms) {
      let room = "throng\(round)@\(Crowd.domain)"
      let asked = now()
      let told = try stream.send(
        "<presence to='\(room)/bare'><x xmlns='http://jabber.org/protocol/muc'/></presence>",
        answer: "</subject>")
      alone.add(told - asked)
      let start = now()
      shell.type(Array("/join \(room)\r".utf8))
      try shell.wait(for: Array("#\(room)> ".utf8))
      // Alternate between keys of the shell and keys of a program that only echoes them, so that
      // the server's work affects both.
      let isShell = round % 2 == 0
      var end: Int64 = 0
      var typed = 0
      // Go on a moment longer, since only then the shell reads who is there.
      while end == 0 || now() - end < 500_000_000 {
        guard now() - start < 60_000_000_000 else { throw MeasuringError("\(room) lets nobody in") }
        let time = try key(typed, in: isShell ? shell : echo, clearing: isShell)
        typed += 1
        if isShell { keys.add(time) } else { plain.add(time) }
        if end == 0, try child.store.read({ try $0.roomsJoined(of: child.account) })[room] != nil {
          end = now()
        }
      }
      joined.add(end - start)
      shell.type([0x15])
      shell.settle(milliseconds: 300)
    }
    let last = try child.store.writeDurablyIfNeeded {
      try $0.networkRoom(
        "throng0@\(Crowd.domain)", network: child.account.network)
    }
    guard try child.store.read({ try $0.members(of: last.id) }).count == Crowd.size + 1 else {
      throw MeasuringError("the store does not have everybody in the room")
    }
    try shell.leave()
    return [
      Figure(
        name: "a room of 5,000 people entered, median", measured: milliseconds(joined.median),
        beside: "told by the server alone in \(milliseconds(alone.median)); longest "
          + milliseconds(joined.percentile(100)),
        target: "< 3 s", isReached: joined.percentile(100) < 3_000_000_000),
      Figure(
        name: "  … key to echo meanwhile, 99th percentile",
        measured: milliseconds(keys.percentile(99)),
        beside: "raw echo \(milliseconds(plain.percentile(99))); medians "
          + "\(milliseconds(keys.median)) and \(milliseconds(plain.median)); \(keys.count) keys",
        target: "< 2 ms", isReached: keys.percentile(99) < 2_000_000),
    ]
  }

  private static func key(
    _ number: Int, in child: TerminalChild, clearing: Bool
  ) throws -> Int64 {
    if clearing, number % 60 == 59 {
      child.type([0x15])
      child.settle(milliseconds: 20)
    }
    let letter = letters[number % letters.count]
    let start = now()
    child.type([letter])
    let time = try child.wait(for: [letter]) - start
    child.settle(milliseconds: 3)
    return time
  }
}
