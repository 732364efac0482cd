// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What one event makes a client do.
package struct StepOutput<Act: NetworkAct>: Sendable {
  package typealias Effect = NetworkEffect<Act>

  private var events: [NetworkEvent] = []
  private var effects: [Effect] = []
  /// Effects to carry out before the events are stored.
  private var early: [Effect] = []
  private var shownStatus: AccountStatus?

  package init() {}

  /// How many messages there are among the events.
  package var messageCount: Int {
    events.count { if case .messageReceived = $0 { true } else { false } }
  }

  package mutating func add(_ event: NetworkEvent) { events.append(event) }

  package mutating func add(_ effect: Effect, early isEarly: Bool = false) {
    if isEarly { early.append(effect) } else { effects.append(effect) }
  }

  /// Adds an effect before all others that rely on the events.
  package mutating func addFirst(_ effect: Effect) { effects.insert(effect, at: 0) }

  /// Returns all effects in order: the events are stored before anything that relies on them is
  /// sent.
  ///
  /// - Parameter status: the state of the connection, to be shown if it has changed; nil without one.
  fileprivate mutating func takeEffects(status: AccountStatus?) -> [Effect] {
    defer { (events, effects, early, shownStatus) = ([], [], [], status) }
    let shown = status == shownStatus ? nil : status
    return early + (events.isEmpty ? [] : [.store(events)]) + effects
      + (shown.map { [.status($0)] } ?? [])
  }
}

/// What every part of a client shares, in each network: the clock, the requests without an answer,
/// and the output of this step.
package protocol NetworkContext {
  associatedtype Alarm: NetworkAlarm
  associatedtype Act: NetworkAct

  var clock: AlarmClock<Alarm> { get set }
  /// What shells ask for.
  var requests: RequestQueue { get set }
  var output: StepOutput<Act> { get set }
}

/// The alarms that every client has.
package protocol NetworkAlarm: Hashable, Sendable {
  /// Upload a file again.
  static var upload: Self { get }
  /// Let the store count what strangers sent.
  static var strangers: Self { get }
}

extension NetworkContext {
  package mutating func tell(_ event: NetworkEvent) { output.add(event) }

  package mutating func add(_ effect: NetworkEffect<Act>) { output.add(effect) }

  package mutating func add(_ act: Act) { output.add(.act(act)) }

  /// Answers a shell's request, once.
  ///
  /// - Parameter sentence: why it was not done, or the result; empty if there is nothing to say.
  package mutating func answer(_ request: NetworkRequest, _ sentence: Remark) {
    if requests.end(request) { tell(.answered(request, sentence)) }
  }

  /// Adds the requests that are new, and answers those that were refused.
  package mutating func add(_ new: [NetworkRequest]) {
    for answer in requests.add(new) { tell(answer) }
  }

  /// Lets the store count strangers' requests later: it reports a few one by one, and once a minute
  /// the number of the rest.
  package mutating func countStrangersLater() {
    if !clock.isSet(.strangers) { clock.set(.strangers, in: 60_000) }
  }

  /// Forgets the alarms and begins the requests anew, since the connection is gone.
  package mutating func forgetConnection() {
    clock.clearAll()
    requests.restart()
  }

  /// - Parameter status: the state of the connection; nil without one.
  package mutating func takeEffects(status: AccountStatus?) -> [NetworkEffect<Act>] {
    output.takeEffects(status: status)
      + (clock.takeWakeTime().map { [.wake(at: $0)] } ?? [])
  }
}
