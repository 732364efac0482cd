// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What is offered to plugins when something is pasted or attached (9.4).
///
/// ```swift
/// if case .path(let file) = PastedContent(paste: text, exists: isFile) { offerToAttach(file) }
/// ```
public enum PastedContent: Hashable, Sendable {
  /// The text, as it was pasted.
  case text(String)
  /// The paste is exactly the path of an existing file.
  case path(String)
  /// The paste is exactly one URL, but not a `file://` URL.
  case url(String)
  /// Something attached that is not a file of this machine; `bytes` is its size.
  case attachment(name: String, bytes: Int)

  /// Finds out what a paste is (1.9).
  ///
  /// ```swift
  /// let content = PastedContent(paste: text) { access($0, F_OK) == 0 }
  /// if !controller.offerToPlugins(content, pasted: text) { editor.insert(text) }
  /// ```
  ///
  /// - Parameters:
  ///   - paste: the pasted text.
  ///   - exists: whether a path is a file that could be attached. Called only for a paste that
  ///     looks like a path; the path may begin with `~/`.
  public init(paste: String, exists: (String) -> Bool) {
    if let path = Self.fileCandidate(in: paste) {
      self = exists(path) ? .path(path) : .text(paste)
    } else if let url = Self.url(in: paste) {
      self = .url(url)
    } else {
      self = .text(paste)
    }
  }

  /// Returns the path in a paste that is exactly one absolute path, `~/` path or `file://` URL
  /// (1.9); nil if the paste is anything else. The caller has to find out whether the file exists,
  /// and to expand `~`.
  ///
  /// Blanks around the path and newlines after it do not count. Quotes and backslashes are read as
  /// a shell reads them, since that is how terminals paste a file that is dropped on them
  /// (`'/tmp/my file'`, `/tmp/my\ file`). A path with unquoted blanks, as file managers copy it, is
  /// also accepted. A URL's host must be this machine: empty or `localhost` (RFC 8089). NUL and
  /// more than 4095 bytes are refused, since no path can contain them. If the path in a `file://`
  /// URL is not UTF-8 when decoded, returns the URL itself.
  ///
  /// ```swift
  /// PastedContent.fileCandidate(in: "file:///tmp/a%20b\n")  // "/tmp/a b"
  /// ```
  ///
  /// - Parameters:
  ///   - paste: the text as the terminal sent it.
  ///   - allowsRelative: whether a relative path is also accepted, as when hobnob asks for a file.
  public static func fileCandidate(in paste: String, allowsRelative: Bool = false) -> String? {
    // An escaped byte takes three bytes (`%2F`); the rest is room for a scheme, quotes and blanks.
    guard paste.utf8.count <= 4 * mostBytes else { return nil }
    var scalars = Substring(paste).unicodeScalars
    while let last = scalars.last, isBlank(last) || isNewline(last) { scalars.removeLast() }
    scalars = scalars.drop(while: isBlank)
    guard !scalars.contains(where: { isNewline($0) || $0.value == 0 }) else { return nil }
    let bare = String(scalars)
    guard let word = ShellWord(bare)?.text else { return nil }
    let path = isFileURL(word) ? pathOfFileURL(word) : word
    guard let path, !path.isEmpty, allowsRelative || isPath(path) || isFileURL(path),
      path.utf8.count <= mostBytes
    else { return nil }
    return path
  }

  /// PATH_MAX without the NUL at its end.
  private static let mostBytes = 4095

  private static func isPath(_ text: String) -> Bool {
    text.utf8.first == UInt8(ascii: "/") || text.utf8.starts(with: "~/".utf8)
  }

  private static func isBlank(_ scalar: Unicode.Scalar) -> Bool {
    scalar == " " || scalar == "\t"
  }

  private static func isNewline(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "\n" || scalar == "\r"
  }

  private static let fileScheme = "file://"

  private static func isFileURL(_ text: String) -> Bool {
    text.utf8.prefix(fileScheme.utf8.count).map(lowercased).elementsEqual(fileScheme.utf8)
  }

  private static func pathOfFileURL(_ url: String) -> String? {
    let rest = url.utf8.dropFirst(fileScheme.utf8.count)
    guard let slash = rest.firstIndex(of: UInt8(ascii: "/")) else { return nil }
    let host = rest[..<slash].map(lowercased)
    guard host.isEmpty || host.elementsEqual("localhost".utf8) else { return nil }
    var path: [UInt8] = []
    var escaped = rest[slash...]
    while let byte = escaped.popFirst() {
      switch byte {
      case UInt8(ascii: "%"):
        guard let high = escaped.popFirst().flatMap(hexDigit),
          let low = escaped.popFirst().flatMap(hexDigit), high << 4 | low != 0
        else { return nil }
        path.append(high << 4 | low)
      // Characters that a URL cannot contain, and those that begin its query or fragment.
      case 0...0x20, 0x7F, UInt8(ascii: "?"), UInt8(ascii: "#"): return nil
      default: path.append(byte)
      }
    }
    // A String cannot hold a path that is not UTF-8; the URL can.
    return String(validating: path, as: UTF8.self) ?? fileScheme + String(Substring(rest[slash...]))
  }

  private static func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  private static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }

  /// Returns a paste that is a scheme, `://` and something after it, and nothing else (RFC 3986).
  private static func url(in paste: String) -> String? {
    let text = paste[...].trimmed
    let scheme = text.utf8.prefix { byte in
      switch lowercased(byte) {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."):
        true
      default: false
      }
    }
    let rest = text.utf8.dropFirst(scheme.count)
    guard let first = scheme.first,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(lowercased(first)),
      rest.starts(with: "://".utf8), rest.count > 3,
      !text.unicodeScalars.contains(where: { $0.properties.isWhitespace || $0.value < 0x20 }),
      !isFileURL(String(text))
    else { return nil }
    return String(text)
  }
}

/// A text read as a shell reads one word: `'…'`, `"…"` and `\` are removed.
private struct ShellWord {
  /// The word without its quotes and backslashes.
  let text: String

  /// Nil if the text ends in a backslash, or has several words. A text with blanks but without
  /// quotes or backslashes counts as one word. A text with a quote that never ends (`it's`) stays
  /// as it is.
  init?(_ source: String) {
    var result = String.UnicodeScalarView()
    var quote: Unicode.Scalar?
    var (hasBlank, hasQuoting) = (false, false)
    var rest = Substring(source).unicodeScalars
    while let next = rest.popFirst() {
      if next == "\\" && quote != "'" {
        guard let escaped = rest.popFirst() else { return nil }
        // Between double quotes a backslash escapes only these.
        let isItself = quote == "\"" && !["\"", "\\", "$", "`"].contains(escaped)
        if isItself { result.append(next) }
        result.append(escaped)
        hasQuoting = true
      } else if next == quote {
        quote = nil
      } else if quote == nil && (next == "'" || next == "\"") {
        quote = next
        hasQuoting = true
      } else {
        if quote == nil && (next == " " || next == "\t") { hasBlank = true }
        result.append(next)
      }
    }
    if quote != nil {
      text = source
    } else if hasBlank && hasQuoting {
      return nil
    } else {
      text = String(result)
    }
  }
}
