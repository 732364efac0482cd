// SPDX-License-Identifier: GPL-3.0-or-later
import CNettle
import COmemo
import COpenSSL
import Glibc

/// libomemo-c cannot be used, for this reason, which is the loader's.
package struct MissingOMEMO: Error {
  package let reason: String
}

/// libomemo-c, which makes and reads the keys of messages: the double ratchet of XEP-0384.
package struct OMEMOLibrary: @unchecked Sendable {
  let functions: comemo_functions

  /// The library, loaded when it is first asked for.
  package static let loaded: Result<OMEMOLibrary, MissingOMEMO> = {
    var functions = comemo_functions()
    if let reason = comemo_load(&functions) {
      return .failure(MissingOMEMO(reason: String(cString: reason)))
    }
    return .success(OMEMOLibrary(functions: functions))
  }()
}

/// Objects of the library that live until the end of one operation, and the records that it reads
/// and changes meanwhile.
final class Operation {
  let library: comemo_functions
  private(set) var context: OpaquePointer?
  private(set) var stores: OpaquePointer?
  private var owned: [OpaquePointer] = []

  /// What the library's stores hold. Nothing of it counts until the operation has succeeded: a
  /// hostile message may write an identity before its tag turns out to be wrong.
  var device: OwnDevice?
  var session: [UInt8]?
  var usedPreKey: UInt32?

  init(_ library: OMEMOLibrary, device: OwnDevice? = nil, session: [UInt8]? = nil) {
    self.library = library.functions
    (self.device, self.session) = (device, session)
    // Both only fail when there is no memory.
    var isReady = self.library.signal_context_create(&context, nil) == 0
    var provider = cryptoProvider()
    isReady = isReady && self.library.signal_context_set_crypto_provider(context, &provider) == 0
    isReady = isReady && self.library.signal_protocol_store_context_create(&stores, context) == 0
    precondition(isReady, "out of memory")
    setStores()
  }

  deinit {
    for object in owned.reversed() { library.signal_type_unref(object) }
    library.signal_protocol_store_context_destroy(stores)
    library.signal_context_destroy(context)
  }

  /// An object that `make` fills in, released at the operation's end.
  func object(
    _ make: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(OMEMOFault) -> OpaquePointer {
    var object: OpaquePointer?
    let code = make(&object)
    guard code == 0, let object else { throw OMEMOFault(code: code) }
    owned.append(object)
    return object
  }

  /// The bytes of a buffer that `make` fills in.
  func bytes(
    _ make: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
  ) throws(OMEMOFault) -> [UInt8] {
    var buffer: OpaquePointer?
    let code = make(&buffer)
    guard code >= 0, let buffer else { throw OMEMOFault(code: code) }
    defer { library.signal_buffer_free(buffer) }
    return copied(buffer)
  }

  func copied(_ buffer: OpaquePointer?) -> [UInt8] {
    Array(
      UnsafeBufferPointer(
        start: library.signal_buffer_data(buffer), count: library.signal_buffer_len(buffer)))
  }

  private func setStores() {
    let me = Unmanaged.passUnretained(self).toOpaque()
    var sessions = signal_protocol_session_store(
      load_session_func: { output, _, _, me in
        guard let session = operation(me).session else { return 0 }
        output!.pointee = operation(me).buffer(session)
        return 1
      },
      get_sub_device_sessions_func: { _, _, _, _ in 0 },
      store_session_func: { _, record, count, _, _, me in
        operation(me).session = Array(UnsafeBufferPointer(start: record, count: count))
        return 0
      },
      contains_session_func: { _, me in operation(me).session == nil ? 0 : 1 },
      delete_session_func: { _, me in
        operation(me).session = nil
        return 1
      },
      delete_all_sessions_func: { _, _, _ in 0 }, destroy_func: nil, user_data: me)
    var preKeys = signal_protocol_pre_key_store(
      load_pre_key: { output, id, me in
        guard let key = operation(me).device?.preKeys[id] else { return SG_ERR_INVALID_KEY_ID }
        output!.pointee = operation(me).buffer(key)
        return SG_SUCCESS
      },
      store_pre_key: { _, _, _, _ in SG_ERR_UNKNOWN },
      contains_pre_key: { id, me in operation(me).device?.preKeys[id] == nil ? 0 : 1 },
      remove_pre_key: { id, me in
        operation(me).usedPreKey = id
        return 0
      }, destroy_func: nil, user_data: me)
    var signedPreKeys = signal_protocol_signed_pre_key_store(
      load_signed_pre_key: { output, id, me in
        guard let key = operation(me).device?.signedPreKeys[id] else {
          return SG_ERR_INVALID_KEY_ID
        }
        output!.pointee = operation(me).buffer(key)
        return SG_SUCCESS
      },
      store_signed_pre_key: { _, _, _, _ in SG_ERR_UNKNOWN },
      contains_signed_pre_key: { id, me in
        operation(me).device?.signedPreKeys[id] == nil ? 0 : 1
      },
      remove_signed_pre_key: { _, _ in 0 }, destroy_func: nil, user_data: me)
    var identities = signal_protocol_identity_key_store(
      get_identity_key_pair: { publicKey, privateKey, me in
        guard let device = operation(me).device else { return SG_ERR_INVALID_KEY }
        publicKey!.pointee = operation(me).buffer(device.publicKey)
        privateKey!.pointee = operation(me).buffer(device.privateKey)
        return 0
      },
      get_local_registration_id: { me, id in
        id!.pointee = operation(me).device?.id ?? 0
        return 0
      },
      // Whom to trust is decided elsewhere: all that can be read is shown.
      save_identity: { _, _, _, _ in 0 },
      is_trusted_identity: { _, _, _, _ in 1 }, destroy_func: nil, user_data: me)
    _ = library.signal_protocol_store_context_set_session_store(stores, &sessions)
    _ = library.signal_protocol_store_context_set_pre_key_store(stores, &preKeys)
    _ = library.signal_protocol_store_context_set_signed_pre_key_store(stores, &signedPreKeys)
    _ = library.signal_protocol_store_context_set_identity_key_store(stores, &identities)
  }

  fileprivate func buffer(_ bytes: [UInt8]) -> OpaquePointer? {
    library.signal_buffer_create(bytes, bytes.count)
  }
}

private func operation(_ pointer: UnsafeMutableRawPointer?) -> Operation {
  Unmanaged<Operation>.fromOpaque(pointer!).takeUnretainedValue()
}

/// The bytes of which a hash is taken at the end, and the key of that hash.
private final class Hashed {
  let key: [UInt8]
  var bytes: [UInt8] = []
  init(key: [UInt8]) { self.key = key }

