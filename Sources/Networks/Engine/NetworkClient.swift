// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// A network's client as a value, without a connection or a store: events go in, effects come out.
/// A ``Pump`` carries the effects out.
package protocol NetworkClient<Event, Act> {
  associatedtype Event: ClientEventKind
  /// What only this network's wire can do, such as sending a line.
  associatedtype Act: NetworkAct

  /// Reacts to an event.
  ///
  /// - Parameter now: the wall clock, in milliseconds since 1970. It may jump.
  /// - Returns: what to do, in order.
  mutating func handle(_ event: Event, at now: Milliseconds) -> [NetworkEffect<Act>]
  /// Chooses the entries of the outbox that go out at the next `.tried`. Until then the owner can
  /// take a message back (rule 3.7).
  mutating func admit(_ outbox: [OutboxEntry], at now: Milliseconds) -> Set<OutboxEntry.ID>
  /// Continues from `now` as if no time had passed, so that answers which nobody read meanwhile do
  /// not count as late.
  mutating func skip(to now: Milliseconds)
}

/// The events that every client knows.
package protocol ClientEventKind: Sendable {
  /// The store has recorded as tried the entries that `admit` chose, so that they can be sent. The
  /// event carries no entries: the server may have answered some of them by now.
  static func tried(_ ids: Set<OutboxEntry.ID>) -> Self
  /// The requests of the owner's shells; the client recognises repeated ones by their ids.
  static func requests(_ requests: [NetworkRequest]) -> Self
  static func signals(_ signals: [NetworkSignal]) -> Self
  /// The upload of an entry's file has ended, with the link for the file.
  static func uploaded(_ entry: OutboxEntry.ID, _ result: Result<String, UploadFailure>) -> Self
  /// The time given by `.wake` has come.
  static var tick: Self { get }
}

/// What only one network's wire can do.
package protocol NetworkAct: Hashable, Sendable {
  /// Whether it means nothing once the connection has ended for which the client wanted it.
  var endsWithConnection: Bool { get }
}

extension NetworkAct {
  package var endsWithConnection: Bool { true }
}

/// Something that a client wants done.
package enum NetworkEffect<Act: NetworkAct>: Hashable, Sendable {
  /// Put these into the store, all of them or none.
  case store([NetworkEvent])
  case act(Act)
  /// More of the outbox can be sent once it is admitted and tried.
  case wantsOutbox
  /// Upload a file, then report `.uploaded`; one at a time.
  case upload(FileUpload)
  /// Stop the upload for this entry.
  case cancelUpload(OutboxEntry.ID)
  case status(AccountStatus)
  /// Keep a fact about the server; see `WireReport.learned`.
  case learned(String, String)
  /// Send `.tick` at this time, on the clock that `handle` is given. Replaces the previous `.wake`.
  case wake(at: Milliseconds)

  /// Whether it has to wait until the events of earlier effects are stored. The process stores events
  /// in order, and writes facts itself.
  var relies: Bool {
    switch self {
    case .store, .learned, .wake: false
    case .act, .wantsOutbox, .upload, .cancelUpload, .status: true
    }
  }

  /// Whether it means nothing once the connection has ended for which the client wanted it.
  var endsWithConnection: Bool {
    switch self {
    case .act(let act): act.endsWithConnection
    case .status: true
    case .store, .wantsOutbox, .upload, .cancelUpload, .learned, .wake: false
    }
  }
}
