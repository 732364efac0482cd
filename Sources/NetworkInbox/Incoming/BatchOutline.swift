// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations

/// What a batch of events says as a whole, and where it may be cut into several transactions.
///
/// A room's people stay together with the owner's entry, since whoever is not among them is no
/// longer there; a page of an archive stays together with its messages and its mark, since the
/// store records that it has the page.
struct BatchOutline {
  /// Rooms that the owner joins in this batch; people who are already there do not count as
  /// joining.
  let joining: Set<String>
  /// The identities of the people who are in such a room, according to the batch.
  private(set) var namedPeople: [String: Set<String>] = [:]
  /// The lines of playbacks, in order.
  private(set) var playedBack: [ConversationAddress: [NetworkMessage]] = [:]
  /// Whether an event belongs to the one before it.
  private var isJoined: [Bool]

  /// - Parameter former: of the batch of which these are the rest, if a part of it is stored.
  init(_ events: [NetworkEvent], restOf former: BatchOutline? = nil) {
    joining = Set(
      events.compactMap { if case .joined(let room, _) = $0 { room } else { nil } }
    ).union(former?.joining ?? [])
    namedPeople = former?.namedPeople ?? [:]
    isJoined = Array(repeating: false, count: events.count)
    var entrances: [String: ClosedRange<Int>] = [:]
    var page: ClosedRange<Int>?
    for (index, event) in events.enumerated() {
      switch event {
      case .joined(let room, _): entrances[room] = (entrances[room]?.lowerBound ?? index)...index
      case .present(let speaker, let room, _, _, _) where joining.contains(room):
        namedPeople[room, default: []].insert(speaker.identity)
        entrances[room] = (entrances[room]?.lowerBound ?? index)...index
      case .page:
        join(page)
        page = index...index
      case .messageReceived(let message, let conversation):
        if message.playback != nil { playedBack[conversation, default: []].append(message) }
        if message.isPast { page = page.map { $0.lowerBound...index } }
      case .edited, .retracted, .removed, .reacted, .caughtUp, .answered:
        page = page.map { $0.lowerBound...index }
      default: break
      }
    }
    join(page)
    for entrance in entrances.values { join(entrance) }
  }

  private mutating func join(_ range: ClosedRange<Int>?) {
    guard let range else { return }
    for index in range.dropFirst() { isJoined[index] = true }
  }

  /// Whether the event at an index must be in one transaction with the event before it.
  func joins(_ index: Int) -> Bool { isJoined[index] }
}
