// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// The completion of the word at the caret: when the menu opens, what is in it, and what the keys do
/// that belong to it (2.1 to 2.9). It changes no text itself; it says what to replace.
///
/// ```swift
/// var session = CompletionSession(registry: registry)
/// session.textChanged(text: "hi @an", caret: 6, regionActive: false, byHand: true)
/// bar.menu = session.rows(columns: 80, widths: widths)
/// if case .replace(let range, let new, let caret, let accepted) =
///   session.tab(text: "hi @an", caret: 6, regionActive: false) { … }
/// ```
///
/// The session takes a change it asked for as made. Offsets are UTF-8 bytes.
public struct CompletionSession {
  /// The menu opens by itself (`live-menu`); without it, only by TAB.
  public var isLive = true
  /// The most candidates seen at a time (`max-menu-rows`), at least 1.
  public var maxRows = 4 {
    didSet { if maxRows != oldValue { menu?.resize(to: maxRows) } }
  }
  /// An accepted emoji is the character, not its shortcode (`emoji-style`). The character is the
  /// candidate's hint, under a prefix that ends in `:`.
  public var emojiAsCharacter = true
  /// What is registered. A change counts from the next key on.
  public var registry: CompletionRegistry
  /// Where candidates for words without prefix come from; kept as long as the session.
  public var argumentSource: (any ArgumentSource)?
  /// Takes late answers and brings them, on the same thread, to `answer(_:_:)`. Set it before the
  /// first key; without it late answers are dropped.
  public var deliver: ((Int, Result<[Candidate], any Error>) -> Void)?
  /// What sources complained of, each source once.
  public private(set) var complaints: [SafeText] = []

  /// The word a session is about. An argument has no prefix.
  private struct Topic {
    var found: FoundWord
    var offered: [Candidate] = []
    var hint: SafeText?
    var isArgument: Bool { found.prefix.isEmpty }
    /// Where the word begins, with its prefix: what stays the same while it is typed.
    var start: Range<Int> {
      found.range.lowerBound..<(found.range.lowerBound + found.prefix.utf8.count)
    }
  }

  private var text = ""
  private var caret = 0
  private var regionActive = false
  /// Another one with every change of the text.
  private var edition = 0
  /// The text is what `replace` made it, and no key has come since.
  private var isOwnChange = false
  private var settled = SettledWords()

  /// Nil while there is no session.
  private var topic: Topic?
  private var isByTab = false
  private var menu: CompletionMenu?
  private var asked: (prefix: String, word: String, edition: Int)?
  private var ticket = 0
  private var complained: Set<ObjectIdentifier> = []
  /// The last list of each prefix, so that only the first key of many pays for a long one.
  private var indexes: [String: CandidateIndex] = [:]

  public init(registry: CompletionRegistry, argumentSource: (any ArgumentSource)? = nil) {
    self.registry = registry
    self.argumentSource = argumentSource
  }

  /// Whether candidates are seen.
  public var isOpen: Bool { menu.map { !$0.isEmpty } ?? false }

  /// Whether the keys are the menu's (2.7).
  public var isEntered: Bool { menu?.selected != nil }

  /// The selected candidate's position among all, from 0; nil until the menu is entered.
  public var selected: Int? { menu?.selected }

  /// The selected candidate.
  public var selectedCandidate: Candidate? { menu?.selectedCandidate }

  /// How many candidates there are, seen or not.
  public var count: Int { menu?.count ?? 0 }

  /// The usage of the command whose argument the caret is in (2.8); nil where there is none.
  public var hint: SafeText? { topic?.hint }

  /// The complaints, which are then forgotten.
  public mutating func takeComplaints() -> [SafeText] {
    defer { complaints = [] }
    return complaints
  }

  // MARK: The text

  /// Tells of the text after every key, paste and change by the program.
  ///
  /// - Parameters:
  ///   - text: the composed text.
  ///   - caret: a UTF-8 offset.
  ///   - regionActive: with an active region there is no session (2.3).
  ///   - byHand: a key of the user's did it. A restored draft or another change by the program
  ///     closes the menu and opens none (5.2). A change this session asked for counts as by hand.
  public mutating func textChanged(text: String, caret: Int, regionActive: Bool, byHand: Bool) {
    let isNew = notice(text, caret, regionActive)
    defer { isOwnChange = false }
    guard isNew || isOwnChange else { return }
    guard byHand || !isNew, let topic = topicAtCaret(), !settled.isDismissed(start: topic.start)
    else { return close() }
    let staysOpen = isByTab && isSameWord(topic)
    let isLong =
      topic.isArgument || topic.found.word.count >= registry.opensAfter(topic.found.prefix)
    guard staysOpen || isLive && isLong else { return close() }
    open(topic, byTab: staysOpen)
  }

