// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// This shell among those that run: a row in the store, and a locked file that the kernel closes
/// when the process ends in whatever way.
struct ShellPresence {
  /// Milliseconds after someone was here last until nothing that is said in a room is for them.
  static let absentAfter: Milliseconds = 7 * 24 * 3_600_000

  let id: ShellID
  let participant: ID<Participant>
  var conversation: ID<Conversation>?
  var isPaused = false
  /// The lock file, open for writing: closing it is the event that the others see.
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

  /// Someone of this machine has a shell, or says something.
  func noteHere(_ person: ID<Participant>) throws {
    let now = clock()
    // Whoever has a shell was here all the time.
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
  /// Makes this process a running shell of a participant; ends the presence it had.
  ///
  /// - Returns: a new name for it.
  public func attach(_ me: ID<Participant>) throws -> ShellID {
    try detach()
    let id = ShellID.random()
    var made = ShellPresence(id: id, participant: me, lock: -1)
    do {
      // Inside the transaction: others look for dead shells in one as well, so nobody can take a
      // file that is not locked yet for a dead one's.
      try write {
        made.lock = try makeLockFile(of: id)
        try $0.insert(made)
      }
    } catch {
      if made.lock >= 0 { removeLockFile(of: id, made.lock) }
      throw error
    }
    connection.presence = made
    return id
  }

  /// Ends this shell's presence and its typing. Nothing if there is none.
  public func detach() throws {
    guard let shell = connection.presence else { return }
    connection.presence = nil
    // Even if the store is locked: then the closed file tells the others that it is dead.
    defer { Glibc.close(shell.lock) }
    try write { try $0.remove(shell.id) }
    removeLockFile(of: shell.id)
  }

  /// Tells the others which conversation this shell shows, nil for none.
  ///
  /// - Parameter paused: whether printing is held (rule 7.6).
  public func open(_ conversation: ID<Conversation>?, paused: Bool = false) throws {
    guard var shell = connection.presence else { throw connection.notAttached }
    if shell.conversation == conversation, shell.isPaused == paused { return }
    shell.conversation = conversation
    shell.isPaused = paused
    try write { try $0.insert(shell) }
    connection.presence = shell
  }
}
