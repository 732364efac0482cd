// SPDX-License-Identifier: GPL-3.0-or-later

/// Told of what changes in an input bar (9.3). Everything has an empty default, so that a listener
/// has only what it cares about.
///
/// ```swift
/// final class Sender: BarDelegate {
///   func bar(didSend text: String) { outbox.append(text) }
/// }
/// let sender = Sender()
/// hooks.add(sender)
/// ```
public protocol BarDelegate: AnyObject {
  /// Return has sent a text: exactly once for each, the text as typed.
  func bar(didSend text: String)
  /// The text is another one now; as typed, not trimmed.
  func bar(textDidChange text: String)
  /// The text takes more or fewer rows on the screen. Only when the number changes.
  func bar(rowsDidChange rows: Int)
  /// Return would send now, or would not any more. Only on change.
  func bar(canSendDidChange canSend: Bool)
  /// The text was changed by hand, not by a restored draft or by the program. Not limited to once
  /// in so many seconds; `TypingSignals` does that.
  func barUserIsTyping()
}

extension BarDelegate {
  public func bar(didSend text: String) {}
  public func bar(textDidChange text: String) {}
  public func bar(rowsDidChange rows: Int) {}
  public func bar(canSendDidChange canSend: Bool) {}
  public func barUserIsTyping() {}
}

/// What an item can be told (9.2).
///
/// ```swift
/// hooks.on("smiley", .selected) { _ in openPalette() }
/// ```
public enum ItemHook: CaseIterable, Hashable, Sendable {
  /// By its key or command, with `BarHooks.activate(_:)`.
  case activated
  /// The first character of an empty line.
  case editingBegan
  /// The line was sent or emptied.
  case editingEnded
  case textChanged
  /// It was not selected before.
  case selected
  /// It was selected before.
  case deselected
  /// It was not enabled before.
  case enabled
  /// It was enabled before.
  case disabled
  /// A key was pressed on it, whichever; `BarHooks.onKey(_:_:_:)` asks for one.
  case key

  init(_ change: BarChange.ItemChange) {
    switch change {
    case .editingBegan: self = .editingBegan
    case .textChanged: self = .textChanged
    case .editingEnded: self = .editingEnded
    case .selected: self = .selected
    case .deselected: self = .deselected
    case .enabled: self = .enabled
    case .disabled: self = .disabled
    }
  }
}

/// Who is told of what happens in an input bar, and in which order (9.2, 9.3).
///
/// The bar is a value and tells nobody. Who owns it keeps the bar from before a change and hands
/// both over:
///
/// ```swift
/// let hooks = BarHooks()
/// hooks.on("help", .activated) { _ in showHelp() }
/// …
/// hooks.tell(
///   from: old, to: bar, canSend: (couldSend, canSend), rows: (oldRows, drawn.inputRows),
///   byHand: true)
/// ```
///
/// Among themselves, listeners are told in the order in which they were added. One that is removed
/// by another is not told any more. A change that a listener makes, and tells of, is told after the
/// one it has heard of.
public final class BarHooks {
  /// Of class type, so that what was removed is gone from a round that is under way, too.
  private final class Listener {
    weak var delegate: (any BarDelegate)?
    init(_ delegate: any BarDelegate) { self.delegate = delegate }
  }

  private final class Hook {
    let key: String?
    var body: ((Item) -> Bool)?

    init(key: String? = nil, _ body: @escaping (Item) -> Bool) {
      self.key = key
      self.body = body
    }
  }

  private struct Round {
    var old: InputBar
    var new: InputBar
    var changes: [BarChange]
    var byHand: Bool
  }

  private var listeners: [Listener] = []
  private var hooks: [String: [ItemHook: [Hook]]] = [:]
  private var rounds: [Round] = []
  private var isTelling = false
  var plugins: [any BarPlugin] = []

  /// Nobody is told of anything yet.
  public init() {}

  /// Adds a listener. It is not kept alive: one that is released vanishes. One that is there
  /// already is not added again.
  public func add(_ delegate: any BarDelegate) {
    listeners.removeAll { $0.delegate == nil }
    if listeners.contains(where: { $0.delegate === delegate }) { return }
    listeners.append(Listener(delegate))
  }

