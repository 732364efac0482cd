// SPDX-License-Identifier: GPL-3.0-or-later

/// The owner of the account, as the server and others see them.
struct Owner: Sendable {
  /// The account's address, without a resource.
  let account: Address
  /// The full address while there is a connection.
  var jid: Address?
  /// The nickname for rooms that have none of their own.
  private(set) var nick = ""
  /// The owner's name for those who have only the address.
  var name: String { account.local.isEmpty ? account.domain : account.local }
  /// The owner's away message; nil if they are not away.
  var away: String?

  init(_ address: Address, nick: String?, away: String?) {
    account = address.bare
    self.away = away
    setNick(nick)
  }

  /// - Parameter wanted: nil or empty for the local part of the address.
  mutating func setNick(_ wanted: String?) {
    let given = wanted.flatMap { $0.isEmpty ? nil : $0 }
    nick = given ?? name
  }

  /// Whether a stanza comes from the owner's account at their own server (RFC 6120, 8.1.2.1).
  ///
  /// - Parameter from: its `from`; nil if it has none.
  func isAccount(_ from: Address?) -> Bool { from == nil || from == account }

  /// Whether an answer that the account should give may come from this address: servers answer with
  /// any of the account's addresses, and with their own.
  func mayAnswerForAccount(_ from: Address?) -> Bool {
    isAccount(from) || from == jid || from?.description == account.domain
  }

  /// The owner's presence.
  ///
  /// - Parameter to: an address in a room; nil for the server, which tells the contacts.
  func presence(to: Address? = nil) -> Element {
    var presence = Element("presence")
    presence["to"] = to?.description
    if let away {
      presence.add(Element("show", text: "away"))
      if !away.isEmpty { presence.add(Element("status", text: away)) }
    }
    presence.add(OwnFeatures.element)
    return presence
  }
}

extension Element {
  /// In a presence, the sender's away message; nil if they are not away (RFC 6121, 4.7.2).
  var awayText: String? {
    guard ["away", "xa", "dnd"].contains(first("show")?.text) else { return nil }
    return String((first("status")?.text ?? "").prefix(Limits.identifier))
  }
}
