// SPDX-License-Identifier: GPL-3.0-or-later
import CLinux
import Glibc

/// This shell among those that run: a row in the store, and a locked file that the kernel closes
/// when the process ends in whatever way.
struct ShellPresence {
  let id: ShellID
  let participant: ID<Participant>
  var conversation: ID<Conversation>?
  var isPaused = false
  /// The lock file, open for writing: closing it is the event that the others see.
  var lock: Int32
}

extension Reading where Self: ~Copyable {
  /// The members of a conversation, and whoever else looks at it, by name.
  public func people(in conversation: ID<Conversation>) throws -> [Presence] {
    try database.rows(
      """
      SELECT \(Store.participantColumns),
        EXISTS (SELECT 1 FROM shell h WHERE h.participant = p.id) OR ifnull(p.online, 0) <> 0
          AS is_here,
        EXISTS (SELECT 1 FROM shell h
          WHERE h.participant = p.id AND h.conversation = ?1 AND h.paused = 0) AS is_looking,
        t.began_at, t.at, p.away, p.network = '' OR p.online IS NOT NULL AS is_known
      FROM participant p
      LEFT JOIN typing t ON t.participant = p.id AND t.conversation = ?1 AND t.active = 1
      WHERE p.id IN (
        SELECT participant FROM membership WHERE conversation = ?1 AND last IS NULL
        UNION SELECT participant FROM shell WHERE conversation = ?1)
      ORDER BY p.name, p.id
      """, conversation
    ) {
      Presence(
        participant: Store.participant($0), isHere: $0.bool("is_here"),
        isLooking: $0.bool("is_looking"),
        typingSince: $0.optionalTime("began_at"), typingAt: $0.optionalTime("at"),
        away: $0.optionalText("away"), isKnown: $0.bool("is_known"))
    }
  }

  /// How many others have a shell that runs, of those who are in a conversation or look at it; of a
  /// network's, how many are there.
  ///
  /// - Returns: nil where the network has not told yet, or does not.
  public func othersHere(
    in conversation: ID<Conversation>, than me: ID<Participant>
  ) throws -> Int? {
    let elsewhere = try database.first(
      """
      SELECT c.live, c.kind, count(p.online) AS told, count(nullif(p.online, 0)) AS others
      FROM conversation c
      LEFT JOIN membership s ON s.conversation = c.id AND s.last IS NULL
      LEFT JOIN participant p ON p.id = s.participant AND p.id <> ?2
      WHERE c.id = ?1 AND c.network <> '' GROUP BY c.id
      """, conversation, me
    ) { row in
      (
        isTold: row.int("kind") == Conversation.Kind.room.rawValue
          ? row.bool("live") : row.int("told") > 0, count: row.int("others")
      )
    }
    if let elsewhere { return elsewhere.isTold ? elsewhere.count : nil }
    let found = try database.rows(
      """
      SELECT h.id, h.participant FROM shell h WHERE h.participant <> ?2 AND (h.conversation = ?1
        OR EXISTS (SELECT 1 FROM membership s
          WHERE s.conversation = ?1 AND s.participant = h.participant AND s.last IS NULL))
      """, conversation, me
    ) { (shell: ShellID(rawValue: $0.text("id")), person: $0.int64("participant")) }
    // Nobody may have looked for the dead yet.
    return Set(found.filter { files.isLocked($0.shell) }.map(\.person)).count
  }

  /// What someone who is away left word of, perhaps an empty text; nil while they are not away.
  public func away(of person: ID<Participant>) throws -> String? {
    try database.first("SELECT away FROM participant WHERE id = ?", person) {
      $0.optionalText()
    } ?? nil
  }

  /// Shells that have a row or a file, but nobody who holds the lock.
  fileprivate func dead() throws -> [ShellID] {
    var known = Set(try database.rows("SELECT id FROM shell") { ShellID(rawValue: $0.text()) })
    known.formUnion(files.lockFiles())
    if let id = presence?.id { known.remove(id) }
    return known.filter { !files.isLocked($0) }
  }

