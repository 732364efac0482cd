// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import OMEMO

/// What this connection has asked about the devices of people and their keys, and how far each
/// question has got.
struct KeyQuestions: Sendable {
  /// How far a question has got.
  private enum Answer: Sendable {
    case asked
    case known
    /// Nobody answers. The question is asked again after a while.
    case silent(until: Milliseconds)
    /// The server says that it has none.
    case none
  }

  private var lists: [Address: [OMEMOVersion: Answer]] = [:]
  private var bundles: [KeyBook.SessionName: Answer] = [:]
  /// When lists were asked for, and those that are asked for once more.
  private var askedAt: [Address: Milliseconds] = [:]
  private var renewing: [Address: Set<OMEMOVersion>] = [:]
  /// Accounts whose lists were asked for once more, since a device wrote that is not in them.
  private var relisted: Set<Address> = []
  /// People whose servers did not answer in this connection: nobody waits for them a second time.
  private var everSilent: Set<Address> = []

  // MARK: Lists of devices

  /// Whether it is known which devices an account has.
  func isKnown(_ account: Address) -> Bool {
    OMEMOVersion.allCases.allSatisfy {
      if case .known? = lists[account]?[$0] { true } else { false }
    }
  }

  func isSilent(_ account: Address) -> Bool {
    lists[account]?.values.contains { if case .silent = $0 { true } else { false } } ?? false
  }

  /// Whether an answer may come at any moment.
  func isAsked(_ account: Address) -> Bool {
    lists[account]?.values.contains { if case .asked = $0 { true } else { false } } ?? false
  }

  /// Whether there is nothing to wait for before one writes to a member of a room: one whose server
  /// does not answer must not hold up the others.
  func isAnswered(_ account: Address) -> Bool {
    OMEMOVersion.allCases.allSatisfy {
      switch lists[account]?[$0] {
      case .known?, .silent?, .some(.none): true
      case .asked?, nil: everSilent.contains(account)
      }
    }
  }

  /// Asks for the lists of an account, as far as this connection has not asked yet.
  mutating func ask(_ account: Address, in context: inout ClientContext) {
    for version in OMEMOVersion.allCases where mayAsk(lists[account]?[version], context) {
      lists[account, default: [:]][version] = .asked
      ask(account, version, in: &context)
    }
  }

  private mutating func ask(
    _ account: Address, _ version: OMEMOVersion, in context: inout ClientContext
  ) {
    askedAt[account] = context.clock.time
    context.sendIQ("get", Self.query(version.listNode), to: account, .keyList(account, version))
  }

  /// Asks for lists once more that may have changed.
  mutating func renew(_ account: Address, in context: inout ClientContext) {
    guard isKnown(account), renewing[account] == nil,
      context.clock.time - (askedAt[account] ?? 0) >= Limits.listsStay
    else { return }
    renewing[account] = Set(OMEMOVersion.allCases)
    for version in OMEMOVersion.allCases { ask(account, version, in: &context) }
  }

  var areRenewing: Bool { !renewing.isEmpty }

  /// Whether a line waits for lists that are asked for once more.
  func isRenewing(_ account: Address) -> Bool {
    renewing[account] != nil && !everSilent.contains(account)
  }

  /// Lets a list be asked for once more in this connection, unless there are too many already.
  mutating func forgetList(of account: Address, _ version: OMEMOVersion) {
    guard relisted.count < Limits.sessions, relisted.insert(account).inserted else { return }
    lists[account]?[version] = nil
  }

  /// Notes that the question for a list has ended.
  mutating func end(_ account: Address, _ version: OMEMOVersion, isAnswered: Bool) {
    if isAnswered { everSilent.remove(account) } else { everSilent.insert(account) }
    renewing[account]?.remove(version)
    if renewing[account]?.isEmpty == true { renewing[account] = nil }
  }

  mutating func noteKnown(_ account: Address, _ version: OMEMOVersion) {
    lists[account, default: [:]][version] = .known
  }

  mutating func noteSilence(
    about account: Address, _ version: OMEMOVersion, in context: inout ClientContext
  ) {
    lists[account, default: [:]][version] = silent(in: &context)
  }

  // MARK: Keys of devices

  func isAsked(_ name: KeyBook.SessionName) -> Bool {
    if case .asked? = bundles[name] { true } else { false }
  }

  func isSilent(_ name: KeyBook.SessionName) -> Bool {
    if case .silent? = bundles[name] { true } else { false }
  }

  /// Whether a device has no usable keys, so that nobody can write to it.
  func hasNoKeys(_ name: KeyBook.SessionName) -> Bool {
    if case .some(.none) = bundles[name] { true } else { false }
  }

  /// Asks for the keys of a device, unless this connection has asked.
  mutating func ask(_ name: KeyBook.SessionName, in context: inout ClientContext) {
    guard mayAsk(bundles[name], context) else { return }
    bundles[name] = .asked
    let (node, item) = name.version.bundlePlace(of: name.device.number)
    context.sendIQ(
      "get", Self.query(node, item: name.version == .two ? item : nil), to: name.device.account,
      .keyBundle(name))
  }

  mutating func noteKnown(_ name: KeyBook.SessionName) { bundles[name] = .known }

  mutating func noteNoKeys(_ name: KeyBook.SessionName) { bundles[name] = Answer.none }

  mutating func noteSilence(about name: KeyBook.SessionName, in context: inout ClientContext) {
    bundles[name] = silent(in: &context)
  }

  /// Lets the keys of a device be asked for once more in this connection.
  mutating func forget(_ name: KeyBook.SessionName) { bundles[name] = nil }

  /// The same for the devices of an account that had no usable keys: a program may publish its list
  /// before its keys.
  mutating func forgetMissingKeys(of account: Address) {
    for name in bundles.keys where name.device.account == account && hasNoKeys(name) {
      bundles[name] = nil
    }
  }

  // MARK: Asking

  private func mayAsk(_ answer: Answer?, _ context: ClientContext) -> Bool {
    switch answer {
    case nil: true
    case .silent(let time): context.clock.time >= time
    case .asked, .known, .some(.none): false
    }
  }

  private func silent(in context: inout ClientContext) -> Answer {
    context.clock.set(.keys, in: Limits.keyPause)
    return .silent(until: context.clock.time + Limits.keyPause)
  }

  private static func query(_ node: String, item: String? = nil) -> Element {
    let items = item.map { [Element("item", namespace: Feature.publishing, ["id": $0])] } ?? []
    return Element(
      "pubsub", namespace: Feature.publishing,
      children: [
        Element("items", namespace: Feature.publishing, ["node": node], children: items)
      ])
  }
}
