// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// Measures a store with a lifetime's messages: import, start, history, search, edit.
enum Lifetime {
  static func measure(
    _ program: BenchedProgram, in folder: ScratchFolder, messages: Int, rounds: Int
  ) throws -> [Figure] {
    let lifetime = try LifetimeStore.make(program, in: folder, messages: messages)
    let empty = try BenchStore.make(in: folder, named: "empty", messages: 0)
    let rate = Int(Double(messages) / (Double(lifetime.importTime) / 1e9))
    let bytes = try Footprint.size(of: lifetime.store.path)
    var figures = [
      Figure(
        name: "import of \(messages) messages",
        measured: "\(seconds(lifetime.importTime)), \(rate)/s"),
      Figure(
        name: "file size per message", measured: "\(bytes / messages) bytes",
        beside: "a plain log \(lifetime.logBytes / messages) bytes", target: "≤ 270 bytes",
        isReached: bytes / messages <= 270),
    ]
    note("start to prompt …")
    figures += try StartUp.measure(program, full: lifetime.store, empty: empty, rounds: rounds)
    figures += try Footprint.memory(program, store: lifetime.store)
    note("looking back, searching, editing …")
    figures += try measureQueries(lifetime.store)
    return figures
  }

  // MARK: Queries and edits

  private static func measureQueries(_ bench: BenchStore) throws -> [Figure] {
    let store = try Store(path: bench.path)
    defer { store.close() }
    let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
    let rooms = try store.read { try $0.rooms() }
    var last = Samples()
    for room in rooms {
      let start = now()
      let found = try store.read { try $0.messages(in: room.id, limit: 50, for: anna) }
      last.add(now() - start)
      guard found.count == 50 else { throw MeasuringError("\(room.name) has too few messages") }
    }
    var figures = [
      Figure(
        name: "last 50 messages, median / 99th percentile",
        measured: "\(milliseconds(last.median)) / \(milliseconds(last.percentile(99)))",
        target: "< 2 ms", isReached: last.percentile(99) < 2_000_000)
    ]
    for query in queries {
      var times = Samples()
      var hits = 0
      for _ in 0..<20 {
        let start = now()
        hits = try store.read { try $0.search(SearchQuery.parse(query), for: anna, limit: 50) }
          .count
        times.add(now() - start)
      }
      figures.append(
        Figure(
          name: "search \(query)", measured: milliseconds(times.median), beside: "\(hits) hits",
          target: "< 10 ms", isReached: times.median < 10_000_000))
    }
    var edits = Samples()
    guard let lobby = try store.read({ try $0.room("lobby") }) else {
      throw MeasuringError("there is no lobby")
    }
    for round in 0..<50 {
      _ = try store.writeDurably { try $0.send("one more", in: lobby.id, by: anna) }
      let start = now()
      guard let newest = try store.read({ try $0.newest(by: anna, in: lobby.id) }) else { break }
      try store.writeDurably { try $0.edit(newest.id, to: "another text \(round)", by: anna) }
      edits.add(now() - start)
    }
    figures.append(
      Figure(
        name: "edit of the newest, durable commit, median / 99th percentile",
        measured: "\(milliseconds(edits.median)) / \(milliseconds(edits.percentile(99)))",
        target: "< 5 ms", isReached: edits.median < 5_000_000))
    return figures
  }

  /// Rare and common words, alone and together; a phrase; prefixes; filters.
  private static let queries = [
    "w5zz", "tea", "tea lunch", "\"tea is the\"", "wa*", "t*", "漢字", "tea from:ben",
    "tea in:#room7", "hello since:2020 until:2024", "from:guest7", "has:file",
  ]
}
