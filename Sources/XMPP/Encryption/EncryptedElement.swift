// SPDX-License-Identifier: GPL-3.0-or-later
import OMEMO
import Platform

/// The encrypted part of a message (XEP-0384), in either version: for each device the key, sealed
/// for it, and for all of them the payload.
struct EncryptedElement: Hashable, Sendable {
  /// A device for which the message has a key.
  struct Recipient: Hashable, Sendable {
    /// The account; nil in the legacy version, which names only numbers.
    var account: Address?
    var device: UInt32
  }

  var version: OMEMOVersion
  /// The number of the sender's device.
  var sender: UInt32
  var keys: [Recipient: KeyElement]
  /// The iv of the payload, in the legacy version.
  var iv: [UInt8] = []
  /// Nil if the message only begins or heals a session.
  var payload: [UInt8]?

  init(
    version: OMEMOVersion, sender: UInt32, keys: [Recipient: KeyElement], payload: SealedPayload?
  ) {
    (self.version, self.sender, self.keys) = (version, sender, keys)
    (iv, self.payload) = (payload?.iv ?? [], payload?.bytes)
  }

  /// Reads the key for one device, and the payload.
  ///
  /// - Returns: nil if there is nothing of this version in the message, or it is not well made.
  init?(_ message: Element, _ version: OMEMOVersion, for own: Recipient) {
    guard let element = message.first("encrypted", version.rawValue),
      let header = element.first("header", version.rawValue),
      let sender = header["sid"].flatMap(deviceNumber)
    else { return nil }
    (self.version, self.sender, keys) = (version, sender, [:])
    let lists =
      version == .legacy
      ? [header]
      : header.children.filter {
        $0.name == "keys" && $0["jid"].flatMap(Address.init) == own.account
      }
    // There may be tens of thousands of keys, but only one is for this device.
    let key = lists.lazy.flatMap(\.children).first {
      $0.name == "key" && $0["rid"].flatMap(deviceNumber) == own.device
    }
    if let key {
      guard let bytes = Base64.decoded(key.text) else { return nil }
      let mark = key[version == .legacy ? "prekey" : "kex"]
      keys[own] = KeyElement(bytes: bytes, beginsSession: ["true", "1"].contains(mark))
    }
    if version == .legacy {
      guard let iv = header.first("iv", version.rawValue).flatMap({ Base64.decoded($0.text) })
      else { return nil }
      self.iv = iv
    }
    guard let sealed = element.first("payload", version.rawValue) else { return }
    guard let payload = Base64.decoded(sealed.text) else { return nil }
    self.payload = payload
  }

  var element: Element {
    let namespace = version.rawValue
    var header = Element("header", namespace: namespace, ["sid": String(sender)])
    func written(_ recipient: Recipient, _ key: KeyElement) -> Element {
      var element = Element(
        "key", namespace: namespace, ["rid": String(recipient.device)],
        text: Base64.letters(for: key.bytes))
      if key.beginsSession { element[version == .legacy ? "prekey" : "kex"] = "true" }
      return element
    }
    let sorted = keys.sorted { $0.key.device < $1.key.device }
    switch version {
    case .legacy:
      for (recipient, key) in sorted { header.add(written(recipient, key)) }
      header.add(Element("iv", namespace: namespace, text: Base64.letters(for: iv)))
    case .two:
      let accounts = Dictionary(grouping: sorted) { $0.key.account?.description ?? "" }
      for (account, keys) in accounts.sorted(by: { $0.key < $1.key }) {
        header.add(
          Element(
            "keys", namespace: namespace, ["jid": account],
            children: keys.map { written($0.key, $0.value) }))
      }
    }
    var encrypted = Element("encrypted", namespace: namespace, children: [header])
    if let payload {
      encrypted.add(
        Element("payload", namespace: namespace, text: Base64.letters(for: payload)))
    }
    return encrypted
  }
}

/// A device's number: from 1 to 2³¹ − 1.
func deviceNumber(_ text: String) -> UInt32? {
  UInt32(text).flatMap { (1..<0x8000_0000).contains($0) ? $0 : nil }
}
