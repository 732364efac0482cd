// SPDX-License-Identifier: GPL-3.0-or-later
import CSQLite

/// Reads what can be read of one table of a damaged file.
///
/// From the smallest key up until an error, from the greatest down until an error; what is left
/// between is halved, and each half read in the same way. A damaged page costs the rows on it. Keys
/// that were drawn from times lie far apart: between those, the known ones say where to halve.
struct Salvage {
  let source: Database
  let target: Database
  let table: String
  /// Columns that both know.
  let columns: [String]
  /// The integer that rows are sought by, or nil where there is none.
  let key: String?
  /// No key in use is greater, as far as is known.
  let greatest: Int64
  /// The ids of imported messages, ascending, as far as they are known.
  let imported: [Int64]

  private var probes = 0
  /// Stretches of keys yet to be read, those with up to 2^n keys at n.
  private var open: [[(low: Int64, high: Int64)]] = Array(repeating: [], count: 65)
  /// Whether anything stayed unreadable.
  private(set) var isDamaged = false
  /// Rows that could be read, but not stored: their values make no sense.
  private(set) var refused = 0

  /// A stretch that is not read to its end by then is given up.
  private static let mostProbes = 50_000

  init(
    _ table: String, from source: Database, to target: Database, greatest: Int64,
    imported: [Int64] = []
  ) throws {
    (self.source, self.target, self.table) = (source, target, table)
    (self.greatest, self.imported) = (greatest, imported)
    func names(_ database: Database) throws -> [(name: String, type: String, isFirst: Bool)] {
      try database.rows("SELECT name, type, pk = 1 FROM pragma_table_info(?)", table) {
        ($0.text(0), $0.text(1), $0.bool(2))
      }
    }
    let known = Set(try names(source).map(\.name))
    let all = try names(target)
    columns = all.map(\.name).filter(known.contains)
    let hasRowid = try !target.exists(
      "SELECT 1 FROM pragma_table_list WHERE name = ? AND wr = 1", table)
    let first = all.first { $0.isFirst && $0.type == "INTEGER" && known.contains($0.name) }
    key = hasRowid ? "rowid" : first?.name
  }

  /// - Throws: only what is wrong with the new store.
  mutating func run() throws {
    if columns.isEmpty { return }
    guard key != nil else {
      if try !read(.min, .max, descending: false).isWhole {
        isDamaged = true
        _ = try read(.min, .max, descending: true)
      }
      return
    }
    put(.min, .max)
    // The longest first: there is the most to be found.
    while let size = open.lastIndex(where: { !$0.isEmpty }) {
      let (low, high) = open[size].removeLast()
      guard probes < Salvage.mostProbes else {
        isDamaged = true
        return
      }
      guard let gap = try narrowed(low, high) else { continue }
      if let known = knownKey(in: gap) {
        if gap.low < known { put(gap.low, known - 1) }
        if gap.low < gap.high { put(known, known) }
        if known < gap.high { put(known + 1, gap.high) }
        isDamaged = true
        continue
      }
      let bottom = max(gap.low, min(0, gap.high))
      let top = min(gap.high, max(greatest, gap.low))
      if bottom >= top {
        isDamaged = true
      } else {
        let middle = bottom + (top - bottom) / 2
        put(bottom, middle)
        put(middle + 1, top)
      }
    }
  }

  /// The imported id in the middle of those in a gap.
  private func knownKey(in gap: (low: Int64, high: Int64)) -> Int64? {
    func place(of key: Int64) -> Int {
      var (low, high) = (0, imported.count)
      while low < high {
        let middle = (low + high) / 2
        if imported[middle] < key { low = middle + 1 } else { high = middle }
      }
      return low
    }
    guard gap.low < 0, gap.low < gap.high else { return nil }
    let start = place(of: gap.low)
    let end = place(of: min(gap.high, -1) + 1)
    return start < end ? imported[(start + end) / 2] : nil
  }

  /// The ids of the imported messages of a damaged store, ascending: those in the first of the
  /// indexes that can be read, or in what can be read of all of them from both ends.
  static func importedIDs(in source: Database) -> [Int64] {
    var ids: Set<Int64> = []
    // Ends with the first that is whole; that of senders has all only in older stores.
    _ = [
      ("message_age", "conversation"), ("message_sender", "sender"),
      ("sqlite_autoindex_message_1", "uid"), ("sqlite_autoindex_message_2", "conversation"),
    ].contains { index, column in
      ["", "ORDER BY \(column) DESC"].contains { order in
        let sql = "SELECT id FROM message INDEXED BY \(index) \(order)"
        let end: Void? = try? source.each(sql) { row in
          if row.int64(0) < 0 { ids.insert(row.int64(0)) }
          return true
        }
        return end != nil
      }
    }
    return ids.sorted()
  }

  private mutating func put(_ low: Int64, _ high: Int64) {
    let (size, isHuge) = high.subtractingReportingOverflow(low)
    open[isHuge ? 64 : 64 - size.leadingZeroBitCount].append((low, high))
  }

  /// Reads from both ends.
  ///
  /// - Returns: what is left between, or nil if nothing is.
  private mutating func narrowed(
    _ low: Int64, _ high: Int64
  ) throws -> (low: Int64, high: Int64)? {
    // Where several rows may have one key, it is asked for again; what is there already is ignored.
    let step: Int64 = key == "rowid" ? 1 : 0
    let up = try read(low, high, descending: false)
    if up.isWhole { return nil }
    let bottom = up.last.map { $0 &+ step } ?? low
    if bottom > high { return nil }
    let down = try read(bottom, high, descending: true)
    if down.isWhole { return nil }
    let top = down.last.map { $0 &- step } ?? high
    return bottom > top ? nil : (bottom, top)
  }

  private mutating func read(
    _ low: Int64, _ high: Int64, descending: Bool
  ) throws -> (isWhole: Bool, last: Int64?) {
    probes += 1
    let names = columns.joined(separator: ", ")
    var sql = "SELECT \(names), \(key ?? "0") FROM \(table)"
    if let key {
      sql += " WHERE \(key) BETWEEN ?1 AND ?2 ORDER BY \(key)" + (descending ? " DESC" : "")
    } else {
      sql += " WHERE ?1 <= ?2" + (descending ? " ORDER BY 1 DESC" : "")
    }
    let store =
      "INSERT OR IGNORE INTO \(table)(\(names)) VALUES (?"
      + String(repeating: ", ?", count: columns.count - 1) + ")"
    var last: Int64?
    var fatal: (any Error)?
    do {
      try source.each(sql, low, high) { row in
        last = row.int64(Int32(columns.count))
        do {
          try target.run(store, all: (0..<Int32(columns.count)).map { row.value($0) })
        } catch StoreError.failed {
          refused += 1
        } catch {
          fatal = error
          return false
        }
        return true
      }
    } catch {
      return (false, last)
    }
    if let fatal { throw fatal }
    return (true, last)
  }
}
