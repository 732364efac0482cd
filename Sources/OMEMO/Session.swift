// SPDX-License-Identifier: GPL-3.0-or-later
import COmemo
import Glibc

/// The key of a message for one device, as it travels in the message.
package struct KeyElement: Hashable, Sendable {
  package let bytes: [UInt8]
  /// Whether it also begins a session, with a pre key of the device.
  package let beginsSession: Bool

  package init(bytes: [UInt8], beginsSession: Bool) {
    (self.bytes, self.beginsSession) = (bytes, beginsSession)
  }
}

/// A session with one device of another account, or with another device of one's own. It changes
/// with each message, and the changed one must be stored: before the message is sent, and after the
/// text of a received one is stored.
package struct Session: Sendable, Equatable {
  package let version: OMEMOVersion
  /// The library's record.
  package private(set) var record: [UInt8]
  /// The other device's identity key, in the legacy form: the one that the session's secret proves.
  package let identity: [UInt8]

  package init(version: OMEMOVersion, record: [UInt8], identity: [UInt8]) {
    (self.version, self.record, self.identity) = (version, record, identity)
  }

  /// Begins a session with the device `id`, whose bundle this is, by one of its pre keys.
  ///
  /// - Parameter former: the session that it replaces. The new one still opens the messages that are
  ///   under way in it.
  package init(
    with bundle: Bundle, of id: UInt32, by device: OwnDevice, after former: Session? = nil,
    _ library: OMEMOLibrary
  ) throws(OMEMOFault) {
    guard (1..<0x8000_0000).contains(id), let preKey = bundle.preKeys.randomElement() else {
      throw OMEMOFault(code: SG_ERR_INVALID_KEY)
    }
    let operation = Operation(library, device: device, session: former?.record)
    let functions = operation.library
    let identity = try operation.read(identity: bundle.identity, bundle.version)
    let signed = try operation.read(bundle.signedPreKeyPublic, bundle.version)
    let first = try operation.read(preKey.value, bundle.version)
    let begun = try operation.object { output in
      functions.session_pre_key_bundle_create(
        output, id, Int32(id), preKey.key, first, bundle.signedPreKey, signed,
        bundle.signature, bundle.signature.count, identity)
    }
    try operation.with(peer: id) { (address) throws(OMEMOFault) in
      var builder: OpaquePointer?
      let code = functions.session_builder_create(
        &builder, operation.stores, address, operation.context)
      guard code == 0 else { throw OMEMOFault(code: code) }
      defer { functions.session_builder_free(builder) }
      functions.session_builder_set_version(builder, bundle.version.number)
      let result = functions.session_builder_process_pre_key_bundle(builder, begun)
      guard result == 0 else { throw OMEMOFault(code: result) }
    }
    version = bundle.version
    record = operation.session ?? []
    self.identity = try operation.peerIdentity()
  }

  /// Seals the key of a message, and moves on.
  package mutating func seal(
    _ key: [UInt8], for id: UInt32, by device: OwnDevice, _ library: OMEMOLibrary
  ) throws(OMEMOFault) -> KeyElement {
    let operation = Operation(library, device: device, session: record)
    let functions = operation.library
    let sealed = try operation.withCipher(version, id) { (cipher) throws(OMEMOFault) in
      let message = try operation.object {
        functions.session_cipher_encrypt(cipher, key, key.count, $0)
      }
      return KeyElement(
        bytes: operation.copied(functions.ciphertext_message_get_serialized(message)),
        beginsSession: functions.ciphertext_message_get_type(message)
          == CIPHERTEXT_PREKEY_TYPE)
    }
    record = operation.session ?? []
    return sealed
  }
}

/// What a key element contains, and what changes once its text is stored.
package struct OpenedKey: Sendable, Equatable {
  package let key: [UInt8]
  package let session: Session
  /// The pre key that it used up.
  package let usedPreKey: UInt32?
}

extension OwnDevice {
  /// Opens a key element that the device `id` of an account sealed for this device.
  ///
  /// - Parameter session: the session with that device, if there is one.
  package func open(
    _ element: KeyElement, from id: UInt32, session: Session?, version: OMEMOVersion,
    _ library: OMEMOLibrary
  ) throws(OMEMOFault) -> OpenedKey {
    let operation = Operation(library, device: self, session: session?.record)
    let functions = operation.library
    let (bytes, context) = (element.bytes, operation.context)
    let key = try operation.withCipher(version, id) { (cipher) throws(OMEMOFault) in
      guard element.beginsSession else {
        let message = try operation.object { output in
          version == .legacy
            ? functions.signal_message_deserialize(output, bytes, bytes.count, context)
            : functions.signal_message_deserialize_omemo(output, bytes, bytes.count, context)
        }
        return try operation.bytes {
          functions.session_cipher_decrypt_signal_message(cipher, message, nil, $0)
        }
      }
      let message = try operation.object { output in
        version == .legacy
          ? functions.pre_key_signal_message_deserialize(output, bytes, bytes.count, context)
          : functions.pre_key_signal_message_deserialize_omemo(
            output, bytes, bytes.count, id, context)
      }
      return try operation.bytes {
        functions.session_cipher_decrypt_pre_key_signal_message(cipher, message, nil, $0)
      }
    }
    return OpenedKey(
      key: key,
      session: Session(
        version: version, record: operation.session ?? [], identity: try operation.peerIdentity()),
      usedPreKey: operation.usedPreKey)
  }
}

extension Operation {
  /// The identity key of the other device, as the session knows it. The one that an element names
  /// proves nothing: if the session exists already, the library does not compare it.
  func peerIdentity() throws(OMEMOFault) -> [UInt8] {
    let bytes = session ?? []
    let record = try object {
      library.session_record_deserialize($0, bytes, bytes.count, context)
    }
    return try written(
      library.session_state_get_remote_identity_key(library.session_record_get_state(record)),
      .legacy)
  }

  /// The sessions of an operation are those with one device, so its account needs no name here.
  func with<R>(
    peer id: UInt32, _ body: (UnsafePointer<signal_protocol_address>) throws(OMEMOFault) -> R
  ) throws(OMEMOFault) -> R {
    let address = UnsafeMutablePointer<signal_protocol_address>.allocate(capacity: 1)
    let name = strdup("peer")!
    defer {
      free(name)
      address.deallocate()
    }
    address.initialize(
      to: signal_protocol_address(name: name, name_len: 4, device_id: Int32(truncatingIfNeeded: id))
    )
    return try body(address)
  }

  func withCipher<R>(
    _ version: OMEMOVersion, _ id: UInt32, _ body: (OpaquePointer) throws(OMEMOFault) -> R
  ) throws(OMEMOFault) -> R {
    try with(peer: id) { (address) throws(OMEMOFault) in
      var cipher: OpaquePointer?
      let code = library.session_cipher_create(&cipher, stores, address, context)
      guard code == 0, let cipher else { throw OMEMOFault(code: code) }
      defer { library.session_cipher_free(cipher) }
      library.session_cipher_set_version(cipher, version.number)
      return try body(cipher)
    }
  }

  func read(_ key: [UInt8], _ version: OMEMOVersion) throws(OMEMOFault) -> OpaquePointer {
    try object { output in
      version == .legacy
        ? library.curve_decode_point(output, key, key.count, context)
        : library.curve_decode_point_mont(output, key, key.count, context)
    }
  }

  func read(identity: [UInt8], _ version: OMEMOVersion) throws(OMEMOFault) -> OpaquePointer {
    guard version == .two else { return try read(identity, version) }
    return try object { library.curve_decode_point_ed($0, identity, identity.count, context) }
  }
}
