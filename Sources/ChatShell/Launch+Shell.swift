// SPDX-License-Identifier: GPL-3.0-or-later
import ChatCommands
import ChatParts
import ChatPreferences
import ChatRendering
import ChatScripts
import ChatSession
import Conversations
import Glibc
import LineEditing
import Platform
import StyledText
import Terminal

extension Launch {
  /// `hobnob [CONVERSATION]`.
  ///
  /// - Parameters:
  ///   - creates: whether `--create` allows creating a missing conversation.
  ///   - isCertain: whether `open` preceded the name, so that a missing room of this machine is
  ///     created.
  ///   - subcommands: the subcommands that the name may be a typing error for.
  ///   - greeting: printed below the first messages; nil for the usual one.
  ///   - obstacle: why accounts cannot be added, as a sentence; nil if that depends on the store.
  ///   - begin: starts anything else that runs in the shell's loop.
  package func shell(
    _ name: String?, creates: Bool, isCertain: Bool = false, subcommands: [String] = [],
    greeting: [StyledLine]? = nil, accountObstacle obstacle: SafeText? = nil,
    beside begin: (EventLoop) throws -> Void = { _ in }
  ) throws -> Int32 {
    var complaints: [SafeText] = []
    let rc = try loadRc { complaints.append($0) }
    if name?.isEmpty == true || name == "#" || name == "@" {
      throw Refusal(say("%1 names no conversation.", SafeText(line: name ?? "")))
    }
    let loop = EventLoop()
    let editor = isatty(0) == 1 ? try lineEditor(rc.settings, loop) : nil
    let (store, me, opening): (Store, Participant, Opening)
    (store, me, opening) = try openedWhenFree(isLimited: editor == nil) { patience in
      let store = try openStore(create: true, patience: patience, shared: options.shared)
      let me = try participant(in: store, rc: rc)
      return (
        store, me,
        try opened(
          name, in: store, for: me, creates: creates, isCertain: isCertain, asks: editor != nil,
          subcommands: subcommands)
      )
    }
    defer { store.close() }
    if editor == nil { store.patience = 10_000 }
    if try store.read({ try $0.lastConversation(of: me.id) }) == nil,
      let warning = store.upkeep.warning
    {
      complaints.append(say(warning))
    }
    let preferences = Preferences(
      rc, environment: environment, glyphs: editor?.displayMode == .plain ? .spoken : glyphs)
    guard let editor else {
      for complaint in complaints { StandardError.say(complaint) }
      let line = BatchLine()
      let session = Session(
        store: store, me: me, preferences: preferences, outputMode: .batch, line: line, at: 0)
      return try BatchShell(session: session, line: line, output: StandardOutput()).run(
        opening: opening.conversation)
    }
    let line = EditorLine(editor)
    let session = Session(
      store: store, me: me, preferences: preferences,
      outputMode: editor.displayMode == .tty ? .tty : .plain, line: line, at: loop.now)
    session.accountObstacle = obstacle
    try begin(loop)
    return try InteractiveShell(session: session, editor: editor, line: line, loop: loop).run(
      opening: opening.conversation, bindings: rc.bindings,
      greeting: try greeting ?? greetingLines(me, opening, in: store), complaints: complaints,
      first: opening.question)
  }

  /// The line of a shell at a terminal.
  private func lineEditor(_ settings: Settings, _ loop: EventLoop) throws -> LineEditor {
    guard StandardDescriptors.outputIsWritable else {
      throw Refusal(say("Standard output is closed; a shell needs somewhere to print."))
    }
    return LineEditor(
      displayMode: isPlain(settings) ? .plain : .tty, loop: loop, device: try TerminalDevice(),
      widths: settings.terminalWidths(environment: environment),
      capabilities: Painter.TerminalCapabilities(environment: { environment[$0] }))
  }

  /// The greeting in a new room, and in a person's first shell if nobody has written yet.
  private func greetingLines(
    _ me: Participant, _ opening: Opening, in store: Store
  ) throws -> [StyledLine] {
    guard opening.conversation.lastNumber == 0 else { return [] }
    let isFirst = try store.read { try $0.lastConversation(of: me.id) } == nil
    guard isFirst || opening.isNew else { return [] }
    let name = SafeText(name: opening.conversation.name)
    let myName = SafeText(
      name: try store.read { try $0.name(of: me.id, in: opening.conversation.id) })
    let place =
      opening.conversation.network == nil
      ? say("You are %1 in %2, on this machine.", myName, name)
      : say("You are %1 in %2.", myName, name)
    let first =
      opening.isNew ? say("%1 %2 is new; nobody else is in it.", place, name) : place
    var lines = [StyledLine(first), StyledLine(try hint(me, opening, in: store), .dim)]
    if isFirst {
      lines.append(
        StyledLine(
          say("Type /tutorial to learn hobnob by doing, or /help for all commands."), .dim))
    }
    return lines
  }

