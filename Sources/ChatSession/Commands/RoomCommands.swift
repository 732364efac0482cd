// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/topic`, `/invite`, `/room`, `/can`: the conversation itself (rule 10).
@MainActor
struct RoomCommands: SessionPart {
  let session: Session

  // MARK: The room

  /// The most characters of a topic: a line, not a text.
  private static let topicLimit = 300

  func topic(_ argument: String) throws {
    let conversation = try place.required()
    guard !argument.isEmpty else {
      return transcript.answer(
        [
          conversation.topic.isEmpty
            ? StyledLine(say("%1 has no topic.", SafeText(name: conversation.name)), .dim)
            : Self.topicLine(conversation)
        ])
    }
    guard argument.count <= Self.topicLimit else {
      throw Refusal(
        say(
          "A topic has up to %1 characters; this one has %2.", SafeText(Self.topicLimit),
          SafeText(argument.count)))
    }
    let wanted = argument == "-" ? "" : argument
    if conversation.kind == .room,
      try NetworkCommands(session: session).ask(.topic, in: conversation, text: wanted)
    {
      return
    }
    try store.writeDurably { try $0.setTopic(wanted, of: conversation.id, by: me.id) }
    news.catchUp()
  }

  static func topicLine(_ conversation: Conversation) -> StyledLine {
    StyledLine(say("Topic of %1:", SafeText(name: conversation.name)) + " ", .dim)
      + StyledLine(SafeText(line: conversation.topic))
  }

  func invite(_ argument: String) throws {
    guard !argument.isEmpty, !argument.contains(where: \.isWhitespace) else {
      throw usage("invite")
    }
    let conversation = try place.required()
    let networks = NetworkCommands(session: session)
    if conversation.kind == .room, conversation.network != nil,
      try networks.ask(
        .invite, in: conversation, text: try networks.contact(named: argument).address)
    {
      return
    }
    guard let person = try store.read({ try $0.find(participant: argument, for: me.id) }) else {
      throw RuleError.noSuchParticipant(argument)
    }
    guard try store.writeDurably({ try $0.invite(person.id, to: conversation.id, by: me.id) })
    else {
      return tell(
        say(
          "%1 is in %2 already.", SafeText(name: person.name), SafeText(name: conversation.name)))
    }
    news.catchUp()
  }

  /// Topics and invitations, as lines; nothing where it is not for this screen. Who comes and goes
  /// is for ``JoinLeaveDigest``.
  func lines(for event: Event) -> [StyledLine] {
    let isHere = event.conversation == place.conversation?.id
    let isInvited = event.kind == .invitation && event.other?.id == me.id
    // What becomes of messages concerns everybody, wherever they are.
    let isForAll = event.kind == .keep || event.kind == .roomRemoved
    guard isHere || isInvited || isForAll,
      !session.attention.hides(event.participant.id, in: event.conversation)
    else { return [] }
    if isHere, event.kind == .topic { place.change(topic: event.text) }
    let words = EventWords(glyphs: glyphs, name: people.shownName)
    let name =
      (try? store.read { try $0.conversation(event.conversation, for: me.id) })??.name ?? ""
    let text =
      isInvited
      ? words.invitation(
        event, to: name,
        isMember: (try? store.read { try $0.isMember(me.id, of: event.conversation) }) ?? true)
      : words.sentence(
        for: event, in: isHere ? nil : SafeText(name: name),
        newName: (try? store.read { try $0.newName(after: event) }) ?? nil)
    guard let text else { return [] }
    transcript.endRun()
    return [StyledLine(glyphs.separator + " " + text, .dim).with(margin: 2)]
  }

  /// `/room rename NAME`, `/room remove`.
  func room(_ argument: String) throws {
    let words = argument.split(whereSeparator: \.isWhitespace).map(String.init)
    let conversation = try place.requiredAsMember()
    switch words.first {
    case "rename" where words.count == 2:
      try store.writeDurably({ try $0.rename(conversation.id, to: words[1], by: me.id) })
      news.catchUp()
    case "remove" where words.count == 1:
      try store.read({ try $0.requireMaker(of: conversation.id, me.id) })
      try requireSomebodyToAsk("/room remove")
      emit(
        .ask(
          say(
            "Remove %1? /search still finds its messages. y: yes, any other key: no",
            SafeText(name: conversation.name)), ["y": .removal(conversation.id)]))
    default: throw usage("room")
    }
  }

  func remove(_ room: ID<Conversation>) throws {
    try store.writeDurably { try $0.remove(room, by: me.id) }
    news.catchUp()
    guard room == place.conversation?.id else { return }
    place.left()
    ConversationCommands(session: session).goBack()
  }

  // MARK: What works here

  /// Commands that mean nothing in the open conversation; completion leaves them out.
  var commandsThatDoNotWorkHere: Set<String> {
    guard let conversation = place.conversation else { return [] }
    if conversation.kind != .room { return ["topic", "invite", "room"] }
    return conversation.network == nil ? [] : ["room"]
  }

  func can(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("can") }
    let conversation = try place.required()
    let name = SafeText(name: conversation.name)
    var lines: [StyledLine] = []
    func add(_ word: SafeText, _ meaning: SafeText) {
      let blanks = SafeText(line: String(repeating: " ", count: max(1, 10 - word.string.count)))
      lines.append(StyledLine("  " + word + blanks, .bold) + StyledLine(meaning))
    }
    if let network = conversation.network {
      lines.append(StyledLine(say("%1 is on the network %2.", name, SafeText(line: network))))
      add(say("edit"), say("sent to the others as an edit; some programs show both texts"))
      add(
        say("recall"),
        say("/cancel, until the network has it; then /delete asks others to remove it"))
      add(say("typing"), say("shown to people whose programs support it"))
      add(say("seen"), say("known only for those whose programs report it"))
      add(say("history"), say("what this store has, and what the network's archive has"))
      add(say("files"), say("uploaded and sent as addresses; /save N fetches other people's files"))
    } else {
      lines.append(StyledLine(say("%1 is on this machine, in this store.", name)))
      add(say("edit"), say("at any time; others see the new text, and /info shows the former ones"))
      add(say("recall"), say("/cancel, until somebody else's hobnob has it; then /delete"))
      add(say("typing"), say("others see that you type, unless /typing off"))
      add(say("seen"), say("once it is on their screen, unless they /set receipts off"))
      add(say("history"), say("everything, also from before you joined"))
    }
    transcript.answer(lines, indent: 12)
    _ = try NetworkCommands(session: session).ask(.abilities, in: conversation)
  }
}
