// SPDX-License-Identifier: GPL-3.0-or-later
import Networks
import Platform
import Testing

@testable import XMPP

/// Owns a stream and records its events.
@MainActor final class StreamUser {
  let loop: EventLoop
  private(set) var stream: ClientStream<String>
  private(set) var ready: (address: Address, features: StreamFeatures)?
  private(set) var stanzas: [Element] = []
  private(set) var parts: [Element] = []
  private(set) var skipped: [(stanza: Element, bytes: Int)] = []
  private(set) var acknowledged: [String] = []
  private(set) var end: StreamEnd?
  private(set) var sawSCRAM: SCRAMHash?
  private(set) var isRegistered = false
  /// Called with every event after it was recorded.
  var then: (ClientStream<String>.Event) -> Void = { _ in }

  /// - Parameter step: the time that each step of logging in has.
  init(
    _ address: String, password: String, server: ServerSettings, loop: EventLoop = EventLoop(),
    purpose: Negotiation.Purpose = .logIn, strongest: SCRAMHash? = nil, step: Int64 = 20_000,
    quiet: Int64 = 180_000, patience: Int64 = 30_000, limits: XMLReader.Limits = XMLReader.Limits()
  ) throws {
    self.loop = loop
    let login = Negotiation.Settings(
      address: try #require(Address(address)), password: Secret(password), purpose: purpose,
      strongest: strongest, limit: step)
    let ear = Ear()
    stream = ClientStream(
      loop: loop,
      settings: .init(
        login: login, server: server, limits: limits, quiet: quiet, patience: patience)
    ) { ear.user?.note($0) }
    ear.user = self
    stream.connect()
  }

  /// A stream needs its handler before `self` is complete.
  private final class Ear {
    weak var user: StreamUser?
  }

  private func note(_ event: ClientStream<String>.Event) {
    #expect(end == nil, "\(event) behind the end")
    switch event {
    case .sawSCRAM(let hash): sawSCRAM = hash
    case .ready(let address, let features): ready = (address, features)
    case .registered: isRegistered = true
    case .stanzas(let elements): stanzas += elements
    case .part(let element): parts.append(element)
    case .skipped(let element, let bytes): skipped.append((element, bytes))
    case .acknowledged(let payloads): acknowledged += payloads
    case .down(let end): self.end = end
    }
    then(event)
    if isDone() { loop.stop() }
  }

  private var isDone: () -> Bool = { false }

  /// Runs the loop until the condition holds, for a limited time.
  func run(
    until isDone: @escaping () -> Bool, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    self.isDone = isDone
    var isLate = false
    let timer = loop.after(milliseconds: 20_000) { [loop] in
      isLate = true
      loop.stop()
    }
    // Another user of the same loop may have stopped it.
    while !isDone(), !isLate { loop.run() }
    if isLate { Issue.record("it takes too long", sourceLocation: sourceLocation) }
    loop.cancel(timer)
    self.isDone = { false }
  }

  /// Runs until it is logged in, and fails the test if that does not happen.
  func runUntilReady(sourceLocation: SourceLocation = #_sourceLocation) throws {
    run(until: { [unowned self] in ready != nil || end != nil }, sourceLocation: sourceLocation)
    try #require(end == nil, "\(end?.description ?? "")", sourceLocation: sourceLocation)
  }

  /// Runs until it is over.
  @discardableResult
  func runToEnd(sourceLocation: SourceLocation = #_sourceLocation) -> StreamEnd? {
    run(until: { [unowned self] in end != nil }, sourceLocation: sourceLocation)
    return end
  }
}
