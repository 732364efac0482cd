// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Sentences

/// Encryption from end to end in direct chats (XEP-0384): which devices people have, the keys of
/// these devices, and whether a line can go out. What it learns is kept before anything goes out
/// that relies on it.
struct Encryption: Sendable {
  /// How far a question of this connection has got.
  enum Answer: Sendable {
    case asked
    case known
    /// Nobody answers. The question is asked again after a while.
    case silent(until: Milliseconds)
    /// There is none.
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
  private var lists: [Address: [OMEMOVersion: Answer]] = [:]
  private var bundles: [KeyBook.SessionName: Answer] = [:]
  /// Accounts whose lists were asked for once more, since a device wrote that is not in them.
  private var relisted: Set<Address> = []
  /// The pre keys that messages have used up since the keys were published last.
  var usedPreKeys: Set<UInt32> = []
  /// Sessions that have to be begun anew, and those whose beginning needs an answer.
  var (broken, answered): (Set<KeyBook.SessionName>, Set<KeyBook.SessionName>) = ([], [])
  /// When this connection published the keys of this device; nil if it has not.
  private var publishedAt: Milliseconds?
  private var isPublished: Bool { publishedAt != nil }
  /// The lists of the account's devices that are known, so that adding to them loses none.
  private var mayPublishList: Set<OMEMOVersion> = []
  /// How often this connection has published a list: two programs must not fight for ever.
  private var listsPublished: [OMEMOVersion: Int] = [:]
  /// Nodes that had to be opened to everybody first.
  private var configured: Set<String> = []
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

  /// Publishes the keys of this device, and the device in the lists of the account, once everything
  /// that was sent meanwhile has been read: until then, messages may need the old ones.
  mutating func publish(in context: inout ClientContext) {
    guard let library, !isPublished || !usedPreKeys.isEmpty else { return }
    if let last = publishedAt, context.clock.time - last < Limits.keyPause {
      return context.clock.set(.keys, in: Limits.keyPause)
    }
    publishedAt = context.clock.time
    var own = book.own
    for id in usedPreKeys { own.preKeys[id] = nil }
    usedPreKeys = []
    guard (try? own.refill(library)) != nil else { return }
    book.set(own)
    // The newer version first: whoever asks in between should find that.
    for version in OMEMOVersion.allCases.reversed() {
      guard let bundle = try? own.bundle(version, library) else { continue }
      let (node, item) = version.bundlePlace(of: own.id)
      send(bundle.element, to: node, item, in: &context)
      completeOwnList(version, in: &context)
    }
  }

  /// Publishes a list of the account's devices that has this one.
  private mutating func completeOwnList(
    _ version: OMEMOVersion, in context: inout ClientContext
  ) {
    guard isPublished, mayPublishList.contains(version), listsPublished[version, default: 0] < 3
    else { return }
    let listed = book.lists[context.owner.account]?[version] ?? []
    if listed.contains(book.own.id) { return }
    listsPublished[version, default: 0] += 1
    let devices = listed.union([book.own.id])
    book.set(devices, of: context.owner.account, version)
    send(version.list(devices), to: version.listNode, "current", in: &context)
  }

  private func send(
    _ payload: Element, to node: String, _ item: String, in context: inout ClientContext
  ) {
    let publish = Element(
      "publish", namespace: Feature.publishing, ["node": node],
      children: [
        Element("item", namespace: Feature.publishing, ["id": item], children: [payload])
      ])
    context.sendIQ(
      "set",
      Element(
        "pubsub", namespace: Feature.publishing,
        children: [
          publish,
          Element(
            "publish-options", namespace: Feature.publishing,
            children: [.form(Feature.publishingOptions, Self.options(of: node))]),
        ]), .keysPublished(node: node, publish))
  }

  private static func options(of node: String) -> [(name: String, value: String)] {
    // In version 2, one node has the keys of all devices.
    [("pubsub#persist_items", "true"), ("pubsub#access_model", "open")]
      + (node == OMEMOVersion.two.bundlePlace(of: 0).node ? [("pubsub#max_items", "max")] : [])
  }

