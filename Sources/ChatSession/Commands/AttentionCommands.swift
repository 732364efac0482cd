// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/mute`, `/unmute`, `/ignore`, `/unignore`, `/set notify` (rule 7.11).
@MainActor
struct AttentionCommands: SessionPart {
  let session: Session

  func mute(_ argument: String) throws { try set(.muted, true, argument, "mute") }
  func unmute(_ argument: String) throws { try set(.muted, false, argument, "unmute") }
  func ignore(_ argument: String) throws { try set(.ignored, true, argument, "ignore") }
  func unignore(_ argument: String) throws { try set(.ignored, false, argument, "unignore") }

  private func set(
    _ quiet: Attention.Quiet, _ isOn: Bool, _ argument: String, _ command: String
  ) throws {
    let name = argument.trimmingBlanks
    guard !name.contains(where: \.isWhitespace) else { throw usage(command) }
    if name.isEmpty, isOn { return list(quiet) }
    guard !name.isEmpty else { throw usage(command) }
    let (shown, isNews): (SafeText, Bool)
    switch try target(named: name) {
    case .room(let room):
      (shown, isNews) = (
        SafeText(name: room.name),
        try store.writeDurably { try $0.set(quiet, isOn, of: room.id, by: me.id) }
      )
    case .person(let person):
      guard person.id != me.id else { throw Refusal(say("That is you.")) }
      (shown, isNews) = (
        SafeText(name: "@" + person.name),
        try store.writeDurably { try $0.set(quiet, isOn, of: person.id, by: me.id) }
      )
    }
    session.refreshAttention()
    news.recount()
    tell(said(quiet, isOn, shown, isNews))
  }

  private func said(
    _ quiet: Attention.Quiet, _ isOn: Bool, _ name: SafeText, _ isNews: Bool
  ) -> SafeText {
    switch (quiet, isOn) {
    case (.muted, true) where isNews:
      say("%1 no longer rings or counts as urgent; /unmute %1 undoes it.", name)
    case (.muted, true): say("%1 is already muted; /unmute %1 undoes it.", name)
    case (.muted, false):
      isNews ? say("%1 is no longer muted.", name) : say("%1 is not muted.", name)
    case (.ignored, true) where isNews:
      say("You ignore %1: messages are hidden until /unignore %1.", name)
    case (.ignored, true): say("You already ignore %1; /unignore %1 undoes it.", name)
    case (.ignored, false):
      isNews
        ? say("You no longer ignore %1; /history shows what was hidden.", name)
        : say("You do not ignore %1.", name)
    }
  }

  private enum Target {
    case room(Conversation)
    case person(Participant)
  }

  /// A room or a person, as other commands take them; somebody of a network need not have been heard
  /// of before.
  private func target(named name: String) throws -> Target {
    if !name.hasPrefix("@"), let room = try store.read({ try $0.room(name, for: me.id) }) {
      return .room(room)
    }
    if name.hasPrefix("#") { throw RuleError.noSuchRoom(name) }
    let networks = NetworkCommands(session: session)
    if let known = try networks.known(name) { return .person(known) }
    guard name.dropFirst().contains("@"), let (account, address) = try networks.person(name) else {
      throw try ConversationCommands(session: session).nobody(called: name)
    }
    return .person(try store.writeDurably { try $0.networkPerson(address, of: account) })
  }

  /// What `/unmute` or `/unignore` can be about.
  func names(_ quiet: Attention.Quiet) -> [String] {
    let attention = session.attention
    let (places, people) =
      quiet == .muted
      ? (attention.mutedPlaces, attention.mutedPeople)
      : (attention.ignoredPlaces, attention.ignoredPeople)
    let rooms = places.compactMap { each in
      try? store.read { try $0.conversation(each, for: me.id) }
    }
    .filter { $0.kind == .room }.map(\.name)
    return rooms.sorted()
      + people.compactMap { each in try? "@" + store.read { try $0.participant(each) }.name }
      .sorted()
  }

  private func list(_ quiet: Attention.Quiet) {
    let names = names(quiet).map { SafeText(name: $0) }
    guard !names.isEmpty else {
      return tell(
        quiet == .muted
          ? say("Nothing is muted; /mute #tea or /mute @ben stops the ringing.")
          : say("You ignore nobody; /ignore #tea or /ignore @ben hides messages."))
    }
    transcript.answer(names.map { StyledLine("  " + $0) })
  }

  // MARK: /set notify

  /// The setting of a conversation; by default mentions in a room, everything in a direct chat.
  static func notify(_ attention: Attention, in conversation: Conversation) -> Attention.Notify {
    attention.notify[conversation.id] ?? (conversation.kind == .direct ? .everything : .mentions)
  }

  func notify(_ value: String?) throws {
    let conversation = try place.required()
    guard let value else {
      return transcript.answer([
        StyledLine(
          SafeText(
            line: NotifySetting.name + " " + Self.notify(session.attention, in: conversation).word),
          .bold)
          + StyledLine("  " + NotifySetting.help, .dim)
      ])
    }
    guard let notify = Attention.Notify.allCases.first(where: { $0.word == value }) else {
      throw Refusal(
        say(
          "“%1” is not a valid value for notify; use %2.", SafeText(line: value),
          SafeText(line: NotifySetting.values.joined(separator: ", "))))
    }
    try store.writeDurably { try $0.setNotify(notify, in: conversation.id, by: me.id) }
    session.refreshAttention()
    let name = SafeText(name: conversation.name)
    let said =
      switch notify {
      case .everything: say("Every message in %1 rings and runs notify-command.", name)
      case .mentions: say("In %1 only mentions of you ring and run notify-command.", name)
      case .nothing: say("Nothing in %1 rings or runs notify-command.", name)
      }
    tell(said)
  }
}

/// `/set notify`: which messages of the open conversation notify me. It is stored for the person,
/// so it is not in the table of settings.
enum NotifySetting {
  static let name = "notify"
  static let values = Attention.Notify.allCases.map(\.word)
  static let help: SafeText = "which messages of this conversation ring and run notify-command"
}
