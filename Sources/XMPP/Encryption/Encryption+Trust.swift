// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Platform
import Sentences

// Whose devices get what the owner writes: `/verify`, `/device`, and what new devices mean.
extension Encryption {
  /// A shell's question about the devices of an account.
  struct Inspection: Hashable, Sendable {
    var request: NetworkRequest
    var account: Address
  }

  /// The devices that an account lists, those that this device has known for longest first. People
  /// name them by their place here, counted from 1.
  func devices(of account: Address) -> [KeyBook.Device] {
    let devices = book.versions(of: account).keys.map { number in
      let device = KeyBook.Device(account: account, number: number)
      return (since: book.identities[device]?.firstSeen ?? .max, device: device)
    }
    return devices.sorted { ($0.since, $0.device.number) < ($1.since, $1.device.number) }
      .map(\.device)
  }

  /// Answers a request about devices, as soon as what others publish is known.
  mutating func inspect(
    _ request: NetworkRequest, _ account: Address, in context: inout ClientContext
  ) {
    if library == nil {
      return context.answer(request, Obstacle.noLibrary.sentence(account, isWaiting: false))
    }
    inspections.append(Inspection(request: request, account: account))
    context.needsPump = true
  }

  /// Answers the requests about devices that need not wait any longer.
  mutating func answerInspections(in context: inout ClientContext) {
    for inspection in inspections where isAnswered(inspection.account, asking: &context) {
      inspections.removeAll { $0 == inspection }
      let (request, account) = (inspection.request, inspection.account)
      let answer =
        request.verb == .device
        ? manage(request.text, in: &context)
        : request.target.isEmpty ? ownFingerprint(context) : decide(request.text, about: account)
      context.answer(request, answer)
      context.needsPump = true
    }
  }

  /// Whether nothing more can be learned of an account's devices for now.
  private mutating func isAnswered(
    _ account: Address, asking context: inout ClientContext
  ) -> Bool {
    questions.ask(account, in: &context)
    var isAnswered = !questions.isAsked(account)
    for (number, version) in book.versions(of: account) {
      let device = KeyBook.Device(account: account, number: number)
      if device == ownDevice(context) || book.identities[device] != nil { continue }
      let name = KeyBook.SessionName(device: device, version: version)
      questions.ask(name, in: &context)
      if questions.isAsked(name) { isAnswered = false }
    }
    return isAnswered
  }

  // MARK: /verify

  private func ownFingerprint(_ context: ClientContext) -> Remark {
    let (id, key) = (String(book.own.id), Fingerprint(book.own.publicKey))
    return [
      filled(("This device is number %1. Its fingerprint:", [id])), Remark("  " + key.text),
      filled(
        (
          "To be sure that the device is yours, others compare this, or scan this link as a QR code:",
          []
        )),
      Remark("xmpp:\(context.owner.account)?omemo-sid-\(id)=\(key.digits)"),
    ].joined(separator: "\n")
  }

  /// Carries out what follows the name in `/verify NAME`.
  private mutating func decide(_ words: String, about account: Address) -> Remark {
    let devices = devices(of: account)
    if devices.isEmpty { return Obstacle.noDevices.sentence(account, isWaiting: false) }
    switch words {
    case "": return list(devices, of: account)
    case "yes", "no": return decide(words == "yes", aboutNewOnesIn: devices, of: account)
    default: break
    }
    if words.hasPrefix("xmpp:") { return compare(link: words, devices, of: account) }
    let (first, rest) = Self.split(words)
    if let device = device(first, among: devices, of: account), ["", "yes", "no"].contains(rest) {
      return trust(device, rest == "no" ? .refused : .verified)
    }
    return compare(Fingerprint(typed: words), devices, of: account)
  }

  /// The first word, and what follows.
  private static func split(_ words: String) -> (word: String, rest: String) {
    let word = words.prefix { $0 != " " }
    return (String(word), String(words.dropFirst(word.count).drop { $0 == " " }))
  }

  /// The device that a number means: its place in the list that the owner has seen, or its own number.
  private func device(
    _ word: String, among devices: [KeyBook.Device], of account: Address
  ) -> KeyBook.Device? {
    guard let number = UInt32(word) else { return nil }
    let list = shown[account] ?? devices
    if number >= 1, number <= list.count {
      let device = list[Int(number) - 1]
      return devices.contains(device) ? device : nil
    }
    return devices.first { $0.number == number }
  }

