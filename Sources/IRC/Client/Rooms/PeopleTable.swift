// SPDX-License-Identifier: GPL-3.0-or-later

/// People by folded nick. Of most, only a nick in lower case and the number of their rooms is
/// known. There may be fifty thousand of them, so the table stores no more than that.
struct PeopleTable: Sendable {
  private var rooms: [String: Int32] = [:]
  /// The people of whom more is known.
  private var details: [String: Person] = [:]

  var count: Int { rooms.count }

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
  /// Whether it is a program, as the server says (IRCv3 bot-mode).
  var isBot = false
  /// Nil if they are not known to be away.
  var away: String?
  /// How many of the owner's rooms they are in.
  var rooms: Int32 = 0
}