  fileprivate var hasLostItsLock: Bool { presence.map { StoreFiles.hasNoName($0.lock) } ?? false }

  fileprivate func hasDead() throws -> Bool {
    try !dead().isEmpty || hasLostItsLock || hasDeadHolders()
  }
}

extension Writing where Self: ~Copyable {
  fileprivate func insert(_ shell: ShellPresence) throws {
    try noteHere(shell.participant)
    try database.run(
      "INSERT OR REPLACE INTO shell(id, participant, conversation, paused) VALUES (?, ?, ?, ?)",
      shell.id, shell.participant, shell.conversation, shell.isPaused)
    try touchPeople()
  }

  fileprivate func remove(_ shell: ShellID) throws {
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
      """, person, Audience.patience, now)
    // Messages are for them again.
    if database.changedRows > 0 { try touchPeople() }
    try database.run("UPDATE participant SET here = ? WHERE id = ? AND network = ''", now, person)
  }

  /// Signals that I type, or paused (rule 4.3). Each call with true is a signal; the caller keeps
  /// them apart. Of several shells of mine the last one to signal counts.
  public func setTyping(_ isTyping: Bool, in conversation: ID<Conversation>) throws {
    guard let shell = presence else { throw connection.notAttached }
    if !isTyping {
      let mine = "participant = ? AND conversation = ? AND shell = ? AND active = 1"
      guard
        try database.exists(
          "SELECT 1 FROM typing WHERE \(mine)", shell.participant, conversation, shell.id)
      else { return }
      try database.run(
        "UPDATE typing SET active = 0, at = ?, change = ? WHERE \(mine)", clock(),
        try nextChange(), shell.participant, conversation, shell.id)
      return
    }
    try beginTyping(of: shell.participant, in: conversation, by: shell.id)
  }

  package func beginTyping(
    of person: ID<Participant>, in conversation: ID<Conversation>, by shell: ShellID
  ) throws {
    try database.run(
      """
      INSERT INTO typing(participant, conversation, shell, active, began_at, at, change)
      VALUES (?1, ?2, ?3, 1, ?4, ?4, ?5)
      ON CONFLICT DO UPDATE SET shell = excluded.shell, active = 1,
        began_at = CASE active WHEN 1 THEN began_at ELSE excluded.at END, at = excluded.at,
        change = excluded.change
      """, person, conversation, shell, clock(), try nextChange())
  }

  /// A message ends the typing of its sender, from whatever shell (rule 4.2).
  package func endTyping(of person: ID<Participant>, in conversation: ID<Conversation>) throws {
    let active = "participant = ? AND conversation = ? AND active = 1"
    guard try database.exists("SELECT 1 FROM typing WHERE \(active)", person, conversation)
    else { return }
    try database.run(
      "UPDATE typing SET active = 0, at = ?, change = ? WHERE \(active)", clock(),
      try nextChange(), person, conversation)
  }

  // MARK: Away

  /// Says that I am away, with a word about it or an empty text; nil: that I am back.
  public func setAway(_ word: String?, of me: ID<Participant>) throws {
    if try away(of: me) == word { return }
    try database.run("UPDATE participant SET away = ? WHERE id = ?", word, me)
    try touchPeople()
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

  // MARK: The dead

  /// Removes shells, and what is said of network processes, that have ended without a word; to be
  /// called at the start, and when the bell says `.processExited`. If somebody removed the lock file
  /// of this process, it is made again.
  ///
  /// - Returns: whether there were any.
  public func reapStaleShells() throws -> Bool {
    if try !read({ try $0.hasDead() }) { return false }
    return try write { transaction in
      let hadHolders = try transaction.forgetDeadHolders()
      if transaction.hasLostItsLock, var shell = connection.presence {
        Glibc.close(shell.lock)
        shell.lock = try makeLockFile(of: shell.id)
        connection.presence = shell
        try transaction.insert(shell)
      }
      let dead = try transaction.dead()
      for shell in dead {
        try transaction.remove(shell)
        removeLockFile(of: shell)
      }
      return !dead.isEmpty || hadHolders
    }
  }
}
