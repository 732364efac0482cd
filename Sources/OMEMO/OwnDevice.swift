// SPDX-License-Identifier: GPL-3.0-or-later
import COmemo

/// Which OMEMO a session speaks. Both come from the same identity key; their sessions are separate.
package enum OMEMOVersion: String, CaseIterable, Sendable {
  /// The namespace `eu.siacs.conversations.axolotl`, XEP-0384 version 0.3, which most programs speak.
  case legacy = "eu.siacs.conversations.axolotl"
  /// XEP-0384 since version 0.8.
  case two = "urn:xmpp:omemo:2"

  var number: UInt32 { self == .legacy ? 3 : 4 }
}

/// The keys of this device, as the library's records.
package struct OwnDevice: Sendable, Equatable {
  /// From 1 to 2³¹ − 1.
  package let id: UInt32
  /// The identity key in the form of the legacy version: 5, and 32 bytes of Curve25519.
  package let publicKey: [UInt8]
  package let privateKey: [UInt8]
  package var signedPreKeys: [UInt32: [UInt8]]
  /// The newest of the signed pre keys, which the bundle lists.
  package var signedPreKey: UInt32
  package var preKeys: [UInt32: [UInt8]]
  /// The number of the next new pre key.
  package var nextPreKey: UInt32

  package init(
    id: UInt32, publicKey: [UInt8], privateKey: [UInt8], signedPreKeys: [UInt32: [UInt8]],
    signedPreKey: UInt32, preKeys: [UInt32: [UInt8]], nextPreKey: UInt32
  ) {
    (self.id, self.publicKey, self.privateKey) = (id, publicKey, privateKey)
    (self.signedPreKeys, self.signedPreKey) = (signedPreKeys, signedPreKey)
    (self.preKeys, self.nextPreKey) = (preKeys, nextPreKey)
  }

  /// In place of a device where the library is missing.
  package static let none = OwnDevice(
    id: 0, publicKey: [], privateKey: [], signedPreKeys: [:], signedPreKey: 0, preKeys: [:],
    nextPreKey: 1)

  /// How many pre keys a bundle lists.
  package static let preKeyCount = 100

  /// A new device with new keys.
  ///
  /// - Parameter time: milliseconds since 1970, for the signed pre key.
  package init(_ library: OMEMOLibrary, time: UInt64) throws(OMEMOFault) {
    let operation = Operation(library)
    let functions = operation.library
    let pair = try operation.object { pair in
      functions.signal_protocol_key_helper_generate_identity_key_pair(pair, operation.context)
    }
    publicKey = try operation.bytes {
      functions.ec_public_key_serialize($0, functions.ratchet_identity_key_pair_get_public(pair))
    }
    privateKey = try operation.bytes {
      functions.ec_private_key_serialize($0, functions.ratchet_identity_key_pair_get_private(pair))
    }
    id = UInt32.random(in: 1..<0x8000_0000)
    (signedPreKeys, signedPreKey, preKeys, nextPreKey) = ([:], 0, [:], 1)
    try renewSignedPreKey(library, time: time)
    try refill(library)
  }

  /// Makes new pre keys until there are ``preKeyCount``.
  package mutating func refill(_ library: OMEMOLibrary) throws(OMEMOFault) {
    let missing = Self.preKeyCount - preKeys.count
    guard missing > 0 else { return }
    let operation = Operation(library)
    let functions = operation.library
    var list: OpaquePointer?
    let code = functions.signal_protocol_key_helper_generate_pre_keys(
      &list, nextPreKey, UInt32(missing), operation.context)
    guard code == 0 else { throw OMEMOFault(code: code) }
    defer { functions.signal_protocol_key_helper_key_list_free(list) }
    var node = list
    while let current = node {
      let key = functions.signal_protocol_key_helper_key_list_element(current)
      preKeys[functions.session_pre_key_get_id(key)] = try operation.bytes {
        functions.session_pre_key_serialize($0, key)
      }
      node = functions.signal_protocol_key_helper_key_list_next(current)
    }
    // Numbers stay in the range that the library uses, 1 to 2²⁴ − 2.
    nextPreKey = (preKeys.keys.max() ?? 0) % 0xFF_FFFE + 1
  }

  /// Makes a new signed pre key. The one before stays, for messages that are under way.
  package mutating func renewSignedPreKey(
    _ library: OMEMOLibrary, time: UInt64
  ) throws(OMEMOFault) {
    let operation = Operation(library, device: self)
    let functions = operation.library
    let pair = try operation.identity()
    let number = signedPreKey % 0xFF_FFFE + 1
    let key = try operation.object { [operation] key in
      functions.signal_protocol_key_helper_generate_signed_pre_key(
        key, pair, number, time, operation.context)
    }
    signedPreKeys = signedPreKeys.filter { $0.key == signedPreKey }
    signedPreKeys[number] = try operation.bytes {
      functions.session_signed_pre_key_serialize($0, key)
    }
    signedPreKey = number
  }

  /// When the newest signed pre key was made, in milliseconds since 1970.
  package func signedPreKeyTime(_ library: OMEMOLibrary) throws(OMEMOFault) -> UInt64 {
    let operation = Operation(library)
    return operation.library.session_signed_pre_key_get_timestamp(
      try operation.newestSignedPreKey(of: self))
  }

  /// What others need to begin a session with this device.
  package func bundle(
    _ version: OMEMOVersion, _ library: OMEMOLibrary
  ) throws(OMEMOFault) -> Bundle {
    let operation = Operation(library, device: self)
    let functions = operation.library
    let pair = try operation.identity()
    let signed = try operation.newestSignedPreKey(of: self)
    let (signature, count) =
      version == .legacy
      ? (
        functions.session_signed_pre_key_get_signature(signed),
        functions.session_signed_pre_key_get_signature_len(signed)
      )
      : (
        functions.session_signed_pre_key_get_signature_omemo(signed),
        functions.session_signed_pre_key_get_signature_omemo_len(signed)
      )
    var keys: [UInt32: [UInt8]] = [:]
    for (id, record) in preKeys {
      let key = try operation.object { [operation] key in
        functions.session_pre_key_deserialize(key, record, record.count, operation.context)
      }
      keys[id] = try operation.written(
        functions.ec_key_pair_get_public(functions.session_pre_key_get_key_pair(key)), version)
    }
    return Bundle(
      version: version,
      identity: try operation.writtenIdentity(
        functions.ratchet_identity_key_pair_get_public(pair), version),
      signedPreKey: signedPreKey,
      signedPreKeyPublic: try operation.written(
        functions.ec_key_pair_get_public(
          functions.session_signed_pre_key_get_key_pair(signed)), version),
      signature: Array(UnsafeBufferPointer(start: signature, count: count)), preKeys: keys)
  }
}

