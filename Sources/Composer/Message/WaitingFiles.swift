// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Files that wait to be sent with the text, in the order in which they were attached (8.1).
///
/// ```swift
/// var waiting = WaitingFiles()
/// waiting.add(.init(path: "/tmp/a.png", name: "a.png", bytes: 1200, type: "image/png"))
/// bar.zones[.left] = [waiting.item].compactMap { $0 }  // "[1 file]"
/// ```
public struct WaitingFiles: Hashable, Sendable {
  /// A waiting file.
  ///
  /// ```swift
  /// WaitingFiles.File(path: "/tmp/a.png", name: "a.png", bytes: 1200, type: "image/png")
  /// ```
  public struct File: Hashable, Sendable {
    /// Its path on this machine.
    public var path: String
    /// The name that recipients see.
    public var name: String
    /// Its size.
    public var bytes: Int
    /// Its media type, such as `image/png`; nil if unknown.
    public var type: String?
    /// Identifies the file, in a form that the caller chooses. If nil, hobnob sends the file that
    /// is at the path when the message is sent.
    public var identity: String?

    public init(
      path: String, name: String, bytes: Int, type: String? = nil, identity: String? = nil
    ) {
      self.path = path
      self.name = name
      self.bytes = bytes
      self.type = type
      self.identity = identity
    }
  }

  /// The files in order; the same file may be there twice.
  public private(set) var files: [File]

  public init(_ files: [File] = []) {
    self.files = files
  }

  /// Whether no files wait.
  public var isEmpty: Bool { files.isEmpty }

  /// How many there are.
  public var count: Int { files.count }

  /// Adds a file after the others.
  public mutating func add(_ file: File) {
    files.append(file)
  }

  /// Removes a file; the others keep their order.
  ///
  /// - Parameter number: counted from 1, as `listing(_:)` shows it.
  /// - Returns: the file; nil if no file has that number.
  @discardableResult
  public mutating func remove(at number: Int) -> File? {
    guard number >= 1 && number <= files.count else { return nil }
    return files.remove(at: number - 1)
  }

  /// The item to put into a zone while files wait: `[2 files]`, with the id `files`. Nil without
  /// files.
  public var item: Item? { label.map { Item(id: "files", line: StyledLine($0), isKept: true) } }

  /// How many there are, in words, `[2 files]`; nil if none waits.
  public var label: SafeText? {
    switch files.count {
    case 0: nil
    case 1: say("[1 file]")
    default: say("[%1 files]", SafeText(files.count))
    }
  }

  /// The files, one per line: number, name, size and type, in columns.
  ///
  /// - Parameters:
  ///   - widths: how this terminal counts columns.
  ///   - gap: what separates the parts of a line; nil to align them in columns.
  public func listing(_ widths: Widths, gap: SafeText? = nil) -> [StyledLine] {
    let names = files.map { SafeText(name: $0.name) }
    let sizes = files.map { Self.size($0.bytes) }
    let most = names.reduce(0) { max($0, widths.columns(of: $1.string)) }
    let digits = String(files.count).utf8.count
    return files.indices.map { index in
      let number = SafeText(index + 1)
      if let gap {
        let type = files[index].type.map { gap + SafeText(name: $0) } ?? SafeText()
        return StyledLine(number + " " + names[index] + gap + sizes[index] + type)
      }
      var line = StyledLine(.blanks(digits - number.string.utf8.count) + number, .dim)
      line.append("  ")
      line.append(names[index])
      line.append(.blanks(most - widths.columns(of: names[index].string) + 2))
      line.append(sizes[index])
      if let type = files[index].type { line.append("  " + SafeText(name: type), .dim) }
      return line
    }
  }

  /// A size as people write it, in powers of 1000; below ten units, with one decimal.
  static func size(_ bytes: Int) -> SafeText {
    let bytes = max(0, bytes)
    if bytes < 1000 { return say("%1 B", SafeText(bytes)) }
    var (unit, scale) = (0, 1000)
    // A size that would be rounded to 1000 of one unit is 1 of the next.
    while unit < 3 && bytes >= scale * 1000 - scale / 2 {
      unit += 1
      scale *= 1000
    }
    func rounded(_ step: Int) -> Int { bytes / step + (bytes % step >= step / 2 ? 1 : 0) }
    let tenths = rounded(scale / 10)
    let number: SafeText =
      tenths < 100 ? "\(tenths / 10).\(tenths % 10)" : SafeText(rounded(scale))
    switch unit {
    case 0: return say("%1 kB", number)
    case 1: return say("%1 MB", number)
    case 2: return say("%1 GB", number)
    default: return say("%1 TB", number)
    }
  }
}
