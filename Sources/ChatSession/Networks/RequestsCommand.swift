// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/requests`: what strangers sent, until I take it up or turn it down (rule 14.5).
@MainActor
struct RequestsCommand: SessionPart {
  let session: Session

  func run(_ argument: String) throws {
    session.accounts.refresh()
    // Says what to do where there is no account.
    if session.accounts.list.isEmpty { _ = try session.accounts.named("") }
    switch argument {
    case "": try list()
    case "clear": try clear()
    default: throw usage("requests")
    }
  }

  private func list() throws {
    let lists = try session.accounts.list.map { each in
      try store.read { try $0.approaches(to: each) }
    }
    let approaches = lists.flatMap { $0 }
    guard !approaches.isEmpty else { return tell(say("No requests.")) }
    let isFull = lists.contains { list in
      [Approach.Kind.invitation, .contact].contains { kind in
        list.count { $0.kind == kind } >= Approach.most
      }
    }
    var lines = approaches.map { approach in
      (StyledLine("  " + words(for: approach))
        + StyledLine("  " + LocalTime.stamp(approach.at), .dim))
        .with(margin: 4)
    }
    if isFull {
      lines.append(
        StyledLine(
          say(
            "hobnob keeps at most %1 requests of each kind; /requests clear makes room.",
            SafeText(Approach.most)),
          .dim))
    }
    lines.append(
      StyledLine(
        say(
          "Type one of these to accept; /leave ROOM, /block ADDRESS or /requests clear declines."
        ),
        .dim))
    transcript.answer(lines)
  }

  private func words(for approach: Approach) -> SafeText {
    let (address, sender) = (SafeText(line: approach.address), SafeText(line: approach.sender))
    switch approach.kind {
    case .invitation: return say("/join %1  %2 invites you", address, sender)
    case .contact: return say("/contact accept %1  wants to be a contact", address)
    case .message:
      let text = (SafeText(body: approach.text).lines.first ?? SafeText())
        .truncated(to: 60, widths: transcript.printer.options.widths)
      return say("/msg %1  “%2”", address, text)
    }
  }

  private func clear() throws {
    var count = 0
    for account in session.accounts.list {
      let found = try store.writeDurably { try $0.forgetApproaches(to: account) }
      count += found
      if found > 0 { try NetworkCommands(session: session).ask(.decline, "", of: account) }
    }
    tell(
      count == 0
        ? say("No requests.")
        : count == 1
          ? say("You declined one request.")
          : say("You declined %1 requests.", SafeText(count)))
  }

  /// Declines the invitation into a room.
  ///
  /// - Returns: false if there is no such invitation.
  func declines(_ room: String) throws -> Bool {
    let address = String(room.hasPrefix("#") ? room.dropFirst() : room[...]).lowercased()
    for account in session.accounts.list {
      if try store.writeDurably({ try $0.forgetApproaches(to: account, of: address, .invitation) })
        == 0
      {
        continue
      }
      tell(say("You declined the invitation to %1.", SafeText(line: address)))
      return true
    }
    return false
  }

  /// Reminds of what came while no shell was open.
  func remind() throws {
    let count = try store.read { snapshot in
      try session.accounts.list.reduce(0) { try $0 + snapshot.approaches(to: $1).count }
    }
    if count > 0 {
      tell(
        count == 1
          ? say("One request waits; /requests shows it.")
          : say("%1 requests wait; /requests lists them.", SafeText(count)))
    }
  }
}
