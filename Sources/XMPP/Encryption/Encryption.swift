// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Sentences

/// Encryption from end to end (XEP-0384): which devices people have, and whether a line to them or
/// to a room can go out. The process writes what it learns into a file before it sends anything that
/// relies on that.
struct Encryption: Sendable {
  /// How a line to somebody goes out.
  enum Way: Hashable, Sendable {
    case plain
    case sealed
    /// It waits for the answers to questions.
    case asking
    /// It waits until the owner decides, for this reason.
    case stuck(Obstacle)
  }

  /// Why a line cannot be encrypted, although it has to be.
  enum Obstacle: Hashable, Sendable {
    /// The other person has no devices any more.
    case noDevices
    /// Nobody says which devices they have.
    case noAnswer
    /// The owner's own server does not say which devices the owner has.
    case noOwnAnswer
    /// None of their devices has usable keys.
    case noKeys
    /// The owner has not decided about their devices, or gives them nothing.
    case undecided, refused
    /// The library is missing.
    case noLibrary
    /// Nobody else in a room has devices.
    case nobody
    /// A room lets anybody in, does not show people's addresses, or does not say whether; or it has
    /// more members than hobnob encrypts for.
    case notMembersOnly, hidesAddresses, unknownRoom, tooManyMembers
  }

  /// Whom a line is for.
  enum Destination: Hashable, Sendable {
    case person(Address)
    case room(Address)

    var address: Address {
      switch self {
      case .person(let address), .room(let address): address
      }
    }

    var isRoom: Bool { if case .room = self { true } else { false } }
  }

  /// A device with the key that it had when the owner was asked about it.
  struct KnownKey: Hashable, Sendable {
    var device: KeyBook.Device
    var key: [UInt8]
  }

  /// Nil if it cannot be loaded: then nothing is encrypted, and no line goes out in the clear where
  /// lines were encrypted before.
  let library: OMEMOLibrary?
  var book: KeyBook
  var questions = KeyQuestions()
  var publisher = KeyPublisher()
  /// Sessions that have to be begun anew, and those whose beginning needs an answer.
  var (broken, answered): (Set<KeyBook.SessionName>, Set<KeyBook.SessionName>) = ([], [])
  /// Whom lines to rooms are for.
  var audiences: [Address: RoomAudience] = [:]
  /// The new members that this connection has announced.
  var toldMembers: [Address: Set<Address>] = [:]
  /// What shells ask about devices, until it can be answered.
  var inspections: [Inspection] = []
  /// The devices of people as they were listed last: a number in `/verify` means that list.
  var shown: [Address: [KeyBook.Device]] = [:]
  /// The devices about which the owner was asked or told.
  var announced: Set<KnownKey> = []
  /// Why lines wait, as the owner was told.
  private var stuck: [Destination: Obstacle] = [:]
  /// What the owner's shells know of chats.
  private var told: [Destination: Abilities] = [:]

  init(_ book: KeyBook, _ library: OMEMOLibrary?) { (self.book, self.library) = (book, library) }

  // MARK: The connection

  mutating func disconnect() {
    (questions, publisher, told, stuck) = (KeyQuestions(), KeyPublisher(), [:], [:])
    (broken, answered, inspections, toldMembers) = ([], [], [], [:])
    for room in audiences.keys { audiences[room]?.forget() }
  }

  /// Call this once the account's session has begun.
  mutating func begin(in context: inout ClientContext) {
    if library != nil {
      if book.meet(ownDevice(context), book.own.publicKey, at: context.clock.wall) {
        context.tell(
          .notice(
            translated(
              "hobnob encrypts for people whose programs can (OMEMO); see ENCRYPTION ON XMPP in man hobnob-networks."
            )))
      }
    }
    questions.ask(context.owner.account, in: &context)
  }

  // MARK: How a line goes out

  /// The sessions for a message: with all devices of those whom it is for, and the owner's other
  /// ones.
  func recipients(
    _ destination: Destination, in context: ClientContext
  ) -> (ready: [KeyBook.SessionName], missing: [KeyBook.SessionName]) {
    var (ready, missing) = ([KeyBook.SessionName](), [KeyBook.SessionName]())
    for account in people(destination).union([context.owner.account]) {
      for (device, version) in book.devicesInUse(of: account) where device != ownDevice(context) {
        let name = KeyBook.SessionName(device: device, version: version)
        if book.hasSession(name) {
          ready.append(name)
        } else if !questions.hasNoKeys(name) {
          missing.append(name)
        }
      }
    }
    return (ready, missing)
  }

