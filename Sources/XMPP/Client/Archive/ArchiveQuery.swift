// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Sentences

/// A page of an archive that was asked for and is arriving.
struct ArchiveQuery: Sendable {
  enum Scope: Hashable, Sendable {
    /// Asks for what is new since the mark, or for everything if the mark is empty; without a mark,
    /// for the newest page, which is backfill.
    ///
    /// - Parameter since: the archive leaves out what is older.
    case catchUp(after: String?, since: Milliseconds? = nil)
    /// Asks for older messages, for a shell.
    case history(HistoryRequest)
  }

  var archive: ArchiveKey
  var scope: Scope
  /// The id of the iq that asks for it.
  var iq = ""
  /// The part of the page that has arrived.
  private(set) var results: [Element] = []
  private var weight = 0
  /// Whether there was no room for the rest of the page.
  private(set) var isTruncated = false

  init(_ archive: ArchiveKey, _ scope: Scope) { (self.archive, self.scope) = (archive, scope) }

  var isHistory: Bool { if case .history = scope { true } else { false } }

  /// Adds a message. If the page does not fit, keeps the part next to what is known: when going
  /// back, the end of the page.
  mutating func add(_ result: Element) {
    if isTruncated, !isHistory { return }
    results.append(result)
    weight += result.weight
    while results.count > 1, weight > Limits.pageWeight || results.count > Limits.page {
      isTruncated = true
      weight -= isHistory ? results.removeFirst().weight : results.removeLast().weight
    }
  }

  /// The payload of the iq that asks for it (XEP-0313, 4; XEP-0059).
  func makePayload(id: String) -> Element {
    var set = Element("set", namespace: Feature.pages)
    set.add(Element("max", namespace: Feature.pages, text: String(Limits.page)))
    var payload = Element("query", namespace: Feature.archive, ["queryid": id])
    switch scope {
    case .catchUp(let mark, let since):
      if let since {
        payload.add(Element.form(Feature.archive, [("start", Timestamp.text(since))]))
      }
      if let mark {
        // If the archive was empty before, everything in it is new.
        if !mark.isEmpty { set.add(Element("after", namespace: Feature.pages, text: mark)) }
      } else {
        set.add(Element("before", namespace: Feature.pages))
      }
    case .history(let history):
      set.add(Element("before", namespace: Feature.pages, text: history.older.before))
      if let with = history.with {
        payload.add(Element.form(Feature.archive, [("with", with.description)]))
      }
    }
    payload.add(set)
    return payload
  }
}

/// A shell's request for older messages of a conversation.
struct HistoryRequest: Hashable, Sendable {
  var older: OlderMessages
  var conversation: ConversationAddress
  /// In the account's archive, ask only for messages to and from this person.
  var with: Address?

  /// - Parameter address: a room, or a person, whose messages are in the account's archive.
  init(_ request: NetworkRequest, of address: Address, isRoom: Bool) {
    older = OlderMessages(request)
    conversation = isRoom ? .room(address.description) : .direct(address.description)
    with = isRoom ? nil : address
  }

  /// - Parameter isEnd: whether the archive has nothing older.
  func sentence(isEnd: Bool) -> Remark {
    let count = older.count
    if count > 0 {
      return filled(
        translated(
          "hobnob fetched one older message; repeat /history to see it.",
          "hobnob fetched %1 older messages; repeat /history to see them.", count: count),
        [String(count)])
    }
    return translated(
      isEnd
        ? "The archive has no older messages."
        : "That part of the archive has no messages; repeat /history to look further back.")
  }
}

/// A page that has arrived.
struct ArchivePage: Sendable {
  let query: ArchiveQuery
  let answer: IQRequest.Answer
  /// The ids of all its messages, in order, including those without content.
  private(set) var ids: [String] = []
  /// The messages to be interpreted.
  private(set) var messages: [IncomingMessage] = []

  /// - Parameters:
  ///   - knownUntil: new messages were sent later than this.
  ///   - now: what the wall clock shows.
  init(
    _ query: ArchiveQuery, _ answer: IQRequest.Answer, isBackfill: Bool,
    knownUntil: Milliseconds, now: Milliseconds
  ) {
    (self.query, self.answer) = (query, answer)
    guard case .result = answer else { return }
    for result in query.results {
      guard let id = Limits.bounded(result["id"]) else { continue }
      ids.append(id)
      guard let forwarded = result.first("forwarded", Feature.forwarding),
        let message = forwarded.first("message")
      else { continue }
      let stamp = forwarded.first("delay", Feature.delay)?["stamp"] ?? ""
      var time = Timestamp.time(stamp, now: now)
      if !isBackfill, let stated = time { time = max(stated, min(knownUntil, now)) }
      messages.append(
        IncomingMessage(
          stanza: message, source: .archive(isBackfill: isBackfill), archiveID: id, time: time))
    }
  }

  private var fin: Element? {
    if case .result(let answer) = answer { answer.first("fin", Feature.archive) } else { nil }
  }

  /// Whether the archive has nothing after this page (XEP-0313, 4.3), or, when going back, nothing
  /// before it.
  var isLast: Bool { fin?["complete"] == "true" }
  /// Whether it is the last page, and all of it fitted.
  var isComplete: Bool { isLast && !query.isTruncated }

  // If hobnob skipped the first or last message because it is too large, only the answer has its id
  // (XEP-0059).
  var first: String? { end("first") ?? ids.first }
  var last: String? { end("last") ?? ids.last }

  private func end(_ name: String) -> String? {
    query.isTruncated
      ? nil : Limits.bounded(fin?.first("set", Feature.pages)?.first(name, Feature.pages)?.text)
  }
}
