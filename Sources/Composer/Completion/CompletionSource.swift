// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The question to a source: the word at the caret, and where it is.
///
/// ```swift
/// CompletionQuestion(prefix: "@", word: "an", text: "ask @an now", caret: 7)
/// ```
public struct CompletionQuestion: Hashable, Sendable {
  /// The registered prefix that the word begins with.
  public var prefix: String
  /// The whole word, on both sides of the caret, without the prefix.
  public var word: String
  /// The composed text with the word.
  public var text: String
  /// A UTF-8 offset into `text`.
  public var caret: Int

  public init(prefix: String, word: String, text: String, caret: Int) {
    self.prefix = prefix
    self.word = word
    self.text = text
    self.caret = caret
  }
}

/// Offers candidates under a prefix (2.1): people, rooms, emoji, commands.
///
/// A class, so that it may keep what it has found. The session compares and ranks; a source may
/// offer everything it has, whatever the word. If you can, return the very same array again, so
/// that the session need not prepare it for matching a second time.
///
/// ```swift
/// final class People: CompletionSource {
///   func candidates(for question: CompletionQuestion) -> [Candidate] {
///     here.map { Candidate($0.name) }
///   }
/// }
/// ```
public protocol CompletionSource: AnyObject {
  /// The candidates for a word, as far as they are known. It is called while a key is handled, so
  /// it must not wait. A slow source returns what it has, and calls
  /// ``BarController/candidatesChanged()`` when it has more; hobnob then asks it again (2.9).
  ///
  /// - Throws: an error that hobnob shows once per source; the line is not affected.
  func candidates(for question: CompletionQuestion) throws -> [Candidate]
}

/// A source that has the same candidates for every word.
///
/// ```swift
/// CandidateList(["apple", "pear"].map { Candidate($0) })
/// ```
public final class CandidateList: CompletionSource {
  public let candidates: [Candidate]

  public init(_ candidates: [Candidate]) { self.candidates = candidates }

  public func candidates(for question: CompletionQuestion) -> [Candidate] { candidates }
}

/// Offers candidates for words without a prefix: the arguments of commands (2.8), and bare names
/// (2.12). Asked if no registered prefix begins the word at the caret.
///
/// ```swift
/// func argument(in text: String, caret: Int) -> … {
///   text.hasPrefix("/join ") ? (6..<text.utf8.count, String(text.dropFirst(6)), rooms, nil) : nil
/// }
/// ```
public protocol ArgumentSource: AnyObject {
  /// The argument that the caret is in.
  ///
  /// - Parameters:
  ///   - text: the composed text.
  ///   - caret: a UTF-8 offset.
  /// - Returns: nil if the caret is in no argument. Otherwise the UTF-8 range that a candidate
  ///   replaces (whole graphemes, around the caret; another range counts as nil), the word to match
  ///   candidates with, all possible values of the argument, and the usage to show, even if there
  ///   is no candidate. A candidate that ends in `/` is a folder; nothing is added after it.
  func argument(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], hint: SafeText?)?

  /// What TAB completes if the word at the caret has no prefix and is no argument with candidates:
  /// names (2.12). No menu opens by itself for such a word, so this is called only for TAB.
  ///
  /// - Returns: as ``argument(in:caret:)``, and what is added after the word at the very start of
  ///   the text. Only there does the word become a mention that knows who is meant.
  func bareWord(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], behindAtLineStart: String)?
}

extension ArgumentSource {
  public func bareWord(
    in text: String, caret: Int
  ) -> (range: Range<Int>, word: String, candidates: [Candidate], behindAtLineStart: String)? {
    nil
  }
}
