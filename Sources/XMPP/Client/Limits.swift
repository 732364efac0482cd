// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How much of what others send is kept in mind, and for how long answers are waited for
/// (milliseconds). What is tried again then is in `Retry`.
enum Limits {
  static let answer: Milliseconds = 30_000
  /// Until a room must have let someone in.
  static let entering: Milliseconds = 60_000
  /// Until a room without an archive has told what was said before, once it told a subject of then.
  static let history: Milliseconds = 2_000
  /// Until a silent room is asked whether one is still in it.
  static let silence: Milliseconds = 900_000
  /// Until what strangers sent is counted.
  static let strangers: Milliseconds = 60_000

  /// How much the clocks of servers may differ from this one, and nothing of an archive is missed.
  static let clockError: Milliseconds = 24 * 3_600_000

  static let page = 250
  /// How many of them a request for older messages may take.
  static let pages = 100
  /// From how many on it takes long to catch up.
  static let manyMessages = 500
  /// Bytes of memory (`Element.weight`) that a page may take; the rest of it is asked for again.
  static let pageWeight = 8 << 20
  static let held = 500
  /// The same of one stanza that has to wait.
  static let waitingWeight = 64 << 10
  static let rooms = 500
  static let occupants = 20_000
  static let contacts = 100_000
  static let devices = 20
  static let queries = 16
  /// How many services of a server are asked what they are.
  static let services = 100
  /// How many people one sentence names.
  static let listed = 100
  static let waitingRequests = 1_000
  static let inFlight = 100
  static let accepted = 300
  static let unanswered = 200
  static let unansweredPlaces = 500
  static let typists = 1_000
  static let acquaintances = 1_000
  static let reactions = 20
  static let reactionBytes = 64
  static let links = 20
  /// Characters of a moderator's reason.
  static let reason = 300
  /// Bytes of an id, a nickname or an address that others chose.
  static let word = 1_024
}
