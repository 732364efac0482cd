// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO

// Encrypts the messages that go out, and decrypts those that arrive.
extension Encryption {
  // MARK: Sealing

  /// How a stanza goes out.
  enum Form {
    case plain
    case sealed(Element)
    case later
  }

  /// The form in which a stanza goes out, the same for each attempt. A reaction or a retraction goes
  /// out as it is if a device has only the legacy version, which cannot seal it.
  mutating func form(
    of element: Element, _ stanza: PendingStanza, in context: inout ClientContext
  ) -> Form {
    if let sealed = stanza.sealed { return .sealed(sealed) }
    let to = stanza.destination
    switch way(to: to, in: context) {
    case .plain: return .plain
    case .asking, .stuck: return .later
    case .sealed: break
    }
    guard
      [.send, .edit].contains(stanza.entry.operation) || sealsEverything(to: to, in: context)
    else {
      if book.noteTold(of: to.address) {
        context.tell(
          .notice(
            filled(
              (
                "Reactions and deletions are not encrypted for %1, since one of the devices has only the older version of OMEMO.",
                [to.address.description]
              ))))
      }
      return .plain
    }
    if let sealed = seal(element, to: to, in: context) { return .sealed(sealed) }
    // A session that could not be used is gone now.
    context.clock.set(.keys, in: Limits.sealPause)
    return .later
  }

  /// Seals a message for all devices that get it, each in the newest version that it lists.
  ///
  /// - Returns: the stanza; nil if nobody can read it.
  private mutating func seal(
    _ message: Element, to destination: Destination, in context: ClientContext
  ) -> Element? {
    guard let library else { return nil }
    let (names, people) = (recipients(destination, in: context).ready, people(destination))
    let room = destination.isRoom ? destination.address : nil
    var sealed = message
    sealed.nodes.removeAll { $0.isContent || $0.isContentBesideText }
    var (texts, isForOther) = ([Element](), false)
    for version in OMEMOVersion.allCases {
      let devices = names.filter { $0.version == version }
      guard !devices.isEmpty,
        let content = content(of: message, version, from: context.owner.account, to: room)
      else { continue }
      let payload = SealedPayload(content, version)
      let keys = self.keys(payload.key, for: devices, library)
      guard !keys.isEmpty else { continue }
      isForOther = isForOther || keys.keys.contains { $0.account.map(people.contains) == true }
      texts.append(
        EncryptedElement(version: version, sender: book.own.id, keys: keys, payload: payload)
          .element)
      // The legacy version seals the text alone; addresses of files are in it.
      if version == .legacy { sealed.nodes += message.nodes.filter { $0.isOutsideInLegacy } }
    }
    guard isForOther else { return nil }
    for text in texts { sealed.add(text) }
    sealed.add(
      Element(
        "encryption", namespace: Feature.encryption,
        ["namespace": texts.first?.namespace ?? "", "name": "OMEMO"]))
    sealed.add(Element("body", text: Self.fallback))
    if room == nil, !sealed.has("store", Feature.hints) {
      sealed.add(Element("store", namespace: Feature.hints))
    }
    book.noteEncrypted(with: destination.address)
    return sealed
  }

  /// Whether all devices that get a message to somebody read the version that seals all of it.
  private func sealsEverything(to destination: Destination, in context: ClientContext) -> Bool {
    recipients(destination, in: context).ready.allSatisfy { $0.version == .two }
  }

  /// What programs without OMEMO show.
  private static let fallback =
    "This message is encrypted (OMEMO), and your program cannot decrypt it."

  /// The part of a message that a version encrypts; nil if it encrypts nothing of it.
  private func content(
    of message: Element, _ version: OMEMOVersion, from account: Address, to room: Address?
  ) -> [UInt8]? {
    if version == .legacy { return message.first("body").map { Array($0.text.utf8) } }
    let envelope = Envelope(
      content: message.nodes.compactMap { node in
        guard case .element(let child) = node, node.isContent || node.isContentBesideText
        else { return nil }
        return child
      }, from: account, to: room)
    return Array(envelope.element(padding: Envelope.padding()).xml().utf8)
  }

