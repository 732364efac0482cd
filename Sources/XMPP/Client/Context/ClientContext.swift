// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks

/// What every part of a client uses: the owner, the clock, the requests without an answer, and the
/// output of this step.
struct ClientContext: NetworkContext {
  var owner: Owner
  var clock = AlarmClock<Alarm>()
  var requests = RequestQueue()
  var output = StepOutput<WireAct>()
  /// Whether something in the outbox that had to wait may be sent now.
  var needsPump = false
  /// The server's own service for rooms.
  var roomService: Address?
  /// How often the owner has entered a room.
  private var entries = 0
  /// The requests that the client sent to others, by id.
  private(set) var iqs: [String: IQRequest] = [:]
  private var random: any RandomNumberGenerator

  init(owner: Owner, random: any RandomNumberGenerator) {
    (self.owner, self.random) = (owner, random)
  }

  var isUp: Bool { owner.jid != nil }

  /// Forgets all requests and alarms, since the connection is gone.
  mutating func disconnect() {
    owner.jid = nil
    iqs = [:]
    roomService = nil
    forgetConnection()
  }

  // MARK: The output

  mutating func send(_ stanza: Element, payload: OutboxEntry.ID? = nil) {
    add(.send(stanza, payload: payload))
  }

  /// How many messages this step has reported so far.
  var messageCount: Int { output.messageCount }

  /// 64 random bits in letters.
  mutating func newID() -> String { "h" + String(random.next(), radix: 36) }

  /// The number of an entry into a room.
  mutating func nextEntry() -> Int {
    entries += 1
    return entries
  }

  // MARK: Requests and their answers

  /// Sends a request.
  ///
  /// - Parameters:
  ///   - to: nil for the owner's account.
  ///   - isEarly: whether it is sent before this step's events are stored.
  /// - Returns: its id.
  @discardableResult
  mutating func sendIQ(
    _ type: String, _ payload: Element, to: Address? = nil, _ purpose: IQRequest.Purpose,
    early isEarly: Bool = false
  ) -> String {
    let id = newID()
    var query = Element("iq", ["type": type, "id": id], children: [payload])
    query["to"] = to?.description
    expect(id, from: to, purpose)
    output.add(.act(.send(query, payload: nil)), early: isEarly)
    return id
  }

  /// Waits for the answer to something that has been sent.
  mutating func expect(
    _ id: String, from: Address?, _ purpose: IQRequest.Purpose,
    limit: Milliseconds = Limits.answer
  ) {
    iqs[id] = IQRequest(purpose: purpose, to: from, limit: limit, lastHeard: clock.time)
    clock.set(.iq(id), in: limit)
  }

  /// The request with an id, if `from` was asked. An answer counts only from whoever was asked,
  /// since others can guess an id.
  func iq(_ id: String, askedOf from: Address?) -> IQRequest? {
    guard let iq = iqs[id] else { return nil }
    let isRight =
      if let to = iq.to, to != owner.account { from == to } else { owner.mayAnswerForAccount(from) }
    return isRight ? iq : nil
  }

  /// The request with an id, as ``iq(_:askedOf:)``; removes it, since it is answered.
  mutating func takeIQ(_ id: String, askedOf from: Address?) -> IQRequest? {
    guard let iq = iq(id, askedOf: from) else { return nil }
    removeIQ(id)
    return iq
  }

  /// Call this when a part of an answer has arrived: the time limit begins anew.
  mutating func noteProgress(of id: String) { iqs[id]?.lastHeard = clock.time }

  /// Returns the request whose alarm has come, if its time is over; otherwise sets the alarm again.
  mutating func takeOverdueIQ(_ id: String) -> IQRequest? {
    guard let iq = iqs[id] else { return nil }
    let left = iq.lastHeard + iq.limit - clock.time
    if left > 0 {
      clock.set(.iq(id), in: left)
      return nil
    }
    return iqs.removeValue(forKey: id)
  }

  /// Ends the shells' requests that are done, although no answer came.
  mutating func end(_ sentence: Remark, where isDone: (IQRequest) -> NetworkRequest?) {
    for (id, iq) in iqs {
      guard let request = isDone(iq) else { continue }
      removeIQ(id)
      answer(request, sentence)
    }
  }

  private mutating func removeIQ(_ id: String) {
    iqs[id] = nil
    clock.clear(.iq(id))
  }

  /// Whether the client does not know yet what services the server has.
  var isLookingForServices: Bool {
    iqs.values.contains { $0.purpose.isAboutServices }
  }
}
