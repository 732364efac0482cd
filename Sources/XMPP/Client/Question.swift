// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

/// Something that was asked, and whose answer is waited for.
struct Question: Sendable {
  enum Purpose: Hashable, Sendable {
    case roster, carbons, bookmarks
    /// What the server, the account, and something at the server can do.
    case serverInfo, accountInfo, items
    case itemInfo(Address)
    case bookmark(Address, isPlain: Bool)
    case roomInfo(Address)
    /// The form of a new room.
    case roomForm(Address)
    /// Whether one is still in a room (XEP-0410).
    case roomPing(Address)
    /// A page of an archive; the id of the query.
    case page(String)
    /// Something a shell asked for, which needs no more than a yes.
    case request(NetworkRequest)
    /// What a place can do.
    case abilities(NetworkRequest)
    /// Whom the owner has blocked.
    case blocked(NetworkRequest)
    /// A message to a room that only answers when it refuses.
    case unlessRefused(NetworkRequest)
    /// A new topic, which the room repeats.
    case topic(NetworkRequest)
    /// A new contact's entry in the roster.
    case contact(NetworkRequest)
    /// An address for a file of this entry.
    case slot(OutboxEntry.ID)
    case nothing
  }

  enum Answer: Sendable {
    case result(Element)
    case error(StanzaError)
    case silence
  }

  var purpose: Purpose
  /// Who is asked; nil for the owner's account.
  var to: Address?
  var limit: Milliseconds
  /// When it was asked, or a part of the answer came.
  var lastHeard: Milliseconds
}

extension Client {
  /// Asks something by an iq.
  ///
  /// - Parameter to: nil for the owner's account.
  @discardableResult
  mutating func ask(
    _ type: String, _ payload: Element, to: Address? = nil, _ purpose: Question.Purpose,
    limit: Milliseconds = Limits.answer, early isEarly: Bool = false
  ) -> String {
    let id = newID()
    var query = Element("iq", ["type": type, "id": id], children: [payload])
    query["to"] = to?.description
    expect(id, from: to, purpose, limit: limit)
    if isEarly { turn.early.append(.send(query, payload: nil)) } else { send(query) }
    return id
  }

  /// Waits for the answer to something that has been sent.
  mutating func expect(
    _ id: String, from: Address?, _ purpose: Question.Purpose, limit: Milliseconds
  ) {
    questions[id] = Question(purpose: purpose, to: from, limit: limit, lastHeard: clock.time)
    clock.set(.question(id), in: limit)
  }

  mutating func forget(_ question: String) {
    questions[question] = nil
    clock.clear(.question(question))
  }

  mutating func questionIsDue(_ id: String) {
    guard let question = questions[id] else { return }
    let left = question.lastHeard + question.limit - clock.time
    if left > 0 {
      clock.set(.question(id), in: left)
      return
    }
    questions[id] = nil
    deal(with: .silence, to: question)
  }

  /// An answer counts only from whom the question went to: an id can be guessed.
  mutating func answer(_ id: String, from: Address?, with answer: Question.Answer) -> Bool {
    guard let question = question(id, askedOf: from) else { return false }
    forget(id)
    deal(with: answer, to: question)
    return true
  }

  private func question(_ id: String, askedOf from: Address?) -> Question? {
    guard let question = questions[id] else { return nil }
    let isRight =
      if let to = question.to, to != account {
        from == to
      } else {
        // Servers answer for an account under any of its names and their own.
        isFromAccount(from) || from == jid || from?.description == account.domain
      }
    return isRight ? question : nil
  }

  /// Some items of a long answer, whose end is still to come.
  mutating func handle(part stanza: Element) {
    let from = stanza["from"].flatMap(Address.init)
    guard let id = stanza["id"], from != nil || stanza["from"] == nil,
      let question = question(id, askedOf: from)
    else { return }
    questions[id]?.lastHeard = clock.time
    switch question.purpose {
    case .roster: if let query = stanza.first("query", Feature.roster) { list(query) }
    // A list this long has more items than hobnob queries, so its first part is the answer.
    case .items: _ = answer(id, from: from, with: .result(stanza))
    default: break
    }
  }

  private mutating func deal(with answer: Question.Answer, to question: Question) {
    switch question.purpose {
    case .roster: rosterCame(answer)
    case .serverInfo: serverInfoCame(answer)
    case .accountInfo: accountInfoCame(answer)
    case .items: itemsCame(answer)
    case .itemInfo(let address): itemInfoCame(answer, of: address)
    case .bookmarks: bookmarksCame(answer)
    case .bookmark(let room, let isPlain): bookmarkIsKept(answer, room, isPlain: isPlain)
    case .roomInfo(let room): roomInfoCame(answer, of: room)
    case .roomForm(let room): roomFormIsTaken(answer, room)
    case .roomPing(let room): roomPingCame(answer, from: room)
    case .page(let query): pageCame(answer, query)
    case .abilities(let request): abilitiesCame(answer, request)
    case .blocked(let request): blockedCame(answer, request)
    case .contact(let request): contactIsKept(answer, request)
    case .slot(let entry): slotCame(answer, for: entry)
    case .request(let request):
      let failure = sentence(for: answer, request.target)
      done(request, failure.isEmpty ? Client.success(request) : failure)
    case .topic(let request):
      if case .error(let error) = answer, ["forbidden", "not-allowed"].contains(error.condition) {
        done(
          request,
          error.withText(filled(("%1 does not let you change its topic.", [request.target]))))
      } else {
        done(request, sentence(for: answer, request.target, isRoom: true))
      }
    case .unlessRefused(let request):
      switch answer {
      case .silence: done(request, Client.success(request))
      case .error(let error) where request.verb == .join:
        done(
          request, error.sentence(enteringAs: request.text, request.target, hasPassword: true))
      case .error, .result: done(request, sentence(for: answer, request.target, isRoom: true))
      }
    case .carbons, .nothing: break
    }
  }

  /// What a shell is told of something that is not seen otherwise.
  static func success(_ request: NetworkRequest) -> String {
    let sentence: Sentence? =
      switch request.verb {
      case .block: ("%1 is blocked.", [request.target])
      case .unblock: ("%1 is no longer blocked.", [request.target])
      case .unsubscribe: ("%1 is no longer a contact.", [request.target])
      case .invite: ("%1 is invited.", [request.text])
      default: nil
      }
    return sentence.map { filled($0) } ?? ""
  }

  /// Why something was not done; empty if it was.
  func sentence(for answer: Question.Answer, _ place: String, isRoom: Bool = false) -> String {
    switch answer {
    case .result: ""
    case .error(let error): error.sentence(for: place, isRoom: isRoom)
    case .silence: filled(("%1 does not answer.", [place]))
    }
  }
}
