// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Platform

/// Gives a client its events, one after the other, and carries out its effects in order. What
/// follows `.store` waits until the events are stored: no message goes out that relies on something
/// which a crash could still remove.
@MainActor
package final class Pump<Client: NetworkClient> {
  package typealias Effect = NetworkEffect<Client.Act>

  /// Passes on what concerns the process. It sets `isReading` before it returns if events could not
  /// be stored.
  package var report: (WireReport) -> Void = { _ in }
  /// Carries out what only this network's wire can do.
  package var act: (Client.Act) -> Void = { _ in }
  /// Called whenever everything is stored and no event is being handled.
  package var settled: () -> Void = {}
  package var client: Client
  private let loop: EventLoop
  /// Events for the client, each with the number of its connection: all effects of one event are
  /// carried out before the next event.
  private var waiting: [(event: Client.Event, connection: Int)] = []
  private var isHandling = false
  /// Effects that wait until earlier events are stored.
  private var held: [(effect: Effect, connection: Int)] = []
  /// When events could not be stored; nil if all are. Until then, no time passes for the client:
  /// answers that are not read are not late.
  private var stopped: Milliseconds?
  /// Counts the connections that have ended.
  private var connection = 0
  private var timer: TimerID?

  package init(_ client: Client, loop: EventLoop) { (self.client, self.loop) = (client, loop) }

  /// Whether everything is stored. While it is not, nothing is read and nothing goes out.
  package var isReading: Bool {
    get { stopped == nil }
    set {
      if newValue == isReading { return }
      guard newValue else {
        stopped = now
        return
      }
      client.skip(to: Clock.wall())
      stopped = nil
      while isReading, !held.isEmpty {
        let (effect, connection) = held.removeFirst()
        carryOut(effect, of: connection)
      }
      tell(.tick)
    }
  }

  private var now: Milliseconds { stopped ?? Clock.wall() }

  /// Chooses the entries of the outbox that go out at the next `deliver`.
  package func admit(_ outbox: [OutboxEntry]) -> Set<OutboxEntry.ID> {
    client.admit(outbox, at: now)
  }

  /// Hands over what waits in the store. Requests come first: one may enter a room, and messages to
  /// that room must wait for the entry.
  ///
  /// - Parameter tried: the entries that `admit` chose, now that the store has recorded them.
  package func deliver(
    _ requests: [NetworkRequest], tried: Set<OutboxEntry.ID>, _ signals: [NetworkSignal]
  ) {
    tell(.requests(requests))
    tell(.tried(tried))
    if !signals.isEmpty { tell(.signals(signals)) }
  }

  /// Tells the client that the connection has ended, and drops the effects for it that were not
  /// carried out.
  package func end(with event: Client.Event) {
    connection += 1
    tell(event)
  }

  package func tell(_ event: Client.Event) {
    waiting.append((event, connection))
    if isHandling { return }
    isHandling = true
    while !waiting.isEmpty {
      let (event, connection) = waiting.removeFirst()
      for effect in client.handle(event, at: now) { perform(effect, of: connection) }
    }
    isHandling = false
    if isReading { settled() }
  }

  private func perform(_ effect: Effect, of connection: Int) {
    if effect.relies, !isReading || !held.isEmpty {
      held.append((effect, connection))
    } else {
      carryOut(effect, of: connection)
    }
  }

  private func carryOut(_ effect: Effect, of connection: Int) {
    if effect.endsWithConnection, connection != self.connection { return }
    switch effect {
    case .store(let events): report(.events(events))
    case .learned(let name, let value): report(.learned(name, value))
    case .wake(let time):
      loop.schedule(&timer, at: loop.now + max(0, time - now)) { [weak self] in
        if self?.isReading == true { self?.tell(.tick) }
      }
    case .wantsOutbox: report(.wantsOutbox)
    case .upload(let file):
      report(.upload(file) { [weak self] in self?.tell(.uploaded(file.entry, $0)) })
    case .cancelUpload(let id): report(.cancelUpload(id))
    case .status(let status): report(.status(status))
    case .act(let act): self.act(act)
    }
  }
}