  /// The device of the owner that encrypted a message, which may be one that this device replaced;
  /// without a key if that is not known any more. Nil if the message is not encrypted.
  func ownDevice(behind message: Element, in context: ClientContext) -> SealingDevice? {
    let elements = OMEMOVersion.allCases.reversed().compactMap {
      EncryptedElement(message, $0, for: .init(device: book.own.id))
    }
    return elements.first.map {
      let device = KeyBook.Device(account: context.owner.account, number: $0.sender)
      let key = book.identities[device]?.key ?? []
      return SealingDevice(number: Int64($0.sender), key: Array(key.dropFirst()))
    }
  }

  func ownDevice(_ context: ClientContext) -> KeyBook.Device {
    KeyBook.Device(account: context.owner.account, number: book.own.id)
  }

  /// How a line goes out. In rooms, nothing is encrypted until the owner or somebody else begins with
  /// it.
  func way(to destination: Destination, in context: ClientContext) -> Way {
    let chat = book.chats[destination.address] ?? KeyBook.Chat()
    if chat.isWanted == false { return .plain }
    let mustSeal = chat.wasEncrypted || chat.isWanted == true
    if destination.isRoom, !mustSeal { return .plain }
    if library == nil { return mustSeal ? .stuck(.noLibrary) : .plain }
    switch destination {
    case .room(let room):
      if let obstacle = audience(room).obstacle { return .stuck(obstacle) }
      guard let people = audience(room).people, people.allSatisfy(questions.isAnswered) else {
        return .asking
      }
    case .person(let account): if !questions.isKnown(account) { return .asking }
    }
    if !hasDevices(destination, context) {
      return mustSeal ? .stuck(destination.isRoom ? .nobody : .noDevices) : .plain
    }
    guard questions.isKnown(context.owner.account) else { return .asking }
    let (ready, missing) = recipients(destination, in: context)
    // One device that does not answer must not hold up the lines to the others.
    if !missing.allSatisfy(questions.isSilent) { return .asking }
    let people = people(destination)
    if ready.contains(where: { people.contains($0.device.account) }) { return .sealed }
    return .stuck(obstacle(amongDevicesOf: people))
  }

  /// Why nobody of these people can get anything, although they have devices.
  private func obstacle(amongDevicesOf people: Set<Address>) -> Obstacle {
    let trust = people.flatMap { devices(of: $0) }.map { book.identities[$0]?.trust }
    if people.count == 1, trust.contains(.undecided) { return .undecided }
    return people.count == 1 && trust.contains(.refused) ? .refused : .noKeys
  }

  /// The chats that shells show, and those that lines wait for.
  private(set) var watched: Set<Destination> = []
  private var (open, awaited): (Set<Destination>, Set<Destination>) = ([], [])

  mutating func watch(open destinations: Set<Destination>) {
    open = destinations
    watched = open.union(awaited)
  }

  mutating func watch(awaited destinations: Set<Destination>) {
    awaited = destinations
    watched = open.union(awaited)
  }

  func wasEncrypted(with account: Address) -> Bool {
    book.chats[account]?.wasEncrypted == true
  }

  /// Sets what the owner wants with a person or in a room.
  ///
  /// - Returns: what to answer.
  mutating func set(
    _ isWanted: Bool, with destination: Destination, in context: inout ClientContext
  ) -> Remark {
    let address = destination.address
    if isWanted, let obstacle = obstacle(to: destination, in: context) {
      return obstacle.sentence(address, isWaiting: false)
    }
    var chat = book.chats[address] ?? KeyBook.Chat()
    chat.isWanted = isWanted
    book.set(chat, with: address)
    stuck[destination] = nil
    context.needsPump = true
    let name = address.description
    return isWanted
      ? filled(("What you send to %1 is encrypted from now on.", [name]))
      : filled(("What you send to %1 is not encrypted from now on.", [name]))
  }

  /// Why encryption cannot begin; nil if it can, or if that is unknown.
  private func obstacle(to destination: Destination, in context: ClientContext) -> Obstacle? {
    if library == nil { return .noLibrary }
    switch destination {
    case .room(let room): return audience(room).obstacle
    case .person(let account):
      return questions.isKnown(account) && !hasDevices(destination, context) ? .noDevices : nil
    }
  }

