// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform

/// A session with a server, from the first packet to the last. It separates the protocol from
/// everything that is about chat: stanzas go in and come out, and nothing else knows what is below
/// them.
///
/// ```swift
/// let stream = ClientStream<MessageName>(loop: loop, settings: settings) { event in … }
/// stream.connect()
/// ```
///
/// It cannot be reused: after `down`, make a new one. `down` comes last, and exactly once.
///
/// - `Payload`: the value that `acknowledged` reports for a stanza.
@MainActor final class ClientStream<Payload: Sendable> {
  struct Settings: Sendable {
    var login: Negotiation.Settings
    var server = ServerSettings()
    var limits = XMLReader.Limits()
    /// After a silence of this length, the stream asks the server whether it is there.
    var quiet: Milliseconds = 180_000
    /// How long the server then has to send something.
    var patience: Milliseconds = 30_000
  }

  enum Event: Sendable {
    /// The strongest SCRAM that the server offers, to be kept for `Negotiation.Settings`.
    case sawSCRAM(SCRAMHash)
    /// Logged in, under this full address.
    case ready(Address, StreamFeatures)
    /// The account is registered (`Purpose.register`); `down` follows.
    case registered
    /// The stanzas that arrived together, so that the store has to write once. When the handler
    /// returns, they count as received, and the server is told so when it asks. A handler that has to
    /// wait for the store calls `pause`; then the server is told after `resume`.
    case stanzas([Element])
    /// The beginning of a long answer, as a stanza with some of the items. `stanzas` brings the
    /// rest.
    case part(Element)
    /// A stanza that is larger than the limits: its name and attributes, and its bytes. It counts
    /// as received.
    case skipped(Element, bytes: Int)
    /// The server has these, the oldest first. A server that cannot count has instead answered a
    /// ping that was sent after them.
    case acknowledged([Payload])
    case down(StreamEnd)
  }

  private let loop: EventLoop
  private let settings: Settings
  private let names: any NameSource
  private let handler: @MainActor (Event) -> Void
  private var connection: Connection?
  private var negotiation: Negotiation
  private var reader: XMLReader
  private var inbox = Inbox()
  private var isDelivering = false
  private var isPaused = false
  private var features: StreamFeatures?
  private var counts = StreamManagement<Payload>()
  private var pings = 0
  private var lastHeard: MonotonicTime = 0
  /// When the server was asked for an answer, if nothing has arrived since.
  private var asked: MonotonicTime?
  private var stepTimer: TimerID?
  private var quietTimer: TimerID?
  private var askTimer: TimerID?
  private var isClosing = false
  private var isOver = false

  init(
    loop: EventLoop, settings: Settings, names: (any NameSource)? = nil,
    handler: @escaping @MainActor (Event) -> Void
  ) {
    (self.loop, self.settings, self.handler) = (loop, settings, handler)
    self.names = names ?? Resolver(loop: loop)
    negotiation = Negotiation(settings.login)
    reader = XMLReader(limits: settings.limits)
  }

  /// Begins to connect; the handler is called later, in the loop.
  func connect() {
    let connection = Connection(
      .xmpp, of: settings.login.address.domain, settings.server, loop: loop, names: names,
      limit: settings.login.limit
    ) { [weak self] in self?.handle($0) }
    self.connection = connection
    connection.connect()
  }

  // MARK: - sending

  /// The payloads of stanzas that the server may not have, the oldest first; also valid after
  /// `down`.
  var unacknowledged: [Payload] { counts.unacknowledged }

  /// SHA-256 of the public key of the server's certificate, in hexadecimal digits.
  var peerKey: String { connection?.peerKey ?? "" }

  /// The address of the server in digits, while there is a connection.
  var server: String? { connection?.server }

  /// Sends a stanza, once `ready`; before that and after `down` it is dropped.
  ///
  /// - Parameter payload: the value that `acknowledged` reports.
  func send(_ element: Element, as payload: Payload? = nil) {
    if features == nil || isOver || isClosing { return }
    if StreamManagement<Payload>.counts(element) {
      counts.send(payload)
      // Ask once, after everything that is sent in this turn of the loop.
      if payload != nil, askTimer == nil {
        askTimer = loop.after(milliseconds: 0) { [weak self] in
          self?.askTimer = nil
          self?.askAboutStanzas()
        }
      }
    }
    write(element.xml())
  }

