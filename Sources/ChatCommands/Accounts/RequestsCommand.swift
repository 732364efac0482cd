// SPDX-License-Identifier: GPL-3.0-or-later
import ChatParts
import ChatPreferences
import Conversations
import StyledText

/// `/requests`: strangers' requests, until the person accepts or declines them (rule 14.5).
@MainActor
struct RequestsCommand {
  let context: CommandContext
  private var accounts: [Account] { context.accounts.list }
  /// How many strangers without a chat are listed: the newest.
  private static let mostBrief = 100

  func run(_ argument: String, _ snapshot: borrowing Snapshot) throws -> Step {
    // Say what to do if there is no account.
    if accounts.isEmpty { _ = try context.accounts.named("", from: context.network) }
    switch argument {
    case "": return try list(snapshot)
    case "clear": return clear()
    default: throw usage("requests")
    }
  }

  private func list(_ snapshot: borrowing Snapshot) throws -> Step {
    var lists: [[Approach]] = []
    var lines: [StyledLine] = []
    for account in accounts {
      let approaches = try snapshot.approaches(to: account)
      lists.append(approaches)
      func list(_ some: [Approach]) -> [StyledLine] {
        some.map {
          (StyledLine("  " + words(for: $0, to: account))
            + StyledLine(context.glyphs.gap + LocalTime.stamp($0.at), .dim))
            .with(margin: 4)
        }
      }
      let isBrief = { (approach: Approach) in approach.kind == .message && !approach.hasChat }
      let brief = approaches.filter(isBrief)
      lines += list(approaches.filter { !isBrief($0) })
      if brief.isEmpty { continue }
      lines.append(
        StyledLine(
          say(
            "%1 more strangers wrote to %2. Because there are so many, hobnob keeps only their last messages:",
            SafeText(brief.count), SafeText(line: account.name)), .dim))
      lines += list(brief.suffix(Self.mostBrief))
      let others = brief.count - Self.mostBrief
      if others > 0 {
        lines.append(StyledLine("  " + say("and %1 more", SafeText(others)), .dim))
      }
    }
    guard !lines.isEmpty else { return .tell(say("No requests.")) }
    let isFull = lists.contains { list in
      [Approach.Kind.invitation, .contact].contains { kind in
        list.count { $0.kind == kind } >= Approach.most
      }
    }
    if isFull {
      lines.append(
        StyledLine(
          say(
            "hobnob keeps at most %1 requests of each kind, and this list is full; /requests clear empties it.",
            SafeText(Approach.most)),
          .dim))
    }
    let blocks = try zip(accounts, lists).contains { account, list in
      try !list.isEmpty && snapshot.knownAbilities(of: account).direct.blocks
    }
    lines.append(
      StyledLine(
        blocks
          ? say(
            "Type one of these to accept; /leave ROOM, /block ADDRESS or /requests clear declines.")
          : say(
            "Type one of these to accept; /leave ROOM, /ignore NAME or /requests clear declines."),
        .dim))
    return .answer(lines)
  }

  private func words(for approach: Approach, to account: Account) -> SafeText {
    // A bare name may also belong to this machine.
    let address = SafeText(line: account.withServer(approach.address))
    let sender = SafeText(line: approach.sender)
    switch approach.kind {
    case .invitation: return say("/join %1  %2 invites you", address, sender)
    case .contact where sender.isEmpty:
      return say("/contact accept %1  wants to be a contact", address)
    case .contact: return say("/contact accept %1  %2 wants to be a contact", address, sender)
    case .message:
      let text = (SafeText(body: approach.text).lines.first ?? SafeText())
        .truncated(to: approach.hasChat ? 60 : 400, widths: context.widths)
      return say("/msg %1  “%2”", address, text)
    }
  }

  private func clear() -> Step {
    Step { transaction in
      var (count, effects) = (0, [Effect]())
      for account in accounts {
        let found = try transaction.forgetApproaches(to: account)
        count += found
        if found > 0 {
          effects += try NetworkCommands(context: context).ask(
            .decline, "", of: account, transaction)
        }
      }
      let said =
        count == 0
        ? say("No requests.")
        : count == 1
          ? say("You declined one request.")
          : say("You declined %1 requests.", SafeText(count))
      return effects + [.tell(said)]
    }
  }

  /// Declines the invitation to a room. Returns nil if nobody has invited you.
  func decline(_ room: String, _ snapshot: borrowing Snapshot) throws -> Step? {
    for account in accounts {
      guard let address = account.address(ofRoom: room) else { continue }
      let approaches = try snapshot.approaches(to: account)
      guard approaches.contains(where: { $0.kind == .invitation && $0.address == address }) else {
        continue
      }
      return Step {
        _ = try $0.forgetApproaches(to: account, of: address, .invitation)
        return [.tell(say("You declined the invitation to %1.", SafeText(line: address)))]
      }
    }
    return nil
  }
}
