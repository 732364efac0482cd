// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import NetworkInbox
import OMEMO
import Platform

/// The file of an account's keys, for the process that serves the account.
@MainActor
package final class KeyKeeper {
  private let file: KeyFile
  private let lease: AccountLease
  /// What could not be written yet. Until it is, nothing may go out.
  private var unwritten: [KeyUpdate] = []
  /// How often the file was written, as the store noted it at the start of this process, and last.
  private let count: Int64
  private var noted: Int64

  /// Opens the file, or makes one.
  ///
  /// - Returns: nil if libomemo-c is missing and has never been used for this account.
  /// - Throws: `StoreError`, `SystemFailure`: then nothing is sent, since it might have to be
  ///   encrypted.
  package init?(for lease: AccountLease, files: AccountFiles) throws {
    let folder = try files.makeFactsFolder(of: lease.account, inStoreAt: lease.path)
    let library = try? OMEMOLibrary.loaded.get()
    let (count, partners) = try lease.read { [account = lease.account] in
      (try $0.keyCount(of: account), try $0.encryptedPartners(of: account))
    }
    if library == nil, !KeyFile.exists(in: folder), partners.isEmpty { return nil }
    file = try KeyFile(in: folder)
    (self.lease, self.count, noted) = (lease, count, count)
    let known = try file.load(machine: Self.machine, known: count)
    let own =
      try known?.own ?? library.map { try OwnDevice($0, time: UInt64(Clock.wall())) }
      ?? OwnDevice.none
    var book = try known ?? file.book(of: own)
    if known == nil, library != nil { book.noteNew() }
    if let former = file.former, let owner = Address(lease.account.address)?.bare {
      book.trust(KeyBook.Device(account: owner, number: former), .refused)
    }
    // The store knows where nothing must go out in the clear, even if the file of keys is new.
    for partner in partners.compactMap({ Address($0)?.bare }) { book.noteEncrypted(with: partner) }
    let changes = book.takeChanges()
    encryption = Encryption(book, library)
    try keep(KeyUpdate(changes: changes, book: book))
  }

  /// Why nothing can be encrypted; nil if it can.
  package nonisolated static var missingLibrary: String? {
    if case .failure(let missing) = OMEMOLibrary.loaded { missing.reason } else { nil }
  }

  /// What the client begins with.
  private(set) var encryption: Encryption

  /// What tells this machine from others (machine-id(5)).
  private static var machine: String {
    let descriptor = Glibc.open("/etc/machine-id", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    let file = OpenFile(descriptor)
    let read = try? [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
      count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
    }
    return String(decoding: read ?? [], as: UTF8.self)
  }

  /// Writes a change durably, after the ones that could not be written before.
  func keep(_ update: KeyUpdate) throws {
    unwritten.append(update)
    try keepAgain()
  }

  func keepAgain() throws {
    var written = noted
    while let update = unwritten.first {
      written = try file.write(update.changes, of: update.book)
      unwritten.removeFirst()
    }
    // The store's number only has to be near: it tells an older copy of the file from this one.
    guard written > noted + 20 || noted == count else { return }
    try lease.noteKeyCount(written)
    noted = written
  }
}
