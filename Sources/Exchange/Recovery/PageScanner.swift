// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// Finds the rows of a damaged store, page by page. A damaged page loses only its own rows: the
/// pages below it are found without it.
///
/// Three sources tell which table a page belongs to, the best first: the pages above it; the file's
/// own map of what is above each page (https://www.sqlite.org/fileformat2.html, 1.8); and its rows,
/// if they fit only one table. SQLite has overwritten unused pages with zeros (`secure_delete`), so
/// that nothing deleted comes back.
final class PageScanner {
  /// A tree as far as it was found.
  private struct FoundTree {
    /// The leaf pages.
    var pages: [Int] = []
    var entries = 0
    /// Whether it is complete.
    var isWhole = true
  }

  private let pages: DatabasePages
  private let trees: [StoreTree]
  private var found: [FoundTree]
  /// The tree that each page belongs to; -1 for none.
  private var owners: [Int]
  /// The trees by the numbers of their root pages.
  private var roots: [Int: Int] = [:]
  private let hasMap: Bool
  /// How many pages of long records may still be read, so that a circular chain ends.
  private var patience: Int

  /// SQLite's own limit.
  private static let deepest = 20

  /// - Parameter trees: the trees of a new store.
  init(_ pages: DatabasePages, trees: [StoreTree]) {
    self.pages = pages
    self.trees = [.schema] + trees
    found = Array(repeating: FoundTree(), count: trees.count + 1)
    owners = Array(repeating: -1, count: pages.count + 1)
    patience = pages.count * 20
    // The third page is the root of a tree, and the map says so.
    hasMap = pages[2]?.first == 1
    walk(from: 1, 0, depth: 0)
    var stated: [String: Int] = [:]
    for (name, root, _) in schema where root > 1 { stated[name] = root }
    let rootPages = self.trees.map { stated[$0.name] ?? $0.root }
    for (table, page) in rootPages.enumerated() where table > 0 { roots[page] = table }
    for (tree, offset) in rootPages.enumerated() where tree > 0 {
      walk(from: offset, tree, depth: 0)
    }
    assignOrphans()
  }

  /// The tables and indexes that the file lists.
  var schema: [(name: String, root: Int, sql: String)] {
    var result: [(String, Int, String)] = []
    read(0) { values in
      guard values.count == 5, case .text(let name) = values[1] else { return }
      let root = if case .integer(let root) = values[3] { Int(clamping: root) } else { 0 }
      let sql = if case .text(let sql) = values[4] { sql } else { "" }
      result.append((name, root, sql))
    }
    return result
  }

  /// The names of the columns of a table, in the order of its rows.
  func columns(of table: String) -> [String] {
    tree(of: table).map { trees[$0].columns.map(\.name) } ?? []
  }

  /// How many rows a table has, by its own pages and by its indexes; a lower bound unless it is
  /// exact.
  func count(of table: String) -> (rows: Int, isExact: Bool) {
    let all = trees.indices.filter { trees[$0].table == table && trees[$0].isComplete }
    let whole = all.filter { found[$0].isWhole }
    let most = (whole.isEmpty ? all : whole).map { found[$0].entries }.max() ?? 0
    return (most, !whole.isEmpty)
  }

  /// Passes the rows of a table to `each`.
  ///
  /// - Parameter each: receives the columns in the order of `columns(of:)`, without those that a
  ///   row lacks because they are newer.
  func rows(of table: String, _ each: ([RecordValue]) throws -> Void) rethrows {
    if let tree = tree(of: table) { try read(tree, each) }
  }

  private func tree(of table: String) -> Int? {
    trees.firstIndex { $0.name == table && $0.hasRows }
  }

  // MARK: Which page belongs to which tree

  private func walk(from number: Int, _ tree: Int, depth: Int) {
    guard depth < Self.deepest, let page = free(number), fits(page, tree) else {
      found[tree].isWhole = false
      return
    }
    assign(page, number, to: tree)
    for child in page.children { walk(from: child, tree, depth: depth + 1) }
  }

  private func assign(_ page: TreePage, _ number: Int, to tree: Int) {
    owners[number] = tree
    if page.kind != .innerTable { found[tree].pages.append(number) }
    found[tree].entries += page.cells.count
    if !page.isWhole { found[tree].isWhole = false }
  }

  /// A page of a tree that no tree has claimed yet.
  private func free(_ number: Int) -> TreePage? {
    guard owners.indices.contains(number), owners[number] < 0, !isMap(number),
      let bytes = pages[number]
    else { return nil }
    return TreePage(bytes, number: number, size: pages.size)
  }

  private func fits(_ page: TreePage, _ tree: Int) -> Bool {
    guard page.kind.isTable == trees[tree].isByRowid else { return false }
    let fitting = page.cells.count { cell in
      page.kinds(of: cell).map { trees[tree].takes($0.values) } ?? false
    }
    return fitting * 2 >= page.cells.count
  }

