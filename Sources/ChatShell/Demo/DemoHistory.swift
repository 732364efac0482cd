// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText

/// The two made-up people of a demonstration.
struct DemoCast {
  let host, friend: Participant
  var all: [Participant] { [host, friend] }

  /// Chooses names other than the guest's.
  init(for guest: Participant, _ transaction: borrowing DurableTransaction) throws {
    let names = ["ada", "ben", "cleo"].filter { $0 != guest.identity.lowercased() }
    host = try transaction.participant(identity: names[0])
    friend = try transaction.participant(identity: names[1])
  }
}

/// What the made-up people wrote before the guest arrived: a day in #lobby, and an unread direct
/// message.
struct DemoHistory {
  private let ada, ben, guest: Participant
  private let now: Milliseconds
  /// Sets the store's clock, to a time in milliseconds.
  private let setClock: (Milliseconds) -> Void

  init(
    by cast: DemoCast, for guest: Participant, before now: Milliseconds,
    _ setClock: @escaping (Milliseconds) -> Void
  ) {
    (ada, ben, self.guest) = (cast.host, cast.friend, guest)
    (self.now, self.setClock) = (now, setClock)
  }

  func write(into transaction: borrowing DurableTransaction) throws {
    setClock(now - 25 * 3_600_000)
    let lobby = try transaction.makeRoom("lobby", for: ada.id)
    for person in [ada, ben, guest] { try transaction.join(person.id, lobby.id) }
    try transaction.setTopic(say("tea").string, of: lobby.id, by: ada.id)
    let here = lobby.id
    _ = try send(
      say("good morning! the kettle is broken again"), by: ben, 1480, in: here, transaction)
    let offer = try send(say("I can bring mine tomorow"), by: ada, 1474, in: here, transaction)
    _ = try transaction.edit(offer.id, to: say("I can bring mine tomorrow").string, by: ada.id)
    _ = try send(
      say("*thank you*, that saves the day"), by: ben, 1471, in: here, to: offer.id, transaction)
    let news = try send(
      say("the release is out, and `make check` is green"), by: ben, 1250, in: here, transaction)
    _ = try transaction.react(news.id, by: ada.id, with: "🎉")
    _ = try send(
      say("the kettle is here. Who wants a cup at four?"), by: ada, 42, in: here, transaction)
    let last = try send(
      say("@%1: I do", SafeText(name: ada.name)), by: ben, 41, in: here, transaction)
    for person in [ada, ben, guest] {
      try transaction.noteSeen(by: person.id, in: here, upTo: last.number, sendReceipt: true)
    }
    let chat = try transaction.directChat(ada.id, with: guest.id)
    _ = try send(
      say("hello %1! Only you and I can read this chat.", SafeText(name: guest.name)), by: ada, 3,
      in: chat.id, transaction)
  }

  private func send(
    _ text: SafeText, by sender: Participant, _ minutesAgo: Int64, in place: ID<Conversation>,
    to answered: ID<Message>? = nil, _ transaction: borrowing DurableTransaction
  ) throws -> Message {
    setClock(now - minutesAgo * 60_000)
    return try transaction.send(text.string, in: place, by: sender.id, replyTo: answered)
  }
}