  private func write(_ text: String) { connection?.send(Array(text.utf8)) }

  private func askAboutStanzas() {
    if isOver || !counts.ask() { return }
    askServer()
    watchSilence()
  }

  private func askServer() {
    if asked == nil { asked = loop.now }
    if features?.acknowledges == true {
      let request = "<r xmlns='\(Namespace.acknowledgements)'/>"
      return write(String(repeating: request, count: StreamManagement<Payload>.questions))
    }
    // A server works in order, so its answer confirms everything sent before.
    pings += 1
    write(
      Element(
        "iq", ["id": "alive\(pings)", "to": settings.login.address.domain, "type": "get"],
        children: [Element("ping", namespace: Namespace.ping)]
      ).xml())
  }

  // MARK: - receiving

  /// Makes the server wait, for instance while the disk is full. Until `resume`, the only events
  /// are `acknowledged` for stanzas in flight, and `down`.
  func pause() {
    isPaused = true
    connection?.isReading = false
    loop.schedule(&quietTimer, at: nil) {}
  }

  func resume() {
    if !isPaused || isOver { return }
    isPaused = false
    connection?.isReading = true
    noteTraffic()
    watchSilence()
    deliver()
  }

  private func handle(_ event: Connection.Event) {
    if isOver { return }
    switch event {
    case .connected(let isSecure): negotiate(.connected(isSecure: isSecure))
    case .secured: negotiate(.tlsReady)
    case .received(let bytes):
      noteTraffic()
      inbox.events += reader.read(bytes)
      deliver()
    case .ended(let failure?): finish(.connection(failure))
    case .ended(nil): handleEnd()
    }
  }

  /// Handles the end of the stream, or of the connection without an error.
  private func handleEnd() {
    if isClosing {
      finish(.closedByUs)
    } else if features != nil {
      finish(.closedByServer)
    } else {
      negotiate(.closed)
    }
  }

  private func deliver() {
    if isDelivering { return }
    isDelivering = true
    while !isPaused, !isOver, let event = inbox.next() {
      guard let stanza = stanza(in: event) else {
        handle(event)
        continue
      }
      var stanzas = [stanza]
      while let next = inbox.first.flatMap(self.stanza(in:)) {
        stanzas.append(next)
        _ = inbox.next()
      }
      handler(.stanzas(stanzas))
      // The server asks on the same stream, so it learns this only while the stream is not paused.
      for _ in stanzas { counts.handle() }
    }
    isDelivering = false
  }

  /// What is for the handler, once the login is over.
  private func stanza(in event: XMLReader.Event) -> Element? {
    guard features != nil, case .element(let element) = event,
      StreamManagement<Payload>.counts(element),
      features?.acknowledges == true || !isAnswerToPing(element)
    else { return nil }
    return element
  }

  private func handle(_ event: XMLReader.Event) {
    switch event {
    case .failed(let fault): finish(.xml(fault))
    case .opened: negotiate(.opened)
    case .element(let element):
      if features == nil { negotiate(.element(element)) } else { handle(element) }
    case .part(let element): handler(.part(element))
    case .skipped(let element, let bytes):
      if features == nil { return finish(.xml(.tooLong(limit: settings.limits.bytes))) }
      guard StreamManagement<Payload>.counts(element) else { return handle(element) }
      handler(.skipped(element, bytes: bytes))
      counts.handle()
    case .closed: handleEnd()
    }
  }

  /// Handles an element after the login that is not for the handler.
  private func handle(_ element: Element) {
    if element.isStreamError {
      let (condition, text) = element.condition(Namespace.streamErrors)
      return finish(.streamError(String(condition.prefix(40)), text: text))
    }
    if element.namespace == Namespace.acknowledgements {
      switch element.name {
      case "r": write("<a xmlns='\(Namespace.acknowledgements)' h='\(counts.handled)'/>")
      case "a": acknowledge(element["h"].flatMap { UInt32($0) })
      default: break
      }
      return
    }
    // The stream also pings to detect silence, when nothing is in flight.
    if StreamManagement<Payload>.counts(element) { tellAcknowledged(counts.answered()) }
  }

  private func isAnswerToPing(_ element: Element) -> Bool {
    element.name == "iq" && element["id"] == "alive\(pings)" && pings > 0
      && ["result", "error"].contains(element["type"])
      && [nil, settings.login.address.domain].contains(element["from"])
  }

