// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Composer
import Conversations
import Platform
import StyledText

/// `/mute`, `/unmute`, `/ignore`, `/unignore`, `/set notify` (rule 7.11).
@MainActor
struct AttentionCommands {
  let context: CommandContext

  func set(
    _ silencing: Attention.Silencing, _ isOn: Bool, _ argument: String,
    _ snapshot: borrowing Snapshot
  ) throws -> Step {
    let name = argument.trimmingBlanks
    if name.isEmpty, isOn { return list(silencing, snapshot) }
    guard !name.isEmpty else { throw usage(silencing == .muted ? "unmute" : "unignore") }
    let target = try target(named: name, snapshot)
    if case .person(let person) = target, person.id == context.me.id {
      throw Refusal(say("That is you."))
    }
    return Step { transaction in
      let (shown, hasChanged): (SafeText, Bool)
      switch target {
      case .room(let room):
        hasChanged = try transaction.set(silencing, isOn, of: room.id, by: context.me.id)
        shown = SafeText(name: room.name)
      case .person(let person):
        hasChanged = try transaction.set(silencing, isOn, of: person.id, by: context.me.id)
        shown = SafeText(name: transaction.uniqueName(of: person, for: context.me.id))
      case .stranger(let address, let account):
        let person = try transaction.networkPerson(address, of: account)
        hasChanged = try transaction.set(silencing, isOn, of: person.id, by: context.me.id)
        shown = SafeText(name: transaction.uniqueName(of: person, for: context.me.id))
      }
      return [.attentionChanged, .tell(said(silencing, isOn, shown, hasChanged))]
    }
  }

  private func said(
    _ silencing: Attention.Silencing, _ isOn: Bool, _ name: SafeText, _ hasChanged: Bool
  ) -> SafeText {
    switch (silencing, isOn) {
    case (.muted, true) where hasChanged:
      say("%1 no longer rings or counts as urgent; /unmute %1 undoes it.", name)
    case (.muted, true): say("%1 is already muted; /unmute %1 undoes it.", name)
    case (.muted, false):
      hasChanged ? say("%1 is no longer muted.", name) : say("%1 is not muted.", name)
    case (.ignored, true) where hasChanged:
      say("Messages from %1 are hidden until /unignore %1.", name)
    case (.ignored, true): say("You already ignore %1; /unignore %1 undoes it.", name)
    case (.ignored, false):
      hasChanged
        ? say("You no longer ignore %1; /history shows the hidden messages.", name)
        : say("You do not ignore %1.", name)
    }
  }

  private enum Target {
    case room(Conversation)
    case person(Participant)
    /// An address on a network that the store does not know yet.
    case stranger(String, Account)
  }

  /// The room or the person that a name means, as in other commands.
  private func target(named name: String, _ snapshot: borrowing Snapshot) throws -> Target {
    if !name.hasPrefix("@"),
      let room = try snapshot.room(name, for: context.me.id, in: context.open.id)
    {
      return .room(room)
    }
    if name.hasPrefix("#") { throw RuleError.noSuchRoom(name) }
    let networks = NetworkCommands(context: context)
    if let known = try networks.known(name, snapshot) { return .person(known) }
    if name.contains(where: { "!*?".contains($0) }) {
      throw Refusal(
        say(
          "%1 is a mask; hobnob mutes and ignores people and rooms by name, as in /ignore ben.",
          SafeText(line: name)))
    }
    guard
      try name.dropFirst().contains("@")
        || networks.named(in: name, snapshot) != nil,
      let (account, address) = try networks.personOnNetwork(name, snapshot)
    else {
      throw try ConversationCommands(context: context).nobody(named: name, snapshot)
    }
    return .stranger(address, account)
  }

  /// The possible arguments of `/unmute` or `/unignore`.
  fileprivate func candidates(
    _ silencing: Attention.Silencing, _ snapshot: borrowing Snapshot
  ) -> [Candidate] { names(silencing, snapshot).map { Candidate($0) } }

  private func names(
    _ silencing: Attention.Silencing, _ snapshot: borrowing Snapshot
  ) -> [String] {
    let (me, attention) = (context.me.id, context.attention)
    let (conversations, people) =
      silencing == .muted
      ? (attention.mutedConversations, attention.mutedPeople)
      : (attention.ignoredConversations, attention.ignoredPeople)
    var rooms: [String] = []
    for id in conversations {
      guard let found = try? snapshot.conversation(id, for: me), found.kind == .room else {
        continue
      }
      rooms.append(found.name)
    }
    var names: [String] = []
    for id in people {
      guard let found = try? snapshot.participant(id) else { continue }
      names.append(snapshot.uniqueName(of: found, for: me))
    }
    return rooms.sorted(by: LocaleOrder.precedes) + names.sorted(by: LocaleOrder.precedes)
  }

  private func list(_ silencing: Attention.Silencing, _ snapshot: borrowing Snapshot) -> Step {
    let names = names(silencing, snapshot)
    guard !names.isEmpty else {
      return .tell(
        silencing == .muted
          ? say("Nothing is muted; /mute #tea or /mute @ben stops the ringing.")
          : say("You ignore nobody; /ignore #tea or /ignore @ben hides messages."))
    }
    return .answer(names.map { StyledLine("  " + SafeText(name: $0)) })
  }

  // MARK: /set notify

  func setNotify(_ value: String?) throws -> Step {
    let conversation = try context.open.required()
    guard let value else {
      return .answer([
        StyledLine(
          SafeText(
            line: NotifySetting.name + " "
              + NotifySetting.value(context.attention, in: conversation).word),
          .bold)
          + StyledLine(context.glyphs.gap + NotifySetting.help, .dim)
      ])
    }
    guard let notify = Attention.Notify.allCases.first(where: { $0.word == value }) else {
      throw Refusal(
        say(
          "“%1” is not a valid value for notify; use %2.", SafeText(line: value),
          SafeText(line: NotifySetting.values.joinedAsList())))
    }
    let name = SafeText(name: conversation.name)
    let said =
      switch notify {
      case .everything: say("Every message in %1 rings and notifies you.", name)
      case .mentions: say("In %1 only mentions of you ring and notify you.", name)
      case .nothing: say("Nothing in %1 rings or notifies you.", name)
      }
    return Step {
      try $0.setNotify(notify, in: conversation.id, by: context.me.id)
      return [.attentionChanged, .tell(said)]
    }
  }
}

extension Access {
  /// The person's name with `@`, as a command takes it in any conversation: their address if
  /// somebody else has the name.
  fileprivate func uniqueName(of person: Participant, for me: ID<Participant>) -> String {
    let isMeant = (try? find(participant: person.name, for: me))??.id == person.id
    let full = try? fullName(of: person, among: accounts(of: me))
    return "@" + (isMeant ? person.name : full ?? person.address)
  }
}

extension Arguments {
  static let muted = first { AttentionCommands(context: $0.context).candidates(.muted, $1) }
  static let ignored = first {
    AttentionCommands(context: $0.context).candidates(.ignored, $1)
  }
}
