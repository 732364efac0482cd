// SPDX-License-Identifier: GPL-3.0-or-later
import OMEMO
import Testing

/// Two devices and their sessions with each other.
private struct Pair {
  let library: OMEMOLibrary
  let version: OMEMOVersion
  var anna, ben: OwnDevice
  var toBen: Session
  var toAnna: Session?

  init(_ version: OMEMOVersion) throws {
    library = try OMEMOLibrary.loaded.get()
    self.version = version
    anna = try OwnDevice(library, time: 1_000)
    ben = try OwnDevice(library, time: 1_000)
    toBen = try Session(with: ben.bundle(version, library), of: ben.id, by: anna, library)
  }

  mutating func annaSeals(_ byte: UInt8) throws -> KeyElement {
    try toBen.seal([UInt8](repeating: byte, count: 32), for: ben.id, by: anna, library)
  }

  mutating func benOpens(_ element: KeyElement) throws -> UInt8? {
    let opened = try ben.open(
      element, from: anna.id, session: toAnna, version: version, library)
    toAnna = opened.session
    return opened.key.first
  }

  mutating func benAnswers() throws {
    let answer = try toAnna!.seal(
      [UInt8](repeating: 99, count: 32), for: anna.id, by: ben, library)
    toBen = try anna.open(answer, from: ben.id, session: toBen, version: version, library).session
  }
}

@Suite("OMEMO: what a crash costs in each order of writing") struct CrashOrderTests {
  @Test(
    "A received message whose session was not stored is readable again, and so are later ones",
    arguments: OMEMOVersion.allCases)
  func received(version: OMEMOVersion) throws {
    var pair = try Pair(version)
    _ = try pair.benOpens(pair.annaSeals(1))
    try pair.benAnswers()
    let before = pair.toAnna
    let lost = try pair.annaSeals(2)
    _ = try pair.benOpens(lost)
    pair.toAnna = before
    #expect(try pair.benOpens(pair.annaSeals(3)) == 3)
    #expect(try pair.benOpens(lost) == 2)
    try pair.benAnswers()
  }

  @Test(
    "A sent message whose session was not stored makes the next one unreadable",
    arguments: OMEMOVersion.allCases)
  func sent(version: OMEMOVersion) throws {
    var pair = try Pair(version)
    _ = try pair.benOpens(pair.annaSeals(1))
    try pair.benAnswers()
    let before = pair.toBen
    _ = try pair.benOpens(pair.annaSeals(2))
    pair.toBen = before
    let next = try pair.annaSeals(3)
    #expect(throws: OMEMOFault.self) { try pair.benOpens(next) }
    #expect(try pair.benOpens(pair.annaSeals(4)) == 4)
  }

  @Test("Messages are readable in any order, and each once", arguments: OMEMOVersion.allCases)
  func reordered(version: OMEMOVersion) throws {
    var pair = try Pair(version)
    let elements = try (1...20).map { try pair.annaSeals(UInt8($0)) }
    for index in (0..<20).reversed() {
      #expect(try pair.benOpens(elements[index]) == UInt8(index + 1))
      #expect(throws: OMEMOFault.self) { try pair.benOpens(elements[index]) }
    }
  }
}
