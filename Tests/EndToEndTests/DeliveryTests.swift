// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Repeatable
import Testing

@testable import NetworkInbox

extension EndToEnd {
  /// In a long run 2,000 messages each way; another seed is another run:
  ///
  ///     HOBNOB_LONG=1 HOBNOB_SEED=7 swift test --filter DeliveryTests
  @Suite("13.5: Delivery without loss or doubles", .serialized)
  final class DeliveryTests {
    private enum Outage: CaseIterable {
      case stop, crash, cut, freeze, loseAnswers, freezeAndCut, kill
    }

    private let server: LocalServer
    private let people: [Correspondent]
    private let room = "tea@rooms.\(LocalServer.domain)"
    private var random = FixedRandom(seed: LongRun.seed)
    private var serverIsDown = false
    private var places: [[ID<Conversation>]] = []
    /// What each has sent, by place.
    private var sent: [[[String]]] = [[[], []], [[], []]]
    /// What is to be done before messages go on, by how many of them are to be sent first.
    private var recoveries: [(after: Int, body: () throws -> Void)] = []
    private var log: [String] = []

    init() throws {
      server = try LocalServer(["anna", "ben"])
      let server = server
      people = try ["anna", "ben"].map { try Correspondent($0, at: server) }
    }

    @Test(
      "stopped, killed, cut and frozen at random: all arrives once, in order, with true states",
      .timeLimit(.minutes(20)))
    func survivesOutages() throws {
      for person in people { try person.start() }
      places = try [
        [people[0].chat(with: "ben"), people[0].room(room)],
        [people[1].chat(with: "anna"), people[1].room(room)],
      ]
      for person in people {
        try #require(
          try person.wait { try person.store.read { try $0.requests(of: person.account) }.isEmpty },
          "\(person.status)")
        // What is said before a room's archive was read for the first time is past.
        try #require(person.wait { person.status == .connected([]) }, "\(person.status)")
      }
      let count = LongRun.factor == nil ? 200 : 2_000
      while sent.contains(where: { $0[0].count + $0[1].count < count }) {
        try sendOne(upTo: count)
        if random.below(50) == 0 { try breakSomething() }
        if random.below(100) == 0 { settle() }
        try recover()
      }
      try recover(all: true)
      let isThere = try waitForAll(count)
      let report = try report()
      #expect(isThere, "\(place)\n\(report)")
      try compare()
      try readAll()
    }

    private var place: Comment {
      "HOBNOB_SEED=\(LongRun.seed)\n\(log.joined(separator: "\n"))"
    }

    private func sendOne(upTo count: Int) throws {
      let open = sent.indices.filter { sent[$0][0].count + sent[$0][1].count < count }
      let (who, place) = (open[random.below(open.count)], random.below(2))
      let text = "\(people[who].name) \(place == 0 ? "direct" : "room") \(sent[who][place].count)"
      try people[who].store.writeDurably {
        try $0.send(text, in: places[who][place], by: people[who].me)
      }
      sent[who][place].append(text)
    }

    private func breakSomething() throws {
      let outage = Outage.allCases[random.below(Outage.allCases.count)]
      let person = people[random.below(2)]
      // Some are over before anybody could notice, others wait until the program has.
      let (length, isNoticed) = (random.below(40), random.below(2) == 0)
      log.append("\(sent.map { $0.map(\.count) }) \(outage) \(person.name) \(length) \(isNoticed)")
      switch outage {
      case .stop, .crash:
        if serverIsDown { return }
        // It stores a message with its sender first, then with the other. When it ends in between,
        // nobody's program can know, so it ends when it has nothing to do.
        if outage == .crash {
          for person in people { person.proxy.freeze() }
          server.rest()
        }
        server.stop(outage == .stop ? SIGTERM : SIGKILL)
        serverIsDown = true
        for person in people where outage == .crash { person.proxy.thaw() }
        recoveries.append(
          (
            length,
            { [self] in
              try server.start()
              serverIsDown = false
            }
          ))
      case .cut: person.proxy.cut()
      case .freeze, .loseAnswers, .freezeAndCut:
        person.proxy.freeze(outage == .loseAnswers ? .answers : .all)
        recoveries.append(
          (
            length,
            { [self] in
              // Killed meanwhile it notices nothing, nor where another outage's end thawed it.
              if isNoticed, person.proxy.isFrozen, !serverIsDown, person.process != nil {
                #expect(person.wait { person.status != .connected([]) }, place)
              }
              if outage == .freezeAndCut { person.proxy.cut() }
              person.proxy.thaw()
            }
          ))
      case .kill:
        person.kill()
        recoveries.append((length, { if person.process == nil { try person.start() } }))
      }
    }

