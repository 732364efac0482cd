// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import OMEMO
import Platform
import Storage

/// The file with the keys of an account's device, in the folder of its network process, which is the
/// only one that uses it. It is never in the store: whoever gets a store must not get the keys, and
/// a store that is copied must not use them a second time.
///
/// A device must never go back to an earlier state: the next message would use a key again, and
/// nobody could read it. So a file that was copied to another machine or from a backup is noticed,
/// as far as that is possible, and its keys are not used any more; a new device takes their place.
final class KeyFile {
  private static let name = "omemo.sqlite"
  private let database: Database
  /// The number of a device of this file that must not be used any more, once it is read.
  private(set) var former: UInt32?

  static func exists(in folder: String) -> Bool { access(folder + "/" + name, F_OK) == 0 }

  /// - Parameter folder: that of the account's facts.
  init(in folder: String) throws {
    database = try Database(privateFile: Self.name, in: folder)
    try database.execute(
      """
      CREATE TABLE IF NOT EXISTS place(
        -- Where the file belongs, and how often it was written.
        machine TEXT NOT NULL, inode INTEGER NOT NULL, written INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS own(
        id INTEGER NOT NULL, public_key BLOB NOT NULL, private_key BLOB NOT NULL,
        signed_pre_key INTEGER NOT NULL, next_pre_key INTEGER NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS pre_key(
        id INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS signed_pre_key(
        id INTEGER PRIMARY KEY, record BLOB NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS session(
        account TEXT NOT NULL, device INTEGER NOT NULL, version TEXT NOT NULL,
        record BLOB NOT NULL, identity BLOB NOT NULL,
        PRIMARY KEY (account, device, version)) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS identity(
        account TEXT NOT NULL, device INTEGER NOT NULL, key BLOB NOT NULL,
        -- 1 blind, 2 verified, 3 undecided, 4 refused.
        trust INTEGER NOT NULL,
        -- Milliseconds since 1970.
        first_seen INTEGER NOT NULL, last_seen INTEGER NOT NULL,
        PRIMARY KEY (account, device)) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS listed(
        account TEXT NOT NULL, version TEXT NOT NULL,
        -- The numbers of the devices, with blanks between them.
        devices TEXT NOT NULL, PRIMARY KEY (account, version)) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS chat(
        account TEXT PRIMARY KEY,
        -- 1 for /encrypt on, 0 for off, NULL if the owner has not said.
        wanted INTEGER, was_encrypted INTEGER NOT NULL) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS device_name(
        -- What the owner calls a device of their own.
        device INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;
      CREATE TABLE IF NOT EXISTS told(
        -- A conversation whose owner knows that reactions are not encrypted there.
        account TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS used_pre_key(
        -- Used up since the keys were published.
        id INTEGER PRIMARY KEY) STRICT;
      CREATE TABLE IF NOT EXISTS healed(
        -- When a broken session was mended.
        account TEXT NOT NULL, device INTEGER NOT NULL, at INTEGER NOT NULL,
        PRIMARY KEY (account, device)) STRICT, WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS member(
        -- The members of an encrypted room of whom the owner knows, with blanks between them.
        room TEXT PRIMARY KEY, accounts TEXT NOT NULL) STRICT, WITHOUT ROWID;
      """)
  }

  /// What is stored; nil if there is no device yet, or none that may be used any more.
  ///
  /// - Parameters:
  ///   - machine: what tells this machine from others, such as machine-id(5).
  ///   - known: how often the file had been written when the store noted that last.
  func load(machine: String, known: Int64) throws -> KeyBook? {
    let place = try database.first("SELECT machine, inode, written FROM place") {
      ($0.text("machine"), $0.int64("inode"), $0.int64("written"))
    }
    let inode = try self.inode
    guard let place, place.0 == machine, place.1 == inode, place.2 >= known else {
      former = try database.first("SELECT id FROM own") { UInt32($0.int64("id")) }
      try forgetKeys(machine: machine, inode: inode, written: max(known, place?.2 ?? 0))
      return nil
    }
    guard
      var own = try database.first(
        "SELECT * FROM own",
        read: { row in
          OwnDevice(
            id: UInt32(row.int64("id")), publicKey: row.bytes("public_key"),
            privateKey: row.bytes("private_key"), signedPreKeys: [:],
            signedPreKey: UInt32(row.int64("signed_pre_key")), preKeys: [:],
            nextPreKey: UInt32(row.int64("next_pre_key")))
        })
    else { return nil }
    try database.each("SELECT id, record FROM pre_key") { row in
      own.preKeys[UInt32(row.int64("id"))] = row.bytes("record")
      return true
    }
    try database.each("SELECT id, record FROM signed_pre_key") { row in
      own.signedPreKeys[UInt32(row.int64("id"))] = row.bytes("record")
      return true
    }
    return try book(of: own)
  }

