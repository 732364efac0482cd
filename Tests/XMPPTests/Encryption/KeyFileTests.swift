// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import OMEMO
import Testing

@testable import XMPP

@Suite("OMEMO: the file with the keys") final class KeyFileTests {
  private let folder: String
  private let library: OMEMOLibrary
  private let ben = KeyBook.Device(account: Address("ben@example.org")!, number: 22)

  init() throws {
    folder = NSTemporaryDirectory() + "keys-" + UUID().uuidString
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    library = try OMEMOLibrary.loaded.get()
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  private var path: String { folder + "/omemo.sqlite" }

  /// A device that has been stored, and how often the file has been written.
  private func made() throws -> (book: KeyBook, written: Int64) {
    let file = try KeyFile(in: folder)
    #expect(try file.load(machine: "here", known: 0) == nil)
    var book = try file.book(of: OwnDevice(library, time: 1))
    book = KeyBook(own: book.own)
    return (book, try file.write(book.takeChanges(), of: book))
  }

  private func loaded(machine: String = "here", known: Int64 = 0) throws -> KeyBook? {
    try KeyFile(in: folder).load(machine: machine, known: known)
  }

  @Test("all that was stored is there again, and only the owner can read it") func isReadAgain()
    throws
  {
    var (book, _) = try made()
    _ = book.takeChanges()
    #expect(try loaded() == book)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(mode as? Int == 0o600)

    let other = try OwnDevice(library, time: 1)
    let session = try Session(
      with: other.bundle(.two, library), of: ben.number, by: book.own, library)
    book.set(session, .init(device: ben, version: .two))
    let isNew1 = book.meet(ben, session.identity, at: 1_000)
    #expect(isNew1)
    let isNew2 = book.meet(ben, session.identity, at: 2_000)
    #expect(!isNew2)
    book.trust(ben, .verified)
    book.set([22, 23], of: ben.account, .two)
    book.set([22], of: ben.account, .legacy)
    book.set(.init(isWanted: false, wasEncrypted: true), with: ben.account)
    book.name(22, "old phone")
    book.name(23, "lost")
    book.name(23, "")
    let isNews = book.noteTold(of: ben.account)
    #expect(isNews)
    let isOld = !book.noteTold(of: ben.account)
    #expect(isOld)
    book.noteHealed(ben, at: 5_000)
    #expect(book.isHealed(ben, at: 86_404_999) && !book.isHealed(ben, at: 86_405_000))
    book.set(members: [ben.account, Address("carl@example.org")!], of: ben.account)
    let ids = book.own.preKeys.keys.sorted()
    book.noteUsed(preKey: ids[0])
    book.noteUsed(preKey: ids[1])
    var own = book.own
    own.preKeys[ids[0]] = nil
    try own.refill(library)
    try own.renewSignedPreKey(library, time: 2)
    book.set(own)
    let file = try KeyFile(in: folder)
    try file.write(book.takeChanges(), of: book)
    #expect(book.usedPreKeys == [ids[1]])
    #expect(book.versions(of: ben.account) == [22: .two, 23: .two])
    #expect(try file.load(machine: "here", known: 0) == book)
    book.set(nil, .init(device: ben, version: .two))
    try file.write(book.takeChanges(), of: book)
    #expect(try file.load(machine: "here", known: 0) == book)
    #expect(book.takeChanges().isEmpty)
  }

  @Test("new devices of a verified person wait for the owner") func waits() throws {
    var book = KeyBook(own: try OwnDevice(library, time: 1))
    let isNew3 = book.meet(ben, [5, 1], at: 0)
    #expect(isNew3)
    #expect(book.identities[ben]?.trust == .blind)
    book.trust(ben, .verified)
    let second = KeyBook.Device(account: ben.account, number: 33)
    let isNew4 = book.meet(second, [5, 2], at: 0)
    #expect(isNew4)
    #expect(book.identities[second]?.trust == .undecided)
    // Another key under a known number is another device.
    let isNew5 = book.meet(ben, [5, 3], at: 0)
    #expect(isNew5)
    #expect(book.identities[ben]?.trust == .undecided)
  }

  @Test("the keys of a file from another machine, or a copied one, are not used again")
  func elsewhere() throws {
    var (book, _) = try made()
    let isNew6 = book.meet(ben, [5, 1], at: 0)
    #expect(isNew6)
    book.trust(ben, .verified)
    try KeyFile(in: folder).write(book.takeChanges(), of: book)
    try FileManager.default.copyItem(atPath: path, toPath: path + ".copy")
    do {
      let moved = try KeyFile(in: folder)
      #expect(try moved.load(machine: "there", known: 0) == nil)
      // Whoever opens it can take that device from the list.
      #expect(moved.former == book.own.id)
    }
    #expect(try loaded() == nil)

    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.moveItem(atPath: path + ".copy", toPath: path)
    let file = try KeyFile(in: folder)
    #expect(try file.load(machine: "here", known: 0) == nil)
    // What the owner has compared stays compared.
    #expect(try file.book(of: book.own).identities[ben]?.trust == .verified)
    #expect(try file.book(of: book.own).sessions.isEmpty)
  }

  @Test("an older state of the same file is noticed by what the store knows") func older() throws {
    var (book, written) = try made()
    let backup = try Data(contentsOf: URL(fileURLWithPath: path))
    let isNew7 = book.meet(ben, [5, 1], at: 0)
    #expect(isNew7)
    let later = try KeyFile(in: folder).write(book.takeChanges(), of: book)
    #expect(later > written)
    #expect(try loaded(known: later) != nil)
    // Over the same file, as cp(1) does.
    let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try handle.truncate(atOffset: 0)
    try handle.write(contentsOf: backup)
    try handle.close()
    #expect(try loaded(known: written) != nil)
    #expect(try loaded(known: later) == nil)
  }
}
