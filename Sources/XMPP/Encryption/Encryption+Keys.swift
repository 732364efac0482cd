// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import OMEMO

// Keys: what this device publishes, and what it asks of others.
extension Encryption {
  /// Publishes the keys of this device, and the device in the lists of the account, once everything
  /// that was sent meanwhile has been read: until then, messages may need the old ones.
  mutating func publish(in context: inout ClientContext) {
    guard let library, !isPublished || !book.usedPreKeys.isEmpty else { return }
    if let last = publishedAt, context.clock.time - last < Limits.keyPause {
      return context.clock.set(.keys, in: Limits.keyPause)
    }
    publishedAt = context.clock.time
    var own = book.own
    for id in book.usedPreKeys { own.preKeys[id] = nil }
    let (made, now) = ((try? own.signedPreKeyTime(library)) ?? 0, UInt64(context.clock.wall))
    if now >= made + Limits.signedPreKeyStays {
      guard (try? own.renewSignedPreKey(library, time: now)) != nil else { return }
    }
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
    // Leave out the devices that the owner has removed, and the one that a restored file replaced.
    let devices = listed.filter {
      let device = KeyBook.Device(account: context.owner.account, number: $0)
      return book.identities[device]?.trust != .refused
    }
    publish(devices.union([book.own.id]), version, in: &context)
  }

  /// Publishes which devices the account has.
  mutating func publish(
    _ devices: Set<UInt32>, _ version: OMEMOVersion, in context: inout ClientContext
  ) {
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
  mutating func prepare(_ destination: Destination, in context: inout ClientContext) {
    let chat = book.chats[destination.address] ?? KeyBook.Chat()
    guard library != nil, chat.isWanted != false else { return }
    if destination.isRoom, chat.isWanted != true, !chat.wasEncrypted { return }
    let people = people(destination)
    for account in people { ask(account, in: &context) }
    guard people.allSatisfy({ destination.isRoom ? isAnswered($0) : isKnown($0) }),
      isKnown(context.owner.account)
    else { return }
    for name in recipients(destination, in: context).missing { ask(name, in: &context) }
  }

  mutating func ask(_ name: KeyBook.SessionName, in context: inout ClientContext) {
    guard mayAsk(bundles[name], context) else { return }
    bundles[name] = .asked
    let (node, item) = name.version.bundlePlace(of: name.device.number)
    context.sendIQ(
      "get", Self.query(node, item: name.version == .two ? item : nil), to: name.device.account,
      .keyBundle(name))
  }

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

  /// Asks once more for the lists of those who read the lines that wait, if nobody tells of their
  /// changes: servers do that for contacts only.
  mutating func renewLists(
    for destinations: Set<Destination>, unless isContact: (Address) -> Bool,
    in context: inout ClientContext
  ) {
    for destination in destinations where book.chats[destination.address]?.isWanted != false {
      for account in people(destination)
      where account != context.owner.account && !isContact(account) && isKnown(account)
        && renewing[account] == nil
        && context.clock.time - (askedAt[account] ?? 0) >= Limits.listsStay
      {
        renewing[account] = Set(OMEMOVersion.allCases)
        for version in OMEMOVersion.allCases { ask(account, version, in: &context) }
      }
    }
  }

  /// Whether a line waits for lists that are asked for once more.
  func isRenewing(_ destination: Destination) -> Bool {
    !renewing.isEmpty
      && people(destination).contains { renewing[$0] != nil && !everSilent.contains($0) }
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
    if case .silence = answer { everSilent.insert(account) } else { everSilent.remove(account) }
    renewing[account]?.remove(version)
    if renewing[account]?.isEmpty == true { renewing[account] = nil }
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
      account == context.owner.account || isContact || watched.contains(.person(account))
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
    // Before its first list is known, every device is new to this one.
    let former =
      book.lists[account]?[version] == nil ? devices : Set(book.versions(of: account).keys)
    book.set(devices, of: account, version)
    if account == context.owner.account { announceOwn(devices, besides: former, in: &context) }
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
      meet(name.device, session.identity, in: context)
    case .error(let error) where !error.isPassing: bundles[name] = Answer.none
    case .error, .silence: noteSilence(in: &context) { $0.bundles[name] = $1 }
    }
    if case .some(.none) = bundles[name] { broken.remove(name) }
  }

  /// Notes the key of a device. Sessions under another key are gone then.
  mutating func meet(_ device: KeyBook.Device, _ key: [UInt8], in context: ClientContext) {
    guard book.meet(device, key, at: context.clock.wall) else { return }
    for version in OMEMOVersion.allCases {
      let name = KeyBook.SessionName(device: device, version: version)
      if book.sessions[name] == nil { bundles[name] = nil }
    }
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

extension Set {
  fileprivate mutating func insert(_ element: Element, if condition: Bool) {
    if condition { insert(element) }
  }
}