  /// Whether anything is different from what the session knew; what it remembers moves along.
  private mutating func notice(_ text: String, _ caret: Int, _ regionActive: Bool) -> Bool {
    let isSameText = self.text.withBytes { old in
      text.withBytes { new in
        old.count == new.count
          && TextChange.commonPrefix(old, new, atMost: new.count) == new.count
      }
    }
    if isSameText && caret == self.caret && regionActive == self.regionActive { return false }
    if !isSameText && !settled.isEmpty {
      let (replaced, count) = TextChange.between(self.text, text, caret: caret)
      settled.moveAlong(replacing: replaced, with: count)
    }
    if !isSameText { edition += 1 }
    (self.text, self.caret, self.regionActive) = (text, caret, regionActive)
    return true
  }

  private mutating func topicAtCaret() -> Topic? {
    if let found = registry.finder.find(in: text, caret: caret, regionActive: regionActive),
      isWhole(found.range), !settled.isAccepted(found.range, in: text)
    {
      return Topic(found: found)
    }
    guard !regionActive, let argument = argumentSource?.argument(in: text, caret: caret),
      isWhole(argument.range), (argument.range.lowerBound...argument.range.upperBound) ~= caret
    else { return nil }
    let found = FoundWord(prefix: "", word: argument.word, range: argument.range, caret: caret)
    let isDone = settled.isAccepted(argument.range, in: text)
    return Topic(found: found, offered: isDone ? [] : argument.candidates, hint: argument.hint)
  }

  /// Whether a range is one of this text and cuts no grapheme.
  private func isWhole(_ range: Range<Int>) -> Bool {
    0 <= range.lowerBound && range.upperBound <= text.utf8.count
      && [range.lowerBound, range.upperBound].allSatisfy {
        Motion.clampedToGrapheme(in: text, offset: $0) == $0
      }
  }

  private func isSameWord(_ other: Topic) -> Bool {
    topic.map { $0.found.prefix == other.found.prefix && $0.start == other.start } ?? false
  }

  // MARK: The menu

  private mutating func close() {
    (topic, menu, asked, isByTab) = (nil, nil, nil, false)
    // Whatever is still on its way is no longer asked.
    ticket += 1
  }

  private mutating func open(_ topic: Topic, byTab: Bool) {
    if !isSameWord(topic) { menu = nil }
    self.topic = topic
    isByTab = byTab
    menu?.leave()
    let found = topic.found
    // A caret that moves in the word asks nothing new; where it stands can change an argument.
    let asks = (prefix: found.prefix, word: found.word, edition: edition)
    if let asked, asked == asks, !topic.isArgument { return }
    asked = asks
    ticket += 1
    let question = CompletionQuestion(
      prefix: found.prefix, word: found.word, text: text, caret: caret)
    offer(topic.isArgument ? topic.offered : ask(question))
  }

  private mutating func offer(_ list: [Candidate]) {
    guard let found = topic?.found else { return }
    if list.isEmpty {
      menu = nil
    } else if menu?.index.isOf(list) == true {
      menu?.match(found.word)
    } else {
      let known = indexes[found.prefix].flatMap { $0.isOf(list) ? $0 : nil }
      let index =
        known ?? indexes[found.prefix]?.updated(to: list) ?? CandidateIndex(list)
      indexes[found.prefix] = index
      menu = CompletionMenu(index, matching: found.word, limit: maxRows)
    }
  }

  // MARK: Sources

  /// What a source answers while it is still being asked: the session cannot be reached then.
  private final class Reply {
    var isAsking = true
    var early: Result<[Candidate], any Error>?
  }

  private mutating func ask(_ question: CompletionQuestion) -> [Candidate] {
    guard let source = registry.source(for: question.prefix) else { return [] }
    let reply = Reply()
    defer { reply.isAsking = false }
    var list: [Candidate] = []
    do {
      list = try source.candidates(for: question) { [deliver, ticket] result in
        if reply.isAsking {
          reply.early = result
        } else {
          deliver?(ticket, result)
        }
      }
      list = try reply.early?.get() ?? list
    } catch {
      complain(error, of: source, under: question.prefix)
    }
    return list
  }

  /// Takes a late answer (2.9). Neither the text nor the selection changes.
  ///
  /// - Parameters:
  ///   - ticket: what `deliver` was given.
  ///   - result: what `deliver` was given.
  /// - Returns: whether there is something to draw or a complaint to show. An answer to a question
  ///   no longer asked is dropped.
  public mutating func answer(_ ticket: Int, _ result: Result<[Candidate], any Error>) -> Bool {
    guard ticket == self.ticket, let topic else { return false }
    switch result {
    case .failure(let error):
      guard let source = registry.source(for: topic.found.prefix) else { return false }
      return complain(error, of: source, under: topic.found.prefix)
    case .success(let list):
      let wasOpen = isOpen
      let row = (menu?.selected ?? 0) - (menu?.top ?? 0)
      let selected = menu?.selectedCandidate
      offer(list)
      if let selected { menu?.select(selected, row: row) }
      return isOpen || wasOpen
    }
  }