  private func assignOrphans() {
    let orphans = owners.indices.dropFirst(2).filter { owners[$0] < 0 }
    func assignAll(_ owner: (_ number: Int, _ page: TreePage) -> Int?) {
      for number in orphans {
        guard let page = free(number), let tree = owner(number, page), fits(page, tree)
        else { continue }
        found[tree].isWhole = false
        assign(page, number, to: tree)
      }
    }
    assignAll { number, _ in treeAbove(number) }
    assignAll { number, page in
      // If a page no longer belongs to a tree, only the map knows.
      if let above = above(number), above.kind == .unused || above.kind.isOverflow { return nil }
      guard !page.cells.isEmpty else { return nil }
      let fitting = trees.indices.dropFirst().filter { fits(page, $0) }
      return fitting.count == 1 ? fitting[0] : nil
    }
  }

  // MARK: The map

  private enum PageUse: UInt8 {
    case root = 1
    case unused = 2
    case firstOverflow = 3
    case overflow = 4
    case tree = 5

    var isOverflow: Bool { self == .firstOverflow || self == .overflow }
  }

  /// The page of the map that lists a page.
  private func map(of number: Int) -> Int {
    let each = pages.size / 5 + 1
    let mapPage = (number - 2) / each * each + 2
    // The page at SQLite's lock bytes does not exist.
    return mapPage == 0x4000_0000 / pages.size + 1 ? mapPage + 1 : mapPage
  }

  private func isMap(_ number: Int) -> Bool { hasMap && number > 1 && map(of: number) == number }

  /// The map's entry for a page: its kind and its parent; nil if there is no entry.
  private func above(_ number: Int) -> (kind: PageUse, page: Int)? {
    guard hasMap, number > 2, let map = pages[map(of: number)] else { return nil }
    let offset = (number - self.map(of: number) - 1) * 5
    guard let kind = map.number(at: offset, bytes: 1).flatMap({ PageUse(rawValue: UInt8($0)) }),
      let page = map.number(at: offset + 1, bytes: 4)
    else { return nil }
    return (kind, page)
  }

  private func treeAbove(_ number: Int) -> Int? {
    var number = number
    for _ in 0..<Self.deepest {
      switch above(number) {
      case (.root, _)?: return roots[number]
      case (.tree, let page)? where owners.indices.contains(page):
        if owners[page] >= 0 { return owners[page] }
        number = page
      default: return nil
      }
    }
    return nil
  }

  // MARK: Rows

  private func read(_ tree: Int, _ each: ([RecordValue]) throws -> Void) rethrows {
    for number in found[tree].pages {
      guard let bytes = pages[number], let page = TreePage(bytes, number: number, size: pages.size)
      else { continue }
      for cell in page.cells {
        guard let (kinds, start) = page.kinds(of: cell), trees[tree].takes(kinds),
          let record = record(cell, on: page, number)
        else { continue }
        var offset = start
        var values = kinds.map { kind in
          let end = offset + RecordValue.valueSize(ofKind: kind)
          defer { offset = end }
          return RecordValue(kind: kind, Array(record[offset..<end]))
        }
        if let alias = trees[tree].alias { values[alias] = .integer(cell.rowid) }
        try each(values)
      }
    }
  }

  /// All bytes of a record, including those on other pages.
  private func record(_ cell: TreePage.Cell, on page: TreePage, _ number: Int) -> [UInt8]? {
    var bytes = Array(page.bytes[cell.local])
    var (last, next) = (number, cell.next)
    var visited: Set<Int> = []
    while bytes.count < cell.length {
      guard patience > 0, visited.insert(next).inserted, owners.indices.contains(next),
        owners[next] < 0, let more = pages[next],
        more.count == pages.size
      else { return nil }
      // Another message's text must not follow this one's.
      if let above = above(next), above.kind.isOverflow, above.page != last { return nil }
      patience -= 1
      bytes += more[4..<min(more.count, 4 + cell.length - bytes.count)]
      (last, next) = (next, more.number(at: 0, bytes: 4) ?? 0)
    }
    return bytes
  }

  // MARK: How much was found

  /// Whether less than a tenth of the used pages was readable.
  var isMeagre: Bool {
    var (held, read) = (0, 0)
    for number in owners.indices.dropFirst() where !isMap(number) {
      let isKnown = owners[number] >= 0 || above(number)?.kind.isOverflow == true
      guard isKnown || pages[number]?.contains(where: { $0 != 0 }) == true else { continue }
      held += 1
      if isKnown { read += 1 }
    }
    // Use the count in the header, unless somebody changed only that.
    let header = pages[1] ?? []
    if header.number(at: 24, bytes: 4) == header.number(at: 92, bytes: 4),
      let stated = header.number(at: 28, bytes: 4)
    {
      held += max(0, stated - pages.count)
    }
    return read * 10 < held
  }
}
