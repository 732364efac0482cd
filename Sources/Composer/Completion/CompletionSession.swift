// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Completes the word at the caret: it decides when the menu opens, which candidates it lists, and
/// what the menu's keys do (2.1 to 2.9). It neither changes nor holds the text: each call passes
/// the text and its edition, and returns what to replace. Offsets are UTF-8 bytes.
///
/// ```swift
/// controller.completion.isLive = false  // only TAB opens the menu
/// controller.completion.maxRows = 8
/// ```
public struct CompletionSession {
  /// Whether the menu opens by itself (`live-menu`), not only by TAB.
  public var isLive = true
  /// The maximum number of candidates visible at a time (`max-menu-rows`), at least 1.
  public var maxRows = 4 {
    didSet { if maxRows != oldValue { menu?.resize(to: maxRows) } }
  }
  /// Whether Up and Down enter an open menu, not only TAB.
  public var arrowsEnter = false
  /// The sources by prefix. A change applies from the next key on.
  public var registry: CompletionRegistry
  /// The source of candidates for words without prefix; kept as long as the session.
  package var argumentSource: (any ArgumentSource)?
  /// The errors of sources, one for each source.
  private var complaints: [SafeText] = []

  /// The line at the last call: the edition of its text, its caret, and whether it had a region.
  private var lastLine: (edition: Int, caret: Int, hasRegion: Bool) = (0, 0, false)
  /// Counts the changes of the text.
  private var revision = 0
  /// Whether this session made the last change of the text, and no key has come since.
  private var isOwnChange = false
  private(set) var settled = HandledWords()

  /// Nil while there is no session.
  private(set) var topic: CompletionTopic?
  private var isByTab = false
  private(set) var menu: CompletionMenu?
  private var asked: (prefix: String, word: String, revision: Int)?
  private var complained: Set<ObjectIdentifier> = []
  /// The index of the last list of each prefix, so that a long list is not indexed at every key.
  private var indexes: [String: CandidateIndex] = [:]

  package init(registry: CompletionRegistry, argumentSource: (any ArgumentSource)? = nil) {
    self.registry = registry
    self.argumentSource = argumentSource
  }

  /// Whether candidates are visible.
  package var isOpen: Bool { menu.map { !$0.isEmpty } ?? false }

  /// Whether the menu gets the keys (2.7).
  package var isEntered: Bool { menu?.selected != nil }

  /// The selected candidate's position among all, from 0; nil until the menu is entered.
  package var selected: Int? { menu?.selected }

  /// The selected candidate.
  package var selectedCandidate: Candidate? { menu?.selectedCandidate }

  /// How many candidates there are, visible or not.
  package var count: Int { menu?.count ?? 0 }

  /// The usage of the command whose argument the caret is in (2.8); nil if it is in none.
  package var hint: SafeText? { topic?.hint }

  /// Returns the complaints and forgets them.
  package mutating func takeComplaints() -> [SafeText] {
    defer { complaints = [] }
    return complaints
  }

  // MARK: The text

  /// Updates the menu for the text. Call this after every key, every paste and every change by the
  /// program.
  ///
  /// - Parameters:
  ///   - line: with an active region there is no session (2.3).
  ///   - edition: a number that changes whenever the text changes.
  ///   - byHand: whether a key of the user changed it. A restored draft or another change by the
  ///     program closes the menu and opens none (5.2). A change that this session asked for counts
  ///     as by hand.
  package mutating func textChanged(_ line: ComposedText, edition: Int, byHand: Bool) {
    let isNew = notice(line, edition)
    defer { isOwnChange = false }
    guard isNew || isOwnChange else { return }
    guard byHand || !isNew, let topic = topic(in: line, byTab: isByTab),
      !settled.isDismissed(start: topic.start)
    else { return close() }
    let staysOpen = isByTab && isSameWord(topic)
    let isLong = topic.isArgument || topic.found.word.count >= topic.rules.opensAfter
    guard staysOpen || isLive && isLong && !topic.isBare else { return close() }
    open(topic, byTab: staysOpen, in: line)
  }

  /// Begins anew with another line, which has replaced the one that the session knows.
  ///
  /// - Parameter settled: the handled words of the new line.
  /// - Returns: the handled words of the old line.
  mutating func begin(_ settled: HandledWords = HandledWords()) -> HandledWords {
    defer { self.settled = settled }
    lastLine = (-1, 0, false)
    close()
    return self.settled
  }

