// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox

/// What the server of the account offers.
struct ServerFeatures: Sendable {
  /// The bytes of the longest stanza it takes, where it tells (XEP-0478).
  var longest: Int?
  var hasRosterVersions = false
  /// Whether it has said what the account has, or will not say it.
  var isAnswered = false
  var hasArchive = false
  /// Whether it gives each message an id, and takes away those that others made up (XEP-0359).
  var hasIDs = false
  var hasBlocking = false
  var rooms: Address?
  var upload: Address?
  /// The bytes of the largest file it takes, where it tells.
  var longestFile: Int?

  init() {}

  /// - Parameter stream: `<stream:features/>` after the login.
  init(stream: Element) {
    longest = stream.first("limits", Feature.limits)?.first("max-bytes", Feature.limits)
      .flatMap { Int($0.text) }.flatMap { $0 > 0 ? $0 : nil }
    hasRosterVersions = stream.has("ver", Feature.rosterVersions)
  }

  /// The features in an answer about something (XEP-0030).
  static func names(in answer: Element) -> Set<String> {
    let query = answer.first("query", Feature.info)
    return Set(query?.children.filter { $0.name == "feature" }.compactMap { $0["var"] } ?? [])
  }

  /// The kinds of thing that it is, as in `conference/text`.
  static func kinds(in answer: Element) -> Set<String> {
    let query = answer.first("query", Feature.info)
    return Set(
      query?.children.filter { $0.name == "identity" }.map {
        ($0["category"] ?? "") + "/" + ($0["type"] ?? "")
      } ?? [])
  }
}

// What happens when a connection comes and goes.
extension Client {
  mutating func up(_ jid: Address, _ features: Element) {
    if isUp { down(isTheirs: false) }
    self.jid = jid
    server = ServerFeatures(stream: features)
    turn.toldStatus = nil
    hasToldOfSkipped = false
    for key in archives.keys { archives[key]?.begin() }
    archives["", default: Archive(mark: nil)].begin()

    let server = Address(domain: account.domain)
    ask("get", Element("query", namespace: Feature.info), to: server, .serverInfo)
    ask("get", Element("query", namespace: Feature.info), to: account, .accountInfo)
    askForRoster()
    ask("get", Element("query", namespace: Feature.items), to: server, .items)
    askForBookmarks()
    for address in rooms.keys.sorted(by: { "\($0)" < "\($1)" }) { enter(address) }
  }

  /// - Parameter isTheirs: whether the server ended it, which may have had its reasons.
  mutating func down(isTheirs: Bool) {
    guard isUp else { return }
    jid = nil
    tell(.offline)
    questions = [:]
    queries = [:]
    (typists, typesIn) = ([], [])
    clock.clearAll()
    roster.forgetPresence()
    for address in Array(rooms.keys) { rooms[address]?.isLost() }
    for key in Array(archives.keys) { archives[key]?.isLost() }
    outbox.break(at: clock.time, isTheirs: isTheirs)
    refuseWhatBreaks()
    requests.begin()
    forgetSlots()
  }

  mutating func serverInfoCame(_ answer: Question.Answer) {
    switch answer {
    case .result(let answer):
      server.hasBlocking = ServerFeatures.names(in: answer).contains(Feature.blocking)
    case .error: break
    case .silence: turn.effects.append(.hangUp("The server does not answer."))
    }
  }

  mutating func accountInfoCame(_ answer: Question.Answer) {
    if case .result(let answer) = answer {
      let features = ServerFeatures.names(in: answer)
      server.hasArchive = features.contains(Feature.archive)
      // An archive comes with ids, and with their protection (XEP-0313, 5.1).
      server.hasIDs = server.hasArchive || features.contains(Feature.ids)
    }
    server.isAnswered = true
    // The server sends what waits for the owner at the first presence, and copies as soon as they are
    // wanted: from here on both can be told apart from what the archive brings.
    ask("set", Element("enable", namespace: Feature.carbons), .carbons)
    sendPresence()
    if server.hasArchive {
      catchUp(with: "")
    } else {
      archives[""]?.state = .absent
    }
    outbox.needsPump = true
    runRequests()
  }

  mutating func itemsCame(_ answer: Question.Answer) {
    // Messages with files wait until it is known where those can go.
    outbox.needsPump = true
    guard case .result(let answer) = answer, let query = answer.first("query", Feature.items)
    else { return }
    for item in query.children.prefix(Limits.services) where item.name == "item" {
      guard item["node"] == nil, let address = item["jid"].flatMap(Address.init) else { continue }
      ask("get", Element("query", namespace: Feature.info), to: address, .itemInfo(address))
    }
  }

  mutating func itemInfoCame(_ answer: Question.Answer, of address: Address) {
    outbox.needsPump = true
    guard case .result(let answer) = answer else { return }
    let features = ServerFeatures.names(in: answer)
    if features.contains(Feature.rooms), address.local.isEmpty,
      ServerFeatures.kinds(in: answer).contains("conference/text")
    {
      if server.rooms == nil { turn.effects.append(.learned("rooms", address.description)) }
      server.rooms = server.rooms ?? address
      for room in rooms.keys where rooms[room]?.isEntered == true { tellShortName(of: room) }
    }
    if features.contains(Feature.upload), server.upload == nil {
      server.upload = address
      server.longestFile = UploadSlot.longest(in: answer)
      turn.effects.append(.learned("upload", server.longestFile.map { String($0) } ?? ""))
    }
  }
}
