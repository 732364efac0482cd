// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What can stand in place of the word at the caret, for readline's completion functions.
public struct Completions: Sendable {
  /// One possible completion.
  public struct Choice: Sendable {
    /// What replaces the word, its prefix included.
    public var text: String
    /// What a list of the possibilities shows.
    public var label: SafeText

    public init(text: String, label: SafeText) {
      self.text = text
      self.label = label
    }
  }

  /// The bytes of the line that a choice replaces: the whole word, on both sides of the caret.
  public var word: Range<Int>
  public var choices: [Choice]
  /// What the word becomes while more than one choice is left.
  public var common: String
  /// What follows a choice that is the only one: a space, `: `, or nothing.
  public var suffix: String
  /// A space stands behind the word already: the caret goes behind that.
  public var stepsOverSpace: Bool

  public init(
    word: Range<Int>, choices: [Choice], common: String, suffix: String,
    stepsOverSpace: Bool = false
  ) {
    self.word = word
    self.choices = choices
    self.common = common
    self.suffix = suffix
    self.stepsOverSpace = stepsOverSpace
  }
}
