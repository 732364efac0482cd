// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Why a server, a room or a person refused a stanza (RFC 6120, 8.3).
struct StanzaError: Hashable, Sendable {
  /// The condition, as the RFC names it, such as `item-not-found`.
  var condition: String
  /// The text that the other side added, as received; empty if there is none.
  var text: String
  /// Whether another try may work.
  var isTemporary: Bool
  /// Bytes of the largest file that a service accepts (XEP-0363, 5).
  var longestFile: Int?

  /// Reads a stanza of the type `error`; if it has no condition, that is `undefined-condition`.
  init(_ stanza: Element) {
    let (error, stated) = (stanza.first("error"), stanza.stanzaError)
    condition = stated.name.isEmpty ? "undefined-condition" : stated.name
    text = String(stated.text.prefix(300))
    isTemporary = error?["type"] == "wait"
    longestFile = error?.first("file-too-large", Feature.upload)?
      .first("max-file-size", Feature.upload).flatMap { Int($0.text) }
  }

  init(_ condition: String) { (self.condition, text, isTemporary) = (condition, "", false) }

  /// Why a message to an address did not arrive, or a request was refused.
  func sentence(for address: String, isRoom: Bool) -> Remark {
    let sentence: Sentence =
      switch (condition, isRoom) {
      case ("service-unavailable", false):
        ("%1 does not exist, or does not accept your messages.", [address])
      case ("not-acceptable", false): ("You have blocked %1. Unblock it first.", [address])
      case ("not-acceptable", true): ("You are not in %1 any more.", [address])
      case ("conflict", true): ("The nickname is taken in %1.", [address])
      case ("not-allowed", true), ("forbidden", true):
        ("%1 does not allow you to do this.", [address])
      case ("not-allowed", false), ("forbidden", false):
        ("The server does not let you write to %1.", [address])
      case ("remote-server-not-found", _):
        ("The server of %1 cannot be found.", [address])
      case ("remote-server-timeout", _): ("The server of %1 does not answer.", [address])
      case ("item-not-found", false):
        ("The server of %1 does not know this address.", [address])
      case ("item-not-found", true), ("gone", _): ("%1 does not exist.", [address])
      case ("registration-required", _), ("subscription-required", _):
        ("%1 is for its members only.", [address])
      case ("policy-violation", _), ("resource-constraint", _):
        ("The server of %1 refuses this: it is too long, or you sent too much at once.", [address])
      case ("jid-malformed", _): ("%1 is not an address.", [address])
      case ("bad-request", _), ("feature-not-implemented", _):
        ("%1 does not support this.", [address])
      case ("not-authorized", _): ("%1 asks for a password.", [address])
      case ("too-large", _): ("The answer from %1 is too large for hobnob.", [address])
      default: ("%1 refuses it (%2).", [address, condition])
      }
    return withText(filled(sentence))
  }

  /// Why a room does not let the owner in (XEP-0045, 7.2).
  ///
  /// - Parameter hasPassword: whether the client sent a password.
  func sentence(enteringAs nick: String, _ room: String, hasPassword: Bool) -> Remark {
    let sentence: Sentence =
      switch condition {
      case "not-authorized" where hasPassword:
        ("Wrong password for %1. To try another, type /join %1 --password WORD.", [room])
      case "not-authorized": ("%1 asks for a password: /join %1 --password WORD.", [room])
      case "forbidden": ("You are banned from %1.", [room])
      case "item-not-found": ("%1 does not exist, or is not open yet.", [room])
      case "not-allowed": ("The server does not let you create the room %1.", [room])
      case "not-acceptable": ("%1 does not accept the nickname %2.", [room, nick])
      case "registration-required": ("%1 is for its members only.", [room])
      case "conflict": ("The nickname %2 is taken in %1.", [room, nick])
      case "service-unavailable" where isTemporary, "resource-constraint": ("%1 is full.", [room])
      case "service-unavailable", "feature-not-implemented":
        ("There is no room with the address %1.", [room])
      case "remote-server-not-found": ("The server of %1 cannot be found.", [room])
      case "remote-server-timeout": ("The server of %1 does not answer.", [room])
      case "gone": ("%1 is closed.", [room])
      case "jid-malformed": ("%1 or %2 is not a valid name.", [room, nick])
      default: ("%1 does not let you in (%2).", [room, condition])
      }
    return withText(filled(sentence))
  }

  /// The sentence, followed by the text that the other side added.
  func withText(_ sentence: Remark) -> Remark {
    text.isEmpty ? sentence : sentence + filled((" It says: %1", [text]))
  }

  /// The element of an error that this client sends.
  static func errorElement(_ condition: String, text: String = "") -> Element {
    var error = Element(
      "error", ["type": "cancel"],
      children: [Element(condition, namespace: Namespace.stanzaErrors)])
    if !text.isEmpty {
      error.add(Element("text", namespace: Namespace.stanzaErrors, ["xml:lang": "en"], text: text))
    }
    return error
  }
}