  /// What is known of others, for a device.
  func book(of own: OwnDevice) throws -> KeyBook {
    func device(_ row: Row) -> KeyBook.Device? {
      Address(row.text("account")).map {
        KeyBook.Device(account: $0, number: UInt32(row.int64("device")))
      }
    }
    var sessions: [KeyBook.SessionName: Session] = [:]
    try database.each("SELECT account, device, version, record, identity FROM session") { row in
      if let device = device(row), let version = OMEMOVersion(rawValue: row.text("version")) {
        sessions[.init(device: device, version: version)] = Session(
          version: version, record: row.bytes("record"), identity: row.bytes("identity"))
      }
      return true
    }
    var identities: [KeyBook.Device: KeyBook.Identity] = [:]
    try database.each("SELECT * FROM identity") { row in
      if let device = device(row), let trust = KeyBook.Trust(rawValue: row.int("trust")) {
        identities[device] = KeyBook.Identity(
          key: row.bytes("key"), trust: trust, firstSeen: row.time("first_seen"),
          lastSeen: row.time("last_seen"))
      }
      return true
    }
    var lists: [Address: [OMEMOVersion: Set<UInt32>]] = [:]
    try database.each("SELECT account, version, devices FROM listed") { row in
      if let account = Address(row.text("account")),
        let version = OMEMOVersion(rawValue: row.text("version"))
      {
        lists[account, default: [:]][version] = Set(
          row.text("devices").split(separator: " ").compactMap { UInt32($0) })
      }
      return true
    }
    var chats: [Address: KeyBook.Chat] = [:]
    try database.each("SELECT account, wanted, was_encrypted FROM chat") { row in
      if let account = Address(row.text("account")) {
        chats[account] = KeyBook.Chat(
          isWanted: row.optionalInt64("wanted").map { $0 != 0 },
          wasEncrypted: row.bool("was_encrypted"))
      }
      return true
    }
    var names: [UInt32: String] = [:]
    try database.each("SELECT device, name FROM device_name") { row in
      names[UInt32(row.int64("device"))] = row.text("name")
      return true
    }
    let told = try database.rows("SELECT account FROM told") { Address($0.text("account")) }
    let used = try database.rows("SELECT id FROM used_pre_key") { UInt32($0.int64("id")) }
    var healed: [KeyBook.Device: Milliseconds] = [:]
    try database.each("SELECT account, device, at FROM healed") { row in
      if let device = device(row) { healed[device] = row.time("at") }
      return true
    }
    var members: [Address: Set<Address>] = [:]
    try database.each("SELECT room, accounts FROM member") { row in
      if let room = Address(row.text("room")) {
        members[room] = Set(
          row.text("accounts").split(separator: " ").compactMap { Address(String($0)) })
      }
      return true
    }
    return KeyBook(
      own: own, sessions: sessions, identities: identities, lists: lists, chats: chats,
      names: names, told: Set(told.compactMap { $0 }), usedPreKeys: Set(used), healed: healed,
      members: members)
  }

  /// Stores changes durably, all of them or none.
  ///
  /// - Returns: how often the file has been written, for the store to note.
  @discardableResult
  func write(_ changes: Set<KeyBook.Change>, of book: KeyBook) throws -> Int64 {
    try database.begin(full: true, immediate: true)
    do {
      for change in changes { try write(change, of: book) }
      try database.run("UPDATE place SET written = written + 1")
      let written = try database.first("SELECT written FROM place") { $0.int64() } ?? 0
      try database.run("COMMIT")
      return written
    } catch {
      database.rollBack()
      throw error
    }
  }

