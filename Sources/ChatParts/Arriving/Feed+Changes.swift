// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import ChatRendering
import Conversations
import StyledText

/// Changes in the store, as lines and alerts.
extension Feed {
  /// Shows changes, or keeps them for when they can be shown.
  ///
  /// - Parameters:
  ///   - isSeen: whether the store already has their messages as seen.
  ///   - directChats: which of their messages' conversations are direct chats.
  ///   - warnings: what to print below them, before the terminal bell.
  package mutating func take(
    _ changes: Changes, isSeen: Bool, directChats: Set<ID<Conversation>>, warnings: [Effect],
    _ open: inout OpenConversation, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    let takenBack = takenBack
    self.takenBack = []
    if changes.isEmpty { return [] }
    if changes.peopleChanged { forgetLookAlikes() }
    var effects = prepareNames(
      ofSendersOf: changes.arrived + changes.revised, in: open.id, scene, snapshot)
    let others = changes.arrived.filter { $0.sender != scene.me.id }
    for message in others { open.typingEnded(message.senderIdentity) }
    var lines = joinLeaveLines(above: changes, open, scene, snapshot)
    let alerts = Alerts(me: scene.me, settings: scene.settings, attention: scene.attention)
    let new = newLines(
      for: changes.arrived.filter { !takenBack.contains($0.id) }, open.id, scene, snapshot
    ) { message in
      alerts.isForMe(message, isDirect: directChats.contains(message.conversation))
        && (try? snapshot.continuesUnreadable(message)) != true
    }
    lines += new.lines + changedLines(changes, &open, scene, snapshot)
    for signal in changes.typing where signal.participant.id != scene.me.id {
      if signal.conversation == open.id, signal.isTyping {
        showTyping(signal.participant, since: signal.at, &open, scene, snapshot)
      } else {
        open.typingEnded(signal.participant.identity)
      }
    }
    open.expireTyping(at: scene.now)
    effects += present(lines, new: new.count, muted: new.muted) + warnings
    effects += alert(new.forMe, changes.events, alerts, open.id, scene, snapshot)
    if others.contains(where: { $0.conversation == open.id }), !screenState.isPaused, !isSeen {
      notePrinted(in: open.id, scene)
    }
    if changes.peopleChanged { effects += peopleChanged(&open, snapshot) }
    return effects
  }

  /// New messages of the open conversation as lines, and the messages for the person anywhere.
  private struct NewLines {
    var lines: [StyledLine] = []
    /// How many messages of others are among the lines, and how many of these are muted.
    var count = 0
    var muted = 0
    var forMe: [Message] = []
  }

  private mutating func newLines(
    for messages: [Message], _ here: ID<Conversation>?, _ scene: Scene,
    _ snapshot: borrowing Snapshot, isForMe: (Message) -> Bool
  ) -> NewLines {
    var (new, missed) = (NewLines(), [Message]())
    // A message that was missed has its place above lines that are on the screen (rule 14.7).
    var newest: Int64?
    if let here, messages.contains(where: { $0.conversation == here }) {
      newest = try? snapshot.newestSortKey(in: here, upToNumber: screenState.printedUpTo)
    }
    for message in messages {
      if message.conversation == here {
        guard screenState.recordArrival(of: message) else { continue }
        if let sort = newest, message.sort < sort {
          missed.append(message)
        } else {
          newest = message.sort
          new.lines += renderer.printer.missedLines(missed)
          renderer.printer.add(message, to: &new.lines)
          missed = []
        }
        if message.sender != scene.me.id, !renderer.printer.hides(message) {
          new.count += 1
          if scene.attention.isSilenced(message.sender, in: message.conversation) { new.muted += 1 }
        }
      }
      if message.sender != scene.me.id, isForMe(message) { new.forMe.append(message) }
    }
    new.lines += renderer.printer.missedLines(missed)
    return new
  }

  private func alert(
    _ forMe: [Message], _ events: [Event], _ alerts: Alerts, _ here: ID<Conversation>?,
    _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    var effects: [Effect] = []
    let isInvited = events.contains(where: alerts.isInvitation)
    // In the open conversation only a mention rings: the person sees every line arrive.
    if alerts.rings(for: forMe, seen: screenState.isPaused ? nil : here)
      || isInvited && scene.settings.bell
    {
      effects.append(.bell)
    }
    if !forMe.isEmpty, alerts.canNotify, scene.isInteractive {
      effects.append(.notify(forMe.map { alerts.notification(of: $0, snapshot) }))
    }
    return effects
  }

  private mutating func forgetLookAlikes() {
    people.namesChanged()
    renderer.printer.options.lookAlikes = []
  }

  private mutating func peopleChanged(
    _ open: inout OpenConversation, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    forgetLookAlikes()
    let topic = open.conversation?.topic
    open.peopleChanged(snapshot)
    guard let here = open.conversation, here.topic != topic, !here.topic.isEmpty else { return [] }
    // A network tells the topic after the person entered; nobody changed it.
    return present(renderer.printer.event([here.topicLine], at: nil), new: 0)
  }

  // MARK: Changes to what is printed

  /// Whether changes print something, so that older lines must go first.
  private func prints(_ changes: Changes, in here: ID<Conversation>?) -> Bool {
    (changes.arrived + changes.revised).contains { $0.conversation == here }
      || changes.moved.contains { $0.conversation == here && $0.state == .failed }
      || changes.reacted.contains { $0.message.conversation == here }
      || changes.events.contains { $0.conversation == here && !$0.kind.sharesLine }
  }

