// SPDX-License-Identifier: GPL-3.0-or-later

/// The program's own symbols (rule 7.2), ASCII replacements for terminals that cannot show them,
/// and words for screen readers (rule 11.5).
public struct Glyphs: Hashable, Sendable {
  /// Replaces text that was cut off.
  public var ellipsis: SafeText
  /// Delivery state: on its way.
  public var sending: SafeText
  /// Delivery state: the message was refused.
  public var failed: SafeText
  /// Delivery state: the store of a local room, or the server, has it.
  public var sent: SafeText
  /// Delivery state: another participant's program has it.
  public var delivered: SafeText
  /// The message was changed after it was sent.
  public var edited: SafeText
  /// Before a sentence that says that a message was deleted.
  public var deleted: SafeText
  /// Before a message whose files have arrived.
  public var filesOf: SafeText
  /// Before the line that a message answers.
  public var quote: SafeText
  /// Before an action, and before a notice that a program sent by itself.
  public var action: SafeText
  public var notice: SafeText
  /// Before an event of the conversation.
  public var event: SafeText
  /// Between two items of a line.
  public var separator: SafeText
  /// Between a value and a remark on it.
  public var gap: SafeText = "  "
  /// One column of a rule across the screen.
  public var rule: SafeText
  /// Between the conversation's name and the line, in prompts that have no `>`.
  public var prompt: SafeText
  /// Shows that Return would send.
  public var send: SafeText
  /// Before a name that looks like another's (12.3).
  public var lookAlike: SafeText
  /// In the first column of a message that mentions the reader (7.10).
  public var mention: SafeText
  /// Before who joined.
  public var arrival: SafeText
  /// Before who left.
  public var departure: SafeText
  /// One column of a progress bar: of the finished part, and of the rest.
  public var done: SafeText
  public var notDone: SafeText
  /// Whether words replace marks and columns, for a screen reader.
  public var isSpoken = false

  /// A mark with the blank after it; an empty text for a mark that speech does not need.
  public func lead(_ mark: SafeText) -> SafeText { mark.isEmpty ? mark : mark + " " }

  /// For a terminal that shows Unicode.
  public static let unicode = Glyphs(
    ellipsis: "…", sending: "…", failed: "✗", sent: "✓", delivered: "✓✓",
    edited: "✎", deleted: "✎", filesOf: "→", quote: ">", action: "*", notice: "-", event: "·",
    separator: " · ", rule: "─", prompt: "›", send: "↑",
    lookAlike: "≈", mention: "»", arrival: "→", departure: "←", done: "█", notDone: "░")
  /// For all other terminals.
  public static let ascii = Glyphs(
    ellipsis: "...", sending: ".", failed: "!", sent: "+", delivered: "++",
    edited: "*edited*", deleted: "-", filesOf: "->", quote: ">", action: "*", notice: "-",
    event: "-", separator: " - ", rule: "-", prompt: ">", send: "^",
    lookAlike: "~", mention: "!", arrival: "->", departure: "<-", done: "#", notDone: "-")
  /// For a screen reader: words; where none is needed, a dash, which the screen reader skips, but
  /// with which no message begins (rule 12.2).
  public static var spoken: Glyphs {
    var glyphs = Glyphs(
      ellipsis: "...", sending: say("sending"), failed: "", sent: say("sent"),
      delivered: say("delivered"), edited: say("edited"), deleted: "-",
      filesOf: say("files of"), quote: say("in answer to"), action: "-", notice: say("notice"),
      event: "-", separator: ", ", rule: "", prompt: ">", send: "",
      lookAlike: say("look-alike") + " ", mention: say("for you"), arrival: "-", departure: "-",
      done: "#", notDone: "-")
    (glyphs.gap, glyphs.isSpoken) = (", ", true)
    return glyphs
  }
}
