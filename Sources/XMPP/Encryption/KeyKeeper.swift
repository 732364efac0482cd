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
  /// How often the file was written, and when the store noted that last.
  private var written: Int64 = 0
  private var noted: Int64 = 0

  /// Opens the file, or makes one.
  ///
  /// - Returns: nil if libomemo-c is missing and has never been used for this account.
  /// - Throws: `StoreError`, `SystemFailure`: then nothing is sent, since it might have to be
  ///   encrypted.
  package init?(for lease: AccountLease, files: AccountFiles) throws {
    let folder = try files.makeFactsFolder(of: lease.account, inStoreAt: lease.path)
    let library = try? OMEMOLibrary.loaded.get()
    if library == nil, !KeyFile.exists(in: folder) { return nil }
    file = try KeyFile(in: folder)
    self.lease = lease
    noted = try lease.read { [account = lease.account] in try $0.keyCount(of: account) }
    if let known = try file.load(machine: Self.machine, known: noted) {
      encryption = Encryption(known, library)
    } else if let library {
      let own = try OwnDevice(library, time: UInt64(Clock.wall()))
      var book = try file.book(of: own)
      book.noteNew()
      encryption = Encryption(book, library)
      try keep(KeyUpdate(changes: book.takeChanges(), book: book))
      encryption = Encryption(book, library)
    } else {
      return nil
    }
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
    while let update = unwritten.first {
      written = try file.write(update.changes, of: update.book)
      unwritten.removeFirst()
    }
    // The store's number only has to be near: it tells an older copy of the file from this one.
    guard written > noted + 20 || noted == 0 else { return }
    try lease.noteKeyCount(written)
    noted = written
  }
}