  /// The lines for changes to printed messages, and for events.
  private mutating func changedLines(
    _ changes: Changes, _ open: inout OpenConversation, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    var lines: [StyledLine] = []
    for message in changes.revised where message.conversation == open.id {
      guard message.number <= screenState.printedUpTo || message.isPast else { continue }
      lines += renderer.printer.revision(of: message)
    }
    for message in changes.moved where message.state == .failed && message.conversation == open.id {
      let said = scene.glyphs.lead(scene.glyphs.failed) + "[\(message.number)] " + message.notSent
      lines += renderer.printer.event([Renderer.error(said)], at: nil, of: message.id)
    }
    for update in changes.reacted
    where update.message.conversation == open.id
      && !scene.attention.hides(update.participant.id, in: update.message.conversation)
    {
      findLookAlikes(among: [update.participant.id], snapshot)
      lines += renderer.printer.lines(for: update, by: people.shownName(update.participant))
    }
    for event in changes.events { lines += self.lines(for: event, &open, scene, snapshot) }
    return lines
  }

  /// Topics and invitations, as lines; empty if they are not for this screen. ``JoinLeaveDigest``
  /// handles joins and leaves.
  private mutating func lines(
    for event: Event, _ open: inout OpenConversation, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    let me = scene.me.id
    let isHere = event.conversation == open.id
    let isInvited = event.kind == .invitation && event.other?.id == me
    // If messages are deleted after a time, or the room is removed, every member should know.
    let isForAll = event.kind == .keep || event.kind == .roomRemoved
    guard isHere || isInvited || isForAll,
      !scene.attention.hides(event.participant.id, in: event.conversation)
    else { return [] }
    if isHere, event.kind == .topic { open.change(topic: event.text) }
    let words = words(for: [event], scene, snapshot)
    let found = (try? snapshot.conversation(event.conversation, for: me)) ?? nil
    let name = found?.name ?? ""
    let text =
      isInvited
      ? words.invitation(
        event, to: name,
        isMember: (try? snapshot.isMember(me, of: event.conversation)) ?? true)
      : words.sentence(
        for: event, in: isHere ? nil : SafeText(name: name),
        newName: (try? snapshot.newName(after: event)) ?? nil)
    guard let text else { return [] }
    let line = StyledLine(scene.glyphs.lead(scene.glyphs.event) + text, .dim)
    return renderer.printer.event([line], at: event.at)
  }

  private mutating func words(
    for events: [Event], _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> EventWords {
    findLookAlikes(among: events.map(\.participant.id) + events.compactMap(\.other?.id), snapshot)
    return EventWords(glyphs: scene.glyphs) { [people] in people.shownName($0) }
  }

  // MARK: Joins and leaves

  /// Prints joins and leaves, if it is time and somebody would see them.
  ///
  /// - Parameter precedes: whether other output follows, so that it is time.
  package mutating func tellJoinsAndLeaves(
    precedes: Bool = false, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    guard joinsAndLeaves.isDue || precedes, !screenState.isHolding else { return [] }
    return present(joinLeaveLines(joinsAndLeaves.takeAll(), scene, snapshot), new: 0)
  }

  /// Gathers joins and leaves, and returns those to print above the other changes.
  private mutating func joinLeaveLines(
    above changes: Changes, _ open: OpenConversation, _ scene: Scene,
    _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    let isDue = prints(changes, in: open.id)
    var lines = isDue ? joinLeaveLines(joinsAndLeaves.takeAll(), scene, snapshot) : []
    for event in changes.events
    where event.kind.sharesLine && event.conversation == open.id
      && (event.participant.id != scene.me.id || event.kind == .moderated)
      && open.isMember
    {
      joinsAndLeaves.note(event, as: scene.settings.events, at: scene.now, snapshot)
    }
    lines += joinLeaveLines(
      joinsAndLeaves.take(before: changes.arrived.filter { $0.conversation == open.id }), scene,
      snapshot)
    return lines
  }

  private mutating func joinLeaveLines(
    _ events: [Event], _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [StyledLine] {
    guard let last = events.last,
      let line = words(for: events, scene, snapshot).joinsAndLeaves(events)
    else { return [] }
    return renderer.printer.event([StyledLine(line, .dim)], at: last.at)
  }

  // MARK: What networks say

  /// Prints the networks' answers to the person's requests, and then their notices, which answer
  /// no request. The link to the person's own device is also shown as a QR code, for others to scan.
  /// After the last answer for the files of a message, those that arrived are saved. An invitation
  /// rings.
  package mutating func tellNetworks(
    _ changes: Changes, _ scene: Scene, _ snapshot: borrowing Snapshot
  ) -> [Effect] {
    var effects: [Effect] = []
    for answer in changes.answers {
      if !answer.text.isEmpty {
        var rows = answer.text.text.split(separator: "\n").map { SafeText(line: String($0)) }
        let isOwnDevice = answer.request.verb == .verify && answer.request.target.isEmpty
        let link = isOwnDevice && rows.last?.string.isDeviceLink == true ? rows.popLast() : nil
        effects += tellJoinsAndLeaves(precedes: true, scene, snapshot)
        effects.append(.endNotice(Feed.fetching))
        effects.append(.answer(rows.map { StyledLine($0, .dim) }, indent: 2))
        if let link { effects.append(.showCode(link)) }
      }
      if let save = pendingSaves.removeValue(forKey: answer.request.id),
        !pendingSaves.values.contains(save)
      {
        effects.append(.save(save))
      }
    }
    for notice in changes.notices {
      effects.append(.tell(SafeText(line: notice.text)))
      if notice.kind == .ringing, scene.settings.bell { effects.append(.bell) }
    }
    return effects
  }
}
