// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// How long a key waits at the most while the file of a line is copied into the store.
enum FileCopy {
  private static let bytes = 100_000_000
  /// None of them is in what the shell says of the file.
  private static let letters = Array("qzxjkvwy".utf8)

  static func measure(_ program: Program, folder: ScratchFolder) throws -> [Figure] {
    let place = try BenchStore.make(in: folder, named: "files", messages: 0)
    let path = try file(in: folder)
    let store = try Store(path: place.path)
    defer { store.close() }
    guard let room = try store.room("lobby", create: false) else {
      throw MeasuringError("there is no lobby in \(place.path)")
    }
    let anna = try store.participant(identity: "anna").id
    let shell = try program.open(place)
    shell.type(Array("/attach \(path)\r".utf8))
    shell.settle(milliseconds: 300)
    shell.type(Array("m\r".utf8))
    let sent = now()
    var during = Samples()
    while try store.conversation(room.id, for: anna)?.lastNumber == 0 {
      guard now() - sent < 60_000_000_000 else { throw MeasuringError("\(path) was not sent") }
      during.add(try key(during.count, in: shell))
    }
    let whole = now() - sent
    shell.settle(milliseconds: 300)
    var without = Samples()
    for number in 0..<during.count { without.add(try key(number, in: shell)) }
    shell.type([0x15])
    shell.settle(milliseconds: 100)
    try shell.leave()
    let more = during.percentile(100) - without.percentile(100)
    return [
      Figure(
        name: "longest wait of a key, a file of 100 MB being sent",
        measured: milliseconds(during.percentile(100)),
        beside: "without it \(milliseconds(without.percentile(100))), \(during.count) keys each",
        target: "≤ 20 ms more", isReached: more <= 20_000_000),
      Figure(name: "  … from Return to its message", measured: milliseconds(whole)),
    ]
  }

  private static func key(_ number: Int, in shell: TerminalChild) throws -> Int64 {
    if number % 60 == 59 {
      shell.type([0x15])
      shell.settle(milliseconds: 20)
    }
    let letter = letters[number % letters.count]
    let start = now()
    shell.type([letter])
    let time = try shell.wait(for: [letter]) - start
    shell.settle(milliseconds: 3)
    return time
  }

  private static func file(in folder: ScratchFolder) throws -> String {
    let path = "\(folder.path)/film.bin"
    var dice = Dice(state: 4711)
    let part = (0..<1_000_000).map { _ in UInt8(dice.below(256)) }
    let file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0o600)
    defer { close(file) }
    for _ in 0..<(bytes / part.count) {
      guard write(file, part, part.count) == part.count else {
        throw MeasuringError("\(path) could not be written: \(String(cString: strerror(errno)))")
      }
    }
    return path
  }
}