  /// The key of a payload, for each device. A session that does not work is forgotten.
  private mutating func keys(
    _ key: [UInt8], for devices: [KeyBook.SessionName], _ library: OMEMOLibrary
  ) -> [EncryptedElement.Recipient: KeyElement] {
    var keys: [EncryptedElement.Recipient: KeyElement] = [:]
    for name in devices {
      guard var session = book.sessions[name] else { continue }
      guard let element = try? session.seal(key, for: name.device.number, by: book.own, library)
      else {
        forgetSession(name)
        continue
      }
      book.set(session, name)
      // Numbers of the legacy version may be equal by chance; then the other one's counts.
      keys[.init(account: name.device.account, device: name.device.number)] = element
    }
    return keys
  }

  /// A message without text, which begins a session anew or answers its beginning.
  mutating func keyMessage(to name: KeyBook.SessionName, in context: inout ClientContext)
    -> Element?
  {
    guard let library else { return nil }
    let keys = self.keys(SealedPayload.emptyKey(name.version), for: [name], library)
    guard !keys.isEmpty else { return nil }
    var element = EncryptedElement(
      version: name.version, sender: book.own.id, keys: keys, payload: nil)
    // Some programs read no message without one.
    if name.version == .legacy { element.iv = SealedPayload([], .legacy).iv }
    return Element(
      "message",
      ["to": name.device.account.description, "type": "chat", "id": context.newID()],
      children: [element.element, Element("store", namespace: Feature.hints)])
  }

  // MARK: Opening

  /// What a message turned out to be.
  enum Opened: Hashable, Sendable {
    /// Nothing in it is encrypted.
    case plain
    /// The message with its decrypted text, whether the owner has verified the device, and which it is.
    case text(Element, Message.Encryption, SealingDevice)
    /// Nothing to show: it had keys only.
    case nothing
    /// It was read before, or this device sent it.
    case repetition
    /// With the reason.
    case unreadable(Message.Encryption)
  }

  /// Opens a message that a device of an account sent. What changes by that is kept once the text
  /// is stored.
  ///
  /// - Parameters:
  ///   - account: nil if the room does not say who sent it.
  ///   - time: when it was sent; nil for now.
  ///   - mayAnswer: whether the sender may learn that the owner is online: then a broken session is
  ///     mended, and a new one answered.
  mutating func open(
    _ message: Element, from account: Address?, sent time: Milliseconds?, inRoom: Bool,
    mayAnswer: Bool, in context: inout ClientContext
  ) -> Opened {
    guard let library else { return .plain }
    guard let account else { return Self.isSealed(message) ? .unreadable(.notForUs) : .plain }
    let isEarlier = time.map { $0 < (ownSince(context) ?? 0) } ?? false
    var isEncrypted = false
    for version in OMEMOVersion.allCases.reversed() {
      let own = EncryptedElement.Recipient(
        account: version == .two ? context.owner.account : nil, device: book.own.id)
      guard let element = EncryptedElement(message, version, for: own) else { continue }
      isEncrypted = isEncrypted || element.payload != nil
      // This device sent it; the text is in the store.
      if account == context.owner.account, element.sender == book.own.id { return .repetition }
      guard let key = element.keys[own] else { continue }
      let name = KeyBook.SessionName(
        device: .init(account: account, number: element.sender), version: version)
      // Nobody can fill the memory with invented devices.
      let known = book.sessions.keys.count { $0.device.account == account }
      if book.sessions[name] == nil,
        known >= (mayAnswer ? Limits.sessions : Limits.strangersSessions)
      {
        return .unreadable(.broken)
      }
      // A device that is not in the list was perhaps added since.
      if mayAnswer, book.lists[account]?[version]?.contains(element.sender) != true {
        questions.forgetList(of: account, version)
      }
      let opened = open(
        element, key, name, in: message, inRoom, mayAnswer: mayAnswer, library, &context)
      return isEarlier && opened == .unreadable(.broken) ? .unreadable(.tooEarly) : opened
    }
    return isEncrypted ? .unreadable(isEarlier ? .tooEarly : .notForUs) : .plain
  }

  /// When this device was made.
  private func ownSince(_ context: ClientContext) -> Milliseconds? {
    book.identities[ownDevice(context)]?.firstSeen
  }

  /// Whether something in a message is encrypted with OMEMO.
  static func isSealed(_ message: Element) -> Bool {
    OMEMOVersion.allCases.contains { message.has("encrypted", $0.rawValue) }
  }

