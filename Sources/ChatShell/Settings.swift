// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import StyledText

/// What `/set` can change. One table gives names, values, help, completion and the manual.
public struct Settings: Sendable, Equatable {
  public var typing = true
  public var receipts = true
  public var timestamps = true
  public var numbers = true
  public var confirmClear = false
  public var slashGuard = true
  /// Graphemes; 0 is no limit.
  public var messageLimit = 0
  /// Rows; nil goes by the terminal's height, 0 is as many as fit.
  public var maxInputRows: Int?
  /// Seconds; 0 keeps a name until it is removed.
  public var typingTimeout = 6
  public var upEditsLast = false
  public var holdWhileTyping = false
  public var bell = true
  public var width = WidthRule.auto
  public var ambiguousIsWide = false
  public var accessible = false

  /// How a terminal counts the columns of text.
  public enum WidthRule: String, CaseIterable, Sendable { case auto, unicode, codepoints, tmux }

  public init() {}

  /// One line of the table.
  public struct Entry: Sendable {
    public let name: String
    /// What can stand behind the name, for completion and errors; empty where any number can.
    public let values: [String]
    public let help: SafeText
    let get: @Sendable (Settings) -> String
    let set: @Sendable (inout Settings, String) -> Bool
  }

  private static func onOff(
    _ name: String, _ path: any WritableKeyPath<Settings, Bool> & Sendable, _ help: SafeText
  ) -> Entry {
    Entry(
      name: name, values: ["on", "off"], help: help,
      get: { $0[keyPath: path] ? "on" : "off" },
      set: { settings, value in
        guard value == "on" || value == "off" else { return false }
        settings[keyPath: path] = value == "on"
        return true
      })
  }

  private static func number(
    _ name: String, _ path: any WritableKeyPath<Settings, Int> & Sendable, upTo most: Int,
    _ help: SafeText
  ) -> Entry {
    Entry(
      name: name, values: [], help: help, get: { String($0[keyPath: path]) },
      set: { settings, value in
        guard let number = Int(value), (0...most).contains(number) else { return false }
        settings[keyPath: path] = number
        return true
      })
  }

  /// Every setting, in the order in which `/set` shows them.
  public static let table: [Entry] = [
    onOff("typing", \.typing, "tell others that you are typing"),
    onOff("receipts", \.receipts, "tell others that their messages were delivered and seen"),
    onOff("timestamps", \.timestamps, "the time before each message"),
    onOff("numbers", \.numbers, "the number before each message"),
    onOff("bell", \.bell, "ring the bell when somebody mentions you or writes to you alone"),
    onOff("confirm-clear", \.confirmClear, "ask before C-c empties the line"),
    onOff("slash-guard", \.slashGuard, "refuse a line whose first character after blanks is /"),
    onOff("up-edits-last", \.upEditsLast, "Up on an empty line edits your newest message"),
    onOff(
      "hold-while-typing", \.holdWhileTyping,
      "in plain mode, keep messages until the line is sent or empty"),
    onOff("accessible", \.accessible, "the plain face; takes effect when hobnob starts"),
    number(
      "message-limit", \.messageLimit, upTo: 1_000_000, "characters a message may have; 0: any"),
    Entry(
      name: "max-input-rows", values: ["auto"],
      help: "rows the line grows to before it scrolls; 0: as many as fit",
      get: { $0.maxInputRows.map { String($0) } ?? "auto" },
      set: { settings, value in
        if value == "auto" {
          settings.maxInputRows = nil
          return true
        }
        guard let rows = Int(value), (0...1000).contains(rows) else { return false }
        settings.maxInputRows = rows
        return true
      }),
    number(
      "typing-timeout", \.typingTimeout, upTo: 3600, "seconds somebody stays typing; 0: until said"),
    Entry(
      name: "width", values: WidthRule.allCases.map(\.rawValue),
      help: "how this terminal counts the columns of emoji",
      get: { $0.width.rawValue },
      set: { settings, value in
        guard let rule = WidthRule(rawValue: value) else { return false }
        settings.width = rule
        return true
      }),
    Entry(
      name: "ambiguous", values: ["narrow", "wide"],
      help: "the width of characters that East Asian fonts draw wide",
      get: { $0.ambiguousIsWide ? "wide" : "narrow" },
      set: { settings, value in
        guard value == "narrow" || value == "wide" else { return false }
        settings.ambiguousIsWide = value == "wide"
        return true
      }),
  ]

  public static func entry(_ name: String) -> Entry? { table.first { $0.name == name } }

  /// How this terminal draws, from the setting or, with `auto`, from what it calls itself.
  public func widths(environment: [String: String]) -> Widths {
    let clusters: Widths.Clusters =
      switch width {
      case .unicode: .graphemes
      case .codepoints: .codePoints
      case .tmux: .joined
      case .auto: Self.guess(environment)
      }
    return Widths(clusters: clusters, ambiguousIsWide: ambiguousIsWide)
  }

  private static func guess(_ environment: [String: String]) -> Widths.Clusters {
    let term = environment["TERM"] ?? ""
    if environment["TMUX"] != nil || term.hasPrefix("tmux") { return .joined }
    if ["WezTerm", "ghostty"].contains(environment["TERM_PROGRAM"] ?? "") { return .graphemes }
    if term.hasPrefix("xterm-kitty") || term.hasPrefix("foot") || term.hasPrefix("contour") {
      return .graphemes
    }
    return .codePoints
  }
}
