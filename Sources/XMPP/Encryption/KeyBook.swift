// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import OMEMO

/// The keys of this device and what it knows of others: all that encryption must not forget. It
/// collects its changes, which ``KeyFile`` stores: before a sealed message goes out, and after the
/// text of a received one is stored.
struct KeyBook: Sendable, Equatable {
  /// A device of somebody.
  struct Device: Hashable, Sendable {
    var account: Address
    /// From 1 to 2³¹ − 1; unique within the account.
    var number: UInt32
  }

  struct SessionName: Hashable, Sendable {
    var device: Device
    var version: OMEMOVersion
  }

  /// What the owner thinks of a device's identity key.
  enum Trust: Int, Sendable {
    /// Used without having been compared, since nobody of that person is verified.
    case blind = 1
    case verified = 2
    /// New after another device of that person was verified: it gets nothing until the owner decides.
    case undecided = 3
    case refused = 4
  }

  struct Identity: Hashable, Sendable {
    /// In the legacy form.
    var key: [UInt8]
    var trust: Trust
    var firstSeen: Milliseconds
    var lastSeen: Milliseconds
  }

  enum Change: Hashable, Sendable {
    case preKey(UInt32, [UInt8]?)
    case signedPreKey(UInt32, [UInt8]?)
    case own
    case session(SessionName)
    case identity(Device)
    case list(Address, OMEMOVersion)
    case chat(Address)
    case name(UInt32)
    case told(Address)
    case usedPreKey(UInt32)
    case healed(Device)
    case members(room: Address)
  }

  /// What the owner wants in a conversation, and whether it was encrypted before.
  struct Chat: Hashable, Sendable {
    /// Nil as long as the owner has not said.
    var isWanted: Bool?
    var wasEncrypted = false
  }

  private(set) var own: OwnDevice
  private(set) var sessions: [SessionName: Session]
  private(set) var identities: [Device: Identity]
  /// The devices that people publish, for each version.
  private(set) var lists: [Address: [OMEMOVersion: Set<UInt32>]]
  /// For each direct chat and each room.
  private(set) var chats: [Address: Chat]
  /// What the owner calls their own devices.
  private(set) var names: [UInt32: String]
  /// The conversations whose owner was told that reactions and deletions are not encrypted there.
  private(set) var told: Set<Address>
  /// The pre keys that messages have used up since the keys were published last.
  private(set) var usedPreKeys: Set<UInt32>
  /// When a broken session with a device was mended last.
  private(set) var healed: [Device: Milliseconds]
  /// The members of each encrypted room of whom the owner knows.
  private(set) var members: [Address: Set<Address>]
  /// The devices that wait for the owner's decision.
  private(set) var undecided: Set<Device>
  private var changes: Set<Change> = []

  /// A new device, all of which has to be stored.
  init(own: OwnDevice) {
    self.init(
      own: own, sessions: [:], identities: [:], lists: [:], chats: [:], names: [:], told: [],
      usedPreKeys: [], healed: [:], members: [:])
    noteNew()
  }

  /// Notes that this device is new.
  mutating func noteNew() {
    changes.insert(.own)
    changes.formUnion(own.preKeys.map { .preKey($0.key, $0.value) })
    changes.formUnion(own.signedPreKeys.map { .signedPreKey($0.key, $0.value) })
  }

  /// What is stored.
  init(
    own: OwnDevice, sessions: [SessionName: Session], identities: [Device: Identity],
    lists: [Address: [OMEMOVersion: Set<UInt32>]], chats: [Address: Chat], names: [UInt32: String],
    told: Set<Address>, usedPreKeys: Set<UInt32>, healed: [Device: Milliseconds],
    members: [Address: Set<Address>]
  ) {
    (self.own, self.sessions, self.identities) = (own, sessions, identities)
    (self.lists, self.chats, self.names, self.told) = (lists, chats, names, told)
    (self.usedPreKeys, self.healed, self.members) = (usedPreKeys, healed, members)
    undecided = Set(identities.filter { $0.value.trust == .undecided }.keys)
  }

  /// The changes since the last call.
  mutating func takeChanges() -> Set<Change> {
    defer { changes = [] }
    return changes
  }

  // MARK: Changes

  /// Replaces the keys of this device: some of them are used up or renewed.
  mutating func set(_ device: OwnDevice) {
    for (id, _) in own.preKeys where device.preKeys[id] == nil { note(.preKey(id, nil)) }
    for (id, key) in device.preKeys where own.preKeys[id] != key { note(.preKey(id, key)) }
    for (id, _) in own.signedPreKeys where device.signedPreKeys[id] == nil {
      note(.signedPreKey(id, nil))
    }
    for (id, key) in device.signedPreKeys where own.signedPreKeys[id] != key {
      note(.signedPreKey(id, key))
    }
    if own.nextPreKey != device.nextPreKey || own.signedPreKey != device.signedPreKey { note(.own) }
    own = device
    usedPreKeys.formIntersection(device.preKeys.keys)
  }

  /// Notes that a message has used up a pre key. It stays until the keys are published again: other
  /// messages that are on their way may use it, too.
  mutating func noteUsed(preKey id: UInt32) {
    if usedPreKeys.insert(id).inserted { note(.usedPreKey(id)) }
  }

