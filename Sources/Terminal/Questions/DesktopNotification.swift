// SPDX-License-Identifier: GPL-3.0-or-later
import Platform
import StyledText

/// The sequences that ask a terminal to show a notification on its desktop.
package enum DesktopNotification: String, Sendable {
  /// The sequence of kitty, with a title and a body in Base64. A terminal can report that it knows
  /// this one.
  case osc99 = "99"
  /// The sequence of rxvt-unicode, with a title and a body.
  case osc777 = "777"
  /// The sequence of iTerm2, with one text.
  case osc9 = "9"

  /// Asks whether the terminal knows OSC 99. Changes nothing on the screen.
  package static let question = Array("\u{1B}]99;i=hobnob:p=?;\u{1B}\\".utf8)

  /// Whether an event is an answer to ``question``, which only terminals that know OSC 99 send.
  package static func isReport(_ event: KeyEvent) -> Bool {
    guard case .reply(let bytes) = event else { return false }
    return bytes.starts(with: "\u{1B}]99;i=hobnob:p=?".utf8)
  }

  /// The maximum length of a title, and of a body; nobody reads more at a glance.
  private static let longest = 200

  /// - Parameters:
  ///   - identifier: ASCII letters, digits and hyphens; the terminal replaces a notification with
  ///     the same one.
  ///   - wrapper: the program between hobnob and the terminal that has to pass the sequence on.
  package func bytes(
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
    return strings.flatMap { wrapper.passing($0) }
  }

  /// A text without characters that could end the sequence or its field. A ``SafeText`` has no
  /// control characters except newline and tab, but this function does not rely on that. screen
  /// reads each letter as a byte, and would find control characters in letters outside ASCII.
  private func text(_ text: SafeText, through wrapper: Wrapper?) -> String {
    var safe = String.UnicodeScalarView()
    for scalar in text.string.unicodeScalars.prefix(Self.longest) {
      switch scalar.value {
      case 0..<0x20, 0x7F..<0xA0: safe.append(" ")
      case 0x3B where self != .osc99: safe.append(",")
      case 0x80... where self != .osc99 && wrapper == .screen: safe.append("?")
      default: safe.append(scalar)
      }
    }
    return String(safe)
  }

  private static func encoded(_ text: String) -> String {
    var bytes: [UInt8] = []
    Array(text.utf8).withUnsafeBytes { Base64.encode($0, to: &bytes) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A program that passes a sequence on to the terminal around it if the sequence is wrapped in
  /// another.
  package enum Wrapper: Sendable {
    /// tmux, if its option `allow-passthrough` is on.
    case tmux
    case screen
  }

  /// The sequence that a terminal knows, judging by its name. Inside tmux and screen, the outer
  /// terminal is unknown.
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
  fileprivate func passing(_ string: String) -> [UInt8] {
    switch self {
    case nil: Array("\u{1B}]\(string)\u{1B}\\".utf8)
    // Inside this sequence, an ESC must be doubled.
    case .tmux: Array("\u{1B}Ptmux;\u{1B}\u{1B}]\(string)\u{07}\u{1B}\\".utf8)
    case .screen: Array("\u{1B}P\u{1B}]\(string)\u{07}\u{1B}\\".utf8)
    }
  }
}
