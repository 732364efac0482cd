// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc

/// What a store of a lifetime costs: at the start, for a look back, a search, an edit; and what it
/// costs to bring the past in.
enum Lifetime {
  static func measure(
    _ program: BenchedProgram, in folder: ScratchFolder, messages: Int, rounds: Int
  ) throws -> [Figure] {
    let lifetime = try LifetimeStore.make(program, in: folder, messages: messages)
    let empty = try BenchStore.make(in: folder, named: "empty", messages: 0)
    var figures = try importing(lifetime, in: folder, messages: messages)
    complain("start to prompt …")
    figures += try StartUp.measure(program, full: lifetime.store, empty: empty, rounds: rounds)
    figures += try Footprint.memory(program, store: lifetime.store, beside: empty)
    complain("looking back, searching, editing …")
    figures += try reading(lifetime.store)
    return figures
  }

  // MARK: Import

  private static func importing(
    _ lifetime: LifetimeStore, in folder: ScratchFolder, messages: Int
  ) throws -> [Figure] {
    complain("sqlite3 .import …")
    let baseline = try sqliteImport(of: lifetime.store, in: folder)
    let rate = Int(Double(messages) / (Double(lifetime.importTime) / 1e9))
    let ratio = Double(lifetime.importTime) / Double(baseline)
    let bytes = try Footprint.size(of: lifetime.store.path)
    return [
      Figure(
        name: "import of \(messages) messages",
        measured: "\(seconds(lifetime.importTime)), \(rate)/s",
        beside: "sqlite3 .import \(seconds(baseline)): \(times(ratio))", target: "≤ 2×",
        isReached: ratio <= 2),
      Figure(
        name: "file size per message", measured: "\(bytes / messages) bytes",
        beside: "a plain log \(lifetime.logBytes / messages) bytes"),
    ]
  }

  /// How long `sqlite3 .import` takes to bring the same messages into a table with the same columns,
  /// indexes and search index, in nanoseconds.
  ///
  /// What differs, since it cannot do otherwise: the columns that may be empty come last and are
  /// left out, so that they become NULL; the uid is text; and the words are those of SQLite's own
  /// tokenizer.
  private static func sqliteImport(
    of store: BenchStore, in folder: ScratchFolder
  ) throws -> Int64 {
    let rows = "\(folder.path)/rows.csv"
    let target = "\(folder.path)/baseline.sqlite"
    let script = """
      set -e
      cd '\(folder.path)'
      columns() {
        sqlite3 '\(store.path)' "SELECT group_concat($1, ', ') FROM (
          SELECT * FROM pragma_table_info('message') WHERE $2
          ORDER BY pk DESC, [notnull] DESC, cid)"
      }
      values=$(columns "CASE name WHEN 'uid' THEN 'hex(uid)'
        WHEN 'mentions' THEN 'mentions || '' ''' ELSE name END" 'pk OR [notnull]')
      definitions=$(columns "name || ' ' || iif(name = 'uid', 'TEXT UNIQUE', type)
        || iif(pk, ' PRIMARY KEY', iif([notnull], ' NOT NULL', ''))" 1)
      sqlite3 -csv '\(store.path)' "SELECT $values FROM message ORDER BY id" > rows.csv
      {
        echo "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;
          CREATE TABLE message($definitions, UNIQUE (conversation, number)) STRICT;"
        sqlite3 '\(store.path)' "SELECT replace(sql, 'tokenize=''hobnob''', 'tokenize=unicode61')
          || ';' FROM sqlite_schema WHERE sql IS NOT NULL AND (type = 'index' AND tbl_name = 'message'
          OR name IN ('message_words', 'message_text', 'message_inserted', 'indexing'))
          ORDER BY type = 'index' DESC, type = 'view' DESC, type = 'table' DESC"
      } | sqlite3 baseline.sqlite > /dev/null
      """
    guard try run(["bash", "-c", script]) == 0 else {
      throw MeasuringError("sqlite3's own import could not be prepared (is sqlite3 installed?)")
    }
    let start = now()
    // It says of each row that the rest is NULL.
    let command = """
      sqlite3 '\(target)' 'PRAGMA synchronous=FULL' '.mode csv' \
      '.import \(rows) message' 2> /dev/null
      """
    guard try run(["bash", "-c", command]) == 0 else {
      throw MeasuringError("sqlite3's own import failed")
    }
    let time = now() - start
    _ = try run(["rm", "-f", rows, target, target + "-wal", target + "-shm"])
    return time
  }

  // MARK: Reading and editing

  private static func reading(_ bench: BenchStore) throws -> [Figure] {
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
        name: "last 50 of a conversation, median / 99 of 100",
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
        name: "edit of the newest, committed (FULL), median / 99 of 100",
        measured: "\(milliseconds(edits.median)) / \(milliseconds(edits.percentile(99)))",
        target: "< 5 ms", isReached: edits.median < 5_000_000))
    return figures
  }

  /// Rare and common words, one and several, a phrase, a beginning, and every filter.
  private static let queries = [
    "w5zz", "tea", "tea lunch", "\"tea is the\"", "wa*", "t*", "漢字", "tea from:ben",
    "tea in:#room7", "hello since:2020 until:2024", "from:guest7", "has:file",
  ]
}