  private func hasDevices(_ destination: Destination, _ context: ClientContext) -> Bool {
    people(destination).contains { account in
      let lists = book.lists[account] ?? [:]
      return lists.values.contains { list in
        list.contains { account != context.owner.account || $0 != book.own.id }
      }
    }
  }

  /// Tells the owner once why lines wait.
  mutating func noteWaiting(_ destination: Destination, in context: inout ClientContext) {
    let obstacle: Obstacle
    switch way(to: destination, in: context) {
    case .plain, .sealed:
      stuck[destination] = nil
      return
    case .asking where people(destination).contains(where: questions.isSilent): obstacle = .noAnswer
    case .asking where questions.isSilent(context.owner.account): obstacle = .noOwnAnswer
    case .asking: return
    case .stuck(let reason): obstacle = reason
    }
    guard stuck.updateValue(obstacle, forKey: destination) != obstacle else { return }
    context.tell(.notice(obstacle.sentence(destination.address, isWaiting: true)))
  }

  /// Asks for what the watched conversations need, and reports how lines go out there.
  ///
  /// - Parameter abilities: what people can do in any direct chat, and in any room.
  mutating func attend(to abilities: NetworkAbilities, in context: inout ClientContext) {
    for destination in watched {
      prepare(destination, in: &context)
      var here = destination.isRoom ? abilities.rooms : abilities.direct
      here.encryption =
        switch way(to: destination, in: context) {
        case .plain:
          destination.isRoom && !audience(destination.address).isPrivate ? .never : .off
        case .asking, .stuck: .asking
        case .sealed: isVerified(destination, in: context) ? .verified : .on
        }
      guard told.updateValue(here, forKey: destination) ?? abilities.rooms != here else { continue }
      let name = destination.address.description
      context.tell(.abilitiesHere(here, in: destination.isRoom ? .room(name) : .direct(name)))
    }
  }

  /// Whether the owner has verified all devices that get these lines.
  func isVerified(_ destination: Destination, in context: ClientContext) -> Bool {
    let devices = people(destination).flatMap { book.devicesInUse(of: $0).map(\.device) }
      .filter { $0 != ownDevice(context) }
    return !devices.isEmpty && devices.allSatisfy { book.identities[$0]?.trust == .verified }
  }

  /// What has to be kept before the effects of this step.
  mutating func takeUpdate() -> KeyUpdate? {
    let changes = book.takeChanges()
    return changes.isEmpty ? nil : KeyUpdate(changes: changes, book: book)
  }
}

extension Encryption.Obstacle {
  /// - Parameter isWaiting: whether a line waits for it.
  func sentence(_ account: Address, isWaiting: Bool) -> Remark {
    let name = account.description
    let reason: Sentence =
      switch self {
      case .noDevices:
        ("%1 has no program that can encrypt.", [name])
      case .noAnswer: ("The server of %1 does not say whether you can encrypt.", [name])
      case .noOwnAnswer: ("Your server does not say which devices you have.", [])
      case .noKeys: ("The keys of %1 cannot be used.", [name])
      case .refused: ("You send nothing to the devices of %1; see /verify %1.", [name])
      case .unknownRoom:
        (
          "%1 does not say who can enter it, so hobnob does not know for whom to encrypt.", [name]
        )
      case .tooManyMembers: ("%1 has too many members; hobnob cannot encrypt for so many.", [name])
      case .undecided: ("All devices of %1 wait for your decision; see /verify %1.", [name])
      case .noLibrary: ("hobnob cannot encrypt, since libomemo-c is not installed.", [])
      case .nobody: ("Nobody else in %1 has a program that can encrypt.", [name])
      case .notMembersOnly:
        (
          "Anybody can enter %1, so there is nobody to encrypt for: its owner has to open it to members only, in the room's settings.",
          [name]
        )
      case .hidesAddresses:
        (
          "%1 hides its members' addresses, so hobnob cannot find their keys: its owner has to show the addresses to everybody, in the room's settings.",
          [name]
        )
      }
    return isWaiting
      ? filled(reason)
        + filled(
          (" Your line waits; to send it without encryption, type /encrypt off there.", []))
      : filled(reason)
  }
}

/// What changed in the key book, with the book as it was then.
struct KeyUpdate: Hashable, Sendable {
  let changes: Set<KeyBook.Change>
  let book: KeyBook

  static func == (one: KeyUpdate, other: KeyUpdate) -> Bool { one.changes == other.changes }

  func hash(into hasher: inout Hasher) { hasher.combine(changes) }
}