  /// Whether a session with a device was mended within the last day: two programs must not do so for
  /// ever. A time that is yet to come is from a clock that was wrong.
  func isHealed(_ device: Device, at now: Milliseconds) -> Bool {
    healed[device].map { (0..<86_400_000).contains(now - $0) } ?? false
  }

  mutating func noteHealed(_ device: Device, at now: Milliseconds) {
    healed[device] = now
    note(.healed(device))
  }

  mutating func set(members: Set<Address>, of room: Address) {
    if self.members[room] == members { return }
    self.members[room] = members
    note(.members(room: room))
  }

  mutating func set(_ session: Session?, _ name: SessionName) {
    if sessions[name] == session { return }
    sessions[name] = session
    note(.session(name))
  }

  /// Notes that a device has proved this identity key, or published it.
  ///
  /// - Returns: whether the device is new, or has another key than before.
  @discardableResult
  mutating func meet(_ device: Device, _ key: [UInt8], at now: Milliseconds) -> Bool {
    if var known = identities[device], known.key == key {
      // Once a day is enough for what people read of it.
      guard now - known.lastSeen >= 86_400_000 else { return false }
      known.lastSeen = now
      set(known, device)
      return false
    }
    let former = identities[device]
    let trust: Trust =
      former?.trust == .refused
      ? .refused
      : isVerified(device.account) || former.map { $0.trust != .blind } == true
        ? .undecided : .blind
    set(Identity(key: key, trust: trust, firstSeen: now, lastSeen: now), device)
    // End the sessions under the former key: its owner must not get what is for the new one.
    for version in OMEMOVersion.allCases {
      let name = SessionName(device: device, version: version)
      if let session = sessions[name], session.identity != key { set(nil, name) }
    }
    return true
  }

  /// - Parameter now: for a device whose key is unknown, which can be refused all the same.
  mutating func trust(_ device: Device, _ trust: Trust, at now: Milliseconds = 0) {
    guard var known = identities[device] else {
      if trust == .refused {
        set(Identity(key: [], trust: trust, firstSeen: now, lastSeen: now), device)
      }
      return
    }
    known.trust = trust
    set(known, device)
  }

  /// - Returns: whether the owner had not been told.
  mutating func noteTold(of address: Address) -> Bool {
    guard told.insert(address).inserted else { return false }
    note(.told(address))
    return true
  }

  /// - Parameter name: empty for none.
  mutating func name(_ device: UInt32, _ name: String) {
    names[device] = name.isEmpty ? nil : name
    note(.name(device))
  }

  private mutating func set(_ identity: Identity, _ device: Device) {
    if identities[device] == identity { return }
    identities[device] = identity
    undecided.remove(device)
    if identity.trust == .undecided { undecided.insert(device) }
    note(.identity(device))
  }

  mutating func set(_ devices: Set<UInt32>, of account: Address, _ version: OMEMOVersion) {
    if lists[account]?[version] == devices { return }
    lists[account, default: [:]][version] = devices
    note(.list(account, version))
  }

  mutating func set(_ chat: Chat, with account: Address) {
    if chats[account, default: Chat()] == chat { return }
    chats[account] = chat
    note(.chat(account))
  }

  /// Notes that an encrypted text came from somebody, or went to them.
  mutating func noteEncrypted(with account: Address) {
    var chat = chats[account] ?? Chat()
    chat.wasEncrypted = true
    set(chat, with: account)
  }

  private mutating func note(_ change: Change) {
    // Of a key that came and went, only the end counts.
    switch change {
    case .preKey(let id, _): changes = changes.filter { !$0.isPreKey(id) }
    case .signedPreKey(let id, _): changes = changes.filter { !$0.isSignedPreKey(id) }
    default: break
    }
    changes.insert(change)
  }

  // MARK: Questions

  /// Whether the owner has verified a device of somebody: then new ones of theirs have to wait.
  func isVerified(_ account: Address) -> Bool {
    identities.contains { $0.key.account == account && $0.value.trust == .verified }
  }

  /// Whether there is a session with a device under the key that it is known by.
  func hasSession(_ name: SessionName) -> Bool {
    sessions[name].map { $0.identity == identities[name.device]?.key } ?? false
  }

  /// The devices of an account that get messages, each with the version in which to write to it.
  func devicesInUse(of account: Address) -> [(device: Device, version: OMEMOVersion)] {
    versions(of: account).compactMap { number, version in
      let device = Device(account: account, number: number)
      switch identities[device]?.trust {
      case .undecided, .refused: return nil
      case nil, .blind, .verified: return (device, version)
      }
    }
  }

  /// The version in which to write to each device of an account: the newest that it lists.
  func versions(of account: Address) -> [UInt32: OMEMOVersion] {
    var versions: [UInt32: OMEMOVersion] = [:]
    for number in lists[account]?[.legacy] ?? [] { versions[number] = .legacy }
    for number in lists[account]?[.two] ?? [] { versions[number] = .two }
    return versions
  }
}

extension KeyBook.Change {
  fileprivate func isPreKey(_ id: UInt32) -> Bool {
    if case .preKey(id, _) = self { true } else { false }
  }

  fileprivate func isSignedPreKey(_ id: UInt32) -> Bool {
    if case .signedPreKey(id, _) = self { true } else { false }
  }
}
