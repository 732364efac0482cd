// SPDX-License-Identifier: GPL-3.0-or-later

/// How the words that people type become addresses on an account's network, and which addresses are
/// equal. The account's process provides these rules, and the store keeps them with the account.
///
/// ```swift
/// let mail = AddressRules(domain: "example.org", roomDomain: "rooms.example.org")
/// mail.address(ofRoom: "Tea")  // tea@rooms.example.org
/// let irc = AddressRules(roomSigns: "#&", folding: .rfc1459, identityScope: .network)
/// irc.address(ofRoom: "##Tea")  // ##tea
/// ```
public struct AddressRules: Hashable, Sendable {
  /// Which letters are equal in an address.
  public enum CaseMapping: String, Hashable, Sendable {
    case none
    /// A to Z equal a to z.
    case ascii
    /// As `ascii`, and `[]\~` equal `{}|^` (RFC 1459, 2.2).
    case rfc1459
    /// As `rfc1459`, but without `~` and `^`.
    case strict = "rfc1459-strict"
    /// Upper and lower case are equal in all scripts.
    case unicode
  }

  /// Where an identity is valid.
  public enum IdentityScope: String, Hashable, Sendable {
    /// A room names its people itself; the same name in another room may be somebody else.
    case room
    /// A person is the same in all rooms and in their direct chat.
    case network = "everywhere"
  }

  /// The domain after the `@` of the account's own addresses; nil if a bare name is an address.
  public var domain: String?
  /// The domain of the server's own rooms; nil if unknown, or if `domain` is.
  public var roomDomain: String?
  /// The characters with which a room's address begins; empty if rooms have addresses like people.
  public var roomSigns: String
  public var folding: CaseMapping
  public var identityScope: IdentityScope
  /// Whether any text can be an address, of a person or a room, such as `@ben:example.org`.
  public var isOpaque = false

  /// The rules of a network with addresses such as `ben@example.org`.
  public init(domain: String, roomDomain: String? = nil) {
    (self.domain, self.roomDomain) = (domain, roomDomain)
    (roomSigns, folding, identityScope) = ("", .unicode, .room)
  }

  /// The rules of a network whose addresses are bare names.
  public init(roomSigns: String, folding: CaseMapping, identityScope: IdentityScope) {
    (self.roomSigns, self.folding, self.identityScope) = (roomSigns, folding, identityScope)
  }

  /// Whether an address says on which server it is, as `ben@example.org` does. Otherwise a bare
  /// name is an address, and may mean somebody else on another network.
  public var namesServer: Bool { domain != nil }
  /// Whether the address of a room begins with a sign, which no person's address does.
  public var needsSign: Bool { !roomSigns.isEmpty }

  // MARK: Addresses

  /// An address in the form in which equal addresses are equal strings.
  public func fold(_ address: String) -> String {
    switch folding {
    case .none: address
    case .unicode: address.lowercased()
    case .ascii: Self.fold(address, symbols: "")
    case .strict: Self.fold(address, symbols: "[]\\")
    case .rfc1459: Self.fold(address, symbols: "[]\\^")
    }
  }

  /// Folds letters, and each of these symbols to the one 32 places after it.
  private static func fold(_ address: String, symbols: String) -> String {
    String(
      decoding: address.utf8.map { byte in
        (0x41...0x5A).contains(byte) || symbols.utf8.contains(byte) ? byte + 0x20 : byte
      }, as: UTF8.self)
  }

  /// Whether a word begins with a sign that only rooms have.
  public func hasRoomSign(_ word: String) -> Bool { word.first.map(roomSigns.contains) ?? false }

  /// Whether a word is the whole address of a room, not a mere name.
  public func isRoomAddress(_ word: String) -> Bool {
    if isOpaque { return false }
    return namesServer ? word.contains("@") : hasRoomSign(word)
  }

  /// The address of the person that a word means: an address, or a name on the account's server.
  ///
  /// - Returns: nil if nobody can have the name.
  public func address(ofPerson word: String) -> String? {
    if isOpaque { return opaque(word) }
    // Where addresses are bare names, these letters are for rooms and masks.
    if !namesServer, hasRoomSign(word) || word.contains(where: { "!*?".contains($0) }) {
      return nil
    }
    return address(of: word, at: domain)
  }

  /// The address of the room that a word means: an address, or a name on the server's own service.
  ///
  /// - Returns: nil if no room can have the name, or the service is unknown.
  public func address(ofRoom word: String) -> String? {
    if isOpaque { return opaque(word) }
    if namesServer {
      return address(of: word.hasPrefix("#") ? String(word.dropFirst()) : word, at: roomDomain)
    }
    return address(of: hasRoomSign(word) ? word : roomSigns.prefix(1) + word, at: nil)
  }

  private func opaque(_ word: String) -> String? {
    word.isEmpty || word.contains(where: \.isNewline) ? nil : fold(word)
  }

  /// Whether a word can be the address of a server: labels with dots between them.
  func isServer(_ word: String) -> Bool {
    word.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
      label.first != "-" && label.last != "-" && !label.isEmpty
        && label.allSatisfy { $0.isLetter || $0.isNumber || $0 == "-" }
    }
  }

  private func address(of word: String, at domain: String?) -> String? {
    guard !word.isEmpty, word.allSatisfy({ !$0.isWhitespace && $0 != "," }) else { return nil }
    if !namesServer { return fold(word) }
    let parts = word.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains("/") }) else {
      return nil
    }
    if parts.count == 2 { return fold(word) }
    return domain.map { fold(word) + "@" + $0 }
  }

  // MARK: Names

  /// A name for a person who gave none: the part before the `@` if the rest is the account's own
  /// domain, else the whole address.
  package func shortName(of address: String) -> String {
    guard let domain, address.hasSuffix("@" + domain) else { return address }
    let name = address.dropLast(domain.count + 1)
    return name.isEmpty || name.contains("@") ? address : String(name)
  }

  /// A room's name as it is shown, with a sign.
  package func shown(room name: String) -> String {
    hasRoomSign(name) ? name : "#" + name
  }

  /// What an address of a person looks like.
  public var personExample: String { domain.map { "ben@" + $0 } ?? "ben" }
  /// What an address of a room looks like.
  public var roomExample: String {
    namesServer ? "tea@\(roomDomain ?? "rooms.example.org")" : roomSigns.prefix(1) + "tea"
  }
}

extension AddressRules {
  package var json: JSON {
    .object([
      "domain": domain.map(JSON.text) ?? .null, "rooms": roomDomain.map(JSON.text) ?? .null,
      "signs": .text(roomSigns), "fold": .text(folding.rawValue),
      "people": .text(identityScope.rawValue), "opaque": isOpaque ? .flag(true) : .null,
    ])
  }

  /// Nil for rules that only a later version knows.
  package init?(_ json: JSON) {
    guard let folding = json["fold"].text.flatMap(CaseMapping.init),
      let scope = json["people"].text.flatMap(IdentityScope.init)
    else { return nil }
    self.init(roomSigns: json["signs"].text ?? "", folding: folding, identityScope: scope)
    (domain, roomDomain) = (json["domain"].text, json["rooms"].text)
    isOpaque = json["opaque"].flag ?? false
  }
}
