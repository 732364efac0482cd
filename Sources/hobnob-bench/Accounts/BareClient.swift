// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Platform
import XMPP

/// A client that keeps nothing of what it hears: what the server alone can do.
@MainActor final class BareClient {
  /// When it was started.
  let startedAt: Int64
  let loop: EventLoop
  private var stream: ClientStream<Int>?
  private var address: Address?
  private var end: StreamEnd?
  private var acknowledged = 0
  private var hear: (Element) -> Void = { _ in }
  private var isDone: () -> Bool = { false }

  /// - Parameter loop: one that others share is run for all of them.
  init(_ name: String, at server: LocalServer, loop: EventLoop = EventLoop()) throws {
    self.loop = loop
    startedAt = now()
    guard let account = Address("\(name)@\(LocalServer.domain)") else {
      throw MeasuringError("\(name) is not a name")
    }
    let login = Negotiation.Settings(address: account, password: Secret(LocalServer.password))
    let settings = ServerSettings(
      host: "127.0.0.1", port: UInt16(server.directPort), isDirectTLS: true,
      authorities: server.authorities)
    let stream = ClientStream<Int>(loop: loop, settings: .init(login: login, server: settings)) {
      [weak self] in self?.take($0)
    }
    self.stream = stream
    stream.connect()
    try run { $0.address != nil }
  }

  func leave() throws {
    stream?.close()
    while end == nil { loop.run() }
    stream = nil
  }

  private func take(_ event: ClientStream<Int>.Event) {
    switch event {
    case .ready(let address, _): self.address = address
    case .stanza(let stanza): hear(stanza)
    case .acknowledged(let numbers): acknowledged += numbers.count
    case .down(let end): self.end = end
    case .part, .skipped, .sawSCRAM, .registered: break
    }
    if end != nil || isDone() { loop.stop() }
  }

  private func run(until isDone: @escaping (BareClient) -> Bool) throws {
    self.isDone = { [unowned self] in isDone(self) }
    defer { self.isDone = { false } }
    var isLate = false
    let timer = loop.after(milliseconds: 300_000) { [loop] in
      isLate = true
      loop.stop()
    }
    defer { loop.cancel(timer) }
    while !isDone(self) {
      loop.run()
      if let end { throw MeasuringError("the server ended the connection: \(end)") }
      if isLate { throw MeasuringError("the server did not answer in five minutes") }
    }
  }

  // MARK: -

  /// Says that it is there, so that what is sent to it comes at once.
  func appear() { stream?.send(Element("presence")) }

  /// Sends numbered messages, and waits until the server has them.
  func send(_ numbers: Range<Int>, to name: String) throws {
    for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
      let part = start..<min(start + 100, numbers.upperBound)
      acknowledged = 0
      for number in part {
        var message = Element(
          "message",
          ["to": "\(name)@\(LocalServer.domain)", "type": "chat", "id": "number\(number)"])
        message.add(Element("body", text: Self.body(number)))
        stream?.send(message, as: number)
      }
      try run { $0.acknowledged == part.count }
    }
  }

  nonisolated static func body(_ number: Int) -> String {
    "message \(number)number, about nothing much: who brings the cups, and who the tea?"
  }

  /// Reads the whole archive, or what comes behind a message of it.
  ///
  /// - Returns: how many messages came.
  func readArchive(after mark: String? = nil) throws -> Int {
    var (mark, count, isComplete) = (mark, 0, false)
    repeat {
      let page = try page(after: mark, size: 250)
      count += page.ids.count
      (mark, isComplete) = (page.ids.last, page.isLast)
    } while !isComplete
    return count
  }

  /// The id of the first message in the archive.
  func firstOfArchive() throws -> String {
    guard let id = try page(after: nil, size: 1).ids.first else {
      throw MeasuringError("the archive is empty")
    }
    return id
  }

  private func page(after mark: String?, size: Int) throws -> (ids: [String], isLast: Bool) {
    var set = Element("set", namespace: "http://jabber.org/protocol/rsm")
    set.add(Element("max", namespace: set.namespace, text: String(size)))
    if let mark { set.add(Element("after", namespace: set.namespace, text: mark)) }
    let query = Element("query", namespace: Self.archive, children: [set])
    var (ids, answer): ([String], Element?) = ([], nil)
    hear = { stanza in
      if let id = stanza.first("result", Self.archive)?["id"] { ids.append(id) }
      if stanza.name == "iq", stanza["id"] == "page" { answer = stanza }
    }
    defer { hear = { _ in } }
    stream?.send(Element("iq", ["type": "set", "id": "page"], children: [query]))
    try run { _ in answer != nil }
    guard let end = answer?.first("fin", Self.archive) else {
      throw MeasuringError("the server gives no archive")
    }
    return (ids, end["complete"] == "true")
  }

  private static let archive = "urn:xmpp:mam:2"

  /// Enters a room.
  ///
  /// - Returns: how many people the room told, and how long that took.
  func enter(_ room: String) throws -> (people: Int, time: Int64) {
    let start = now()
    var (people, isIn) = (0, false)
    hear = { stanza in
      guard stanza.name == "presence" else { return }
      people += 1
      let user = stanza.first("x", "http://jabber.org/protocol/muc#user")
      isIn = user?.children.contains { $0["code"] == "110" } ?? false
    }
    let user = Element("x", namespace: "http://jabber.org/protocol/muc")
    stream?.send(Element("presence", ["to": "\(room)/bare"], children: [user]))
    try run { _ in isIn }
    hear = { _ in }
    return (people - 1, now() - start)
  }
}