  private func acknowledge(_ count: UInt32?) {
    guard let count else { return finish(.impossibleCount) }
    do throws(StreamManagement<Payload>.ImpossibleCount) {
      tellAcknowledged(try counts.acknowledge(count))
    } catch {
      finish(.impossibleCount)
    }
  }

  private func tellAcknowledged(_ payloads: [Payload]) {
    if !payloads.isEmpty { handler(.acknowledged(payloads)) }
    askAboutStanzas()
  }

  // MARK: - logging in

  private func negotiate(_ event: Negotiation.Event) {
    for effect in negotiation.handle(event, at: loop.now) {
      if isOver { return }
      perform(effect)
    }
    if isOver { return }
    loop.schedule(&stepTimer, at: negotiation.deadline) { [weak self] in
      guard let self else { return }
      for effect in negotiation.timePassed(at: loop.now) { perform(effect) }
    }
  }

  private func perform(_ effect: Negotiation.Effect) {
    switch effect {
    case .send(let text): write(text)
    case .restartStream: forgetStream()
    case .startTLS:
      // Someone between us and the server may have added text to the server's.
      forgetStream()
      connection?.startTLS()
    case .sawSCRAM(let hash): handler(.sawSCRAM(hash))
    case .ready(let address, let features):
      self.features = features
      reader.skips = true
      noteTraffic()
      watchSilence()
      handler(.ready(address, features))
    // The stanza arrived before the counting began.
    case .stanza(let element): handler(.stanzas([element]))
    case .registered:
      handler(.registered)
      finish(.closedByUs)
    case .fail(let failure): finish(.login(failure))
    }
  }

  private func forgetStream() {
    reader = XMLReader(limits: settings.limits)
    inbox = Inbox()
  }

  // MARK: - silence and the end

  private func noteTraffic() {
    lastHeard = loop.now
    asked = nil
  }

  /// When the silence will be too long. While a lot of data is sent slowly, an answer comes late.
  private var silenceEnds: MonotonicTime {
    guard let asked else { return lastHeard + settings.quiet }
    return max(asked, connection?.lastProgress ?? 0) + settings.patience
  }

  private func watchSilence() {
    if isOver || isPaused || features == nil { return }
    loop.schedule(&quietTimer, at: silenceEnds) { [weak self] in
      guard let self else { return }
      // Something may have arrived since the timer was set.
      if loop.now >= silenceEnds {
        if asked != nil { return finish(.noAnswer(settings.patience)) }
        askServer()
      }
      watchSilence()
    }
  }

  /// Says goodbye. The server may still acknowledge the stanzas in flight, then `down` comes. Until
  /// then, the stream keeps itself alive.
  func close() {
    if isOver || isClosing { return }
    guard features != nil, !isPaused else { return finish(.closedByUs) }
    askAboutStanzas()
    isClosing = true
    // On the next connection, a server delivers unacknowledged stanzas again.
    if features?.acknowledges == true {
      write("<a xmlns='\(Namespace.acknowledgements)' h='\(counts.handled)'/>")
    }
    write("</stream:stream>")
    stepTimer = loop.after(milliseconds: 2_000) { self.finish(.closedByUs) }
  }

  private func finish(_ end: StreamEnd) {
    if isOver { return }
    isOver = true
    for timer in [stepTimer, quietTimer, askTimer] {
      if let timer { loop.cancel(timer) }
    }
    // Stanzas that may not have arrived are sent again, so the old ones must not arrive later.
    let isSilent = if case .noAnswer = end { true } else { false }
    if isSilent || !counts.unacknowledged.isEmpty { connection?.abandon() }
    connection?.close()
    inbox = Inbox()
    handler(.down(end))
  }
}

/// Events that were read and wait to be delivered.
private struct Inbox {
  var events: [XMLReader.Event] = []
  private var delivered = 0

  var first: XMLReader.Event? { delivered < events.count ? events[delivered] : nil }

  mutating func next() -> XMLReader.Event? {
    guard let first else {
      self = Inbox()
      return nil
    }
    delivered += 1
    return first
  }
}

extension Service {
  /// RFC 6120, 3.2 and XEP-0368.
  static var xmpp: Service {
    Service(
      name: "XMPP", records: Records(inClear: "_xmpp-client._tcp", direct: "_xmpps-client._tcp"),
      port: 5222, directPort: 5223, isDirectTLS: false, protocolName: "xmpp-client")
  }
}
