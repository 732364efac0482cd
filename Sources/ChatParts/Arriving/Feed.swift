// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import Platform
import StyledText

/// What a shell shows of its conversations: changes in the store become lines, and what is on the
/// screen counts as seen (rules 7.3, 7.6, 7.7).
@MainActor
package struct Feed {
  package static let fetching = say("hobnob is fetching older messages; /history will show them")

  package var renderer: Renderer
  package var screenState = ScreenState()
  package var people: People
  /// The last change that was read.
  package var position: Int64 = 0
  /// Messages that were recalled before this shell reported that it had them.
  package var takenBack: Set<ID<Message>> = []
  var joinsAndLeaves = JoinLeaveDigest()
  /// By request, the files to save once they are fetched.
  package var pendingSaves: [NetworkRequest.ID: PendingSave] = [:]

  package init(_ outputMode: OutputMode, _ preferences: Preferences, me: ID<Participant>) {
    renderer = Renderer(outputMode, preferences, me: me)
    people = People(me: me, glyphs: preferences.glyphs)
  }

  /// When to call ``tick(_:_:)``.
  package var deadline: MonotonicTime? { joinsAndLeaves.deadline }

  package mutating func tick(_ scene: Scene, _ snapshot: borrowing Snapshot) -> [Effect] {
    joinsAndLeaves.tick(at: scene.now)
    return tellJoinsAndLeaves(scene, snapshot)
  }

  // MARK: Reading

  /// Holds changes back while nobody would see them, or they would overwrite a line being typed
  /// (rules 7.6, 11.5).
  package mutating func hold(besideText hasText: Bool, _ scene: Scene) {
    screenState.isHolding =
      screenState.isBehind
      || scene.outputMode == .plain && scene.settings.holdWhileTyping && hasText
  }

  /// Reads the changes since the last time. Before it shows any message, it records that this shell
  /// has it: from then on nobody can recall it (rule 3.7).
  package mutating func read(_ scene: Scene, _ snapshot: borrowing Snapshot) throws -> Step {
    guard !screenState.isHolding else { return Step() }
    let changes = try snapshot.changes(since: position, for: scene.me.id)
    position = changes.position
    let others = changes.arrived.filter { $0.sender != scene.me.id }
    // A script does not print messages that arrive, so it sends no receipts for them.
    guard !others.isEmpty, scene.settings.receipts, scene.isInteractive else {
      return Step([.arrived(changes, isSeen: false)])
    }
    var delivered: [ID<Conversation>: Int] = [:]
    for message in others { delivered[message.conversation] = message.number }
    let here = others.filter { $0.conversation == scene.open.id }
    // Messages that reach the screen in this turn count as seen, in the same write.
    let isSeen = !here.isEmpty && screenState.showsAtOnce && renderer.holds(here)
    return .first(
      [.delivered(delivered, seen: isSeen ? scene.open.id : nil)],
      then: [.arrived(changes, isSeen: isSeen)])
  }

  // MARK: Entering

  /// Opens a conversation and prints its newest messages.
  ///
  /// - Parameter isNew: whether it is a room that was just created.
  package mutating func enter(
    _ target: Conversation, isNew: Bool, _ open: inout OpenConversation, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) throws -> [Effect] {
    let screen = try OpeningScreen(
      to: target, of: scene.me.id, renderer, isInteractive: scene.isInteractive,
      isFirst: scene.isStarting, snapshot)
    let gaps = target.network == nil ? [] : try snapshot.markedGaps(in: target.id)
    joinsAndLeaves = JoinLeaveDigest()
    open.enter(target, screen.membership, newestOwn: screen.newestOwn, scene.settings)
    open.readAbilities(snapshot)
    screenState.enter(
      printedUpTo: screen.printedUpTo, firstUnprinted: screen.firstUnprinted)
    people.enter(target.id, hasColours: scene.outputMode == .tty, snapshot)
    renderer.printer.options.colours = people.colours
    var effects = prepareNames(ofSendersOf: screen.messages, in: target.id, scene, snapshot)
    renderer.printer.fitColumns(to: screen.recent)
    var lines: [StyledLine] = []
    // A batch prints no heading.
    if scene.isInteractive {
      renderer.printer.startOver(on: screen.day)
      lines = screen.headingLines(
        for: scene.me.id, isNew: isNew, glyphs: scene.glyphs,
        ignores: scene.attention.ignoredConversations.contains(target.id), snapshot)
    }
    effects += [
      .show(lines + screen.lines(for: scene.me.id, gaps: gaps, by: &renderer)),
      .write(.lastConversation(target.id)),
    ]
    if screenState.printedUpTo > 0 { notePrinted(in: target.id, scene) }
    return effects + shows(target.id, scene)
  }

  /// Reads who is here, and who of them is typing.
  package mutating func readPeople(
    _ open: inout OpenConversation, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) {
    open.readPeople(snapshot)
    for presence in open.here where presence.participant.id != scene.me.id && presence.isHere {
      if let since = presence.typingSince {
        showTyping(presence.participant, since: since, &open, scene, snapshot)
      }
    }
    open.expireTyping(at: scene.now)
  }

  mutating func showTyping(
    _ person: Participant, since: Milliseconds, _ open: inout OpenConversation, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) {
    if let here = open.id, scene.attention.hides(person.id, in: here) { return }
    findLookAlikes(among: [person.id], snapshot)
    open.show(person, as: people.shownName(person), typing: since, at: scene.now)
  }

  // MARK: Names

  /// Finds look-alikes among the senders of messages, and gives the senders colours. Call this
  /// before printing the messages.
  mutating func prepareNames(
    ofSendersOf messages: [Message], in here: ID<Conversation>?, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    findLookAlikes(among: messages.map(\.sender), snapshot)
    guard scene.outputMode == .tty, let here else { return [] }
    let new = people.giveColours(toSendersOf: messages, in: here)
    guard !new.isEmpty else { return [] }
    renderer.printer.options.colours = people.colours
    return [.write(.colours(new, in: here))]
  }

  mutating func findLookAlikes(among names: [ID<Participant>], _ snapshot: borrowing Snapshot) {
    people.findLookAlikes(among: names, snapshot)
    if renderer.printer.options.lookAlikes != people.lookAlikes {
      renderer.printer.options.lookAlikes = people.lookAlikes
    }
  }

  // MARK: Holding and seen (rules 7.3, 7.6, 7.7)

  /// Prints lines below older ones; during `/pause`, keeps them for later.
  ///
  /// - Parameter new: how many messages of others are among the lines.
  mutating func present(_ lines: [StyledLine], new: Int, muted: Int = 0) -> [Effect] {
    let lines = screenState.holdIfPaused(lines, new: new, muted: muted)
    return lines.isEmpty ? [] : [.show(lines)]
  }

  /// `/pause`: holds new lines back. The first of them will show its sender's name, whatever
  /// precedes it.
  package mutating func pause(_ scene: Scene) -> [Effect] {
    screenState.pause()
    renderer.printer.endRun()
    return shows(scene.open.id, scene)
  }

  /// Prints the lines that were held back, in order.
  package mutating func resume(_ scene: Scene) -> [Effect] {
    guard screenState.isPaused else { return [] }
    let held = screenState.resume()
    renderer.printer.endRun()
    if held.count > 0 || screenState.hasUnsentReadMarker { notePrinted(in: scene.open.id, scene) }
    return (held.lines.isEmpty ? [] : [.show(held.lines)]) + shows(scene.open.id, scene)
  }

  package mutating func window(isFocused: Bool?, _ scene: Scene) -> [Effect] {
    screenState.window(isFocused: isFocused)
    guard isFocused != nil, let here = scene.open.id else { return [] }
    if screenState.isLooking, screenState.hasUnsentReadMarker { notePrinted(in: here, scene) }
    return shows(here, scene)
  }

  /// Call this when another program, such as a pager, gets the screen or has returned it.
  package func lendScreen(_ isLent: Bool, _ scene: Scene) -> [Effect] {
    (screenState.isPaused ? [] : shows(scene.open.id, isPaused: isLent, scene))
      + (isLent ? [] : [.catchUp])
  }

  /// Records what was printed in the open conversation; it counts as read once it is on the screen.
  mutating func notePrinted(in here: ID<Conversation>?, _ scene: Scene) {
    // What a script prints does not count as read, as with `hobnob log`.
    if scene.isInteractive, let here { screenState.notePrinted(in: here) }
  }

  /// Records which conversation this shell shows, and whether anybody looks at it.
  package func shows(
    _ conversation: ID<Conversation>?, isPaused: Bool = false, _ scene: Scene
  ) -> [Effect] {
    scene.shell == nil
      ? [] : [.write(.open(conversation, isPaused: isPaused || !screenState.isLooking))]
  }

  // MARK: Answers of commands

  /// Prints messages in their current state.
  package mutating func history(
    _ messages: [Message], _ reactions: [ID<Message>: [Reaction]], atEnd: Bool, inPager: Bool,
    _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    let here = scene.open.id
    let effects = prepareNames(ofSendersOf: messages, in: here, scene, snapshot)
    if !atEnd { screenState.forgetFirstUnprinted() }
    var printer = renderer.printer
    printer.startOver()
    let gaps = here.flatMap { try? snapshot.markedGaps(in: $0) } ?? []
    let next = gaps.isEmpty ? nil : try? snapshot.sortKey(after: messages, for: scene.me.id)
    let lines = printer.historyLines(
      messages, reactions, gaps: gaps, before: next,
      agesAt: scene.settings.timestamps == .relative ? Clock.wall() : nil)
    let effect = renderer.page(lines, atEnd: atEnd, always: inPager)
    // A pager leaves nothing on the screen.
    if case .page = effect {
      renderer.printer.endRun()
    } else {
      renderer.printer.follow(printer)
    }
    return effects + [effect]
  }
}
