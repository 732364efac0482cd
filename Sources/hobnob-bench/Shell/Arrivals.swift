// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// A thousand messages that a shell finds when it is woken. Measures the time until they are on its
/// screen, once broken between words and once wrapped by the terminal.
enum Arrivals {
  private static let count = 1000
  private static let pairs = 5

  static func measure(_ program: BenchedProgram, store: BenchStore) throws -> [Figure] {
    let shell = try program.open(store, as: "ben")
    let own = try Store(path: store.path)
    defer { own.close() }
    let anna = try own.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let lobby = try own.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    var byWord = Samples()
    var byTerminal = Samples()
    for round in 0..<(2 * pairs) {
      // Alternate which one comes first, so that a change in the machine's speed affects both.
      let isByWord = round % 4 == 0 || round % 4 == 3
      shell.type(Array("/set wrap \(isByWord ? "word" : "terminal")\r".utf8))
      shell.settle(milliseconds: 100)
      kill(shell.process, SIGSTOP)
      for number in 0..<count {
        let end = number == count - 1 ? " the-end-of-\(round)." : ""
        _ = try own.writeDurably {
          try $0.send(
            "message \(number) of many, with as many words as it takes to fill a row of a hundred "
              + "columns and begin another one: who brings the cups, and who the tea?" + end,
            in: lobby, by: anna)
        }
      }
      let start = now()
      kill(shell.process, SIGCONT)
      let time = try shell.wait(for: Array("the-end-of-\(round).".utf8), seconds: 60) - start
      if isByWord { byWord.add(time) } else { byTerminal.add(time) }
      shell.settle(milliseconds: 200)
    }
    try shell.leave()
    let ratio = Double(byWord.median) / Double(byTerminal.median)
    return [
      Figure(
        name: "1,000 arriving messages printed, median", measured: milliseconds(byWord.median),
        beside: "wrapped by the terminal \(milliseconds(byTerminal.median)): \(times(ratio))",
        target: "≤ 1.2×", isReached: ratio <= 1.2)
    ]
  }
}
