// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Why someone did not do what a stanza asked for (RFC 6120, 8.3).
struct StanzaError: Hashable, Sendable {
  /// As in the RFC: `item-not-found`.
  var condition: String
  /// What the other side says besides, as received; empty for nothing.
  var text: String
  /// Whether it may go better later.
  var isPassing: Bool
  /// The bytes of the largest file that a service takes (XEP-0363, 5).
  var longestFile: Int?

  /// What a stanza of the type `error` says; something general where it says nothing.
  init(_ stanza: Element) {
    let error = stanza.first("error")
    let said = error?.children.filter { $0.namespace == Feature.stanzaErrors } ?? []
    condition = said.first { $0.name != "text" }?.name ?? "undefined-condition"
    text = said.first { $0.name == "text" }.map { String($0.text.prefix(300)) } ?? ""
    isPassing = error?["type"] == "wait"
    longestFile = error?.first("file-too-large", Feature.upload)?
      .first("max-file-size", Feature.upload).flatMap { Int($0.text) }
  }

  init(_ condition: String, isPassing: Bool = false) {
    self.condition = condition
    self.isPassing = isPassing
    text = ""
  }

  /// Why a message to a place did not arrive.
  func sentence(for place: String, isRoom: Bool) -> String {
    let sentence: Sentence =
      switch (condition, isRoom) {
      case ("service-unavailable", false):
        ("%1 does not exist, or takes no messages from you.", [place])
      case ("not-acceptable", false): ("You have blocked %1. Unblock it first.", [place])
      case ("not-acceptable", true): ("You are not in %1 any more.", [place])
      case ("conflict", true): ("The nickname is taken in %1.", [place])
      case ("not-allowed", true), ("forbidden", true):
        ("%1 does not let you speak or do this.", [place])
      case ("not-allowed", false), ("forbidden", false):
        ("The server does not let you write to %1.", [place])
      case ("remote-server-not-found", _):
        ("The server of %1 cannot be found.", [place])
      case ("remote-server-timeout", _): ("The server of %1 does not answer.", [place])
      case ("item-not-found", _), ("gone", _): ("%1 does not exist.", [place])
      case ("registration-required", _), ("subscription-required", _):
        ("%1 is for its members only.", [place])
      case ("policy-violation", _), ("resource-constraint", _):
        ("The server of %1 refuses this: it is too long, or too much at once.", [place])
      case ("jid-malformed", _): ("%1 is not an address.", [place])
      case ("bad-request", _), ("feature-not-implemented", _):
        ("%1 does not support this.", [place])
      case ("not-authorized", _): ("%1 asks for a password.", [place])
      case ("too-large", _): ("The answer from %1 is too large for hobnob.", [place])
      default: ("%1 refuses it (%2).", [place, condition])
      }
    return withText(filled(sentence))
  }

  /// Why a room does not let one in (XEP-0045, 7.2).
  ///
  /// - Parameter hasPassword: whether it was told one.
  func sentence(enteringAs nick: String, _ room: String, hasPassword: Bool) -> String {
    let sentence: Sentence =
      switch condition {
      case "not-authorized" where hasPassword:
        ("%1 has another password: /join %1 --password WORD.", [room])
      case "not-authorized": ("%1 asks for a password: /join %1 --password WORD.", [room])
      case "forbidden": ("You are banned from %1.", [room])
      case "item-not-found": ("%1 does not exist, or is not open yet.", [room])
      case "not-allowed": ("The server does not let you make the room %1.", [room])
      case "not-acceptable": ("%1 does not take the nickname %2.", [room, nick])
      case "registration-required": ("%1 is for its members only.", [room])
      case "conflict": ("The nickname %2 is taken in %1.", [room, nick])
      case "service-unavailable" where isPassing, "resource-constraint": ("%1 is full.", [room])
      case "service-unavailable", "feature-not-implemented":
        ("There is no room of the address %1.", [room])
      case "remote-server-not-found": ("The server of %1 cannot be found.", [room])
      case "remote-server-timeout": ("The server of %1 does not answer.", [room])
      case "gone": ("%1 is closed.", [room])
      case "jid-malformed": ("%1 or %2 is not a name that the room understands.", [room, nick])
      default: ("%1 does not let you in (%2).", [room, condition])
      }
    return withText(filled(sentence))
  }

  /// With what the other side says besides.
  func withText(_ sentence: String) -> String {
    text.isEmpty ? sentence : sentence + " It says: " + text
  }
}