  private mutating func open(
    _ element: EncryptedElement, _ key: KeyElement, _ name: KeyBook.SessionName,
    in message: Element, _ inRoom: Bool, mayAnswer: Bool, _ library: OMEMOLibrary,
    _ context: inout ClientContext
  ) -> Opened {
    let opened: OpenedKey
    do throws(OMEMOFault) {
      opened = try book.own.open(
        key, from: name.device.number, session: book.sessions[name], version: name.version,
        library)
    } catch {
      // Its text was stored before its key was used up.
      if error.cause == .repeated { return element.payload == nil ? .nothing : .repetition }
      if mayAnswer, error.cause != .malformed,
        book.lists[name.device.account]?[name.version]?.contains(name.device.number) == true,
        !broken.contains(name), !questions.hasNoKeys(name),
        !book.isHealed(name.device, at: context.clock.wall)
      {
        broken.insert(name)
        questions.forget(name)
        context.needsPump = true
      }
      return element.payload == nil ? .nothing : .unreadable(.broken)
    }
    book.set(opened.session, name)
    if let id = opened.usedPreKey { book.noteUsed(preKey: id) }
    meet(name.device, opened.session.identity, in: context)
    // Until the other side has an answer, it sends the beginning of the session each time.
    if mayAnswer, key.beginsSession, opened.usedPreKey != nil {
      answered.insert(name)
      context.needsPump = true
    }
    guard let payload = element.payload else { return .nothing }
    guard
      let text = SealedPayload.open(
        payload, iv: element.iv, key: opened.key, name.version),
      let read = read(text, in: message, inRoom, name)
    else { return .unreadable(.broken) }
    let isVerified = book.identities[name.device]?.trust == .verified
    return .text(
      read,
      isVerified ? .verified : book.isVerified(name.device.account) ? .unverified : .encrypted,
      SealingDevice(
        number: Int64(name.device.number), key: Array(opened.session.identity.dropFirst())))
  }

  /// Asks for the keys that mend a session, and sends what sessions need: the first message of one
  /// that is mended, and an answer to a new one.
  mutating func mend(in context: inout ClientContext) {
    for name in broken { questions.ask(name, in: &context) }
    for name in answered {
      let wasBroken = broken.remove(name) != nil
      guard let message = keyMessage(to: name, in: &context) else { continue }
      context.send(message)
      // Not before: if the connection ends meanwhile, the next one must try again.
      if wasBroken { book.noteHealed(name.device, at: context.clock.wall) }
    }
    answered = []
  }

  /// The message as it would have come without encryption.
  private func read(
    _ text: [UInt8], in message: Element, _ inRoom: Bool, _ name: KeyBook.SessionName
  ) -> Element? {
    var read = message
    read.nodes.removeAll { $0.isContent || $0.isEncryption }
    switch name.version {
    case .legacy:
      guard let text = String(validating: text, as: UTF8.self) else { return nil }
      // The addresses of files are in the text.
      read.nodes.removeAll { $0.isContentBesideText && !$0.isOutsideInLegacy }
      read.nodes.insert(.element(Element("body", text: text)), at: 0)
    case .two:
      let place = message[inRoom ? "from" : "to"].flatMap(Address.init)?.bare
      guard let envelope = Envelope(text), envelope.from == name.device.account,
        envelope.to == place || envelope.to == nil && !inRoom
      else { return nil }
      // A server can add elements to the outside, so only those inside count.
      read.nodes.removeAll { $0.isContentBesideText }
      for child in envelope.content {
        let node = Element.Node.element(child)
        if node.isContent || node.isContentBesideText { read.nodes.append(node) }
      }
    }
    return read
  }
}

extension Element.Node {
  fileprivate var isContent: Bool {
    guard case .element(let child) = self else { return false }
    return child.name == "body" && child.namespace.isEmpty
  }

  /// What says more about the text, and is sealed with it where that is possible.
  fileprivate var isContentBesideText: Bool {
    guard case .element(let child) = self else { return false }
    return switch (child.name, child.namespace) {
    case ("reply", Feature.replies), ("fallback", Feature.fallback),
      ("replace", Feature.correction), ("x", Feature.links), ("reactions", Feature.reactions),
      ("retract", Feature.retraction):
      true
    default: false
    }
  }

  fileprivate var isOutsideInLegacy: Bool {
    guard case .element(let child) = self else { return false }
    return isContentBesideText && child.namespace != Feature.links
  }

  var isCorrection: Bool {
    guard case .element(let child) = self else { return false }
    return child.name == "replace" && child.namespace == Feature.correction
  }

  fileprivate var isEncryption: Bool {
    guard case .element(let child) = self else { return false }
    return child.name == "encrypted" || child.namespace == Feature.encryption
  }
}
