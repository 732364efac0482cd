// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// This shell among the running ones: a row in the store, and a locked file that the kernel closes
/// however the process ends.
struct ShellPresence {
  /// Milliseconds after someone's last presence until a room's messages are no longer for them.
  static let absentAfter: Milliseconds = 7 * 24 * 3_600_000

  let id: ShellID
  let participant: ID<Participant>
  var conversation: ID<Conversation>?
  var isPaused = false
  /// The lock file, open for writing: closing it is the event that other processes see.
  var lock: Int32
}

extension Writing where Self: ~Copyable {
  func insert(_ shell: ShellPresence) throws {
    try noteHere(shell.participant)
    try database.run(
      "INSERT OR REPLACE INTO shell(id, participant, conversation, paused) VALUES (?, ?, ?, ?)",
      shell.id, shell.participant, shell.conversation, shell.isPaused)
    try touchPeople()
  }

  /// Removes the notices of all accounts that are too old for slow shells.
  func forgetOldNotices() throws {
    try database.run("DELETE FROM account_notice WHERE at < ?", clock() - Store.noticesStay)
  }

  func remove(_ shell: ShellID) throws {
    let person: ID<Participant>? = try database.first(
      "SELECT participant FROM shell WHERE id = ?", shell
    ) { $0.id() }
    if let person { try noteHere(person) }
    try database.run("DELETE FROM shell WHERE id = ?", shell)
    try endTyping(signalledBy: shell)
    try touchPeople()
  }

  package func endTyping(signalledBy shell: ShellID) throws {
    try database.run(
      "UPDATE typing SET active = 0, at = ?, change = ? WHERE shell = ? AND active = 1", clock(),
      try nextChange(), shell)
  }

  /// Records that someone of this machine has a shell, or wrote something.
  func noteHere(_ person: ID<Participant>) throws {
    let now = clock()
    // Anyone who has a shell was present all the time.
    try database.run(
      """
      INSERT INTO absence(participant, since, until) SELECT id, here + ?2, ?3 FROM participant
      WHERE id = ?1 AND here < ?3 - ?2 AND NOT EXISTS (SELECT 1 FROM shell WHERE participant = ?1)
      ON CONFLICT DO UPDATE SET until = max(until, excluded.until)
      """, person, ShellPresence.absentAfter, now)
    // Messages are for them again.
    if database.changedRows > 0 { try touchPeople() }
    try database.run("UPDATE participant SET here = ? WHERE id = ? AND network = ''", now, person)
  }
}

extension Store {
  /// Makes this process a running shell of a participant; ends its former presence.
  ///
  /// - Returns: its new name.
  public func attach(_ me: ID<Participant>) throws -> ShellID {
    try detach()
    let id = ShellID.random()
    var made = ShellPresence(id: id, participant: me, lock: -1)
    do {
      // Inside the transaction, in which others look for dead shells too: so nobody mistakes a file
      // that is not locked yet for that of a dead one.
      try write {
        made.lock = try makeLockFile(of: id)
        try $0.insert(made)
        try $0.forgetOldNotices()
      }
    } catch {
      if made.lock >= 0 { removeLockFile(of: id, made.lock) }
      throw error
    }
    connection.presence = made
    return id
  }

  /// Ends this shell's presence and its typing, if it has any.
  public func detach() throws {
    guard let shell = connection.presence else { return }
    connection.presence = nil
    // Even if the store is locked: the closed file then tells the others that this shell ended.
    defer { Glibc.close(shell.lock) }
    try write { try $0.remove(shell.id) }
    removeLockFile(of: shell.id)
  }

  /// Tells the others which conversation this shell shows; nil for none.
  ///
  /// - Parameter paused: whether output is paused (rule 7.6).
  public func open(_ conversation: ID<Conversation>?, paused: Bool = false) throws {
    guard var shell = connection.presence else { throw connection.notAttached }
    if shell.conversation == conversation, shell.isPaused == paused { return }
    shell.conversation = conversation
    shell.isPaused = paused
    try write { try $0.insert(shell) }
    connection.presence = shell
  }
}
