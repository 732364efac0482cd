// SPDX-License-Identifier: GPL-3.0-or-later
import StyledText

/// What ties an input bar together: edits and keys come in, menu, mentions, drafts and set-aside
/// lines follow the text, and listeners and plugins are told exactly once and in order (9.2 to 9.4).
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
  /// The completion at the caret. Its settings may be changed at any time.
  public var completion: CompletionSession
  /// Updates the settings of ``completion`` before each question to a source.
  public var prepare: ((inout CompletionSession) -> Void)?
  /// There was nothing to complete, or nothing to send.
  public var ring: () -> Void = {}
  /// Whether Return would send this text.
  public var allowsSending: (String) -> Bool = { LineRules().allowsSending($0) }
  /// Each gets what is pasted or attached, in order, with the text of the paste; the first that
  /// returns true has taken it, and no text is inserted (9.4).
  public var plugins: [(_ content: PastedContent, _ pasted: String) -> Bool] = []

  private var mentions = TrackedSpans()
  /// The text that mentions and completion know, and its edition, to see what has changed.
  private var known = (text: "", edition: 0)
  private var told = LastNotified()
  private var listeners: [Listener] = []
  private var untold: [BarEvent] = []
  private var isTelling = false
  private var asides: [(line: Line.SavedLine, draft: LineDraft, settled: HandledWords)] = []

  /// - Parameters:
  ///   - line: where the text is.
  ///   - registry: what completes.
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

  /// Call it when the line has changed.
  ///
  /// - Parameter byHand: a key or a paste did it, not the program.
  public func lineChanged(byHand: Bool) {
    askCompletion(byHand: byHand)
    tellChanges(byHand: byHand)
  }

  /// Call it when the caret has moved, or the line editor shows another line of its history: menu and
  /// mentions follow, but no one typed.
  public func caretMoved() {
    askCompletion(byHand: true)
    tellChanges(byHand: false)
  }

  private func askCompletion(byHand: Bool) {
    follow()
    prepare?(&completion)
    completion.textChanged(line.composed, edition: line.edition, byHand: byHand)
  }

  /// Call it when items or what allows to send have changed, and after drawing. A change of the text
  /// is left to ``lineChanged(byHand:)``.
  public func barChanged() {
    if line.edition == told.edition { tellChanges(byHand: false) }
  }

  /// Replaces a part of the text, as formatting does (6.2, 6.3): mentions that are only put between
  /// marks stay mentions. Call ``lineChanged(byHand:)`` then.
  public func replace(_ range: Range<Int>, with insert: String, caret: Int) {
    follow()
    line.replace(range, with: insert, caret: caret)
    mentions.applyReplacement(of: range, with: insert, in: known.text, isWrapping: true)
    completion.moveAlong(replacing: range, with: insert.utf8.count)
    known = (line.composed.text, line.edition)
  }

  /// Where M-Backspace ends in a mention of several words; the text is taken to lose what lies
  /// between. Nil where the line editor's own word counts.
  public func nameWordStart(before caret: Int) -> Int? {
    follow()
    guard let range = mentions.deleteWord(before: caret, in: known.text) else { return nil }
    completion.moveAlong(replacing: range, with: 0)
    var after = ComposedText(known.text)
    after.replace(range, with: "")
    known.text = after.text
    return range.lowerBound
  }

  /// Mentions and accepted words move along with the text.
  private func follow() {
    let edition = line.edition
    guard edition != known.edition else { return }
    let now = line.composed
    defer { known = (now.text, edition) }
    // Without a change of the text, a caret inside a mention must not end it.
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

  /// The program gave the line a text that brings its mentions along.
  public func begin(with spans: [Span]) {
    follow()
    mentions.begin(with: spans)
    lineChanged(byHand: false)
  }

  /// Puts the line aside with its undo and mentions, for edit mode (3.2) or another line that takes
  /// its place for a while.
  public func setAside() {
    // Before the line goes: its handled words go with it.
    let (draft, settled) = (draft, completion.begin())
    let aside = line.setAside()
    follow()
    asides.append((aside, draft, settled))
  }

  /// Puts back what was set aside last, in place of the present line (3.4).
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

  /// Asks the sources again for the word at the caret. Call it when a slow source has more candidates
  /// than it had, then draw (2.9).
  public func candidatesChanged() { completion.candidatesChanged(line.composed) }

  /// The menu's rows.
  public func menuRows(columns: Int, widths: Widths) -> [StyledLine] {
    completion.rows(columns: columns, widths: widths)
  }

  /// A key that may be the menu's. False: it is the line's. Call ``lineChanged(byHand:)`` when the
  /// menu took it, or when the line did.
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

  /// The possible completions of a word, for a line editor's own completion functions (2.11).
  /// Nothing while a region is active (2.3).
  public func completions(in text: String, caret: Int) -> Completions? {
    line.composed.region == nil ? completion.completions(in: text, caret: caret) : nil
  }

  /// Errors of sources, each source once.
  public func takeComplaints() -> [SafeText] { completion.takeComplaints() }

  // MARK: Listeners and plugins

  /// Tells `body` of everything that happens, behind those that were added before, as long as
  /// `owner` lives (9.3).
  public func listen(_ owner: AnyObject, _ body: @escaping (BarEvent) -> Void) {
    listeners.removeAll { $0.owner == nil }
    listeners.append(Listener(owner: owner, body: body))
  }

  /// Shows plugins what was pasted or attached. False: none has taken it; insert the text.
  public func offerToPlugins(_ content: PastedContent, pasted: String = "") -> Bool {
    plugins.contains { $0(content, pasted) }
  }

  /// Tells that Return has sent a text, and of the line as it is now. Call it once for each.
  public func sent(_ text: String) {
    tell([.sent(text)])
    lineChanged(byHand: false)
  }

  /// Tells that an item's key or command was used. A disabled one is not told.
  public func activate(_ item: Item) { tell(item, .activated) }

  /// Tells of a key, of any name, that was pressed on an item. A disabled one is not told.
  public func press(_ key: String, on item: Item) { tell(item, .key(key)) }

  private func tell(_ item: Item, _ event: BarEvent.ItemEvent) {
    if item.isEnabled, !item.id.isEmpty { tell([.item(item.id, event)]) }
  }

  private func tellChanges(byHand: Bool) {
    let text = line.composed.text
    let old = told
    told = LastNotified(
      edition: line.edition, isEmpty: text.isEmpty, canSend: allowsSending(text),
      rows: line.inputRows, zones: line.zones)
    tell(told.changes(since: old, text: text, byHand: byHand))
  }

  /// If a listener makes a change, listeners hear of it after the present one.
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
