// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import OMEMO

@Suite("OMEMO: sessions and payloads") struct SessionTests {
  let library = try! OMEMOLibrary.loaded.get()

  @Test(arguments: OMEMOVersion.allCases) func talk(version: OMEMOVersion) throws {
    let anna = try OwnDevice(library, time: 1_000)
    var ben = try OwnDevice(library, time: 1_000)
    #expect(anna.preKeys.count == 100)
    let bundle = try ben.bundle(version, library)
    #expect(bundle.preKeys.count == 100)
    var session = try Session(with: bundle, of: ben.id, by: anna, library)
    let payload = SealedPayload(Array("hello".utf8), version)
    let first = try session.seal(payload.key, for: ben.id, by: anna, library)
    #expect(first.beginsSession)
    let opened = try ben.open(first, from: anna.id, session: nil, version: version, library)
    #expect(opened.key == payload.key)
    #expect(opened.session.identity == anna.publicKey)
    #expect(session.identity == ben.publicKey)
    let used = try #require(opened.usedPreKey)
    ben.preKeys[used] = nil
    #expect(
      SealedPayload.open(payload.bytes, iv: payload.iv, key: opened.key, version)
        == Array("hello".utf8))
    var back = opened.session
    let reply = try back.seal([UInt8](repeating: 3, count: 32), for: anna.id, by: ben, library)
    #expect(!reply.beginsSession)
    let got = try anna.open(reply, from: ben.id, session: session, version: version, library)
    #expect(got.key == [UInt8](repeating: 3, count: 32))
    #expect(throws: OMEMOFault.self) {
      try ben.open(first, from: anna.id, session: nil, version: version, library)
    }
    do {
      _ = try ben.open(first, from: anna.id, session: back, version: version, library)
      Issue.record("opened twice")
    } catch { #expect(error.cause == .repeated) }
    try ben.refill(library)
    #expect(ben.preKeys.count == 100)
    #expect(ben.preKeys[used] == nil)
    let old = ben.signedPreKey
    try ben.renewSignedPreKey(library, time: 2_000)
    #expect(ben.signedPreKeys.count == 2 && ben.signedPreKey != old)
  }

  @Test func changedPayload() {
    for version in OMEMOVersion.allCases {
      let payload = SealedPayload(Array("text".utf8), version)
      var bytes = payload.bytes
      bytes[0] ^= 1
      #expect(SealedPayload.open(bytes, iv: payload.iv, key: payload.key, version) == nil)
    }
  }
}