  /// Treats the next text as if it had just been typed: a menu that was closed may open again.
  package mutating func forgetLine() {
    lastLine = (-1, 0, false)
    settled.allowDismissed()
  }

  /// Adjusts the remembered ranges after a part of the text was replaced.
  ///
  /// - Parameter count: how many bytes replaced it.
  package mutating func moveAlong(replacing range: Range<Int>, with count: Int) {
    settled.moveAlong(replacing: range, with: count)
  }

  /// Call this when a change that the session asked for was made. The remembered ranges are already
  /// adjusted, so do not call `moveAlong(replacing:with:)` for it.
  package mutating func madeChange(_ line: ComposedText, edition: Int) {
    lastLine = (edition, line.caret, line.region != nil)
    isOwnChange = true
  }

  /// Notes the line. Returns whether it differs from the line at the last call.
  private mutating func notice(_ line: ComposedText, _ edition: Int) -> Bool {
    let now = (edition: edition, caret: line.caret, hasRegion: line.region != nil)
    defer { lastLine = now }
    if now.edition != lastLine.edition { revision += 1 }
    return now != lastLine
  }

  /// - Parameter byTab: whether bare words count as well.
  private mutating func topic(in line: ComposedText, byTab: Bool) -> CompletionTopic? {
    CompletionTopic(
      in: line, registry: registry, argumentSource: argumentSource, settled: &settled, byTab: byTab)
  }

  private func isSameWord(_ other: CompletionTopic) -> Bool {
    topic.map { $0.found.prefix == other.found.prefix && $0.start == other.start } ?? false
  }

  // MARK: The menu

  private mutating func close() {
    (topic, menu, asked, isByTab) = (nil, nil, nil, false)
  }

