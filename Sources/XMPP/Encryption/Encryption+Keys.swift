// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import OMEMO

// Keys: what this device publishes, and what it asks of others.
extension Encryption {
  /// Publishes the keys of this device.
  mutating func publish(in context: inout ClientContext) {
    if let library { publisher.publish(&book, library, in: &context) }
  }

  // MARK: The devices of others

  /// Asks for what is needed to write to somebody, as far as this connection has not asked yet.
  mutating func prepare(_ destination: Destination, in context: inout ClientContext) {
    let chat = book.chats[destination.address] ?? KeyBook.Chat()
    guard library != nil, chat.isWanted != false else { return }
    if destination.isRoom, chat.isWanted != true, !chat.wasEncrypted { return }
    let people = people(destination)
    for account in people { questions.ask(account, in: &context) }
    guard
      people.allSatisfy({
        destination.isRoom ? questions.isAnswered($0) : questions.isKnown($0)
      }), questions.isKnown(context.owner.account)
    else { return }
    for name in recipients(destination, in: context).missing {
      questions.ask(name, in: &context)
    }
  }

  /// Asks once more for the lists of those who read the lines that wait, if nobody tells of their
  /// changes: servers do that for contacts only.
  mutating func renewLists(
    for destinations: Set<Destination>, unless isContact: (Address) -> Bool,
    in context: inout ClientContext
  ) {
    for destination in destinations where book.chats[destination.address]?.isWanted != false {
      for account in people(destination)
      where account != context.owner.account && !isContact(account) {
        questions.renew(account, in: &context)
      }
    }
  }

  /// Whether a line waits for lists that are asked for once more.
  func isRenewing(_ destination: Destination) -> Bool {
    questions.areRenewing && people(destination).contains(where: questions.isRenewing)
  }

  /// Takes the answer about the devices of an account. An error that will not pass means that it has
  /// none.
  mutating func noteList(
    of account: Address, _ version: OMEMOVersion, _ answer: IQRequest.Answer,
    in context: inout ClientContext
  ) {
    context.needsPump = true
    let isSilence = if case .silence = answer { true } else { false }
    questions.end(account, version, isAnswered: !isSilence)
    switch answer {
    case .result(let answer):
      let items = answer.first("pubsub", Feature.publishing)?
        .first("items", Feature.publishing)
      guard let items, items["node"] == version.listNode else {
        return questions.noteSilence(about: account, version, in: &context)
      }
      let item = items.children.last { $0.name == "item" }
      guard let devices = item.map({ version.devices(in: $0) }) ?? [] else {
        return questions.noteSilence(about: account, version, in: &context)
      }
      note(devices, of: account, version, in: &context)
    case .error(let error) where error.condition == "item-not-found":
      note([], of: account, version, in: &context)
    case .error, .silence:
      // What is known of them counts as long as nobody says otherwise.
      if book.lists[account]?[version]?.isEmpty == false {
        questions.noteKnown(account, version)
      } else if case .error(let error) = answer, !error.isPassing {
        note([], of: account, version, mayPublish: false, in: &context)
      } else {
        questions.noteSilence(about: account, version, in: &context)
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
    note(devices, of: account, version, in: &context)
    context.needsPump = true
  }

  /// - Parameter mayPublish: whether the list is known well enough to be changed, if it is that of the
  ///   account itself.
  private mutating func note(
    _ devices: Set<UInt32>, of account: Address, _ version: OMEMOVersion, mayPublish: Bool = true,
    in context: inout ClientContext
  ) {
    questions.noteKnown(account, version)
    if book.lists[account]?[version] != devices { questions.forgetMissingKeys(of: account) }
    // Before its first list is known, every device is new to this one.
    let former =
      book.lists[account]?[version] == nil ? devices : Set(book.versions(of: account).keys)
    book.set(devices, of: account, version)
    guard account == context.owner.account else { return }
    announceOwn(devices, besides: former, in: &context)
    if mayPublish { publisher.noteKnown(version) }
    publisher.completeList(version, of: &book, in: &context)
  }

  /// Takes a device's keys, and begins a session with it.
  mutating func noteBundle(
    _ name: KeyBook.SessionName, _ answer: IQRequest.Answer, in context: inout ClientContext
  ) {
    context.needsPump = true
    switch answer {
    case .result(let answer):
      questions.noteNoKeys(name)
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
      questions.noteKnown(name)
      book.set(session, name)
      if broken.contains(name) { answered.insert(name) }
      meet(name.device, session.identity, in: context)
    case .error(let error) where !error.isPassing: questions.noteNoKeys(name)
    case .error, .silence: questions.noteSilence(about: name, in: &context)
    }
    if questions.hasNoKeys(name) { broken.remove(name) }
  }

  /// Notes the key of a device. Sessions under another key are gone then.
  mutating func meet(_ device: KeyBook.Device, _ key: [UInt8], in context: ClientContext) {
    guard book.meet(device, key, at: context.clock.wall) else { return }
    for version in OMEMOVersion.allCases {
      let name = KeyBook.SessionName(device: device, version: version)
      if book.sessions[name] == nil { questions.forget(name) }
    }
  }

  /// Forgets a session that does not work any more, so that the next line begins a new one.
  mutating func forgetSession(_ name: KeyBook.SessionName) {
    book.set(nil, name)
    questions.forget(name)
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
