// SPDX-License-Identifier: GPL-3.0-or-later

/// A participant's account on a network. Only its owner sees the conversations and people of its
/// `network`. A file of the owner's own says where it connects (`AccountFiles`).
public struct Account: Identifiable, Hashable, Sendable {
  public var id: Conversations.ID<Account>
  public var owner: Conversations.ID<Participant>
  /// The kind of network and the address there, as in `xmpp:anna@example.org`.
  public var network: String
  /// What its network process reports, for the status line; empty if no process serves it.
  public var status: String

  public init(
    id: Conversations.ID<Account>, owner: Conversations.ID<Participant>, network: String,
    status: String = ""
  ) {
    self.id = id
    self.owner = owner
    self.network = network
    self.status = status
  }

  /// The part before the colon, which names the executable: `xmpp`.
  public var kind: String { String(network.prefix { $0 != ":" }) }
  /// The part behind the colon.
  public var address: String { String(network.drop { $0 != ":" }.dropFirst()) }
  /// The part of the address behind the `@`.
  package var domain: String { String(address.drop { $0 != "@" }.dropFirst()) }

  /// A name for someone who gave none: the part of the address before the `@` if the rest is the
  /// account's own domain, else the whole address.
  package func shortName(of address: String) -> String {
    let parts = address.split(separator: "@", maxSplits: 1)
    return parts.count == 2 && parts[1] == domain ? String(parts[0]) : address
  }

  /// The address of someone of the same domain.
  package func address(of name: String) -> String { name.lowercased() + "@" + domain }
}
