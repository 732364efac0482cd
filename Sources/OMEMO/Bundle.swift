// SPDX-License-Identifier: GPL-3.0-or-later

/// The public keys of a device, as it publishes them: the bundle of XEP-0384. The XML has these bytes
/// in Base64.
package struct Bundle: Sendable, Equatable {
  package let version: OMEMOVersion
  package let identity: [UInt8]
  package let signedPreKey: UInt32
  package let signedPreKeyPublic: [UInt8]
  package let signature: [UInt8]
  package let preKeys: [UInt32: [UInt8]]

  package init(
    version: OMEMOVersion, identity: [UInt8], signedPreKey: UInt32, signedPreKeyPublic: [UInt8],
    signature: [UInt8], preKeys: [UInt32: [UInt8]]
  ) {
    (self.version, self.identity, self.signedPreKey) = (version, identity, signedPreKey)
    (self.signedPreKeyPublic, self.signature) = (signedPreKeyPublic, signature)
    self.preKeys = preKeys
  }
}

/// The library refused something.
package struct OMEMOFault: Error, Equatable {
  let code: Int32

  /// Why a key element could not be opened.
  package enum Cause: Sendable {
    /// It was opened before.
    case repeated
    /// It names a pre key that this device does not have any more: often also a repeated message.
    case unknownPreKey
    /// There is no session, or it does not fit. A new session mends this.
    case brokenSession
    /// It is not what the standard says.
    case malformed
  }

  package var cause: Cause {
    switch code {
    case -1_001: .repeated
    case -1_003: .unknownPreKey
    case -1_004, -1_005, -1_008, -1_009: .brokenSession
    default: .malformed
    }
  }
}
