// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Sentences

// Catching up with archives, and paging in them (XEP-0313, XEP-0059).
extension Client {
  mutating func catchUp(with key: String) {
    archives[key, default: Archive(mark: nil)].state = .catchingUp
    nextPage(of: key)
  }

  /// - Parameter isEarly: not for the first: what comes by itself has to come before it is asked,
  ///   or what is said in between came neither way.
  mutating func nextPage(of key: String, early isEarly: Bool = false) {
    guard isUp, let archive = archives[key], archive.state == .catchingUp else { return }
    guard archive.hasLostMark else {
      return ask(
        ArchiveQuery(archive: key, kind: .catchUp(after: archive.mark)), early: isEarly)
    }
    // Clocks differ. What is known already is known by its id.
    let since = archive.knownUntil > .min ? archive.knownUntil - Limits.clockError : nil
    ask(ArchiveQuery(archive: key, kind: .catchUp(after: "", since: since)))
  }

  mutating func history(_ request: NetworkRequest) {
    guard let place = Address(request.target)?.bare else {
      done(request, filled(("%1 is not an address.", [request.target])))
      return
    }
    let isRoom = rooms[place] != nil
    let key = isRoom ? place.description : ""
    guard let archive = archives[key], archive.state != .absent else {
      done(
        request,
        isRoom
          ? filled(("%1 keeps no archive.", [request.target]))
          : "The server keeps no archive of your messages.")
      return
    }
    guard queries.count < Limits.queries else {
      done(request, "There are too many requests at once. Try again in a moment.")
      return
    }
    let name = place.description
    let reading = HistoryReading(
      request, of: isRoom ? .room(name) : .direct(name), with: isRoom ? nil : place)
    ask(ArchiveQuery(archive: key, kind: .history(reading)))
  }

  private mutating func ask(_ query: ArchiveQuery, early isEarly: Bool = false) {
    let id = newID()
    var set = Element("set", namespace: Feature.pages)
    set.add(Element("max", namespace: Feature.pages, text: String(Limits.page)))
    var payload = Element("query", namespace: Feature.archive, ["queryid": id])
    switch query.kind {
    case .catchUp(let mark, let since):
      if let since {
        payload.add(Client.archiveForm("start", Timestamp.text(since)))
      }
      if let mark {
        // All there is came after an archive was empty.
        if !mark.isEmpty { set.add(Element("after", namespace: Feature.pages, text: mark)) }
      } else {
        set.add(Element("before", namespace: Feature.pages))
      }
    case .history(let reading):
      set.add(Element("before", namespace: Feature.pages, text: reading.before))
      if let with = reading.with { payload.add(Client.archiveForm("with", with.description)) }
    }
    payload.add(set)
    var query = query
    let owner = query.archive.isEmpty ? nil : Address(query.archive)
    query.question = ask("set", payload, to: owner, .page(id), early: isEarly)
    queries[id] = query
  }

  private static func archiveForm(_ name: String, _ value: String) -> Element {
    func field(_ name: String, _ value: String) -> Element {
      Element(
        "field", namespace: Feature.forms, ["var": name],
        children: [Element("value", namespace: Feature.forms, text: value)])
    }
    return Element(
      "x", namespace: Feature.forms, ["type": "submit"],
      children: [field("FORM_TYPE", Feature.archive), field(name, value)])
  }

  /// A message of a page. It counts only from the archive that was asked, for a query of ours.
  mutating func archived(_ result: Element, from: Address?) {
    guard let id = result["queryid"], let query = queries[id],
      query.archive.isEmpty ? isFromAccount(from) : from?.description == query.archive
    else { return }
    queries[id]?.take(result)
    questions[query.question]?.lastHeard = clock.time
  }

  mutating func pageCame(_ answer: Question.Answer, _ id: String) {
    guard let query = queries.removeValue(forKey: id) else { return }
    switch query.kind {
    case .catchUp(let after, _): caughtUp(answer, query, after: after)
    case .history(let reading): readOn(reading, answer, query)
    }
  }

  private mutating func readOn(
    _ reading: HistoryReading, _ answer: Question.Answer, _ query: ArchiveQuery
  ) {
    var reading = reading
    switch answer {
    case .result(let answer):
      let start = turn.news.count
      let ids = interpret(query, isPast: true)
      reading.count += turn.news[start...].count {
        if case .messageReceived = $0 { true } else { false }
      }
      reading.pages += 1
      let isEnd = Client.isComplete(answer) && !query.isCut
      let first = Client.ends(of: query, ids, answer).first
      // An archive that says that there is more and gives nothing would be asked for ever.
      let isStuck = !isEnd && (first == nil || first == reading.before)
      if !isStuck {
        let page = NetworkEvent.page(
          of: reading.place, from: isEnd ? "" : first ?? "", until: reading.before)
        turn.news.insert(page, at: start)
      }
      if let first, !isEnd, !isStuck, reading.pages < Limits.pages,
        reading.count < reading.request.history.count
      {
        reading.before = first
        ask(ArchiveQuery(archive: query.archive, kind: .history(reading)))
      } else {
        done(reading.request, reading.sentence(isEnd: isEnd || isStuck))
      }
    case .error(let error) where error.condition == "item-not-found":
      done(
        reading.request,
        filled(("The archive of %1 goes back no further.", [reading.request.target])))
    case .error, .silence: done(reading.request, sentence(for: answer, reading.request.target))
    }
  }

  /// Whether a page reaches to the end of its archive, or to its beginning (XEP-0313, 4.3).
  private static func isComplete(_ answer: Element) -> Bool {
    answer.first("fin", Feature.archive)?["complete"] == "true"
  }