  private mutating func decide(
    _ isWanted: Bool, aboutNewOnesIn devices: [KeyBook.Device], of account: Address
  ) -> Remark {
    // Not those of which the owner has not heard yet.
    let waiting = devices.filter { device in
      book.identities[device].map {
        $0.trust == .undecided && announced.contains(KnownKey(device: device, key: $0.key))
      } ?? false
    }
    let name = account.description
    if waiting.isEmpty { return filled(("No device of %1 waits for your decision.", [name])) }
    for device in waiting { book.trust(device, isWanted ? .blind : .refused) }
    return isWanted
      ? filled(("All devices of %1 that waited get what you write from now on.", [name]))
      : filled(("The devices of %1 that waited get nothing that you write.", [name]))
  }

  private mutating func trust(_ device: KeyBook.Device, _ trust: KeyBook.Trust) -> Remark {
    let (number, name) = (String(device.number), device.account.description)
    guard book.identities[device] != nil else {
      return filled(("Device %1 of %2 has no usable keys.", [number, name]))
    }
    book.trust(device, trust)
    if trust == .refused {
      return filled(("Device %1 of %2 gets nothing that you write.", [number, name]))
    }
    let done: Remark = filled(("You have verified device %1 of %2.", [number, name]))
    let others = devices(of: device.account).count {
      book.identities[$0]?.trust == .blind
    }
    if others == 0 { return done }
    let rest: Remark = translated(
      " One more of their devices is not verified, and gets what you write all the same.",
      " %1 more of their devices are not verified, and get what you write all the same.",
      count: others)
    return done + filled(rest, [String(others)])
  }

  private mutating func compare(
    _ fingerprint: Fingerprint, _ devices: [KeyBook.Device], of account: Address
  ) -> Remark {
    let digits = fingerprint.digits
    guard fingerprint.isWhole else {
      return filled(
        (
          "“%1” is neither a number in the list of devices nor a fingerprint of %2 digits from 0 to f.",
          [String(digits.prefix(80)), String(Fingerprint.length)]
        ))
    }
    let known = devices.compactMap { device in
      book.identities[device].map { (device, Fingerprint($0.key)) }
    }
    if let (device, _) = known.first(where: { $0.1 == fingerprint }) {
      return trust(device, .verified)
    }
    // The device that was probably meant.
    let nearest = known.min {
      $0.1.differences(from: fingerprint).count
        < $1.1.differences(from: fingerprint).count
    }
    guard let (device, key) = nearest else {
      return filled(("No device of %1 has usable keys.", [account.description]))
    }
    return mismatch(device, key, fingerprint)
  }

  private func mismatch(
    _ device: KeyBook.Device, _ key: Fingerprint, _ other: Fingerprint
  ) -> Remark {
    let groups = key.differences(from: other)
    let (number, name) = (String(device.number), device.account.description)
    guard let group = groups.first, groups.count <= Fingerprint.groups / 2 else {
      return filled(
        (
          "No device of %1 has this fingerprint. If it is really theirs, somebody is reading along, or they have a new device. It was not verified.",
          [name]
        ))
    }
    return filled(
      (
        "This is not the fingerprint of device %1 of %2: its group %3 is %4, and yours is %5. It was not verified.",
        [number, name, String(group + 1), key.group(group), other.group(group)]
      ))
  }

  /// Compares what a link of the form `xmpp:ADDRESS?omemo-sid-NUMBER=FINGERPRINT` says.
  private mutating func compare(
    link: String, _ devices: [KeyBook.Device], of account: Address
  ) -> Remark {
    guard let link = FingerprintLink(link), !link.keys.isEmpty else {
      return translated("This link has no fingerprints.")
    }
    guard link.account == account else {
      return filled(
        ("This link is about %1, not %2.", [link.account.description, account.description]))
    }
    var remarks: [Remark] = []
    for (number, fingerprint) in link.keys.sorted(by: { $0.key < $1.key }) {
      let device = KeyBook.Device(account: account, number: number)
      guard let key = book.identities[device].map({ Fingerprint($0.key) }), devices.contains(device)
      else {
        remarks.append(
          filled(("%1 has no device %2 now.", [account.description, String(number)])))
        continue
      }
      remarks.append(
        key == fingerprint ? trust(device, .verified) : mismatch(device, key, fingerprint))
    }
    return remarks.joined(separator: "\n")
  }

