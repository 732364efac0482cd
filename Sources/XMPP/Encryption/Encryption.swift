// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Sentences

/// Encryption from end to end in direct chats (XEP-0384): which devices people have, and whether a
/// line can go out. The process writes what it learns into a file before it sends anything that
/// relies on that.
struct Encryption: Sendable {
  /// How far a question of this connection has got.
  enum Answer: Sendable {
    case asked
    case known
    /// Nobody answers. The question is asked again after a while.
    case silent(until: Milliseconds)
    /// The server says that it has none.
    case none
  }

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
    /// The library is missing.
    case noLibrary
  }

  /// Nil if it cannot be loaded: then nothing is encrypted, and no line goes out in the clear where
  /// lines were encrypted before.
  let library: OMEMOLibrary?
  var book: KeyBook
  var lists: [Address: [OMEMOVersion: Answer]] = [:]
  var bundles: [KeyBook.SessionName: Answer] = [:]
  /// Accounts whose lists were asked for once more, since a device wrote that is not in them.
  var relisted: Set<Address> = []
  /// The pre keys that messages have used up since the keys were published last.
  var usedPreKeys: Set<UInt32> = []
  /// Sessions that have to be begun anew, and those whose beginning needs an answer.
  var (broken, answered): (Set<KeyBook.SessionName>, Set<KeyBook.SessionName>) = ([], [])
  /// When this connection published the keys of this device; nil if it has not.
  var publishedAt: Milliseconds?
  var isPublished: Bool { publishedAt != nil }
  /// The lists of the account's devices that are known, so that adding to them loses none.
  var mayPublishList: Set<OMEMOVersion> = []
  /// How often this connection has published a list: two programs must not fight for ever.
  var listsPublished: [OMEMOVersion: Int] = [:]
  /// Nodes that had to be opened to everybody first.
  var configured: Set<String> = []
  /// When a broken session with a device was healed last.
  var healed: [KeyBook.Device: Milliseconds] = [:]
  /// Why lines wait, as the owner was told.
  private var stuck: [Address: Obstacle] = [:]
  /// What the owner's shells know of chats.
  private var told: [Address: Abilities] = [:]

  init(_ book: KeyBook, _ library: OMEMOLibrary?) { (self.book, self.library) = (book, library) }

  // MARK: The connection

  mutating func disconnect() {
    (lists, bundles, told, stuck) = ([:], [:], [:], [:])
    (publishedAt, configured, mayPublishList, listsPublished) = (nil, [], [], [:])
    (broken, answered, relisted) = ([], [], [])
  }

  /// Call this once the account's session has begun.
  mutating func begin(in context: inout ClientContext) {
    ask(context.owner.account, in: &context)
  }

  // MARK: How a line goes out

  func isKnown(_ account: Address) -> Bool {
    OMEMOVersion.allCases.allSatisfy {
      if case .known? = lists[account]?[$0] { true } else { false }
    }
  }

  /// The sessions for a message to somebody: with their devices, and the owner's other ones.
  func recipients(
    _ account: Address, in context: ClientContext
  ) -> (ready: [KeyBook.SessionName], missing: [KeyBook.SessionName]) {
    var (ready, missing) = ([KeyBook.SessionName](), [KeyBook.SessionName]())
    for account in Set([account, context.owner.account]) {
      for (number, version) in book.versions(of: account) {
        let device = KeyBook.Device(account: account, number: number)
        if account == context.owner.account, number == book.own.id { continue }
        switch book.identities[device]?.trust {
        case .undecided, .refused: continue
        case nil, .blind, .verified: break
        }
        let name = KeyBook.SessionName(device: device, version: version)
        if book.sessions[name] != nil {
          ready.append(name)
        } else if case .some(.none) = bundles[name] {
          continue
        } else {
          missing.append(name)
        }
      }
    }
    return (ready, missing)
  }

  func way(to account: Address, in context: ClientContext) -> Way {
    let chat = book.chats[account] ?? KeyBook.Chat()
    if chat.isWanted == false { return .plain }
    let mustSeal = chat.wasEncrypted || chat.isWanted == true
    if library == nil { return mustSeal ? .stuck(.noLibrary) : .plain }
    guard isKnown(account) else { return .asking }
    if !hasDevices(account, context) { return mustSeal ? .stuck(.noDevices) : .plain }
    guard isKnown(context.owner.account) else { return .asking }
    let (ready, missing) = recipients(account, in: context)
    // One device that does not answer must not hold up the lines to the others.
    let isAsking = missing.contains {
      if case .silent? = bundles[$0] { false } else { true }
    }
    if isAsking { return .asking }
    return ready.contains { $0.device.account == account } ? .sealed : .stuck(.noKeys)
  }

  /// The chats that shells show, and those that lines wait for.
  private(set) var watched: Set<Address> = []
  private var (open, awaited): (Set<Address>, Set<Address>) = ([], [])

  mutating func watch(open accounts: Set<Address>) {
    open = accounts
    watched = open.union(awaited)
  }

  mutating func watch(awaited accounts: Set<Address>) {
    awaited = accounts
    watched = open.union(awaited)
  }

  func wasEncrypted(with account: Address) -> Bool {
    book.chats[account]?.wasEncrypted == true
  }

  /// Sets what the owner wants in a chat.
  ///
  /// - Returns: what to answer; empty if there is nothing to say.
  mutating func set(_ isWanted: Bool, with account: Address, in context: inout ClientContext)
    -> Remark
  {
    var chat = book.chats[account] ?? KeyBook.Chat()
    if isWanted {
      if library == nil { return Obstacle.noLibrary.sentence(account, isWaiting: false) }
      if isKnown(account), !hasDevices(account, context) {
        return Obstacle.noDevices.sentence(account, isWaiting: false)
      }
    }
    chat.isWanted = isWanted
    book.set(chat, with: account)
    stuck[account] = nil
    context.needsPump = true
    return ""
  }

  private func isSilent(_ account: Address) -> Bool {
    lists[account]?.values.contains { if case .silent = $0 { true } else { false } } ?? false
  }

  private func hasDevices(_ account: Address, _ context: ClientContext) -> Bool {
    book.versions(of: account).contains {
      account != context.owner.account || $0.key != book.own.id
    }
  }

  /// Tells the owner once why lines to somebody wait.
  mutating func noteWaiting(_ account: Address, in context: inout ClientContext) {
    let obstacle: Obstacle
    switch way(to: account, in: context) {
    case .plain, .sealed:
      stuck[account] = nil
      return
    case .asking where isSilent(account): obstacle = .noAnswer
    case .asking where isSilent(context.owner.account): obstacle = .noOwnAnswer
    case .asking: return
    case .stuck(let reason): obstacle = reason
    }
    guard stuck.updateValue(obstacle, forKey: account) != obstacle else { return }
    context.tell(.notice(obstacle.sentence(account, isWaiting: true)))
  }

  /// Asks for what the watched chats need, and reports how lines go out there.
  ///
  /// - Parameter abilities: what people can do in any direct chat.
  mutating func attend(to abilities: Abilities, in context: inout ClientContext) {
    for account in watched {
      prepare(account, in: &context)
      var here = abilities
      here.encryption =
        switch way(to: account, in: context) {
        case .plain: .off
        case .asking, .stuck: .asking
        case .sealed: isVerified(account, in: context) ? .verified : .on
        }
      guard told.updateValue(here, forKey: account) != here else { continue }
      context.tell(.abilitiesHere(here, in: .direct(account.description)))
    }
  }

  /// Whether the owner has verified all devices of somebody that get their lines.
  func isVerified(_ account: Address, in context: ClientContext) -> Bool {
    let numbers = book.versions(of: account).keys.filter {
      account != context.owner.account || $0 != book.own.id
    }
    return !numbers.isEmpty
      && numbers.allSatisfy {
        book.identities[KeyBook.Device(account: account, number: $0)]?.trust == .verified
      }
  }

  /// What has to be kept before the effects of this step.
  mutating func takeUpdate() -> KeyUpdate? {
    let changes = book.takeChanges()
    return changes.isEmpty ? nil : KeyUpdate(changes: changes, book: book)
  }
}

extension Encryption.Obstacle {
  /// - Parameter isWaiting: whether a line waits for it.
  fileprivate func sentence(_ account: Address, isWaiting: Bool) -> Remark {
    let name = account.description
    let reason: Sentence =
      switch self {
      case .noDevices:
        ("%1 has no program that can encrypt.", [name])
      case .noAnswer: ("The server of %1 does not say whether you can encrypt.", [name])
      case .noOwnAnswer: ("Your server does not say which devices you have.", [])
      case .noKeys: ("The keys of %1 cannot be used.", [name])
      case .noLibrary:
        ("hobnob cannot encrypt, since libomemo-c is not installed.", [name])
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
