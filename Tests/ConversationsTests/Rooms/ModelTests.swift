// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

/// The rules of a conversation as plain values, written from the rules and not from the store.
private struct Model {
  struct Entry {
    var body: String
    let sender: Int
    let at: Milliseconds
    /// Who was in the conversation when it was said.
    let audience: Set<Int>
    /// What a network has made of it; of a local one it is `sent` from the start.
    var state: DeliveryState
    var former: [String] = []
    var isDeleted = false
    var isTakenBack = false
    var reactions: [Int: String] = [:]

    var isThere: Bool { !isDeleted && !isTakenBack }
  }

  let isLocal: Bool
  var entries: [Entry] = []
  var members: Set<Int> = []
  /// How many messages there were when somebody left.
  var left: [Int: Int] = [:]
  var delivered: [Int: Int] = [:]
  var seen: [Int: Int] = [:]
  /// What is read; whoever joins has read what was there.
  var read: [Int: Int] = [:]

  mutating func join(_ person: Int) {
    guard members.insert(person).inserted else { return }
    // Back before anyone said anything, it is as if nobody had gone.
    if left[person] == entries.count { return }
    read[person] = max(read[person] ?? 0, entries.count)
  }

  mutating func leave(_ person: Int) {
    if members.remove(person) != nil { left[person] = entries.count }
  }

  mutating func say(_ body: String, by sender: Int, at time: Milliseconds) {
    entries.append(
      Entry(
        body: body, sender: sender, at: time, audience: members,
        state: isLocal ? .sent : .sending))
  }

  mutating func edit(_ index: Int, to body: String) {
    guard entries[index].body != body else { return }
    if entries[index].state == .sent { entries[index].former.append(entries[index].body) }
    entries[index].body = body
  }

  mutating func delete(_ index: Int) {
    if entries[index].state == .sent {
      entries[index].isDeleted = true
    } else {
      entries[index].isTakenBack = true
    }
    entries[index].body = ""
    entries[index].former = []
    entries[index].reactions = [:]
  }

  /// Rule 3.7: nobody else may have it.
  func mayTakeBack(_ index: Int) -> Bool {
    guard entries[index].state == .sent else { return true }
    return isLocal
      && (0..<3).allSatisfy { person in
        person == entries[index].sender || (delivered[person] ?? 0) <= index
      }
  }

  mutating func react(_ person: Int, to index: Int, with emoji: String) {
    let isSame = entries[index].reactions[person] == emoji
    entries[index].reactions[person] = isSame ? nil : emoji
  }

  /// Rule 7.2, as the viewer is shown it.
  func state(_ index: Int, for viewer: Int) -> DeliveryState {
    let entry = entries[index]
    guard entry.sender == viewer else { return .sent }
    guard entry.state == .sent else { return entry.state }
    return entry.audience.subtracting([viewer]).map { person in
      if seen[person] ?? 0 > index { return DeliveryState.seen }
      return delivered[person] ?? 0 > index ? .delivered : .sent
    }.min() ?? .sent
  }

  /// Rule 7.1, a line for each message.
  func list(for viewer: Int) -> [String] {
    func rank(_ index: Int) -> Int {
      switch state(index, for: viewer) {
      case .failed: 1
      case .sending: 2
      default: 0
      }
    }
    return entries.indices.filter { !entries[$0].isTakenBack }
      .sorted { (rank($0), entries[$0].at, $0) < (rank($1), entries[$1].at, $1) }
      .map { index in
        let entry = entries[index]
        return line(
          number: index + 1, sender: entry.sender, body: entry.body,
          state: state(index, for: viewer), former: entry.former, isDeleted: entry.isDeleted,
          reactions: entry.reactions.sorted { $0.key < $1.key }.map { "\($0.key)\($0.value)" })
      }
  }

  func unread(_ person: Int) -> Int {
    entries.indices.count { index in
      index >= read[person] ?? 0 && entries[index].sender != person && entries[index].isThere
    }
  }
}

private func line(
  number: Int, sender: Int, body: String, state: DeliveryState, former: [String],
  isDeleted: Bool, reactions: [String]
) -> String {
  "[\(number)] \(sender): \(body) \(state) \(former) \(isDeleted ? "deleted" : "") \(reactions)"
}

@Suite("7: The store beside a plain model of the rules") struct ModelTests {
  /// A store on the same file for each of three people, as three processes would have it.
  private final class Place {
    let fixture = Fixture()
    let stores: [Store]
    let people: [ID<Participant>]
    let conversation: ID<Conversation>

    init(isLocal: Bool) throws {
      let fixture = fixture
      let stores = try (0..<3).map { _ in try fixture.open() }
      self.stores = stores
      people = try ["anna", "ben", "cem"].enumerated().map { each in
        try stores[each.offset].writeDurablyIfNeeded { try $0.participant(identity: each.element) }
          .id
      }
      conversation =
        if isLocal {
          try stores[0].writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
        } else {
          try stores[0].writeDurablyIfNeeded { try $0.networkRoom("tea", network: "net") }.id
        }
    }

    func list(for viewer: Int) throws -> [String] {
      let store = stores[viewer]
      let found = try store.read {
        try $0.messages(in: conversation, limit: 1000, for: people[viewer])
      }
      return try found.inOrder().map { message in
        let reactions = try store.read { try $0.reactions(of: message.id) }
          .map { (people.firstIndex(of: $0.participant.id) ?? -1, $0.emoji) }
          .sorted { $0.0 < $1.0 }
        return line(
          number: message.number, sender: people.firstIndex(of: message.sender) ?? -1,
          body: message.body, state: message.state,
          former: try store.read { try $0.revisions(of: message.id) }.map(\.body),
          isDeleted: message.deletedAt != nil, reactions: reactions.map { "\($0.0)\($0.1)" })
      }
    }

