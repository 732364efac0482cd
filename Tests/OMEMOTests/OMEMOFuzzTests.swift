// SPDX-License-Identifier: GPL-3.0-or-later
import OMEMO
import Repeatable
import Testing

@Suite("OMEMO: elements that others have made wrong") struct OMEMOFuzzTests {
  @Test("A changed element is refused, or says the same", arguments: OMEMOVersion.allCases)
  func changedElements(version: OMEMOVersion) throws {
    var random = FixedRandom(seed: LongRun.seed)
    let library = try OMEMOLibrary.loaded.get()
    let (anna, ben) = (try OwnDevice(library, time: 1), try OwnDevice(library, time: 1))
    var session = try Session(with: ben.bundle(version, library), of: ben.id, by: anna, library)
    let key = [UInt8](repeating: 5, count: 48)
    let first = try session.seal(key, for: ben.id, by: anna, library)
    let opened = try ben.open(first, from: anna.id, session: nil, version: version, library)
    let second = try session.seal(key, for: ben.id, by: anna, library)
    for number in 0..<LongRun.rounds(400) {
      let element = number % 2 == 0 ? first : second
      var bytes = element.bytes
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        bytes[Int.random(in: bytes.indices, using: &random)] ^= UInt8.random(
          in: 1...255, using: &random)
      case 1: bytes.removeLast(Int.random(in: 1...bytes.count, using: &random))
      case 2:
        bytes += (0...random.below(100)).map { _ in UInt8.random(in: 0...255, using: &random) }
      default: bytes = bytes.indices.map { _ in UInt8.random(in: 0...255, using: &random) }
      }
      let changed = KeyElement(bytes: bytes, beginsSession: Bool.random(using: &random))
      for known in [nil, opened.session] {
        if let result = try? ben.open(
          changed, from: anna.id, session: known, version: version, library)
        {
          #expect(result.key == key)
          #expect(result.session.identity == anna.publicKey)
        }
      }
    }
  }

  @Test(
    "A changed bundle begins no session that its owner could not read",
    arguments: OMEMOVersion.allCases)
  func changedBundles(version: OMEMOVersion) throws {
    let library = try OMEMOLibrary.loaded.get()
    let (anna, ben) = (try OwnDevice(library, time: 1), try OwnDevice(library, time: 1))
    let bundle = try ben.bundle(version, library)
    var random = FixedRandom(seed: LongRun.seed)
    func changed(_ bytes: [UInt8]) -> [UInt8] {
      var bytes = bytes
      bytes[1 + random.below(bytes.count - 1)] ^= UInt8(1 << random.below(7))
      return bytes
    }
    for _ in 0..<LongRun.rounds(50) {
      #expect(throws: OMEMOFault.self) {
        try Session(
          with: Bundle(
            version: version, identity: bundle.identity, signedPreKey: 1,
            signedPreKeyPublic: changed(bundle.signedPreKeyPublic), signature: bundle.signature,
            preKeys: bundle.preKeys), of: ben.id, by: anna, library)
      }
      #expect(throws: OMEMOFault.self) {
        try Session(
          with: Bundle(
            version: version, identity: bundle.identity, signedPreKey: 1,
            signedPreKeyPublic: bundle.signedPreKeyPublic, signature: changed(bundle.signature),
            preKeys: bundle.preKeys), of: ben.id, by: anna, library)
      }
    }
    for count in [0, 1, 31, 32, 33, 34, 1_000] {
      let junk = [UInt8](repeating: 5, count: count)
      #expect(throws: OMEMOFault.self) {
        try Session(
          with: Bundle(
            version: version, identity: junk, signedPreKey: 1, signedPreKeyPublic: junk,
            signature: junk, preKeys: [1: junk]), of: ben.id, by: anna, library)
      }
    }
    #expect(throws: OMEMOFault.self) {
      try Session(
        with: Bundle(
          version: version, identity: bundle.identity, signedPreKey: 1,
          signedPreKeyPublic: bundle.signedPreKeyPublic, signature: bundle.signature, preKeys: [:]),
        of: ben.id, by: anna, library)
    }
  }
}
