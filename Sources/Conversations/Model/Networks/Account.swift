// SPDX-License-Identifier: GPL-3.0-or-later

/// A participant's account on a network. Only its owner sees the conversations and people of its
/// `network`. A file of the owner says where it connects (`AccountFiles`).
public struct Account: Identifiable, Hashable, Sendable {
  public var id: Conversations.ID<Account>
  public var owner: Conversations.ID<Participant>
  /// The kind of network and the address there, as in `xmpp:anna@example.org`.
  public var network: String
  /// What its network process last reported about its connection.
  public var status: AccountStatus
  /// How its network names people and rooms.
  public var rules: AddressRules

  /// The rules are nil while its process has not provided any, as for an account that was never
  /// connected; then an address looks like the account's own.
  public init(
    id: Conversations.ID<Account>, owner: Conversations.ID<Participant>, network: String,
    status: AccountStatus = .notRunning, rules: AddressRules? = nil
  ) {
    self.id = id
    self.owner = owner
    self.network = network
    self.status = status
    self.rules = AddressRules(domain: "")
    self.rules = rules ?? AddressRules(domain: server)
  }

  /// The part before the colon, which names the executable: `xmpp`.
  public var kind: String { String(network.prefix { $0 != ":" }) }
  /// The part after the colon.
  public var address: String { String(network.drop { $0 != ":" }.dropFirst()) }
  /// How sentences and commands name the account: by its address, if that is one of XMPP or IRC.
  /// An address on the network of a program needs the kind before it.
  package var name: String { Self.kindsWithoutProgram.contains(kind) ? address : network }
  private static let kindsWithoutProgram: Set = ["xmpp", "irc"]
  /// The part of the address after the `@`; where any text can be an address, the kind.
  package var server: String {
    rules.isOpaque ? kind : String(address.drop { $0 != "@" }.dropFirst())
  }

  /// The address of the person that a word means. If addresses are bare names, `ben@SERVER` is
  /// `ben` on the account's server.
  ///
  /// - Returns: nil if nobody there can have the name.
  package func address(ofPerson word: String) -> String? {
    guard let rest = withoutKind(word) else { return rules.address(ofPerson: withoutServer(word)) }
    if rules.isOpaque { return rules.address(ofPerson: rest) }
    // With the kind of the network, as in a URI, a word is a whole address, such as a server's.
    if !rules.namesServer || rest.contains("@") { return address(ofPerson: rest) }
    return rules.isServer(rest) ? rules.fold(rest) : nil
  }

  /// The addresses that a word for a person can mean, if only the known people tell which (see
  /// `Access.address(ofPerson:on:)`): where addresses have domains, a word with a dot may be a
  /// server, or a name on the account's server.
  package func addresses(ofPerson word: String) -> [String] {
    guard let address = address(ofPerson: word) else { return [] }
    guard let domain = rules.domain, rules.isServer(word) else { return [address] }
    let server = rules.fold(word)
    if server == domain { return [server] }
    return word.contains(".") ? [server, address] : [address]
  }

  /// What follows the kind of the network in a word like `xmpp:ben@example.org`, with or without
  /// hobnob's sign before it; nil for any other word. Where addresses have domains, such a word may
  /// be a URI: `xmpp:%2B49151@gateway.example.org?message` (RFC 5122).
  ///
  /// The word may also name the account, as that RFC has it:
  /// `xmpp://anna@example.org/ben@example.net`.
  package func withoutKind(_ word: String) -> String? {
    let bare = word.first.map("@#".contains) == true ? word.dropFirst() : word[...]
    let prefix = kind + ":"
    guard bare.lowercased().hasPrefix(prefix) else { return nil }
    var rest = bare.dropFirst(prefix.count)
    if rest.hasPrefix("//") {
      let own = "//" + address + "/"
      guard rest.lowercased().hasPrefix(own.lowercased()) else { return nil }
      rest = rest.dropFirst(own.count)
    }
    guard rules.namesServer else { return String(rest) }
    let path = rest.prefix { $0 != "?" }
    let decoded = FileURL.decoded(Array(path.utf8)[...])
    return decoded.flatMap { String(validating: $0, as: UTF8.self) } ?? String(path)
  }

  /// The address of the room that a word means; nil if no room can have the name, or if the
  /// server's service for rooms is unknown.
  package func address(ofRoom word: String) -> String? {
    rules.address(ofRoom: withoutKind(word) ?? withoutServer(word))
  }

  /// Whether a word names the account's server after a bare name, the kind of its network before
  /// an address that can be any text, or the account itself.
  package func isNamed(in word: String) -> Bool {
    if rules.isOpaque || word.contains("://") { return withoutKind(word) != nil }
    return !rules.namesServer && word.lowercased().hasSuffix("@" + server)
  }

  /// A word without what ``isNamed(in:)`` finds in it.
  package func withoutServer(_ word: String) -> String {
    guard isNamed(in: word) else { return word }
    return withoutKind(word) ?? String(word.dropLast(server.count + 1))
  }

  /// A word that means this address and nobody else, such as `ben@irc.example.net` or
  /// `xmpp:gateway.example.org`.
  package func fullWord(for address: String) -> String {
    if address.hasPrefix("//") { return Self.word(for: address, on: network) }
    return !rules.namesServer || address.contains("@") ? withServer(address) : kind + ":" + address
  }

  /// A word that means this address on this account alone, even if another account of its owner
  /// reaches the same one: `xmpp://anna@example.org/ben@example.net`.
  package static func word(for address: String, on network: String) -> String {
    network.prefix { $0 != ":" } + "://" + network.drop { $0 != ":" }.dropFirst() + "/" + address
  }

  /// An address that tells accounts apart: with the server, as in `ben@irc.example.net`, or with the
  /// kind of a network where any text can be an address, as in `matrix:@ben:example.org`.
  package func withServer(_ address: String) -> String {
    if rules.isOpaque { return kind + ":" + address }
    return rules.namesServer ? address : address + "@" + server
  }
}
