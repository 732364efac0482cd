// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The counter beside a limited text (1.7).
///
/// ```swift
/// Counter.item(text: "hello", limit: 160, style: .split)  // 5/160
/// ```
public enum Counter {
  /// The item's name in its zone.
  public static let id = "counter"
  /// How the counter looks while the text may be sent.
  public static let style = Style.dim
  /// How it looks when the text is over the limit. It is bold as well, for people and terminals
  /// that cannot tell red.
  public static let warning = Style(.bold, foreground: .red)

  /// The counter as an item of a zone.
  ///
  /// - Parameters:
  ///   - text: the text as typed; `LineRules.graphemeCount(of:)` measures it.
  ///   - limit: the maximum number of graphemes in a message; 0 for no limit.
  ///   - style: what is counted.
  /// - Returns: nil without a limit. The item has the warning style if Return would refuse the text
  ///   because of its length, so never for a command.
  public static func item(text: String, limit: Int, style: CounterStyle) -> Item? {
    guard limit > 0 else { return nil }
    let count = LineRules.graphemeCount(of: text)
    let isOver = count > limit && !LineRules.isCommand(text)
    let shown = style.text(count: count, max: limit)
    return Item(id: id, line: StyledLine(shown, isOver ? warning : Self.style), isKept: true)
  }
}

/// How the counter beside a limited text counts (1.7).
///
/// ```swift
/// CounterStyle.split.text(count: LineRules.length(of: text), max: 140)  // "12/140"
/// ```
public enum CounterStyle: String, CaseIterable, Hashable, Sendable {
  /// The count: `12`.
  case none
  /// The count and the limit: `12/140`.
  case split
  /// The excess over the limit, negative while there is room: `-128`.
  case countdown
  /// The characters left, negative when over the limit: `128`.
  case countdownReversed = "countdown-reversed"

  /// The counter's text.
  ///
  /// - Parameters:
  ///   - count: graphemes of the text, from `LineRules.graphemeCount(of:)`.
  ///   - max: the limit, above 0: without a limit no counter is drawn.
  public func text(count: Int, max: Int) -> SafeText {
    switch self {
    case .none: SafeText(count)
    case .split: "\(count)/\(max)"
    case .countdown: SafeText(count - max)
    case .countdownReversed: SafeText(max - count)
    }
  }
}