  /// Opens a node to everybody if the server refuses the options, and publishes once more.
  mutating func finishPublishing(
    _ node: String, _ publish: Element, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) {
    guard case .error(let error) = answer,
      ["conflict", "precondition-not-met", "bad-request"].contains(error.condition),
      configured.insert(node).inserted
    else { return }
    context.sendIQ(
      "set",
      Element(
        "pubsub", namespace: Feature.publishingOwner,
        children: [
          Element(
            "configure", namespace: Feature.publishingOwner, ["node": node],
            children: [.form(Feature.publishingConfiguration, Self.options(of: node))])
        ]), .keysPublished(node: node, Element("")))
    context.sendIQ(
      "set", Element("pubsub", namespace: Feature.publishing, children: [publish]),
      .keysPublished(node: node, Element("")))
  }

  // MARK: The devices of others

  /// Asks for what is needed to write to somebody, as far as this connection has not asked yet.
  mutating func prepare(_ account: Address, in context: inout ClientContext) {
    guard library != nil, book.chats[account]?.isWanted != false else { return }
    ask(account, in: &context)
    guard isKnown(account), isKnown(context.owner.account) else { return }
    for name in recipients(account, in: context).missing { ask(name, in: &context) }
  }

  mutating func ask(_ name: KeyBook.SessionName, in context: inout ClientContext) {
    guard mayAsk(bundles[name], context) else { return }
    bundles[name] = .asked
    let (node, item) = name.version.bundlePlace(of: name.device.number)
    context.sendIQ(
      "get", Self.query(node, item: name.version == .two ? item : nil), to: name.device.account,
      .keyBundle(name))
  }

  private mutating func ask(_ account: Address, in context: inout ClientContext) {
    for version in OMEMOVersion.allCases where mayAsk(lists[account]?[version], context) {
      lists[account, default: [:]][version] = .asked
      context.sendIQ(
        "get", Self.query(version.listNode), to: account, .keyList(account, version))
    }
  }

  private func mayAsk(_ answer: Answer?, _ context: ClientContext) -> Bool {
    switch answer {
    case nil: true
    case .silent(let time): context.clock.time >= time
    case .asked, .known, .some(.none): false
    }
  }

  private static func query(_ node: String, item: String? = nil) -> Element {
    let items = item.map { [Element("item", namespace: Feature.publishing, ["id": $0])] } ?? []
    return Element(
      "pubsub", namespace: Feature.publishing,
      children: [
        Element("items", namespace: Feature.publishing, ["node": node], children: items)
      ])
  }

  /// Takes the answer about the devices of an account. An error that will not pass means that it has
  /// none.
  mutating func noteList(
    of account: Address, _ version: OMEMOVersion, _ answer: IQRequest.Answer,
    in context: inout ClientContext
  ) {
    context.needsPump = true
    switch answer {
    case .result(let answer):
      let items = answer.first("pubsub", Feature.publishing)?
        .first("items", Feature.publishing)
      guard let items, items["node"] == version.listNode else {
        return noteSilence(in: &context) { $0.lists[account, default: [:]][version] = $1 }
      }
      let item = items.children.last { $0.name == "item" }
      guard let devices = item.map({ version.devices(in: $0) }) ?? [] else {
        return noteSilence(in: &context) { $0.lists[account, default: [:]][version] = $1 }
      }
      mayPublishList.insert(version, if: account == context.owner.account)
      note(devices, of: account, version, in: &context)
    case .error(let error) where error.condition == "item-not-found":
      mayPublishList.insert(version, if: account == context.owner.account)
      note([], of: account, version, in: &context)
    case .error, .silence:
      // What is known of them counts as long as nobody says otherwise.
      if book.lists[account]?[version]?.isEmpty == false {
        lists[account, default: [:]][version] = .known
      } else if case .error(let error) = answer, !error.isPassing {
        note([], of: account, version, in: &context)
      } else {
        noteSilence(in: &context) { $0.lists[account, default: [:]][version] = $1 }
      }
    }
  }