  /// The ids of the first and the last message of a page. If hobnob skipped one of them because it
  /// is too large, only the answer has its id (XEP-0059).
  private static func ends(
    of query: ArchiveQuery, _ ids: [String], _ answer: Element
  ) -> (first: String?, last: String?) {
    let set =
      query.isCut ? nil : answer.first("fin", Feature.archive)?.first("set", Feature.pages)
    return (
      word(set?.first("first", Feature.pages)?.text) ?? ids.first,
      word(set?.first("last", Feature.pages)?.text) ?? ids.last
    )
  }

  private mutating func caughtUp(_ answer: Question.Answer, _ query: ArchiveQuery, after: String?) {
    let key = query.archive
    guard archives[key]?.state == .catchingUp else { return }
    switch answer {
    case .result(let answer):
      let isFirst = after == nil
      let isPast = isFirst && archives[key]?.hasLostMark == false
      // What came by itself meanwhile is new, whichever page it is on.
      let held = isPast ? Set(archives[key]?.held.map(\.id) ?? []) : []
      let start = turn.news.count
      let ids = interpret(query, isPast: isPast, without: held)
      let ends = Client.ends(of: query, ids, answer)
      if isPast, !key.isEmpty, let first = ends.first {
        let from = Client.isComplete(answer) ? "" : first
        turn.news.insert(.page(of: .room(key), from: from, until: ""), at: start)
      }
      archives[key]?.count += ids.count
      archives[key]?.failures = 0
      archives[key]?.hasLostMark = false
      archives[key]?.forgetHeld(Set(ids).subtracting(held))
      // An empty archive has been read, too: what is in it next time is new.
      let last = ends.last ?? (isFirst ? "" : nil)
      if let last, last != after {
        archives[key]?.mark = last
        tell(.caughtUp(archive: key, mark: last))
      }
      // An archive that says that there is more and gives nothing would be asked for ever.
      let isComplete =
        !query.isCut && (isFirst || Client.isComplete(answer)) || ends.last == nil
        || ends.last == after
      if !isComplete || archives[key]?.forgetDropped() == true {
        nextPage(of: key, early: true)
      } else {
        goLive(key)
      }
    case .error(let error) where error.condition == "item-not-found" && after?.isEmpty == false:
      // The archive has forgotten the message of the mark: what is left of it is newer, or known.
      archives[key]?.hasLostMark = true
      nextPage(of: key)
    case .error(let error) where !error.isPassing: archiveFailed(key)
    case .error, .silence:
      archives[key]?.failures += 1
      if Retry.archivePage.goesOn(after: archives[key]?.failures ?? 0) {
        clock.set(.archive(key), in: Retry.archivePage.pause)
      } else {
        archiveFailed(key)
      }
    }
  }

  private mutating func archiveFailed(_ key: String) {
    archives[key]?.state = .failed
    releaseHeld(key)
  }

  private mutating func goLive(_ key: String) {
    archives[key]?.state = .live
    archives[key]?.knownUntil = clock.wall
    releaseHeld(key)
  }

  private mutating func releaseHeld(_ key: String) {
    outbox.needsPump = true
    for held in archives[key]?.takeHeld() ?? [] { deliver(held.message, held.source) }
  }

  /// Takes in a page.
  ///
  /// - Returns: the ids of all its messages in the archive, in order, also of those that say nothing.
  private mutating func interpret(
    _ query: ArchiveQuery, isPast: Bool, without left: Set<String> = []
  ) -> [String] {
    var ids: [String] = []
    for result in query.results {
      guard let id = result["id"], !id.isEmpty, id.utf8.count <= Limits.word else { continue }
      ids.append(id)
      guard !left.contains(id), let forwarded = result.first("forwarded", Feature.forwarding),
        let message = forwarded.first("message")
      else { continue }
      let stamp = forwarded.first("delay", Feature.delay)?["stamp"] ?? ""
      var time = Timestamp.time(stamp, now: clock.wall)
      if !isPast, let told = time, let known = archives[query.archive]?.knownUntil {
        time = max(told, min(known, clock.wall))
      }
      if let time { archives[query.archive]?.brought(saidAt: time) }
      let heard = IncomingMessage(
        message: message, source: .archive(isPast: isPast), archiveID: id, time: time)
      if query.archive.isEmpty {
        interpretDirect(heard)
      } else if let room = Address(query.archive) {
        interpretRoom(heard, in: room)
      }
    }
    return ids
  }

  /// A live message has an id in an archive: what comes after it is asked for next time. As long as
  /// something that was sent there is not acknowledged, it may stand in the archive before it.
  mutating func noteMark(_ id: String, in key: String) {
    guard archives[key]?.state == .live else { return }
    archives[key]?.knownUntil = clock.wall
    archives[key]?.nextMark = id
    moveMark(of: key)
  }

  mutating func moveMark(of key: String) {
    guard let mark = archives[key]?.nextMark, !outbox.isUnderWay(inArchive: key) else { return }
    archives[key]?.nextMark = nil
    archives[key]?.mark = mark
    tell(.caughtUp(archive: key, mark: mark))
  }

  /// Keeps a message back that the archive is going to bring.
  mutating func isHeld(
    _ message: Element, _ source: Source, id: String?, key: String
  ) -> Bool {
    guard let id, archives[key]?.state == .catchingUp else { return false }
    archives[key]?.hold(Archive.Held(id: id, message: message, source: source))
    return true
  }
}
