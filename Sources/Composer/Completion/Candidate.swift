// SPDX-License-Identifier: GPL-3.0-or-later

/// Something a source offers for a word (2.5).
///
/// ```swift
/// Candidate("Anna", identity: "anna@example.org", recency: 7, hint: "away")
/// ```
public struct Candidate: Hashable, Sendable {
  /// What is completed, without the prefix: a name, a room, a command.
  public var text: String {
    didSet { folded = MatchFolding.folded(text) }
  }
  /// Who it is, if the source knows more than a name (2.10).
  public var identity: String?
  /// The higher, the more recently they spoke here; 0 for never.
  public var recency: Int
  /// What the menu shows beside it.
  public var hint: String
  /// A warning that the menu shows before it. Candidates without a warning come first.
  public var mark: String
  /// The text as it is compared; made once, since matching runs at every key.
  private(set) var folded: String

  /// Its place among those that match alike: the higher, the further ahead.
  var rank: Int { mark.isEmpty ? recency : recency - Int.max / 2 }

  /// `name`: the text that a typed word is compared with; nil for `text`.
  public init(
    _ text: String, identity: String? = nil, recency: Int = 0, hint: String = "",
    mark: String = "", name: String? = nil
  ) {
    self.text = text
    self.identity = identity
    self.recency = recency
    self.hint = hint
    self.mark = mark
    folded = MatchFolding.folded(name ?? text)
  }
}