  private mutating func list(_ devices: [KeyBook.Device], of account: Address) -> Remark {
    shown[account] = devices
    return devices.enumerated().map { index, device in row(index + 1, device) }
      .joined(separator: "\n")
  }

  private func row(
    _ place: Int, _ device: KeyBook.Device, name: Remark = "", isThis: Bool = false
  ) -> Remark {
    let (place, number) = (String(place), String(device.number))
    guard let known = book.identities[device], !known.key.isEmpty else {
      return filled(("%1  device %2: it has no usable keys", [place, number]))
    }
    let state: Remark =
      switch known.trust {
      case _ where isThis: translated("this device")
      case .blind: translated("not verified")
      case .verified: translated("verified")
      case .undecided: translated("new, gets nothing until you decide")
      case .refused: translated("gets nothing")
      }
    let day = String(Timestamp.text(known.lastSeen).prefix(10))
    return filled(("%1  device %2", [place, number])) + name
      + filled((", last seen %1: ", [day])) + state
      + Remark("\n     " + Fingerprint(known.key).text)
  }

  // MARK: /device

  /// Carries out what follows `/device`.
  private mutating func manage(_ words: String, in context: inout ClientContext) -> Remark {
    let (account, own) = (context.owner.account, ownDevice(context))
    let devices = devices(of: account)
    if devices.isEmpty {
      return translated("Your server does not say which devices you have.")
    }
    let (verb, rest) = Self.split(words)
    if verb.isEmpty {
      shown[account] = devices
      return devices.enumerated().map { place, device in
        row(
          place + 1, device, name: book.names[device.number].map { Remark(" " + $0) } ?? "",
          isThis: device == own)
      }.joined(separator: "\n")
    }
    let (word, name) = Self.split(rest)
    guard let device = device(word, among: devices, of: account) else {
      return filled(("You have no device %1; /device lists yours.", [word]))
    }
    let number = String(device.number)
    if verb == "name" {
      book.name(device.number, String(name.prefix(Limits.deviceName)))
      return filled(("Device %1 is called %2 here from now on.", [number, name]))
    }
    if device == own {
      return translated("This is the device that you are using, so it stays.")
    }
    book.trust(device, .refused, at: context.clock.wall)
    publisher.remove(device.number, from: &book, in: &context)
    return filled(
      (
        "Device %1 is not one of yours any more: you send it nothing, and the programs of others stop, too, once they notice. If somebody else has it, change your password.",
        [number]
      ))
  }

  // MARK: New devices

  /// Asks the owner about devices that wait for a decision; once about each key, until this process
  /// ends.
  mutating func announceUndecided(in context: inout ClientContext) {
    for device in book.undecided {
      guard book.versions(of: device.account)[device.number] != nil,
        let key = book.identities[device]?.key,
        announced.insert(KnownKey(device: device, key: key)).inserted
      else { continue }
      context.tell(
        .alert(
          filled(
            (
              "%1 has a new device, %2. You have not verified it, so it gets nothing that you write. Send to it, too? Type /verify %1 yes, or /verify %1 no; /verify %1 shows its fingerprint.",
              [device.account.description, String(device.number)]
            ))))
    }
  }

  /// Tells the owner of their own new devices, and of those that they have removed and that are back;
  /// once each. If the owner has verified others, a new one waits for a decision.
  ///
  /// - Parameter former: those that were listed before.
  mutating func announceOwn(
    _ devices: Set<UInt32>, besides former: Set<UInt32>, in context: inout ClientContext
  ) {
    for number in devices.subtracting(former).sorted() where number != book.own.id {
      let device = KeyBook.Device(account: context.owner.account, number: number)
      let (trust, number) = (book.identities[device]?.trust, String(number))
      guard trust == nil || trust == .refused,
        announced.insert(KnownKey(device: device, key: [])).inserted
      else { continue }
      if trust == .refused {
        context.tell(
          .alert(
            filled(
              (
                "Your device %1, which you have removed, is listed again. It gets nothing that you write here; if it is not yours, change your password.",
                [number]
              ))))
      } else if !book.isVerified(device.account) {
        context.tell(
          .alert(
            filled(
              (
                "Your account has a new device, %1, which can read what you write from now on. If it is not yours, type /device remove %1 and change your password.",
                [number]
              ))))
      }
    }
  }
}
