// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

/// The sequences that ask a terminal to show a notification on its desktop.
public enum DesktopNotification: String, Sendable {
  /// kitty's, with a title and a body in Base64. A terminal says whether it knows it.
  case osc99 = "99"
  /// That of rxvt-unicode, with a title and a body.
  case osc777 = "777"
  /// iTerm2's, with one text.
  case osc9 = "9"

  /// Asks whether the terminal knows OSC 99. Nothing on the screen changes.
  public static let question = Array("\u{1B}]99;i=hobnob:p=?;\u{1B}\\".utf8)

  /// Whether an event is an answer to ``question``, which only those send who know it.
  public static func isAnswer(_ event: KeyEvent) -> Bool {
    guard case .reply(let bytes) = event else { return false }
    return bytes.starts(with: "\u{1B}]99;i=hobnob:p=?".utf8)
  }

  /// The longest title, and the longest body; nobody reads more in passing.
  private static let longest = 200

  /// - Parameters:
  ///   - identifier: ASCII letters, digits and hyphens; the terminal replaces a notification with
  ///     the same one.
  ///   - wrapper: the program between hobnob and the terminal that has to pass it on.
  public func bytes(
    title: SafeText, body: SafeText, identifier: String, through wrapper: Wrapper?
  ) -> [UInt8] {
    let (title, body) = (text(title, through: wrapper), text(body, through: wrapper))
    let strings =
      switch self {
      case .osc99:
        [
          "99;i=\(identifier):d=0:e=1:o=unfocused;" + Self.encoded(title),
          "99;i=\(identifier):p=body:e=1:o=unfocused;" + Self.encoded(body),
        ]
      case .osc777: ["777;notify;\(title);\(body)"]
      case .osc9: ["9;\(title): \(body)"]
      }
    return strings.flatMap { wrapper.wrapped($0) }
  }

  /// A text without what could end the sequence, or its field. That a ``SafeText`` has no control
  /// characters but those of a body is known; here nothing else may depend on it.
  /// screen reads each letter as a byte, and would find control characters in others than ASCII.
  private func text(_ text: SafeText, through wrapper: Wrapper?) -> String {
    var cleaned = String.UnicodeScalarView()
    for scalar in text.string.unicodeScalars.prefix(Self.longest) {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0: cleaned.append(" ")
      case 0x3B where self != .osc99: cleaned.append(",")
      case 0x80... where self != .osc99 && wrapper == .screen: cleaned.append("?")
      default: cleaned.append(scalar)
      }
    }
    return String(cleaned)
  }

  private static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { Base64.append($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A program that passes a sequence on to the terminal around it if that is wrapped in another.
  public enum Wrapper: Sendable {
    /// tmux, where its option `allow-passthrough` is on.
    case tmux
    case screen
  }

  /// The sequence that a terminal knows, as far as its name tells. Within tmux and screen nobody
  /// knows what is around them.
  static func known(
    _ terminal: String, _ variable: (String) -> String?
  ) -> DesktopNotification? {
    switch variable("TERM_PROGRAM") {
    case "WezTerm", "ghostty": return .osc777
    case "iTerm.app": return .osc9
    default: break
    }
    if terminal.hasPrefix("xterm-kitty") { return .osc9 }
    return ["foot", "contour", "xterm-ghostty", "wezterm"].contains { terminal.hasPrefix($0) }
      ? .osc777 : nil
  }
}

extension DesktopNotification.Wrapper? {
  fileprivate func wrapped(_ string: String) -> [UInt8] {
    switch self {
    case nil: Array("\u{1B}]\(string)\u{1B}\\".utf8)
    // An ESC is doubled within.
    case .tmux: Array("\u{1B}Ptmux;\u{1B}\u{1B}]\(string)\u{07}\u{1B}\\".utf8)
    case .screen: Array("\u{1B}P\u{1B}]\(string)\u{07}\u{1B}\\".utf8)
    }
  }
}
