// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// How long a line takes until it is committed, and until it is on the screen of another person's
/// shell; for comparison, how long the disk itself takes to store one page.
enum Delivery {
  static func measure(
    _ program: BenchedProgram, store: BenchStore, folder: ScratchFolder, lines: Int
  ) throws -> [Figure] {
    let shell = try program.open(store, as: "ben")
    let own = try Store(path: store.path)
    defer { own.close() }
    let anna = try own.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let lobby = try own.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
    let page = open("\(folder.path)/page", O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    guard page >= 0 else { throw MeasuringError("no file can be made in \(folder.path)") }
    defer { close(page) }

    var committed = Samples()
    var printed = Samples()
    var whole = Samples()
    var disk = Samples()
    let warmUp = 10
    for number in 0..<(lines + warmUp) {
      let kept = try timeToKeepAPage(page)
      let body = "line \(number) of the measurement."
      let start = now()
      _ = try own.writeDurably { try $0.send(body, in: lobby, by: anna) }
      let commit = now()
      let seen = try shell.wait(for: Array(body.utf8))
      shell.settle(milliseconds: 5)
      if number >= warmUp {
        disk.add(kept)
        committed.add(commit - start)
        printed.add(max(seen - commit, 0))
        whole.add(seen - start)
      }
    }
    try shell.leave()
    return [
      Figure(
        name: "send, durable commit, median / 99th percentile", measured: both(committed),
        beside: "write + fdatasync of a page \(both(disk))"),
      Figure(name: "  … from the commit to the other screen", measured: both(printed)),
      Figure(name: "  … from the send to the other screen", measured: both(whole)),
    ]
  }

  private static func both(_ samples: Samples) -> String {
    "\(milliseconds(samples.median)) / \(milliseconds(samples.percentile(99)))"
  }

  private static func timeToKeepAPage(_ descriptor: Int32) throws -> Int64 {
    let bytes = [UInt8](repeating: 0x68, count: 4096)
    let start = now()
    guard write(descriptor, bytes, bytes.count) == bytes.count, fdatasync(descriptor) == 0 else {
      throw MeasuringError("the disk does not keep a page: \(String(cString: strerror(errno)))")
    }
    return now() - start
  }
}
