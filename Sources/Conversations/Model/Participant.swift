// SPDX-License-Identifier: GPL-3.0-or-later

/// Someone who takes part in conversations: a person at a shell, a script, or a person on a
/// network.
public struct Participant: Identifiable, Hashable, Sendable {
  public var id: Conversations.ID<Participant>
  /// The login name, the name given with `--as`, or the address on a network. Never changes
  /// (rule 11.1), unless a network says so of someone known by a nickname alone.
  public var identity: String
  /// The name that is shown; `/nick` changes it.
  public var name: String
  /// The participant's network; nil for someone on this machine.
  public var network: String?
  /// Whether it is someone in a network's room, who may be somebody else in another room; the
  /// identity then begins with the room's address.
  public var isOccupant: Bool
  /// An address that tells apart people with the same name; on a network whose addresses are bare
  /// names, it includes the server.
  package var address: String {
    guard let network, !identity.contains("@") else { return identity }
    guard network.contains("@") else { return network.prefix { $0 != ":" } + ":" + identity }
    return identity + "@" + network.drop { $0 != "@" }.dropFirst()
  }
  /// An account owner's names in rooms on networks, where known.
  package var nicknames: [Conversations.ID<Conversation>: String] = [:]

  public init(
    id: Conversations.ID<Participant>, identity: String, name: String, network: String? = nil,
    isOccupant: Bool = false
  ) {
    self.id = id
    self.identity = identity
    self.name = name
    self.network = network
    self.isOccupant = isOccupant
  }
}

extension Participant {
  /// An id that no participant has.
  package static let nobody = Conversations.ID<Participant>(rawValue: 0)
}