  @discardableResult
  private mutating func complain(
    _ error: any Error, of source: any CompletionSource, under prefix: String
  ) -> Bool {
    guard complained.insert(ObjectIdentifier(source)).inserted else { return false }
    let reason = SafeText(line: String(describing: error))
    complaints.append(say("Completing %1 failed: %2", SafeText(line: prefix), reason))
    return true
  }

  // MARK: Keys

  /// TAB: accepts what is certain, fills in what is common, opens the menu, enters it, moves in it
  /// (2.4, 2.5, 2.7).
  ///
  /// - Returns: `.notMine` where there is no word to complete.
  public mutating func tab(text: String, caret: Int, regionActive: Bool) -> Action {
    let isNew = notice(text, caret, regionActive)
    if !isNew && isEntered { return move(1) }
    isOwnChange = false
    guard let topic = topicAtCaret() else {
      close()
      return .notMine
    }
    settled.allowDismissed()
    let wasOpen = isOpen && isSameWord(topic)
    let hadHint = hint != nil
    open(topic, byTab: true)
    guard let menu, !menu.isEmpty else { return hint != nil && !hadHint ? .none : .bell }
    let exact = registry.isForCommands(topic.found.prefix) ? menu.exactCandidate : nil
    if let certain = exact ?? menu.onlyCandidate { return accept(certain) }
    if let common = menu.longerCommonPart, let action = fillIn(common) { return action }
    if wasOpen { self.menu?.enter() }
    return .none
  }

  /// S-TAB in the menu: the candidate before; before the first stands the last.
  public mutating func backTab() -> Action { move(-1) }

  /// Up or C-p in the menu.
  public mutating func up() -> Action { move(-1) }

  /// Down or C-n in the menu.
  public mutating func down() -> Action { move(1) }

  private mutating func move(_ step: Int) -> Action {
    guard isEntered else { return .notMine }
    menu?.move(step)
    return .none
  }

  /// Return: accepts the selected candidate. Until the menu is entered it is the line's.
  public mutating func returnKey() -> Action {
    guard let candidate = menu?.selectedCandidate else { return .notMine }
    return accept(candidate)
  }

  /// C-g or a lone Esc: closes the menu until the word's start changes.
  public mutating func escape() -> Action {
    guard isOpen, let topic else { return .notMine }
    settled.dismiss(start: topic.start)
    close()
    return .none
  }

  /// Any other key in the menu: it stays open and goes on with the text.
  public mutating func leaveSelection() {
    menu?.leave()
  }

  // MARK: Changes

  /// Puts the common part in place of the word; nil where it would not be found as one word.
  private mutating func fillIn(_ common: String) -> Action? {
    guard let found = topic?.found else { return nil }
    let insert = found.prefix + common
    let caret = found.range.lowerBound + insert.utf8.count
    var after = self
    after.apply(found.range, insert, caret)
    guard let topic = after.topicAtCaret(), isSameWord(topic) else { return nil }
    after.open(topic, byTab: true)
    self = after
    return .replace(range: found.range, with: insert, caret: self.caret, accepted: nil)
  }

  private mutating func accept(_ candidate: Candidate) -> Action {
    guard let found = topic?.found, !candidate.text.isEmpty else {
      close()
      return .none
    }
    let change = CompletionChange(
      accepting: candidate, for: found, in: text, emojiAsCharacter: emojiAsCharacter)
    apply(change.range, change.insert, change.caret)
    if !change.goesOn { settled.accept(change.mention) }
    close()
    return .replace(
      range: change.range, with: change.insert, caret: caret,
      accepted: AcceptedCandidate(candidate, prefix: found.prefix, range: change.mention))
  }

  private mutating func apply(_ range: Range<Int>, _ insert: String, _ caret: Int) {
    var bytes = Array(text.utf8)
    bytes.replaceSubrange(range, with: insert.utf8)
    settled.moveAlong(replacing: range, with: insert.utf8.count)
    text = String(decoding: bytes, as: UTF8.self)
    edition += 1
    // What was put in may have joined what follows.
    let whole = Motion.clampedToGrapheme(in: text, offset: caret)
    self.caret = whole == caret ? caret : Motion.nextGrapheme(in: text, after: whole)
    isOwnChange = true
  }

  // MARK: Drawing

  /// What stands below the input: the usage of the command, the candidates, how many more there are.
  ///
  /// - Parameters:
  ///   - columns: how many each row may take.
  ///   - widths: how the terminal counts them.
  /// - Returns: no rows where there is nothing to show.
  public func rows(columns: Int, widths: Widths) -> [StyledLine] {
    guard columns > 0, let topic else { return [] }
    var rows: [StyledLine] = []
    if let hint = topic.hint, !hint.isEmpty {
      rows.append(StyledLine(hint, .dim).truncated(to: columns, widths: widths))
    }
    // An emoji's colons do not stay.
    let prefix = topic.found.prefix.hasSuffix(":") ? SafeText() : SafeText(line: topic.found.prefix)
    if let menu { rows += menu.rows(prefix: prefix, columns: columns, widths: widths) }
    return rows
  }
}
