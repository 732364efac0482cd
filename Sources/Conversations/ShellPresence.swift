// SPDX-License-Identifier: GPL-3.0-or-later

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

extension Access {
  /// The conversation that is open in a shell, as the store knows.
  package func conversation(ofShell shell: ShellID) throws -> ID<Conversation>? {
    try database.first(
      "SELECT conversation FROM shell WHERE id = ? AND conversation IS NOT NULL", shell
    ) { $0.id() }
  }
}

extension Access where Mode: MayWrite {
  func insert(_ shell: ShellPresence) throws {
    try noteHere(shell.participant)
    try database.run(
      "INSERT OR REPLACE INTO shell(id, participant, conversation, paused) VALUES (?, ?, ?, ?)",
      shell.id, shell.participant, shell.conversation, shell.isPaused)
    try touchPeople()
  }

  /// Removes the notices of all accounts that are too old for slow shells.
  func forgetOldNotices() throws {
    try database.run("DELETE FROM account_notice WHERE at < ?", clock() - AccountNotice.stay)
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

  private func endTyping(signalledBy shell: ShellID) throws {
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