extension Operation {
  func newestSignedPreKey(of device: OwnDevice) throws(OMEMOFault) -> OpaquePointer {
    let record = device.signedPreKeys[device.signedPreKey] ?? []
    return try object {
      library.session_signed_pre_key_deserialize($0, record, record.count, context)
    }
  }

  /// The identity key pair of ``device``.
  func identity() throws(OMEMOFault) -> OpaquePointer {
    let (publicKey, privateKey) = (device?.publicKey ?? [], device?.privateKey ?? [])
    let point = try object {
      library.curve_decode_point($0, publicKey, publicKey.count, context)
    }
    let secret = try object {
      library.curve_decode_private_point($0, privateKey, privateKey.count, context)
    }
    return try object { library.ratchet_identity_key_pair_create($0, point, secret) }
  }

  /// A public key as a bundle writes it.
  func written(_ key: OpaquePointer?, _ version: OMEMOVersion) throws(OMEMOFault) -> [UInt8] {
    try bytes { output in
      switch version {
      case .legacy: return library.ec_public_key_serialize(output, key)
      case .two:
        output.pointee = library.ec_public_key_get_mont(key)
        return 0
      }
    }
  }

  /// An identity key as a bundle writes it: version 2 writes the form of Ed25519.
  func writtenIdentity(
    _ key: OpaquePointer?, _ version: OMEMOVersion
  ) throws(OMEMOFault) -> [UInt8] {
    guard version == .two else { return try written(key, version) }
    return try bytes { output in
      output.pointee = library.ec_public_key_get_ed(key)
      return 0
    }
  }
}
