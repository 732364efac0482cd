// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Editing a message that was sent, as a value: which message, and what Return means (3.1 to 3.9).
/// Meanwhile, the draft is set aside; see ``BarController/setAside()``.
///
/// ```swift
/// controller.setAside()
/// let mode = EditMode(target: 42, original: message.body)
/// controller.restore(LineDraft(EditMode.escapingSlash(mode.original)))
/// ```
public struct EditMode: Hashable, Sendable {
  /// The number of the message.
  public var target: Int
  /// The message's text as it is stored.
  public var original: String

  public init(target: Int, original: String) {
    self.target = target
    self.original = original
  }

  /// A command that edit mode knows (3.9).
  ///
  /// ```swift
  /// if case .command(.cancel) = mode.judge("/cancel", rules: rules) { leave() }
  /// ```
  public enum Command: Hashable, Sendable {
    /// Leave; the message stays as it is.
    case cancel
    /// Edit message N, counted from the newest if N is negative; nil means my newest message.
    case edit(Int?)
  }

  /// What Return means.
  ///
  /// ```swift
  /// if case .save(let text) = mode.judge(line, rules: rules) { store(text, at: mode.target) }
  /// ```
  public enum Outcome: Hashable, Sendable {
    /// Store this text, in which a leading `//` is already `/`.
    case save(String)
    /// The text is unchanged; leave edit mode (3.3).
    case unchanged
    case refusedBlank
    /// The text is too long; both numbers count graphemes of the trimmed text.
    case refusedOverLimit(Int, limit: Int)
    case command(Command)
    /// A changed text with `/cancel` at its end: more likely a wish to leave than a text. Store it
    /// only if Return is pressed again.
    case mayMeanCancel(String)
    /// Any other text that begins with a single `/`, or with `/` after blanks: say that `//` begins
    /// a text with `/`, and stay in edit mode.
    case refusedCommand
  }

  /// What Return means for `text`.
  public func judge(_ text: String, rules: LineRules) -> Outcome {
    // Check this first: a text that was allowed once must not be refused if it is unchanged.
    if text.hasSameBytes(as: Self.escapingSlash(original)) { return .unchanged }
    // When edit mode begins, the caret is after the text. People type /cancel right there, or after
    // a blank, so the unchanged text with /cancel after it is the command.
    let beforeCancel = Self.beforeCancel(text)
    if let beforeCancel, beforeCancel.hasSameBytes(as: Self.bare(Self.escapingSlash(original))) {
      return .command(.cancel)
    }
    if let typed = typedCommand(in: text) { return .command(typed.command) }
    switch rules.judge(text) {
    case .blank: return .refusedBlank
    case .overLimit(let count, let limit): return .refusedOverLimit(count, limit: limit)
    // A stored text may begin with several slashes.
    case .message(let new), .manySlashes(let new):
      if new.hasSameBytes(as: original) { return .unchanged }
      // `//cancel` alone, with only `/` before `/cancel`, is clearly the text `/cancel`.
      return ![nil, "/"].contains(beforeCancel) && Self.beforeCancel(original) == nil
        ? .mayMeanCancel(new) : .save(new)
    case .command(let line): return Self.parsedCommand(line).map(Outcome.command) ?? .refusedCommand
    case .slashGuard, .commandWithNewlines: return .refusedCommand
    }
  }

  /// Returns the command that was typed as the last of several lines, and the text before it; nil
  /// if there is none, or if the message already ended with that line. People who edit several
  /// lines have no empty line to type a command on.
  public func typedCommand(in text: String) -> (command: Command, text: String)? {
    guard let newline = text.utf8.lastIndex(of: UInt8(ascii: "\n")) else { return nil }
    let line = String(text[text.utf8.index(after: newline)...])
    guard let command = Self.parsedCommand(line),
      !Self.escapingSlash(original).utf8.reversed().starts(with: ("\n" + line).utf8.reversed())
    else { return nil }
    return (command, String(text[..<newline]))
  }

  /// The text as it is shown for editing: a leading `/` becomes `//`, so that Return treats it as a
  /// text and not as a command (3.9).
  public static func escapingSlash(_ stored: String) -> String {
    stored.utf8.first == UInt8(ascii: "/") ? "/" + stored : stored
  }

  /// The prompt of edit mode.
  public var prompt: SafeText { say("edit %1> ", SafeText(target)) }

  /// The text of the status line.
  public var status: SafeText {
    say("Editing message %1 — Return saves, /cancel or C-g leaves", SafeText(target))
  }

  /// The text before a `/cancel` at the end, without the blanks between; nil if the text does not
  /// end in `/cancel`.
  private static func beforeCancel(_ text: String) -> String? {
    let text = bare(text)
    guard text.hasSuffix("/cancel") else { return nil }
    return bare(String(text.dropLast("/cancel".count)))
  }

  /// The text without the white space at its end.
  private static func bare(_ text: String) -> String {
    String(
      text[
        ..<(text.lastIndex { !$0.isWhitespace }.map { text.index(after: $0) } ?? text.startIndex)])
  }

  private static func parsedCommand(_ line: String) -> Command? {
    let words = line.split(whereSeparator: \.isWhitespace)
    switch (words.first, words.count) {
    case ("/cancel", 1): return .cancel
    case ("/edit", 1): return .edit(nil)
    case ("/edit", 2): return Int(written: words[1], in: -Int.max...Int.max).map { .edit($0) }
    default: return nil
    }
  }
}
