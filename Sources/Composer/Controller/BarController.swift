// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// Ties an input bar together: it gets edits and keys; it keeps the menu, mentions, drafts and
/// set-aside lines in step with the text; and it tells listeners and plugins of everything exactly
/// once and in order (9.2 to 9.4).
///
/// ```swift
/// let controller = BarController(TypedLine(prompt: "say> "), registry: registry)
/// controller.listen(self) { if case .sent(let text) = $0 { send(text) } }
/// controller.type(.text("hello"))
/// controller.type(.accept)
/// let drawn = controller.layout(rows: 24, columns: 80, widths: Widths())
/// ```
@MainActor
public final class BarController<Line: BarLine> {
  public let line: Line
  /// The completion at the caret. You may change its settings at any time.
  public var completion: CompletionSession
  /// Updates the settings of ``completion`` before each question to a source.
  public var prepare: ((inout CompletionSession) -> Void)?
  /// Called when there was nothing to complete, or nothing to send.
  public var ring: () -> Void = {}
  /// Whether Return would send this text.
  public var allowsSending: (String) -> Bool = { LineRules().allowsSending($0) }
  /// Each is offered what is pasted or attached, in order, with the text of the paste. The first
  /// that returns true has taken it; then no text is inserted (9.4).
  public var plugins: [(_ content: PastedContent, _ pasted: String) -> Bool] = []

  private var mentions = TrackedSpans()
  /// The text that mentions and completion know, and its edition, to see what has changed.
  private var known = (text: "", edition: 0)
  private var notified = LastNotified()
  private var listeners: [Listener] = []
  private var untold: [BarEvent] = []
  private var isTelling = false
  private var asides: [(line: Line.SavedLine, draft: LineDraft, settled: HandledWords)] = []

  /// - Parameters:
  ///   - line: the owner of the text.
  ///   - registry: the sources of candidates.
  ///   - argumentSource: completes words without a prefix.
  public init(
    _ line: Line, registry: CompletionRegistry = CompletionRegistry(),
    argumentSource: (any ArgumentSource)? = nil
  ) {
    self.line = line
    completion = CompletionSession(registry: registry, argumentSource: argumentSource)
  }

  // MARK: The text

  /// The mentions in the text, with who is meant (2.10).
  public var spans: [Span] {
    follow()
    return mentions.spans
  }

  /// Updates everything that depends on the text. Call this when the line has changed.
  ///
  /// - Parameter byHand: whether a key or a paste changed it, not the program.
  public func lineChanged(byHand: Bool) {
    askCompletion(byHand: byHand)
    tellChanges(byHand: byHand)
  }

  /// Updates menu and mentions, but does not count as typing. Call this when the caret has moved,
  /// or the line editor shows another line of its history.
  public func caretMoved() {
    askCompletion(byHand: true)
    tellChanges(byHand: false)
  }

  private func askCompletion(byHand: Bool) {
    follow()
    prepare?(&completion)
    completion.textChanged(line.composed, edition: line.edition, byHand: byHand)
  }

  /// Tells listeners what has changed in the bar. Call this when items have changed, or whether the
  /// text may be sent, and after drawing. For a change of the text, call ``lineChanged(byHand:)``.
  public func barChanged() {
    if line.edition == notified.edition { tellChanges(byHand: false) }
  }

  /// Replaces a part of the text, as formatting does (6.2, 6.3): mentions that are only put between
  /// marks stay mentions. Call ``lineChanged(byHand:)`` afterwards.
  public func replace(_ range: Range<Int>, with insert: String, caret: Int) {
    follow()
    line.replace(range, with: insert, caret: caret)
    mentions.applyReplacement(of: range, with: insert, in: known.text, isWrapping: true)
    completion.moveAlong(replacing: range, with: insert.utf8.count)
    known = (line.composed.text, line.edition)
  }

  /// Where a deletion by M-Backspace starts in a mention of several words. The mentions are
  /// adjusted as if the text from there to the caret were already deleted. Nil if the line editor's
  /// own idea of a word applies.
  public func nameWordStart(before caret: Int) -> Int? {
    follow()
    guard let range = mentions.deleteWord(before: caret, in: known.text) else { return nil }
    completion.moveAlong(replacing: range, with: 0)
    var after = ComposedText(known.text)
    after.replace(range, with: "")
    known.text = after.text
    return range.lowerBound
  }

  /// Moves mentions and accepted words along with the text.
  private func follow() {
    let edition = line.edition
    guard edition != known.edition else { return }
    let now = line.composed
    defer { known = (now.text, edition) }
    // If the text has not changed, a caret inside a mention must not end the mention.
    if now.text.hasSameBytes(as: known.text) { return }
    let change = TextChange.between(known.text, now.text, caret: now.caret)
    completion.moveAlong(replacing: change.0, with: change.count)
    mentions.follow(from: known.text, to: now.text, change, isUndo: line.lastKeyWasUndo)
  }

  // MARK: Drafts

  /// What is being composed.
  public var draft: LineDraft {
    let now = line.composed
    return LineDraft(now.text, caret: now.caret, spans: spans)
  }

  /// Puts a draft into the line, without undo. No menu opens (5.2).
  public func restore(_ draft: LineDraft) {
    line.setLine(draft.text, caret: draft.caret)
    begin(with: draft.spans)
  }

