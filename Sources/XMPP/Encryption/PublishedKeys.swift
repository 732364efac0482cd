// SPDX-License-Identifier: GPL-3.0-or-later
import OMEMO
import Platform

// What a device publishes about itself at its account (XEP-0384, with XEP-0163).

extension OMEMOVersion {
  /// The node with the numbers of an account's devices.
  var listNode: String {
    self == .legacy ? rawValue + ".devicelist" : rawValue + ":devices"
  }

  /// The node with the bundle of a device, and that bundle's item.
  func bundlePlace(of device: UInt32) -> (node: String, item: String) {
    switch self {
    case .legacy: (rawValue + ".bundles:\(device)", "current")
    case .two: (rawValue + ":bundles", String(device))
    }
  }

  /// The list of an account's devices.
  func list(_ devices: some Sequence<UInt32>) -> Element {
    Element(
      self == .legacy ? "list" : "devices", namespace: rawValue,
      children: devices.sorted().map {
        Element("device", namespace: rawValue, ["id": String($0)])
      })
  }

  /// The devices that a list names. Nobody has more than ``Limits/keyDevices``; the rest is ignored.
  ///
  /// - Parameter item: the item of the node.
  func devices(in item: Element) -> Set<UInt32>? {
    guard let list = item.first(self == .legacy ? "list" : "devices", rawValue) else { return nil }
    let numbers = list.children.lazy.filter { $0.name == "device" }
      .compactMap { $0["id"].flatMap(deviceNumber) }
    return Set(numbers.prefix(Limits.keyDevices))
  }
}

extension Bundle {
  /// - Parameter item: the item of the node.
  init?(_ item: Element, _ version: OMEMOVersion) {
    let (namespace, isLegacy) = (version.rawValue, version == .legacy)
    guard let bundle = item.first("bundle", namespace),
      let signed = bundle.first(isLegacy ? "signedPreKeyPublic" : "spk", namespace),
      let number = signed[isLegacy ? "signedPreKeyId" : "id"].flatMap({ UInt32($0) }),
      let identity = bundle.first(isLegacy ? "identityKey" : "ik", namespace)?.bytes,
      let signedKey = signed.bytes,
      let signature = bundle.first(isLegacy ? "signedPreKeySignature" : "spks", namespace)?.bytes,
      let list = bundle.first("prekeys", namespace)
    else { return nil }
    var keys: [UInt32: [UInt8]] = [:]
    for key in list.children.prefix(Limits.preKeys)
    where key.name == (isLegacy ? "preKeyPublic" : "pk") {
      guard let id = key[isLegacy ? "preKeyId" : "id"].flatMap({ UInt32($0) }),
        let bytes = key.bytes
      else { continue }
      keys[id] = bytes
    }
    self.init(
      version: version, identity: identity, signedPreKey: number, signedPreKeyPublic: signedKey,
      signature: signature, preKeys: keys)
  }

  var element: Element {
    let (namespace, isLegacy) = (version.rawValue, version == .legacy)
    func letters(_ name: String, _ bytes: [UInt8], _ attributes: [String: String] = [:]) -> Element
    {
      Element(name, namespace: namespace, attributes, text: Base64.letters(for: bytes))
    }
    let keys = preKeys.sorted { $0.key < $1.key }.map { id, key in
      letters(
        isLegacy ? "preKeyPublic" : "pk", key, [isLegacy ? "preKeyId" : "id": String(id)])
    }
    return Element(
      "bundle", namespace: namespace,
      children: [
        letters(
          isLegacy ? "signedPreKeyPublic" : "spk", signedPreKeyPublic,
          [isLegacy ? "signedPreKeyId" : "id": String(signedPreKey)]),
        letters(isLegacy ? "signedPreKeySignature" : "spks", signature),
        letters(isLegacy ? "identityKey" : "ik", identity),
        Element("prekeys", namespace: namespace, children: keys),
      ])
  }
}

extension Element {
  /// The bytes that its text is Base64 of.
  fileprivate var bytes: [UInt8]? { text.isEmpty ? nil : Base64.decoded(text) }
}
