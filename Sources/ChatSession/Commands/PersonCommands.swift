// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// `/nick`, `/away`, `/back`, `/typing`: you in all conversations (rule 10).
@MainActor
struct PersonCommands: SessionPart {
  let session: Session

  func nick(_ argument: String) throws {
    guard !argument.isEmpty else { throw usage("nick") }
    if let room = place.conversation, room.kind == .room,
      try NetworkCommands(session: session).ask(.join, in: room, text: argument)
    {
      return
    }
    session.becomes(try store.writeDurably { try $0.rename(me.id, to: argument) })
    tell(say("Others now see you as %1.", SafeText(name: me.name)))
    news.catchUp()
  }

  func goAway(_ argument: String) throws {
    let word = argument.trimmingBlanks
    guard word.count <= 200 else {
      throw Refusal(say("The text of /away may have up to %1 characters.", SafeText(200)))
    }
    try place.become(away: word)
    news.catchUp()
    emit(.notice(say("You are away; /back ends it")))
  }

  func comeBack(_ argument: String) throws {
    guard argument.isEmpty else { throw usage("back") }
    guard place.away != nil else { return tell(say("You are not away.")) }
    try place.become(away: nil)
    news.catchUp()
    emit(.notice(say("You are back")))
  }

  func typing(_ argument: String) throws {
    guard !argument.isEmpty else {
      return tell(
        settings.typing
          ? say("Others see when you type; /typing off stops that.")
          : say("Others do not see when you type; /typing on tells them."))
    }
    guard argument == "on" || argument == "off" else { throw usage("typing") }
    try session.preferences.change("typing", to: argument)
    session.applyPreferences()
  }
}