  /// Sets the mentions of a text that the program gave the line.
  public func begin(with spans: [Span]) {
    follow()
    mentions.begin(with: spans)
    lineChanged(byHand: false)
  }

  /// Puts the line aside with its undo and mentions, for edit mode (3.2) or another line that takes
  /// its place for a while.
  public func setAside() {
    // Do this before the line is put aside: its handled words belong to it.
    let (draft, settled) = (draft, completion.begin())
    let aside = line.setAside()
    follow()
    asides.append((aside, draft, settled))
  }

  /// Replaces the current line with the one that was set aside last (3.4).
  public func bringBack() {
    guard let (line, draft, settled) = asides.popLast() else { return }
    self.line.bringBack(line)
    follow()
    _ = completion.begin(settled)
    begin(with: draft.spans)
  }

  // MARK: The menu

  public var menu: MenuState {
    completion.isEntered ? .entered : completion.isOpen ? .open : .closed
  }

  /// Opens the menu for the word at the caret, as if it had just been typed.
  public func openMenu() {
    completion.forgetLine()
    askCompletion(byHand: true)
  }

  /// Asks the sources again for the word at the caret. Call this when a slow source has more
  /// candidates than before, then draw (2.9).
  public func candidatesChanged() { completion.candidatesChanged(line.composed) }

  /// The menu's rows.
  public func menuRows(columns: Int, widths: Widths) -> [StyledLine] {
    completion.rows(columns: columns, widths: widths)
  }

  /// Offers a key to the menu. Returns false if the key is for the line. Whichever of the two takes
  /// it, call ``lineChanged(byHand:)`` afterwards.
  public func press(_ key: MenuKey) -> Bool {
    follow()
    switch key {
    case .complete:
      prepare?(&completion)
      return carryOut(completion.tab(line.composed, edition: line.edition))
    case .next: return carryOut(completion.move(1))
    case .previous: return carryOut(completion.move(-1))
    case .accept: return carryOut(completion.returnKey(line.composed))
    case .cancel: return carryOut(completion.escape())
    case .other:
      completion.leaveSelection()
      return false
    }
  }

  private func carryOut(_ action: CompletionAction) -> Bool {
    switch action {
    case .notMine: return false
    case .none: break
    case .bell: ring()
    case .replace(let range, let insert, let caret, let accepted):
      line.replace(range, with: insert, caret: caret)
      let mention = accepted.flatMap { accepted in
        accepted.candidate.identity.map { Span(range: accepted.range, identity: $0) }
      }
      mentions.applyReplacement(of: range, with: insert, in: known.text, accepted: mention)
      known = (line.composed.text, line.edition)
      completion.madeChange(line.composed, edition: line.edition)
    }
    return true
  }

  /// The possible completions of a word, for a line editor's own completion functions (2.11). Nil
  /// while a region is active (2.3).
  public func completions(in text: String, caret: Int) -> Completions? {
    line.composed.region == nil ? completion.completions(in: text, caret: caret) : nil
  }

  /// The errors of sources, one for each source.
  public func takeComplaints() -> [SafeText] { completion.takeComplaints() }

  // MARK: Listeners and plugins

  /// Tells `body` of everything that happens, after the listeners that were added before it, as
  /// long as `owner` lives (9.3).
  public func listen(_ owner: AnyObject, _ body: @escaping (BarEvent) -> Void) {
    listeners.removeAll { $0.owner == nil }
    listeners.append(Listener(owner: owner, body: body))
  }

  /// Offers plugins what was pasted or attached. Returns false if none has taken it; then insert
  /// the text.
  public func offerToPlugins(_ content: PastedContent, pasted: String = "") -> Bool {
    plugins.contains { $0(content, pasted) }
  }

  /// Tells listeners that Return has sent a text, and what the line is now. Call this once for each
  /// text.
  public func sent(_ text: String) {
    tell([.sent(text)])
    lineChanged(byHand: false)
  }

  /// Tells listeners that an item's key or command was used. Does nothing for a disabled item.
  public func activate(_ item: Item) { tell(item, .activated) }

  /// Tells listeners that a key, of any name, was pressed on an item. Does nothing for a disabled
  /// item.
  public func press(_ key: String, on item: Item) { tell(item, .key(key)) }

  private func tell(_ item: Item, _ event: BarEvent.ItemEvent) {
    if item.isEnabled, !item.id.isEmpty { tell([.item(item.id, event)]) }
  }

  private func tellChanges(byHand: Bool) {
    let text = line.composed.text
    let old = notified
    notified = LastNotified(
      edition: line.edition, isEmpty: text.isEmpty, canSend: allowsSending(text),
      rows: line.inputRows, zones: line.zones)
    tell(notified.changes(since: old, text: text, byHand: byHand))
  }

  /// If a listener makes a change, listeners are told of it after the current one.
  private func tell(_ events: [BarEvent]) {
    untold += events
    guard !isTelling else { return }
    isTelling = true
    while !untold.isEmpty {
      let event = untold.removeFirst()
      for listener in listeners where listener.owner != nil { listener.body(event) }
    }
    isTelling = false
  }

  private struct Listener {
    weak var owner: AnyObject?
    let body: (BarEvent) -> Void
  }
}