  /// Takes the news about the devices of an account; the caller has checked that it comes from
  /// there. That of strangers does not count.
  mutating func applyEvent(
    _ event: Element, from account: Address, isContact: Bool, in context: inout ClientContext
  ) {
    guard library != nil, let items = event.first("items", Feature.publishingEvents),
      let version = OMEMOVersion.allCases.first(where: { $0.listNode == items["node"] }),
      let devices = items.children.last(where: { $0.name == "item" }).flatMap(version.devices),
      account == context.owner.account || isContact || watched.contains(account)
        || book.chats[account] != nil
    else { return }
    mayPublishList.insert(version, if: account == context.owner.account)
    note(devices, of: account, version, in: &context)
    context.needsPump = true
  }

  private mutating func note(
    _ devices: Set<UInt32>, of account: Address, _ version: OMEMOVersion,
    in context: inout ClientContext
  ) {
    lists[account, default: [:]][version] = .known
    if book.lists[account]?[version] != devices {
      // A program may publish its list before its keys.
      for (name, answer) in bundles where name.device.account == account {
        if case .none = answer { bundles[name] = nil }
      }
    }
    book.set(devices, of: account, version)
    if account == context.owner.account { completeOwnList(version, in: &context) }
  }

  private mutating func noteSilence(
    in context: inout ClientContext, _ set: (inout Encryption, Answer) -> Void
  ) {
    set(&self, .silent(until: context.clock.time + Limits.keyPause))
    context.clock.set(.keys, in: Limits.keyPause)
  }

  /// Takes a device's keys, and begins a session with it.
  mutating func noteBundle(
    _ name: KeyBook.SessionName, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) {
    context.needsPump = true
    switch answer {
    case .result(let answer):
      bundles[name] = Answer.none
      let items = answer.first("pubsub", Feature.publishing)?
        .first("items", Feature.publishing)
      let place = name.version.bundlePlace(of: name.device.number)
      let found = items?.children.last {
        $0.name == "item" && (name.version == .legacy || $0["id"] == place.item)
      }
      guard let library, let bundle = found.flatMap({ Bundle($0, name.version) }),
        let session = try? Session(
          with: bundle, of: name.device.number, by: book.own, after: book.sessions[name], library)
      else { return }
      bundles[name] = .known
      book.set(session, name)
      if broken.remove(name) != nil { answered.insert(name) }
      book.meet(name.device, session.identity, at: context.clock.wall)
    case .error(let error) where !error.isPassing: bundles[name] = Answer.none
    case .error, .silence: noteSilence(in: &context) { $0.bundles[name] = $1 }
    }
    if case .some(.none) = bundles[name] { broken.remove(name) }
  }

  /// Lets a list be asked for once more in this connection, unless there are too many already.
  mutating func forgetAnswer(about account: Address, _ version: OMEMOVersion) {
    guard relisted.count < Limits.sessions, relisted.insert(account).inserted else { return }
    lists[account]?[version] = nil
  }

  /// Lets the keys of a device be asked for once more in this connection.
  mutating func renew(_ name: KeyBook.SessionName) { bundles[name] = nil }

  /// Forgets a session that does not work any more, so that the next line begins a new one.
  mutating func forgetSession(_ name: KeyBook.SessionName) {
    book.set(nil, name)
    bundles[name] = nil
  }

  // MARK: How a line goes out

  private func isKnown(_ account: Address) -> Bool {
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

extension StanzaError {
  /// Whether the same question may have another answer later.
  fileprivate var isPassing: Bool {
    isTemporary
      || [
        "remote-server-timeout", "resource-constraint", "internal-server-error", "too-large",
        "undefined-condition", "policy-violation",
      ].contains(condition)
  }
}

/// What changed in the key book, with the book as it was then.
struct KeyUpdate: Hashable, Sendable {
  let changes: Set<KeyBook.Change>
  let book: KeyBook

  static func == (one: KeyUpdate, other: KeyUpdate) -> Bool { one.changes == other.changes }

  func hash(into hasher: inout Hasher) { hasher.combine(changes) }
}

extension Set {
  fileprivate mutating func insert(_ element: Element, if condition: Bool) {
    if condition { insert(element) }
  }
}
