// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What one event makes the client do.
struct StepOutput: Sendable {
  private var events: [NetworkEvent] = []
  private var effects: [ClientEffect] = []
  /// Effects to carry out before the events are stored.
  private var early: [ClientEffect] = []

  /// How many messages there are among the events.
  var messageCount: Int {
    events.count { if case .messageReceived = $0 { true } else { false } }
  }

  mutating func add(_ event: NetworkEvent) { events.append(event) }

  mutating func add(_ effect: ClientEffect, early isEarly: Bool = false) {
    if isEarly { early.append(effect) } else { effects.append(effect) }
  }

  /// Returns all effects in order: the events are stored before anything that relies on them is
  /// sent.
  mutating func takeEffects() -> [ClientEffect] {
    defer { self = StepOutput() }
    return early + (events.isEmpty ? [] : [.store(events)]) + effects
  }
}
