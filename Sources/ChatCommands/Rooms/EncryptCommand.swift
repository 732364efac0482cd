// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import StyledText

/// `/encrypt`: whether what one sends is encrypted from end to end (rule 14.15).
@MainActor
struct EncryptCommand {
  let context: CommandContext

  func run(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.required()
    let state = try state(of: conversation, snapshot)
    if argument.isEmpty { return .tell(sentence(for: state, in: conversation)) }
    guard ["on", "off"].contains(argument) else { throw usage("encrypt") }
    // The network's process knows why it cannot.
    let isCarried = NetworkCommands(context: context).carries(conversation)
    if state == .never, !isCarried || argument == "off" {
      throw Refusal(sentence(for: state, in: conversation))
    }
    _ = try context.open.requiredAsMember()
    if argument == "on" || state == .off { return ask(argument, in: conversation) }
    try context.requireTerminal("/encrypt off")
    return .ask(
      Question(
        say("Send to %1 without encryption from now on?", conversation.addressee),
        [("y", say("send without encryption"), .unencrypted(conversation))],
        otherwise: say("any other key: stay encrypted")))
  }

  /// Asks the conversation's network, which answers in a sentence.
  func ask(_ word: String, in conversation: Conversation) -> Step {
    Step { try NetworkCommands(context: context).ask(.encrypt, in: conversation, text: word, $0) }
  }

  func state(
    of conversation: Conversation, _ snapshot: borrowing Snapshot
  ) throws -> Abilities.Encryption {
    guard NetworkCommands(context: context).carries(conversation) else { return .never }
    return try snapshot.knownAbilities(of: conversation.id).encryption
  }

  func sentence(for state: Abilities.Encryption, in conversation: Conversation) -> SafeText {
    let name = conversation.addressee
    if conversation.network == nil {
      return say("Nothing leaves this machine here, so there is nothing to encrypt.")
    }
    return switch state {
    case .never: say("hobnob itself cannot encrypt here.")
    case .off:
      say("What you send to %1 is not encrypted; /encrypt on encrypts it, if that works.", name)
    case .asking:
      say(
        "hobnob is asking for %1's keys; what you send waits until it has them. /encrypt off sends it without encryption.",
        name)
    case .on:
      say("What you send to %1 is encrypted from end to end; /encrypt off stops that.", name)
    case .verified:
      say(
        "What you send to %1 is encrypted from end to end, for devices that you have verified; /encrypt off stops that.",
        name)
    }
  }
}

extension Conversation {
  /// To whom one sends here: a person's name without its sign, or the room.
  package var addressee: SafeText {
    SafeText(name: kind == .direct ? String(name.dropFirst()) : name)
  }
}
