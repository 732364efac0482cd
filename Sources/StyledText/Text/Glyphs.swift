// SPDX-License-Identifier: GPL-3.0-or-later

/// The program's own symbols (rule 7.2) and their ASCII stand-ins, for terminals and
/// screen readers that know no others.
public struct Glyphs: Hashable, Sendable {
  /// Replaces text that was cut off.
  public var ellipsis: SafeText
  /// Delivery state: on its way.
  public var sending: SafeText
  /// Delivery state: it did not get through.
  public var failed: SafeText
  /// Delivery state: the store of a local room, or the server, has it.
  public var sent: SafeText
  /// Delivery state: another participant's program has it.
  public var delivered: SafeText
  /// Delivery state: it was printed in front of another participant.
  public var seen: SafeText
  /// The message was changed after it was sent.
  public var edited: SafeText
  /// Between two items of a line.
  public var separator: SafeText
  /// One column of a rule across the screen.
  public var rule: SafeText
  /// Between the conversation's name and the line, in prompts that have no `>`.
  public var prompt: SafeText
  /// Return sends.
  public var send: SafeText
  /// Before a name that looks like another's (12.3).
  public var lookAlike: SafeText
  /// In the first column of a message that mentions the reader (7.10).
  public var mention: SafeText
  /// Before who joined.
  public var arrival: SafeText
  /// Before who left.
  public var departure: SafeText
  /// One column of a progress bar: of the part that is done, and of the rest.
  public var done: SafeText
  public var notDone: SafeText

  /// For a terminal that shows Unicode.
  public static let unicode = Glyphs(
    ellipsis: "…", sending: "…", failed: "✗", sent: "✓", delivered: "✓✓", seen: "seen",
    edited: "✎", separator: "·", rule: "─", prompt: "›", send: "↑",
    lookAlike: "≈", mention: "»", arrival: "→", departure: "←", done: "█", notDone: "░")
  /// For everything else.
  public static let ascii = Glyphs(
    ellipsis: "...", sending: ".", failed: "!", sent: "+", delivered: "++", seen: "seen",
    edited: "*edited*", separator: "-", rule: "-", prompt: ">", send: "^",
    lookAlike: "~", mention: "!", arrival: "->", departure: "<-", done: "#", notDone: "-")
}
