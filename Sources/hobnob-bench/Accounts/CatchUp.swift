// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// What was said while nobody was there: from the start of the network's process until all of it
/// is in the store and found by a search, beside a client that reads the same pages and keeps
/// nothing of them.
@MainActor enum CatchUp {
  private static let count = 10_000

  static func measure(
    _ network: String, in folder: ScratchFolder, at server: LocalServer
  ) throws -> [Figure] {
    try fromArchive(network, folder, server) + fromPlainServer(network, folder)
      + fromArchiveAndOffline(network, folder, server)
  }

  /// Another device has had the messages.
  private static func fromArchive(
    _ network: String, _ folder: ScratchFolder, _ server: LocalServer
  ) throws -> [Figure] {
    try BareClient.exchange(count, to: "anna", at: server, isThere: true)
    var (alone, ours) = (Samples(), Samples())
    var mark = ""
    for round in 0..<3 {
      let start = now()
      let bare = try BareClient("anna", at: server)
      mark = try bare.firstOfArchive()
      guard try bare.readArchive(after: mark) == count else {
        throw MeasuringError("the archive does not have \(count) messages")
      }
      alone.add(now() - start)
      try bare.leave()
      ours.add(
        try time(network, "\(folder.path)/caught\(round)", "anna", server, after: mark, count))
    }
    return [
      Figure(
        name: "10,000 archived messages, caught up and found", measured: rate(count, ours.median),
        beside: beside(alone.median, ours.median, count), target: "≥ 2000/s",
        isReached: rate(count, ours.median, isAtLeast: 2_000))
    ]
  }

  /// With the settings and the storage that Debian's server has: it reads the whole archive for each
  /// page, and a page has 50 messages. So the end of it is enough.
  private static func fromPlainServer(
    _ network: String, _ folder: ScratchFolder
  ) throws -> [Figure] {
    let server = try LocalServer(in: folder, named: "plain", names: ["anna"]) { data in
      for path in [data, data + "/archive"] { mkdir(path, 0o700) }
      try write(ArchiveFile.text(count), to: data + "/archive/anna.list")
    }
    let end = 1_000
    let mark = ArchiveFile.key(count - end)
    let start = now()
    let bare = try BareClient("anna", at: server)
    guard try bare.readArchive(after: mark) == end else {
      throw MeasuringError("the server does not give the archive that it was given")
    }
    let alone = now() - start
    try bare.leave()
    let ours = try time(network, "\(folder.path)/plain", "anna", server, after: mark, end)
    let ratio = Double(alone) / Double(ours)
    return [
      Figure(
        name: "  … with Prosody's own storage, 50 a page", measured: rate(end, ours),
        beside: beside(alone, ours, end), target: "≥ 0.8×", isReached: ratio >= 0.8)
    ]
  }

  /// Nobody was there: the server gives each message twice.
  private static func fromArchiveAndOffline(
    _ network: String, _ folder: ScratchFolder, _ server: LocalServer
  ) throws -> [Figure] {
    try BareClient.exchange(count, to: "dora", at: server, isThere: false)
    let bare = try BareClient("dora", at: server)
    let mark = try bare.firstOfArchive()
    try bare.leave()
    let ours = try time(network, "\(folder.path)/offline", "dora", server, after: mark, count)
    return [
      Figure(
        name: "  … which come as offline messages, too", measured: rate(count, ours),
        target: "≥ 2000/s", isReached: rate(count, ours, isAtLeast: 2_000))
    ]
  }

  /// How long it takes in an empty store that knows the archive up to a message.
  private static func time(
    _ network: String, _ path: String, _ name: String, _ server: LocalServer, after mark: String,
    _ count: Int
  ) throws -> Int64 {
    let child = try NetworkChild(network, "\(path)/store.sqlite", name: name, at: server)
    try child.store.take([.caughtUp(archive: "", mark: mark)], of: child.account)
    let time = try child.start()
    let owner = child.account.owner
    let query = SearchQuery(terms: [SearchQuery.Term("message \(Self.count)number")])
    let found = try child.store.search(query, for: owner)
    guard found.count == 1, found[0].message.number == count else {
      throw MeasuringError(
        "the last of \(count) messages is found as \(found.map(\.message.number))")
    }
    return time
  }

  // MARK: -

  private static func rate(_ count: Int, _ time: Int64) -> String {
    decimal(Double(count) / Double(time) * 1_000_000_000, 0) + "/s"
  }

  private static func rate(_ count: Int, _ time: Int64, isAtLeast wanted: Int) -> Bool {
    Double(count) / Double(time) * 1_000_000_000 >= Double(wanted)
  }

  private static func beside(_ alone: Int64, _ ours: Int64, _ count: Int) -> String {
    "read and dropped \(rate(count, alone)): \(times(Double(alone) / Double(ours)))"
  }
}

extension BareClient {
  /// Ben sends so many messages, and one before them.
  ///
  /// - Parameter isThere: whether a device of whom they are for is connected.
  static func exchange(
    _ count: Int, to name: String, at server: LocalServer, isThere: Bool
  ) throws {
    let ben = try BareClient("ben", at: server)
    let other = isThere ? try BareClient(name, at: server, loop: ben.loop) : nil
    other?.appear()
    try ben.send(0..<(count + 1), to: name)
    try other?.leave()
    try ben.leave()
  }
}
