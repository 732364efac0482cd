// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// How far one archive (XEP-0313) is known: the account's own, or a room's.
struct Archive: Sendable {
  enum State: Hashable, Sendable {
    /// Not asked yet.
    case unknown
    case catchingUp
    /// All of it is known, and what is new comes by itself.
    case live
    case absent
    /// It did not answer. What comes by itself counts, but the mark stays where it is.
    case failed
  }

  /// A message that came by itself while the archive was going to bring it, too.
  struct Held: Sendable {
    var id: String
    var message: Element
    var source: Source
  }

  var mark: String?
  var state = State.unknown
  /// How many messages it has brought since the connection stands.
  var count = 0
  /// When the first of them was said, and the last one so far.
  private var span: ClosedRange<Milliseconds>?
  private(set) var held: [Held] = []
  /// Whether there was no room for some: the archive has them.
  private(set) var hasDropped = false
  /// How often in a row a page did not come.
  var failures = 0
  /// The mark is lost at the server: what is in it from the time of the mark on is asked for.
  var hasLostMark = false
  /// Up to this time of the clock on the wall all that it has is known: what it tells next was said
  /// later, whatever the clock of the server shows.
  var knownUntil: Milliseconds = .min
  /// A newer mark, once all that was sent there is acknowledged.
  var nextMark: String?

  init(mark: String?) { self.mark = mark }

  var isCatchingUp: Bool { state == .unknown || state == .catchingUp }

  mutating func begin() {
    isLost()
    (count, span) = (0, nil)
  }

  mutating func brought(saidAt time: Milliseconds) {
    span = (span?.lowerBound ?? time)...max(time, span?.lowerBound ?? time)
  }

  /// How much of the time since the first message that it brought is done, in percent: how many
  /// messages are left no archive tells (what XEP-0059 counts is all of them).
  func percent(at now: Milliseconds) -> Int? {
    guard let span, now > span.lowerBound else { return nil }
    let (all, done) = (now - span.lowerBound, span.upperBound - span.lowerBound)
    return Int(min(100, Double(done) / Double(all) * 100))
  }

  mutating func isLost() {
    state = .unknown
    (held, hasDropped, failures, hasLostMark, nextMark) = ([], false, 0, false, nil)
  }

  mutating func hold(_ message: Held) {
    if held.count < Limits.held, message.message.weight <= Limits.waitingWeight {
      held.append(message)
    } else {
      hasDropped = true
    }
  }

  mutating func takeHeld() -> [Held] {
    defer { held = [] }
    return held
  }

  /// - Returns: whether another page is wanted for what was dropped.
  mutating func forgetDropped() -> Bool {
    defer { hasDropped = false }
    return hasDropped
  }

  mutating func forgetHeld(_ ids: Set<String>) {
    held.removeAll { ids.contains($0.id) }
  }
}

/// Pages of an archive that are under way.
struct ArchiveQuery: Sendable {
  enum Kind: Hashable, Sendable {
    /// What is new since the mark, or all of it where that is empty; with no mark, the newest page,
    /// which is past.
    ///
    /// - Parameter since: what is older is left out.
    case catchUp(after: String?, since: Milliseconds? = nil)
    /// Something older, for a shell.
    case history(HistoryReading)
  }

  var archive: String
  var kind: Kind
  /// The id of the iq.
  var question = ""
  /// What has come of the page: with its mark or not at all.
  private(set) var results: [Element] = []
  private var weight = 0
  /// Whether there was no room for the rest of it.
  private(set) var isCut = false

  init(archive: String, kind: Kind) { (self.archive, self.kind) = (archive, kind) }

  /// If a whole page does not fit, keeps the part next to what is known: when going back, its end.
  mutating func take(_ result: Element) {
    var goesBack = false
    if case .history = kind { goesBack = true }
    if isCut, !goesBack { return }
    results.append(result)
    weight += result.weight
    while results.count > 1, weight > Limits.pageWeight || results.count > Limits.page {
      isCut = true
      weight -= goesBack ? results.removeFirst().weight : results.removeLast().weight
    }
  }
}

/// Pages that a shell asked for, one after the other until there are enough messages.
struct HistoryReading: Hashable, Sendable {
  var request: NetworkRequest
  var place: NetworkPlace
  /// In the account's archive: only what was said to and by them.
  var with: Address?
  /// The id in the archive that the next page ends before.
  var before: String
  /// How many messages have come.
  var count = 0
  var pages = 0

  init(_ request: NetworkRequest, of place: NetworkPlace, with: Address?) {
    (self.request, self.place, self.with) = (request, place, with)
    before = request.history.before
  }

  /// - Parameter isEnd: whether the archive has nothing older.
  func sentence(isEnd: Bool) -> String {
    if count == 1 { return "Fetched one older message; repeat /history to see it." }
    if count > 1 {
      return filled(("Fetched %1 older messages; repeat /history to see them.", [String(count)]))
    }
    return isEnd
      ? "There is nothing older in the archive."
      : "That part of the archive has no messages; repeat /history to look further back."
  }
}

/// Where a message came from.
enum Source: Hashable, Sendable {
  case live
  /// A copy of what another device of the owner got or sent (XEP-0280).
  case received, sent
  /// - Parameter isPast: whether it is older than what the owner has.
  case archive(isPast: Bool)

  var isLive: Bool { self == .live }

  var isFromArchive: Bool {
    if case .archive = self { true } else { false }
  }
}