  private mutating func open(_ topic: CompletionTopic, byTab: Bool, in line: ComposedText) {
    if !isSameWord(topic) { menu = nil }
    self.topic = topic
    isByTab = byTab
    menu?.leave()
    let found = topic.found
    // A caret that only moves within the word does not make the session ask again, except in an
    // argument, whose candidates can depend on the caret.
    let asks = (prefix: found.prefix, word: found.word, revision: revision)
    if let asked, asked == asks, !topic.isArgument { return }
    asked = asks
    offer(topic.isArgument ? topic.offered : ask(topic.sourceQuestion(in: line)) ?? [])
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
        known ?? indexes[found.prefix]?.updated(to: list)
        ?? CandidateIndex(
          list, order: registry.order,
          oneForEachHint: registry.rules(of: found.prefix).oneForEachHint)
      indexes[found.prefix] = index
      menu = CompletionMenu(index, matching: found.word, limit: maxRows)
    }
  }

  // MARK: Sources

  /// Nil if the source fails.
  private mutating func ask(_ question: CompletionQuestion) -> [Candidate]? {
    guard let source = registry.source(for: question.prefix) else { return [] }
    do {
      return try source.candidates(for: question)
    } catch {
      if complained.insert(ObjectIdentifier(source)).inserted {
        let reason = SafeText(line: String(describing: error))
        complaints.append(say("Completing %1 failed: %2", SafeText(line: question.prefix), reason))
      }
      return nil
    }
  }

  /// Asks the source again, since its candidates have changed (2.9). The text stays, and so does
  /// the selection, unless the selected candidate is gone.
  package mutating func candidatesChanged(_ line: ComposedText) {
    guard let topic, !topic.isArgument else { return }
    let row = (menu?.selected ?? 0) - (menu?.top ?? 0)
    let selected = selectedCandidate
    if let list = ask(topic.sourceQuestion(in: line)) { offer(list) }
    if let selected { menu?.select(selected, row: row) }
  }

  // MARK: Keys

  /// TAB: accepts what is certain, fills in what is common, opens the menu, enters it, moves in it
  /// (2.4, 2.5, 2.7).
  ///
  /// - Returns: `.notMine` if there is no word to complete.
  package mutating func tab(_ line: ComposedText, edition: Int) -> CompletionAction {
    let isNew = notice(line, edition)
    if !isNew && isEntered { return move(1) }
    isOwnChange = false
    guard let topic = topic(in: line, byTab: true) else {
      close()
      return .notMine
    }
    settled.allowDismissed()
    let wasOpen = isOpen && isSameWord(topic)
    let hadHint = hint != nil
    open(topic, byTab: true, in: line)
    guard let menu, !menu.isEmpty else { return hint != nil && !hadHint ? .none : .bell }
    let exact = topic.rules.lineStartOnly ? menu.exactCandidate : nil
    if let certain = exact ?? menu.onlyCandidate { return accept(certain, in: line) }
    if let common = menu.longerCommonPart, let action = fillIn(common, in: line) { return action }
    if wasOpen { self.menu?.enter() }
    return .none
  }

  /// Selects the next candidate (1) or the previous one (−1) in an entered menu; after the last
  /// comes the first. With ``arrowsEnter`` this also enters an open menu, at its first or its last
  /// candidate.
  package mutating func move(_ step: Int) -> CompletionAction {
    guard isEntered || arrowsEnter && isOpen else { return .notMine }
    let enters = !isEntered
    if enters { menu?.enter() }
    if !enters || step < 0 { menu?.move(step) }
    return .none
  }

  /// Return: accepts the selected candidate. Until the menu is entered, the line gets this key.
  package mutating func returnKey(_ line: ComposedText) -> CompletionAction {
    guard let candidate = menu?.selectedCandidate else { return .notMine }
    return accept(candidate, in: line)
  }

  /// C-g or a lone Esc: closes the menu until the word's start changes.
  package mutating func escape() -> CompletionAction {
    guard isOpen, let topic else { return .notMine }
    settled.dismiss(start: topic.start)
    close()
    return .none
  }

  /// Any other key: the menu stays open and follows the text.
  package mutating func leaveSelection() {
    menu?.leave()
  }

  // MARK: Changes

  /// Replaces the word with the common part; nil if that changes nothing, or if the result would
  /// not be one word to complete.
  private mutating func fillIn(_ common: String, in line: ComposedText) -> CompletionAction? {
    guard let found = topic?.found else { return nil }
    let insert = found.prefix + common
    // An argument may be matched by less than the text that is replaced, so the line may have the
    // common part already.
    if insert.hasSameBytes(as: String(line.text.slice(found.range))) { return nil }
    var (after, changed) = (self, line)
    after.applyChange(to: &changed, found.range, insert, found.range.lowerBound + insert.utf8.count)
    guard let topic = after.topic(in: changed, byTab: true), isSameWord(topic) else { return nil }
    after.open(topic, byTab: true, in: changed)
    self = after
    return .replace(range: found.range, with: insert, caret: changed.caret, accepted: nil)
  }

  private mutating func accept(_ candidate: Candidate, in line: ComposedText) -> CompletionAction {
    guard let topic, !candidate.text.isEmpty else {
      close()
      return .none
    }
    let found = topic.found
    let accepted = Acceptance(of: candidate, for: found, topic.rules, in: line.text)
    var candidate = candidate
    // A name in the middle of a text is a word like any other.
    if topic.isBare, found.range.lowerBound > 0 { candidate.identity = nil }
    var changed = line
    applyChange(to: &changed, accepted.range, accepted.insert, accepted.caret)
    if !accepted.goesOn { settled.accept(accepted.mention) }
    close()
    return .replace(
      range: accepted.range, with: accepted.insert, caret: changed.caret,
      accepted: AcceptedCandidate(candidate, prefix: found.prefix, range: accepted.mention))
  }

  private mutating func applyChange(
    to line: inout ComposedText, _ range: Range<Int>, _ insert: String, _ caret: Int
  ) {
    line.replace(range, with: insert, caret: caret)
    settled.moveAlong(replacing: range, with: insert.utf8.count)
    revision += 1
    // The inserted text may have combined with what follows it.
    let whole = Motion.clampedToGrapheme(in: line.text, offset: caret)
    line.caret = whole == caret ? caret : Motion.nextGrapheme(in: line.text, after: whole)
  }
}

extension CompletionSession {
  /// Returns the rows below the input: the usage of the command, the candidates, how many more
  /// there are.
  ///
  /// - Parameters:
  ///   - columns: how many each row may take.
  ///   - widths: how the terminal counts them.
  /// - Returns: no rows if there is nothing to show.
  package func rows(columns: Int, widths: Widths) -> [StyledLine] {
    guard columns > 0, let topic else { return [] }
    var rows: [StyledLine] = []
    if let hint = topic.hint, !hint.isEmpty {
      rows.append(StyledLine(hint, .dim).truncated(to: columns, widths: widths))
    }
    // If accepting would replace the prefix, the prefix is not shown.
    let isKept = topic.rules.replacement == nil
    let prefix = isKept ? SafeText(line: topic.found.prefix) : SafeText()
    if let menu { rows += menu.rows(prefix: prefix, columns: columns, widths: widths) }
    return rows
  }
}
