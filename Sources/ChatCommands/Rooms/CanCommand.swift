// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatRendering
import Conversations
import StyledText

/// `/can`: what works in the open conversation, and how (rule 10).
@MainActor
package struct CanCommand {
  let context: CommandContext

  /// The commands that have no effect in a conversation; completion leaves them out.
  package static func commandsThatDoNotWork(
    in conversation: Conversation?, _ snapshot: borrowing Snapshot
  ) -> Set<String> {
    guard let conversation else { return [] }
    var names: Set<String> = []
    if conversation.kind != .room { names = ["topic", "invite", "room"] }
    guard let can = try? snapshot.knownAbilities(of: conversation.id) else { return names }
    let inRooms = ["kick", "ban", "unban", "op", "deop"]
    if !can.serverCommands { names.formUnion(inRooms + ["whois", "mode", "ctcp", "irc"]) }
    if conversation.kind != .room { names.formUnion(inRooms) }
    if can.encryption == .never { names.formUnion(["encrypt", "verify", "device"]) }
    guard conversation.network != nil else { return names }
    names.insert("room")
    if can.editsWithin == 0 { names.insert("edit") }
    if !can.deletes { names.insert("delete") }
    if can.reactionLimit == .no { names.insert("react") }
    if !can.replies, conversation.kind != .room { names.insert("reply") }
    if can.largestFile == 0 { names.insert("attach") }
    if !can.blocks { names.formUnion(["block", "unblock"]) }
    return names
  }

  func run(_ snapshot: borrowing Snapshot) throws -> Step {
    let conversation = try context.open.required()
    let name = SafeText(name: conversation.name)
    let can = try snapshot.knownAbilities(of: conversation.id)
    let network = conversation.network
    let first =
      network.map { say("%1 is on the network %2.", name, SafeText(line: $0)) }
      ?? say("%1 is on this machine, in this store.", name)
    let networks = NetworkCommands(context: context)
    let hasLinks = networks.account(of: conversation)?.rules.isOpaque != true
    let facts =
      network == nil
      ? Self.factsOfThisMachine : Self.facts(of: can, in: conversation.kind, hasLinks: hasLinks)
    var lines = [StyledLine(first)]
    if let network, try snapshot.account(network: network) != nil,
      try !snapshot.knowsAbilities(ofNetwork: network)
    {
      lines.append(
        StyledLine(
          say("hobnob does not know yet what the server allows; it may be less than this.")))
    }
    let start = 3 + max(9, facts.map { context.widths.columns(of: $0.word.string) }.max() ?? 0)
    let table = facts.map { word, meaning in
      let label = StyledLine("  " + word, .bold)
      if context.glyphs.isSpoken { return label + StyledLine(": " + meaning) }
      return label + StyledLine.blanks(start - label.columns(context.widths))
        + StyledLine(meaning)
    }
    let answers: [Effect] = [.answer(lines, indent: 2), .answer(table, indent: start)]
    guard networks.carries(conversation) else { return Step(answers) }
    return Step(answers) {
      try networks.ask(.abilities, in: conversation, $0)
    }
  }

  private typealias Facts = [(word: SafeText, meaning: SafeText)]

  private static var factsOfThisMachine: Facts {
    // Translators: a single word before a sentence is its label; keep it short.
    [
      (
        say("edit"), say("at any time; others see the new text, and /info shows the former ones")
      ),
      (say("recall"), say("/cancel, as long as nobody else's hobnob has it; after that, /delete")),
      (say("react"), reactionsFact(.one)),
      (say("reply"), say("/reply N shows others which message you answer")),
      (
        say("typing"),
        say("others see that you are typing, unless you turn that off with /typing off")
      ),
      (say("seen"), say("once it is on their screen, unless they turned receipts off")),
      (say("files"), say("copied into this store; /save N copies them out")),
      (say("history"), say("everything, also from before you joined")),
    ]
  }

  /// - Parameter hasLinks: whether messages have links to files, and not the files.
  private static func facts(
    of can: Abilities, in kind: Conversation.Kind, hasLinks: Bool
  ) -> Facts {
    // Translators: a single word before a sentence is its label; keep it short.
    var facts: Facts = [
      (say("edit"), edits(can)),
      (
        say("recall"),
        can.deletes
          ? say("/cancel, until the network has it; after that, /delete asks others to remove it")
          : say("/cancel, until the network has it; after that, you cannot take it back")
      ),
      (say("react"), reactionsFact(can.reactionLimit)),
      (
        say("reply"),
        !can.replies
          ? kind == .room
            ? say("/reply N begins your message with the name of the person whom you answer")
            : say("no: others cannot see which message you answer")
          : can.repliesMayBeHidden
            ? say(
              "/reply N shows which message you answer, in programs that can; see /set irc-reply-prefix"
            ) : say("/reply N shows others which message you answer")
      ),
      (
        say("typing"),
        can.typing
          ? say("shown to people whose programs support it") : say("no: nobody sees it")
      ),
      (say("seen"), receiptsFact(can)),
      (say("files"), hasLinks ? linkedFiles(can) : files(can)),
      (say("history"), say("what this store has, and what the network keeps, if anything")),
    ]
    if can.encryption != .never {
      facts.append((say("encrypt"), encryption(can.encryption, in: kind)))
    }
    if let most = can.longestMessage {
      facts.append((say("length"), say("a message has room for %1 bytes", SafeText(most))))
    }
    return facts
  }

  private static func edits(_ can: Abilities) -> SafeText {
    switch can.editsWithin {
    case nil: say("sent to the others as an edit; some programs show both texts")
    case 0?: say("no: nobody can change a message that was sent")
    case let seconds?:
      say("for %1 after sending, as an edit", SafeText(line: Abilities.span(seconds)))
    }
  }

  private static func reactionsFact(_ count: Abilities.ReactionLimit) -> SafeText {
    switch count {
    case .no: say("no")
    case .one: say("one reaction to a message; another takes its place")
    case .several: say("as many reactions to a message as you like")
    }
  }

  private static func receiptsFact(_ can: Abilities) -> SafeText {
    switch (can.delivered, can.seen) {
    case (_, true): say("known only for those whose programs report it")
    case (true, false): say("no: at best you learn that a message was delivered")
    case (false, false): say("no: a message stays “sent”")
    }
  }

  private static func encryption(
    _ state: Abilities.Encryption, in kind: Conversation.Kind
  ) -> SafeText {
    switch state {
    case .never, .off: say("not now; /encrypt on encrypts what you send, if that works")
    case .asking: say("once hobnob has the others' keys; until then, what you send waits")
    case .on, .verified:
      kind == .room
        ? say(
          "texts and files from end to end; the topic never, reactions and deletions only where all devices have the newer OMEMO"
        )
        : say(
          "texts and files from end to end; reactions and deletions only where all devices have the newer OMEMO"
        )
    }
  }

  private static func files(_ can: Abilities) -> SafeText {
    switch can.largestFile {
    case nil: say("sent with your message; /save N saves other people's files")
    case 0?: say("you cannot send files; /save N saves other people's files")
    case let most?:
      say(
        "up to %1, sent with your message; /save N saves other people's files",
        SafeText(line: Attachment.size(most)))
    }
  }

  private static func linkedFiles(_ can: Abilities) -> SafeText {
    switch can.largestFile {
    case nil: say("uploaded and sent as links; /save N fetches other people's files")
    case 0?: say("you cannot send files; /save N fetches other people's files")
    case let most?:
      say(
        "up to %1, uploaded and sent as links; /save N fetches other people's files",
        SafeText(line: Attachment.size(most)))
    }
  }
}