  /// Removes a listener; one that is not there is no error.
  public func remove(_ delegate: any BarDelegate) {
    for listener in listeners where listener.delegate === delegate { listener.delegate = nil }
    listeners.removeAll { $0.delegate == nil }
  }

  /// Asks to be told when something happens to an item. Several can ask.
  ///
  /// - Parameters:
  ///   - item: its `Item.id`; it need not stand in a zone yet. An item without a name has no hooks.
  ///   - hook: what to be told of.
  ///   - body: gets the item as it is after the change. It is kept until `removeHooks(of:)`.
  public func on(_ item: String, _ hook: ItemHook, _ body: @escaping (Item) -> Void) {
    add(
      Hook {
        body($0)
        return false
      }, to: item, hook)
  }

  /// Asks for a key that is pressed on an item.
  ///
  /// - Parameters:
  ///   - item: its `Item.id`.
  ///   - key: the key's name, as the caller of `press(_:on:)` names it.
  ///   - body: true when it has dealt with the key; nobody else is asked then.
  public func onKey(_ item: String, _ key: String, _ body: @escaping (Item) -> Bool) {
    add(Hook(key: key, body), to: item, .key)
  }

  /// Forgets what `on` and `onKey` were asked for this item.
  public func removeHooks(of item: String) {
    for hook in (hooks.removeValue(forKey: item) ?? [:]).values.joined() { hook.body = nil }
  }

  /// Tells of everything that changed between two bars, once each, in the order of 9.2: send-enabled,
  /// the items (left, right, status, toolbar), the text, the user's typing, the rows.
  ///
  /// - Parameters:
  ///   - old: the bar before one change.
  ///   - new: the bar after it.
  ///   - canSend: what `LineRules.allowsSending(_:hasAttachments:)` said before and says now.
  ///   - rows: `BarLayout.inputRows` before and now.
  ///   - byHand: somebody typed, pasted or deleted; not for sending, a restored draft or a resize.
  public func tell(
    from old: InputBar, to new: InputBar, canSend: (old: Bool, new: Bool),
    rows: (old: Int, new: Int), byHand: Bool
  ) {
    let changes = new.changes(from: old, canSend: canSend, rows: rows)
    rounds.append(Round(old: old, new: new, changes: changes, byHand: byHand))
    guard !isTelling else { return }
    isTelling = true
    while !rounds.isEmpty { tell(rounds.removeFirst()) }
    isTelling = false
  }

  /// Tells that a text was sent; call it once for each, when it is safe that it will not come back.
  /// The plugins are told to start afresh.
  public func sent(_ text: String) {
    tellListeners { $0.bar(didSend: text) }
    invalidatePlugins()
  }

  /// Tells an item that its key or command was used. A disabled one is not told.
  public func activate(_ item: Item) {
    tell(.activated, item)
  }

  /// Tells an item of a key. A disabled one is not told.
  ///
  /// - Parameter key: any name both sides agree on, such as `C-x a`.
  /// - Returns: true when somebody has dealt with it.
  public func press(_ key: String, on item: Item) -> Bool {
    guard item.isEnabled, let all = hooks[item.id]?[.key] else { return false }
    for hook in all where hook.key == nil { _ = hook.body?(item) }
    return all.contains { $0.key == key && $0.body?(item) == true }
  }

  private func tell(_ round: Round) {
    for change in round.changes {
      switch change {
      case .sendEnabled(let canSend): tellListeners { $0.bar(canSendDidChange: canSend) }
      case .item(let id, let change):
        if let item = round.new.item(id) { tell(ItemHook(change), item) }
      case .textChanged(let text):
        tellListeners { $0.bar(textDidChange: text) }
        if round.byHand { tellListeners { $0.barUserIsTyping() } }
      case .rowsChanged(let rows): tellListeners { $0.bar(rowsDidChange: rows) }
      }
    }
  }

  private func tell(_ hook: ItemHook, _ item: Item) {
    guard item.isEnabled || hook != .activated else { return }
    for hook in hooks[item.id]?[hook] ?? [] { _ = hook.body?(item) }
  }

  private func tellListeners(_ body: (any BarDelegate) -> Void) {
    for listener in listeners {
      if let delegate = listener.delegate { body(delegate) }
    }
  }

  private func add(_ hook: Hook, to item: String, _ kind: ItemHook) {
    if item.isEmpty { return }
    hooks[item, default: [:]][kind, default: []].append(hook)
  }
}
