// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// A page of a b-tree, read from bytes that may contain anything
/// (https://www.sqlite.org/fileformat2.html, 1.6).
struct TreePage {
  enum PageType: UInt8 {
    case innerIndex = 2
    case innerTable = 5
    case leafIndex = 10
    case leafTable = 13

    var isLeaf: Bool { self == .leafIndex || self == .leafTable }
    var isTable: Bool { self == .leafTable || self == .innerTable }
  }

  /// A row, or an entry of an index: the part that is on the page itself.
  struct Cell {
    var rowid: Int64 = 0
    /// Bytes of the record, those on other pages included.
    var length = 0
    var local: Range<Int> = 0..<0
    /// The first page on which it continues; 0 for none.
    var next = 0
  }

  let kind: PageType
  let bytes: [UInt8]
  /// The pages below, in order.
  private(set) var children: [Int] = []
  /// The rows or entries on the page; empty for an inner page of a table.
  private(set) var cells: [Cell] = []
  /// Whether it contains everything that its header promises.
  private(set) var isWhole = true

  /// - Parameter size: how many bytes it should have.
  /// - Returns: nil for anything but a page of a b-tree.
  init?(_ bytes: [UInt8], number: Int, size: Int) {
    let start = number == 1 ? 100 : 0
    guard let kind = bytes.number(at: start, bytes: 1).flatMap({ PageType(rawValue: UInt8($0)) }),
      let count = bytes.number(at: start + 3, bytes: 2)
    else { return nil }
    (self.kind, self.bytes) = (kind, bytes)
    let pointers = start + (kind.isLeaf ? 8 : 12)
    for index in 0..<count {
      guard let offset = bytes.number(at: pointers + index * 2, bytes: 2),
        offset >= pointers + count * 2, addCell(at: offset, size)
      else {
        isWhole = false
        continue
      }
    }
    if !kind.isLeaf, let last = bytes.number(at: start + 8, bytes: 4) { children.append(last) }
  }

  private mutating func addCell(at start: Int, _ size: Int) -> Bool {
    var offset = start
    if !kind.isLeaf {
      guard let child = bytes.number(at: offset, bytes: 4) else { return false }
      children.append(child)
      offset += 4
      if kind == .innerTable { return true }
    }
    guard let (length, behind) = bytes.varint(at: offset), (1...1_000_000_000).contains(length)
    else { return false }
    var cell = Cell(length: Int(length))
    offset = behind
    if kind == .leafTable {
      guard let (rowid, behind) = bytes.varint(at: offset) else { return false }
      (cell.rowid, offset) = (rowid, behind)
    }
    // Of a record longer than `most`, the page itself has between `least` and `most` bytes.
    let most = kind == .leafTable ? size - 35 : (size - 12) * 64 / 255 - 23
    let least = (size - 12) * 32 / 255 - 23
    var local = cell.length
    if local > most {
      let rest = least + (cell.length - least) % (size - 4)
      local = rest <= most ? rest : least
      guard let next = bytes.number(at: offset + local, bytes: 4) else { return false }
      cell.next = next
    }
    guard offset + local <= bytes.count else { return false }
    cell.local = offset..<(offset + local)
    cells.append(cell)
    return true
  }

  /// The kinds of a record's values (1.6, "Record Format"), read from the page itself.
  ///
  /// - Returns: nil if it cannot be a record.
  func kinds(of cell: Cell) -> (values: [Int], start: Int)? {
    guard let (length, start) = bytes.varint(at: cell.local.lowerBound), length >= 1,
      length <= Int64(cell.local.count)
    else { return nil }
    let end = cell.local.lowerBound + Int(length)
    var (kinds, offset, sum): ([Int], Int, Int) = ([], start, Int(length))
    while offset < end {
      guard let (kind, behind) = bytes.varint(at: offset), (0...2_000_000_013).contains(kind),
        kind != 10, kind != 11
      else { return nil }
      kinds.append(Int(kind))
      sum += RecordValue.valueSize(ofKind: Int(kind))
      offset = behind
    }
    return offset == end && sum == cell.length ? (kinds, Int(length)) : nil
  }
}

/// A value in a record.
enum RecordValue: Bindable {
  case null
  case integer(Int64)
  case text(String)
  case blob([UInt8])

  /// Bytes of a value of this kind.
  static func valueSize(ofKind kind: Int) -> Int {
    switch kind {
    case 0...4: kind
    case 5: 6
    case 6, 7: 8
    case 8...11: 0
    default: (kind - 12) / 2
    }
  }

  /// - Parameter bytes: as many as the kind has. Invalid UTF-8 becomes U+FFFD.
  init(kind: Int, _ bytes: [UInt8]) {
    switch kind {
    case 0: self = .null
    case 1...6:
      let isNegative = bytes.first.map { $0 >= 0x80 } ?? false
      self = .integer(bytes.reduce(isNegative ? -1 : 0) { $0 << 8 | Int64($1) })
    // A fraction; no column of a store contains one.
    case 7: self = .null
    case 8, 9: self = .integer(Int64(kind - 8))
    default:
      self = kind & 1 == 1 ? .text(String(decoding: bytes, as: UTF8.self)) : .blob(bytes)
    }
  }

  func bind(to statement: OpaquePointer, at index: Int32) -> Int32 {
    switch self {
    case .null: Int64?.none.bind(to: statement, at: index)
    case .integer(let number): number.bind(to: statement, at: index)
    case .text(let text): text.bind(to: statement, at: index)
    case .blob(let bytes): bytes.bind(to: statement, at: index)
    }
  }
}