  private func write(_ change: KeyBook.Change, of book: KeyBook) throws {
    switch change {
    case .own:
      let own = book.own
      try database.run("DELETE FROM own")
      try database.run(
        "INSERT INTO own VALUES (?, ?, ?, ?, ?)", Int64(own.id), own.publicKey, own.privateKey,
        Int64(own.signedPreKey), Int64(own.nextPreKey))
    case .preKey(let id, let record?):
      try database.run("INSERT OR REPLACE INTO pre_key VALUES (?, ?)", Int64(id), record)
    case .preKey(let id, nil):
      try database.run("DELETE FROM pre_key WHERE id = ?", Int64(id))
      try database.run("DELETE FROM used_pre_key WHERE id = ?", Int64(id))
    case .signedPreKey(let id, let record?):
      try database.run("INSERT OR REPLACE INTO signed_pre_key VALUES (?, ?)", Int64(id), record)
    case .signedPreKey(let id, nil):
      try database.run("DELETE FROM signed_pre_key WHERE id = ?", Int64(id))
    case .session(let name):
      let (account, device) = (name.device.account.description, Int64(name.device.number))
      guard let session = book.sessions[name] else {
        return try database.run(
          "DELETE FROM session WHERE account = ? AND device = ? AND version = ?", account, device,
          name.version.rawValue)
      }
      try database.run(
        "INSERT OR REPLACE INTO session VALUES (?, ?, ?, ?, ?)", account, device,
        name.version.rawValue, session.record, session.identity)
    case .identity(let device):
      guard let known = book.identities[device] else { return }
      try database.run(
        "INSERT OR REPLACE INTO identity VALUES (?, ?, ?, ?, ?, ?)", device.account.description,
        Int64(device.number), known.key, known.trust.rawValue, known.firstSeen, known.lastSeen)
    case .list(let account, let version):
      let devices = (book.lists[account]?[version] ?? []).sorted().map(String.init)
      try database.run(
        "INSERT OR REPLACE INTO listed VALUES (?, ?, ?)", account.description, version.rawValue,
        devices.joined(separator: " "))
    case .chat(let account):
      let chat = book.chats[account] ?? KeyBook.Chat()
      try database.run(
        "INSERT OR REPLACE INTO chat VALUES (?, ?, ?)", account.description, chat.isWanted,
        chat.wasEncrypted)
    case .name(let device):
      guard let name = book.names[device] else {
        return try database.run("DELETE FROM device_name WHERE device = ?", Int64(device))
      }
      try database.run(
        "INSERT OR REPLACE INTO device_name VALUES (?, ?)", Int64(device), name)
    case .told(let account):
      try database.run("INSERT OR REPLACE INTO told VALUES (?)", account.description)
    case .usedPreKey(let id):
      guard book.usedPreKeys.contains(id) else { return }
      try database.run("INSERT OR REPLACE INTO used_pre_key VALUES (?)", Int64(id))
    case .healed(let device):
      try database.run(
        "INSERT OR REPLACE INTO healed VALUES (?, ?, ?)", device.account.description,
        Int64(device.number), book.healed[device] ?? 0)
    case .members(let room):
      let accounts = (book.members[room] ?? []).map(\.description).sorted()
      try database.run(
        "INSERT OR REPLACE INTO member VALUES (?, ?)", room.description,
        accounts.joined(separator: " "))
    }
  }

  /// Forgets this device and its sessions. What the owner has verified, and wants, stays.
  private func forgetKeys(machine: String, inode: Int64, written: Int64) throws {
    try database.begin(full: true, immediate: true)
    do {
      for table in ["own", "pre_key", "used_pre_key", "signed_pre_key", "session", "place"] {
        try database.run("DELETE FROM " + table)
      }
      try database.run("INSERT INTO place VALUES (?, ?, ?)", machine, inode, written)
      try database.run("COMMIT")
    } catch {
      database.rollBack()
      throw error
    }
  }

  private var inode: Int64 {
    get throws {
      var status = stat()
      if stat(database.path, &status) != 0 { throw SystemFailure() }
      return Int64(bitPattern: UInt64(status.st_ino))
    }
  }
}