  /// A hint for what to do first.
  private func hint(_ me: Participant, _ opening: Opening, in store: Store) throws -> SafeText {
    // Anyone already here is someone to talk to.
    guard try store.read({ try $0.othersHere(in: opening.conversation.id, than: me.id) }) == 0
    else {
      return say("Type a line and press Return to send it.")
    }
    let program = options.store.map { "hobnob --store \(Self.quoted($0))" } ?? "hobnob"
    return say("To try a chat, run %1 --as NAME in a second terminal.", SafeText(line: program))
  }

  /// The conversation that a shell starts in.
  private struct Opening {
    var conversation: Conversation
    /// Whether it was just created, so that its name may be a typing error.
    var isNew = false
    /// The question to ask if the named conversation does not exist.
    var question: SessionEvent?
  }

  /// The conversation to open: the named one, else the last one, else the one with the newest
  /// message, else #lobby; never a room that the person has left.
  private func opened(
    _ name: String?, in store: Store, for person: Participant, creates: Bool, isCertain: Bool,
    asks: Bool, subcommands: [String]
  ) throws -> Opening {
    let me = person.id
    guard let name else { return Opening(conversation: try usual(me, store)) }
    let bare = name.hasPrefix("#") ? String(name.dropFirst()) : name
    do {
      if name.hasPrefix("@") {
        return Opening(
          conversation: try store.writeDurablyIfNeeded {
            try $0.conversation(meantBy: name, me: me)
          })
      }
      if let room = try store.read({ try $0.room(name, for: me) }) {
        return Opening(conversation: try openRoom(room, me, store))
      }
      try store.read { try $0.refuseRemoved(room: name) }
      // A bare name is a room, but an address may be a person's.
      guard name.contains("@"), !name.hasPrefix("#") else { throw RuleError.noSuchRoom(name) }
      return Opening(
        conversation: try store.writeDurablyIfNeeded { try $0.conversation(meantBy: name, me: me) })
    } catch RuleError.noSuchRoom where creates, RuleError.noSuchParticipant where creates {
      let made = try store.writeDurably { try $0.findOrCreateConversation(named: name, for: me) }
      return Opening(
        conversation: made.kind == .room ? try openRoom(made, me, store) : made, isNew: true)
    } catch RuleError.noSuchRoom where (isCertain || bare == "lobby") && !bare.contains("@") {
      return Opening(conversation: try enteredRoomHere(name, me, store), isNew: bare != "lobby")
    } catch RuleError.noSuchRoom where !bare.contains("@") {
      let near =
        bare == name ? subcommands.first { Spelling.distance($0, name, atMost: 1) != nil } : nil
      if asks {
        return Opening(
          conversation: try usual(me, store), question: .unknownRoom(name, subcommand: near))
      }
      let shown = SafeText(line: bare)
      let meant =
        try near.map { say("hobnob %1", SafeText(line: $0)) }
        ?? Conversation.nearest(to: name, among: store.read { try $0.rooms(for: me) }.map(\.name))
        .map { SafeText(name: $0) }
      throw Refusal(
        meant.map {
          say(
            "There is no room #%1. Did you mean %2? hobnob --create %1 makes the room.", shown, $0)
        } ?? say("There is no room #%1; hobnob --create %1 makes it.", shown))
    }
  }

  private func usual(_ me: ID<Participant>, _ store: Store) throws -> Conversation {
    guard let last = try store.read({ try $0.lastConversation(of: me) }),
      let conversation = try store.read({ try $0.conversation(last, for: me) })
    else { return try enteredRoomHere("lobby", me, store) }
    if try store.read({ try $0.isMember(me, of: last) }) { return conversation }
    let recent = try store.read { try $0.listing(for: me) }.first?.conversation
    return try recent ?? enteredRoomHere("lobby", me, store)
  }

  /// A room of this machine, which is created if it is missing.
  private func enteredRoomHere(
    _ name: String, _ me: ID<Participant>, _ store: Store
  ) throws -> Conversation {
    try openRoom(
      store.writeDurablyIfNeeded { try $0.makeRoomHere(name, for: me) }, me, store)
  }

  private func openRoom(
    _ room: Conversation, _ me: ID<Participant>, _ store: Store
  ) throws -> Conversation {
    if try store.read({ try $0.isMember(me, of: room.id) }) { return room }
    try store.writeDurably { try $0.join(me, room.id) }
    if let network = room.network,
      let account = try store.read({ try $0.account(network: network) })
    {
      try store.writeDurably {
        try $0.ask(.join, target: try $0.networkAddress(of: room.id), of: account)
      }
    }
    return room
  }
}
