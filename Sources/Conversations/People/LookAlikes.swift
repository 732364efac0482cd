// SPDX-License-Identifier: GPL-3.0-or-later

extension Access {
  /// Finds people whose name looks like the name of someone who ranks before them (rule 12.3): `me`
  /// ranks first, then people of this machine, then people on networks, older rows first. People
  /// whom `me` cannot see do not count. On a network, the name of `me` is the one there (rule
  /// 14.9).
  package func lookAlikes(
    among people: [ID<Participant>], to me: ID<Participant>
  ) throws -> [ID<Participant>] {
    // One query for each: for a screenful of people, compiling a single query for all would take
    // longer.
    let alike = try peopleLikeMe(me)
    return try people.filter { person in
      if person == me { return false }
      if alike.contains(person) { return true }
      return try database.exists(
        """
        SELECT 1 FROM participant p JOIN participant q ON q.skeleton = p.skeleton AND q.id <> p.id
        WHERE p.id = ?1 AND p.skeleton <> '' AND (q.id = ?2 AND p.network = ''
            OR (q.network <> '', q.id) < (p.network <> '', p.id))
          -- Somebody may have the name of a person on another network, whose people nobody expects
          -- here. Equal names in a room and elsewhere on a network are mostly one person's.
          AND (p.name_key <> q.name_key OR (p.name_key = '' AND p.name <> q.name)
            OR (q.id = ?2 AND p.network = '')
            OR (q.network = p.network AND p.given IS NULL AND q.given IS NULL))
          AND \(Account.isVisible(network: "q.network", to: "?2"))
        """, person, me)
    }
  }

  /// Finds all such people in the store. Examines only people whose name has the shape of
  /// another's.
  package func lookAlikes(to me: ID<Participant>) throws -> Set<ID<Participant>> {
    let repeated = try repeated("skeleton")
    if repeated.isEmpty { return try peopleLikeMe(me) }
    let suspects: [ID<Participant>] = try database.rows(
      """
      SELECT id FROM participant WHERE skeleton IN (
        SELECT skeleton FROM participant WHERE skeleton IN (SELECT value FROM json_each(?))
        GROUP BY skeleton
        -- Equal names that are all on networks are mostly one person's.
        HAVING min(name_key) <> max(name_key) OR min(name_key) = '' OR min(network) = '')
      """, JSON.array(repeated.map { .text($0) })
    ) { $0.id() }
    return Set(try lookAlikes(among: suspects, to: me)).union(try peopleLikeMe(me))
  }
}

extension Access where Mode: MayWrite {
  /// Computes the missing shapes of names: of people whom a recovery replaced, or after a step that
  /// emptied them for another table of shapes. If there is nothing to do, it takes one index
  /// look-up.
  package func checkLookAlikes() throws {
    let missing = "FROM participant WHERE skeleton = ''"
    guard try database.exists("SELECT 1 \(missing) LIMIT 1") else { return }
    let names = try database.rows("SELECT id, name \(missing)") {
      (id: $0.id("id") as ID<Participant>, name: $0.text("name"))
    }
    for (id, name) in names {
      try database.run(
        "UPDATE participant SET skeleton = ? WHERE id = ?", NameShape.skeleton(name), id)
    }
    if !names.isEmpty { try touchPeople() }
  }
}