    /// What is broken for long enough is mended.
    private func recover(all: Bool = false) throws {
      for index in recoveries.indices { recoveries[index].after -= 1 }
      let due = recoveries.filter { all || $0.after <= 0 }
      recoveries.removeAll { all || $0.after <= 0 }
      for recovery in due { try recovery.body() }
      for person in people { try person.hurry() }
    }

    /// Lets what works do its work.
    private func settle() {
      if recoveries.isEmpty { _ = people[0].wait(for: 5) { people.allSatisfy(\.isDone) } }
    }

    /// Waits for as long as it goes on.
    private func waitForAll(_ count: Int) throws -> Bool {
      var known = -1
      while true {
        let heard = try people.map { try self.heard(by: $0) }
        let left = try people.map { each in
          try each.store.read { try $0.outbox(of: each.account.network) }.count
        }
        if heard.allSatisfy({ $0 >= count }), left.allSatisfy({ $0 == 0 }) { return true }
        let now = heard.reduce(0, +) - left.reduce(0, +)
        if now == known { return false }
        known = now
        _ = try people[0].wait {
          for person in people { try person.hurry() }
          return try people.allSatisfy { try $0.isDone && self.heard(by: $0) >= count }
        }
      }
    }

    private func heard(by person: Correspondent) throws -> Int {
      let who = person === people[0] ? 0 : 1
      return try places[who].reduce(0) { count, place in
        try count + person.messages(in: place).count { $0.sender != person.me }
      }
    }

    private func report() throws -> String {
      try people.map { person in
        "\(person.name): heard \(try heard(by: person)), status “\(person.status)”, "
          + "waiting \(try person.store.read { try $0.outbox(of: person.account.network) }.map(\.message.body))"
      }.joined(separator: "\n")
    }

    /// Both have all of it once, each sender's in order, and what was sent is `sent`.
    private func compare() throws {
      for (who, person) in people.enumerated() {
        for (number, conversation) in places[who].enumerated() {
          let messages = try person.messages(in: conversation)
          for (other, sender) in people.enumerated() {
            let theirs = messages.filter { ($0.sender == person.me) == (who == other) }
            difference(
              theirs.map(\.body), sent[other][number], "of \(sender.name), by \(person.name)")
          }
          #expect(!messages.contains { $0.isPast }, place)
          let wrong = messages.filter { $0.sender == person.me && $0.state < .sent }
          #expect(wrong.isEmpty, "\(wrong.map { ($0.body, $0.state, $0.failure) })\n\(place)")
        }
      }
    }

    /// The first place where two lists differ.
    private func difference(_ found: [String], _ wanted: [String], _ what: String) {
      if found == wanted { return }
      let first = zip(found, wanted).enumerated().first { $1.0 != $1.1 }?.offset
      let start = max(0, (first ?? min(found.count, wanted.count)) - 2)
      Issue.record(
        """
        \(what): \(found.count) instead of \(wanted.count), \(Set(found).count) different;
        \(found.dropFirst(start).prefix(8)) instead of \(wanted.dropFirst(start).prefix(8))
        \(place.rawValue)
        """)
    }

    /// Both look at everything; then each knows that the other has seen it.
    private func readAll() throws {
      for (who, person) in people.enumerated() {
        for conversation in places[who] {
          let last = try person.messages(in: conversation).map(\.number).max() ?? 0
          try person.store.writeIfNeeded {
            try $0.noteSeen(
              by: person.me, in: conversation, upTo: last, sendReceipt: true)
          }
        }
      }
      for (who, person) in people.enumerated() {
        for conversation in places[who] {
          let isSeen = try person.wait {
            try person.hurry()
            return try person.messages(in: conversation).allSatisfy {
              $0.sender != person.me || $0.state == .seen
            }
          }
          let left = try person.messages(in: conversation).filter {
            $0.sender == person.me && $0.state != .seen
          }
          #expect(isSeen, "\(left.map { ($0.body, $0.state) }.suffix(5))\n\(place)")
        }
      }
    }
  }
}
