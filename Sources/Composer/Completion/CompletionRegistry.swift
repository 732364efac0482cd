// SPDX-License-Identifier: GPL-3.0-or-later

/// What the words of a prefix look like, and what accepting one inserts.
///
/// ```swift
/// PrefixRules(opensAfter: 0, behindAtLineStart: ":")  // "@an" at the start: "@Anna: "
/// ```
public struct PrefixRules {
  /// The menu opens by itself once this many graphemes follow the prefix (2.4).
  public var opensAfter: Int
  /// For commands: the prefix counts only as the first characters of the text, and TAB accepts a
  /// word that is typed in full even if longer ones begin with it.
  public var lineStartOnly: Bool
  /// Its names may contain the prefix again, as network addresses do (2.3).
  public var namesMayContainPrefix: Bool
  /// Its names may begin with the prefix again, as those of rooms on IRC do.
  public var namesMayBeginWithPrefix: Bool
  /// Its words may contain blanks, so a word begins at the nearest prefix before the caret in its
  /// line.
  public var allowsBlanks: Bool
  /// Candidates with the same hint are names of one thing; of those that match, only one is
  /// offered.
  public var oneForEachHint: Bool
  /// The addition after an accepted word at the very start of the text, before the space (2.6).
  public var behindAtLineStart: String
  /// The text for an accepted candidate that replaces prefix and word; nil keeps the prefix and
  /// adds the candidate's text after it.
  public var replacement: ((Candidate) -> String)?
  /// Finds the word at a caret (a UTF-8 offset) in its own way; nil for the
  /// usual way.
  public var find: ((_ text: String, _ caret: Int) -> FoundWord?)?

  public init(
    opensAfter: Int = 0, lineStartOnly: Bool = false, namesMayContainPrefix: Bool = false,
    namesMayBeginWithPrefix: Bool = false, allowsBlanks: Bool = false, oneForEachHint: Bool = false,
    behindAtLineStart: String = "",
    replacement: ((Candidate) -> String)? = nil,
    find: ((_ text: String, _ caret: Int) -> FoundWord?)? = nil
  ) {
    self.opensAfter = opensAfter
    self.lineStartOnly = lineStartOnly
    self.namesMayContainPrefix = namesMayContainPrefix
    self.namesMayBeginWithPrefix = namesMayBeginWithPrefix
    self.allowsBlanks = allowsBlanks
    self.oneForEachHint = oneForEachHint
    self.behindAtLineStart = behindAtLineStart
    self.replacement = replacement
    self.find = find
  }

  /// The rules of emoji (2.6): if the character replaces the shortcode, it replaces the prefix as
  /// well, and each character is offered once, however many shortcodes it has.
  ///
  /// - Parameters:
  ///   - opensAfter: the menu opens by itself once this many graphemes follow the prefix (2.4).
  ///   - kept: what stays in front of the character, such as the `+` of `+:`.
  ///   - asCharacter: whether accepting inserts the candidate's hint, the character; otherwise it
  ///     inserts the shortcode with both colons.
  public static func emoji(
    opensAfter: Int, keeping kept: String = "", asCharacter: @escaping () -> Bool
  ) -> PrefixRules {
    PrefixRules(
      opensAfter: opensAfter, oneForEachHint: true,
      replacement: { candidate in
        if asCharacter(), !candidate.hint.isEmpty { return kept + candidate.hint }
        return kept + ":" + candidate.text + (candidate.text.hasSuffix(":") ? "" : ":")
      })
  }
}

/// What is registered under prefixes (2.1, 2.4).
///
/// ```swift
/// var registry = CompletionRegistry()
/// registry.register("@", source: people, PrefixRules(behindAtLineStart: ":"))
/// registry.register("/", source: commands, PrefixRules(lineStartOnly: true))
/// ```
public struct CompletionRegistry {
  private var entries: [String: (source: any CompletionSource, rules: PrefixRules)] = [:]
  /// Finds the words that begin with one of the prefixes.
  private(set) var finder = WordFinder(prefixes: [])

  /// How candidates are ordered if none of them spoke more recently (2.5), such as by `strcoll`;
  /// nil for the order of the folded texts.
  public var order: CandidateOrder?

  /// An empty registry: nothing completes.
  public init() {}

  /// Registers a source; it replaces one that had the prefix before.
  ///
  /// - Parameters:
  ///   - prefix: what the word begins with; an empty one is ignored.
  ///   - source: kept as long as the registry.
  ///   - rules: what the words of the prefix look like.
  public mutating func register(
    _ prefix: String, source: any CompletionSource, _ rules: PrefixRules = PrefixRules()
  ) {
    guard !prefix.isEmpty else { return }
    entries[prefix] = (source, rules)
    func prefixes(_ holds: (PrefixRules) -> Bool) -> Set<String> {
      Set(entries.filter { holds($0.value.rules) }.keys)
    }
    finder = WordFinder(
      prefixes: Array(entries.filter { $0.value.rules.find == nil }.keys),
      lineStartOnly: prefixes { $0.lineStartOnly },
      namesMayContainPrefix: prefixes { $0.namesMayContainPrefix },
      namesMayBeginWithPrefix: prefixes { $0.namesMayBeginWithPrefix },
      allowingBlanks: prefixes { $0.allowsBlanks })
  }

  /// The source under a prefix; nil if nothing is registered.
  package func source(for prefix: String) -> (any CompletionSource)? { entries[prefix]?.source }

  func rules(of prefix: String) -> PrefixRules { entries[prefix]?.rules ?? PrefixRules() }

  /// The word at a caret. The prefixes' own `find` functions are asked first, in the order of the
  /// prefixes.
  package func word(in text: String, caret: Int) -> FoundWord? {
    for prefix in entries.keys.sorted() {
      if let found = entries[prefix]?.rules.find?(text, caret) { return found }
    }
    return finder.find(in: text, caret: caret)
  }
}
