// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences
import Storage

/// What a program says of its network, before it gets a secret.
package struct BridgeHello: Hashable, Sendable {
  /// The network's name, such as `Matrix`.
  package var network: String
  /// An address as people there write it.
  package var example: String
  /// Whether an account has a password, or the like.
  package var hasSecret: Bool
  /// How many entries may be without an answer.
  package var window: Int
  package var rules: AddressRules
  package var abilities: NetworkAbilities
  /// The requests that the program takes, besides those to enter and leave rooms.
  package var verbs: Set<NetworkRequest.Verb>

  /// A program of a later version is welcome: it then speaks the version that `start` names.
  ///
  /// - Throws: ``BridgeFault`` for rules of names that hobnob does not know.
  package init(_ line: BridgeLine) throws(BridgeFault) {
    network = line[.network].text ?? ""
    example = line[.example].text ?? ""
    hasSecret = line[.secret].flag ?? true
    window = min(max(Int(line[.window].integer ?? 20), 1), 100)
    rules = try Self.rules(line)
    let rooms = Abilities(program: line[.can])
    abilities = NetworkAbilities(
      rooms: rooms,
      direct: line[.canDirect] == .null ? rooms : Abilities(program: line[.canDirect]))
    verbs = Set(
      (line[.can][.requests].items + line[.canDirect][.requests].items)
        .compactMap { $0.text.flatMap(NetworkRequest.Verb.init(program:)) })
    for (name, verb) in [(JSONName.history, NetworkRequest.Verb.history), (.block, .block)]
    where line[.can][name].flag == true || line[.canDirect][name].flag == true {
      verbs.insert(verb)
    }
    if verbs.contains(.block) { verbs.insert(.unblock) }
    verbs.formUnion([.join, .leave])
  }

  private static func rules(_ line: BridgeLine) throws(BridgeFault) -> AddressRules {
    func known<Word: RawRepresentable<String>>(
      _ member: JSONName, or usual: Word
    ) throws(BridgeFault) -> Word {
      guard let written = line[member].text else { return usual }
      guard let word = Word(rawValue: written) else { throw .form(of: member, in: line) }
      return word
    }
    var rules = AddressRules(
      roomSigns: "", folding: try known(.fold, or: .none),
      identityScope: try known(.people, or: .network))
    rules.isOpaque = true
    return rules
  }
}

extension Abilities {
  /// What a program says that people can do; what it does not mention is impossible.
  init(program json: JSON) {
    self.init()
    editsWithin = json[.edit].limit(no: 0)
    deletes = json[.delete].flag ?? false
    reactionLimit = json[.react].text.flatMap(ReactionLimit.init) ?? .no
    replies = json[.reply].flag ?? false
    typing = json[.typing].flag ?? false
    delivered = json[.delivered].flag ?? false
    seen = json[.seen].flag ?? false
    largestFile = json[.file].limit(no: 0)
    longestMessage = json[.message].integer.map { Int(clamping: $0) }
    blocks = json[.block].flag ?? false
    let verbs = json[.requests].items.compactMap {
      $0.text.flatMap(NetworkRequest.Verb.init(program:))
    }
    serverCommands = verbs.contains { [.kick, .ban, .whois].contains($0) }
  }
}

extension NetworkRequest.Verb {
  /// The verb of this name; nil if it is not one for programs.
  init?(program word: String) {
    guard let verb = Self(rawValue: word),
      // These are for the network process itself, or not in the protocol.
      ![.reconnect, .readSettings, .fetch, .fetchUnasked, .encrypt, .verify, .device].contains(verb)
    else { return nil }
    self = verb
  }
}

extension JSON {
  /// Reads a limit; true means that there is none, which is nil here.
  fileprivate func limit(no: Int) -> Int? {
    flag == true ? nil : integer.map { Int(clamping: $0) } ?? no
  }
}