  static func at(_ pointer: UnsafeMutableRawPointer?) -> Hashed {
    Unmanaged<Hashed>.fromOpaque(pointer!).takeUnretainedValue()
  }
}

/// The primitives that the library asks for, from the libraries that hobnob already has.
private func cryptoProvider() -> signal_crypto_provider {
  signal_crypto_provider(
    random_func: { data, count, _ in RAND_bytes(data, Int32(count)) == 1 ? 0 : SG_ERR_UNKNOWN },
    hmac_sha256_init_func: { context, key, count, _ in
      let hashed = Hashed(key: Array(UnsafeBufferPointer(start: key, count: count)))
      context!.pointee = Unmanaged.passRetained(hashed).toOpaque()
      return 0
    },
    hmac_sha256_update_func: { context, data, count, _ in
      Hashed.at(context).bytes += UnsafeBufferPointer(start: data, count: count)
      return 0
    },
    hmac_sha256_final_func: { context, output, _ in
      output!.pointee = buffer(
        hmacSHA256(key: Hashed.at(context).key, Hashed.at(context).bytes))
      return 0
    },
    hmac_sha256_cleanup_func: { context, _ in
      if let context { Unmanaged<Hashed>.fromOpaque(context).release() }
    },
    sha512_digest_init_func: { context, _ in
      context!.pointee = Unmanaged.passRetained(Hashed(key: [])).toOpaque()
      return 0
    },
    sha512_digest_update_func: { context, data, count, _ in
      Hashed.at(context).bytes += UnsafeBufferPointer(start: data, count: count)
      return 0
    },
    sha512_digest_final_func: { context, output, _ in
      let hashed = Hashed.at(context)
      output!.pointee = buffer(sha512(hashed.bytes))
      hashed.bytes = []
      return 0
    },
    sha512_digest_cleanup_func: { context, _ in
      if let context { Unmanaged<Hashed>.fromOpaque(context).release() }
    },
    encrypt_func: { output, cipher, key, keyCount, iv, _, text, count, _ in
      crypt(.encrypting, output, cipher, key, keyCount, iv, text, count)
    },
    decrypt_func: { output, cipher, key, keyCount, iv, _, text, count, _ in
      crypt(.decrypting, output, cipher, key, keyCount, iv, text, count)
    }, user_data: nil)
}

private func buffer(_ bytes: [UInt8]) -> OpaquePointer? {
  guard case .success(let library) = OMEMOLibrary.loaded else { return nil }
  return library.functions.signal_buffer_create(bytes, bytes.count)
}

private func crypt(
  _ direction: Direction, _ output: UnsafeMutablePointer<OpaquePointer?>?, _ cipher: Int32,
  _ key: UnsafePointer<UInt8>?, _ keyCount: Int, _ iv: UnsafePointer<UInt8>?,
  _ text: UnsafePointer<UInt8>?, _ count: Int
) -> Int32 {
  guard cipher == SG_CIPHER_AES_CBC_PKCS5, keyCount == 32 else { return SG_ERR_UNKNOWN }
  guard
    let result = aes256CBC(
      direction, key: Array(UnsafeBufferPointer(start: key, count: 32)),
      iv: Array(UnsafeBufferPointer(start: iv, count: 16)),
      Array(UnsafeBufferPointer(start: text, count: count)))
  else { return SG_ERR_UNKNOWN }
  output!.pointee = buffer(result)
  return 0
}
