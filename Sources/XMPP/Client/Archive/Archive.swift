// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// How much is known of one archive (XEP-0313).
struct Archive: Sendable {
  enum State: Hashable, Sendable {
    /// Not asked yet.
    case unknown
    case catchingUp
    /// All of it is known, and new messages come live.
    case live
    case absent
    /// It did not answer. Live messages count, but the mark stays where it is.
    case failed
  }

  /// The id of the last message that is stored; empty if there was none; nil before the first page.
  var mark: String?
  var state = State.unknown
  /// How many messages it has delivered since the connection was made.
  private(set) var count = 0
  /// When the first and the last of these messages were sent.
  private var span: ClosedRange<Milliseconds>?
  /// How many pages in a row did not arrive.
  var failures = 0
  /// The archive no longer has the message of the mark, so the client asks by time instead.
  var hasLostMark = false
  /// All messages up to this time are known. Whatever the server's clock says, the next one is
  /// later.
  var knownUntil: Milliseconds = .min
  /// A newer mark, which takes effect once everything sent there is acknowledged.
  var nextMark: String?

  init(mark: String? = nil) { self.mark = mark }

  var isCatchingUp: Bool { state == .unknown || state == .catchingUp }

  mutating func begin() {
    reset()
    (count, span) = (0, nil)
  }

  /// Forgets everything that depends on the connection, which is gone.
  mutating func reset() {
    state = .unknown
    (failures, hasLostMark, nextMark) = (0, false, nil)
  }

  /// Notes the messages of a page.
  mutating func note(_ messages: [IncomingMessage], of count: Int) {
    self.count += count
    failures = 0
    hasLostMark = false
    for time in messages.compactMap(\.time) {
      span = (span?.lowerBound ?? time)...max(time, span?.lowerBound ?? time)
    }
  }

  /// How much of the time since its first message is done, in percent. The number of messages left
  /// is unknown, since XEP-0059 counts all messages.
  func percentDone(at now: Milliseconds) -> Int? {
    guard let span, now > span.lowerBound else { return nil }
    let (all, done) = (now - span.lowerBound, span.upperBound - span.lowerBound)
    return Int(min(100, Double(done) / Double(all) * 100))
  }
}
