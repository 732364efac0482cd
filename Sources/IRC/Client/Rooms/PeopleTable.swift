// SPDX-License-Identifier: GPL-3.0-or-later

/// People by folded nick. Most are only a nick in lower case in some rooms, and there may be fifty
/// thousand of them: they take no more memory than that.
struct PeopleTable: Sendable {
  private var rooms: [String: Int32] = [:]
  /// The people of whom more is known.
  private var details: [String: Person] = [:]

  var count: Int { rooms.count }
  /// The people of whom more is known than a nick in lower case.
  var detailed: some Collection<Person> { details.values }

  subscript(_ folded: String) -> Person? {
    get {
      rooms[folded].map { count in
        var person = details[folded] ?? Person(nick: folded)
        person.rooms = count
        return person
      }
    }
    set {
      rooms[folded] = newValue?.rooms
      guard var person = newValue else {
        details[folded] = nil
        return
      }
      person.rooms = 0
      let isPlain = person == Person(nick: folded)
      if !isPlain || details[folded] != nil { details[folded] = isPlain ? nil : person }
    }
  }
}

/// Somebody on the network.
struct Person: Hashable, Sendable {
  var nick: String
  var login = People.Login.unknown
  /// Nil if they are not away, as far as is known.
  var away: String?
  /// In how many of the owner's rooms they are.
  var rooms: Int32 = 0
}