    func message(_ index: Int) throws -> ID<Message> {
      let id = try stores[0].database.first(
        "SELECT id FROM message WHERE conversation = ? AND number = ?", conversation, index + 1
      ) { $0.id() as ID<Message> }
      return try #require(id)
    }
  }

  @Test("random operations give the list that the rules give", arguments: 1...12)
  func random(seed: UInt64) throws {
    var dice = FixedRandom(seed: seed)
    let isLocal = seed % 3 != 0
    let place = try Place(isLocal: isLocal)
    var model = Model(isLocal: isLocal)
    for step in 0..<250 {
      place.fixture.now += Milliseconds(dice.below(3))
      try operate(on: place, &model, &dice)
      for viewer in 0..<3 {
        let (shown, expected) = (try place.list(for: viewer), model.list(for: viewer))
        #expect(shown == expected, "step \(step), seen by \(viewer)")
        if shown != expected { return }
        guard model.members.contains(viewer) else { continue }
        let unread = try place.stores[viewer].read { try $0.listing(for: place.people[viewer]) }
          .first { $0.conversation.id == place.conversation }?.unread
        #expect(unread == model.unread(viewer), "step \(step), unread by \(viewer)")
      }
    }
    #expect(model.entries.count > 30)
  }

  private func operate(
    on place: Place, _ model: inout Model, _ dice: inout FixedRandom
  ) throws {
    let person = dice.below(3)
    let (store, me) = (place.stores[person], place.people[person])
    let index = model.entries.isEmpty ? nil : max(0, model.entries.count - 1 - dice.below(12))
    let isMine = index.map { model.entries[$0].sender == person && model.entries[$0].isThere }
    switch dice.below(11) {
    case 0 where dice.below(3) == 0:
      try store.writeDurablyIfNeeded({ try $0.leave(me, place.conversation) })
      model.leave(person)
    case 0, 1:
      try store.writeDurablyIfNeeded({ try $0.join(me, place.conversation) })
      model.join(person)
    case 2, 3, 4:
      let body = "said \(model.entries.count)"
      guard model.members.contains(person) else {
        #expect(throws: RuleError.self) {
          try store.writeDurably { try $0.send(body, in: place.conversation, by: me) }
        }
        return
      }
      try store.writeDurably { try $0.send(body, in: place.conversation, by: me) }
      model.say(body, by: person, at: place.fixture.now)
    case 5:
      guard let index, isMine == true else { return }
      let body = "text \(dice.below(3))"
      try store.writeDurably { try $0.edit(place.message(index), to: body, by: me) }
      model.edit(index, to: body)
    case 6:
      guard let index, isMine == true, dice.below(2) == 0 else { return }
      try store.writeDurably { try $0.deleteMessage(place.message(index), by: me) }
      model.delete(index)
    case 7:
      guard let index, isMine == true else { return }
      guard model.mayTakeBack(index) else {
        let number = index + 1
        #expect(throws: RuleError.othersHaveIt(number)) {
          try store.writeDurably { try $0.takeBack(try place.message(index), by: me) }
        }
        return
      }
      _ = try store.writeDurably { try $0.takeBack(place.message(index), by: me) }
      model.entries[index].isTakenBack = true
    case 8:
      guard let index else { return }
      try store.writeIfNeeded {
        try $0.noteDelivered(to: me, upTo: [place.conversation: index + 1])
      }
      model.delivered[person] = max(model.delivered[person] ?? 0, index + 1)
    case 9:
      guard let index else { return }
      try store.writeIfNeeded {
        try $0.noteSeen(by: me, in: place.conversation, upTo: index + 1, sendReceipt: true)
      }
      for marks in [\Model.delivered, \Model.seen, \Model.read] {
        model[keyPath: marks][person] = max(model[keyPath: marks][person] ?? 0, index + 1)
      }
    default:
      guard let index, model.isLocal || dice.below(2) == 0 else {
        return try carry(on: place, &model, &dice)
      }
      let emoji = ["👍", "🎉"][dice.below(2)]
      let entry = model.entries[index]
      guard entry.isThere, entry.state == .sent, model.members.contains(person) else {
        #expect(throws: RuleError.self) {
          try store.writeDurably { try $0.react(place.message(index), by: me, with: emoji) }
        }
        return
      }
      try store.writeDurably { try $0.react(place.message(index), by: me, with: emoji) }
      model.react(person, to: index, with: emoji)
    }
  }

  /// A network carries what waits first, or fails to; what failed is tried again.
  private func carry(
    on place: Place, _ model: inout Model, _ dice: inout FixedRandom
  ) throws {
    if let failed = model.entries.firstIndex(where: { $0.state == .failed && $0.isThere }),
      dice.below(2) == 0
    {
      let sender = model.entries[failed].sender
      try place.stores[sender].writeDurably {
        try $0.retry(place.message(failed), by: place.people[sender])
      }
      model.entries[failed].state = .sending
      return
    }
    guard let entry = try place.stores[0].read({ try $0.outbox(of: "net") }).first else { return }
    let arrives = dice.below(3) > 0
    try place.stores[0].writeDurably {
      try $0.finish(entry, as: arrives ? .sent : .failed("no route"))
    }
    let index = entry.message.number - 1
    guard entry.operation == .send, model.entries[index].isThere else { return }
    model.entries[index].state = arrives ? .sent : .failed
  }
}
