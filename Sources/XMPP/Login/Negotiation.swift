// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Platform

/// Turns a connection into a session (RFC 6120), or registers an account on it (XEP-0077). It is a
/// value: events go in, effects come out, in order. It has no socket and no clock.
///
/// Its rules: before TLS, send nothing but STARTTLS; after the start of TLS, forget what arrived in
/// clear; follow `SASLExchange`; each step has a time limit.
struct Negotiation: Sendable {
  enum Purpose: Hashable, Sendable {
    case logIn, register
  }

  struct Settings: Sendable {
    /// The account's address; with a resource only to ask for that resource.
    var address: Address
    var password: Secret
    var purpose = Purpose.logIn
    /// The strongest SCRAM that the server has ever offered for this account, from earlier
    /// `sawSCRAM` effects.
    var strongest: SCRAMHash?
    /// Milliseconds for each step.
    var limit: Milliseconds = 30_000
    /// Makes SCRAM's nonces.
    var nonce: @Sendable () -> String = SCRAM.randomNonce
  }

  enum Event: Sendable {
    /// Connected; `isSecure`: with TLS, and the certificate is good (XEP-0368).
    case connected(isSecure: Bool)
    /// The server's stream header.
    case opened
    case element(Element)
    /// TLS works, and the certificate is good.
    case tlsReady
    /// The server has ended its stream or the connection.
    case closed
  }

  enum Effect: Hashable, Sendable {
    case send(String)
    /// Forget everything that arrived in clear, start TLS, then report `tlsReady`.
    case startTLS
    /// Read what arrives from now on as a new stream. Nothing of the old one is left to read.
    case restartStream
    /// The strongest SCRAM that the server offers, to be kept among the facts about it.
    case sawSCRAM(SCRAMHash)
    /// Logged in under this full address. With `StreamFeatures.acknowledges` both sides count
    /// stanzas from here.
    case ready(Address, StreamFeatures)
    /// A stanza that arrived before `ready` and is not part of the login; comes after `ready`.
    case stanza(Element)
    /// The account is registered, and the stream has ended.
    case registered
    /// The login has failed.
    case fail(LoginFailure)
  }

  enum State {
    case idle, header, features, proceed, tls
    case sasl(SASLExchange)
    case bind(StreamFeatures)
    case enable(StreamFeatures)
    case form, registration, over
  }

  var settings: Settings
  var state = State.idle
  private var isSecure = false
  private var isAuthenticated = false
  private var ours: Address?
  /// Stanzas that arrived before `ready`, to be delivered after it.
  private var early: [Element] = []
  /// When the current step must be done; nil if no step is running. Call `timePassed` at that time.
  private(set) var deadline: MonotonicTime?

  init(_ settings: Settings) { self.settings = settings }

  /// - Parameter now: the time, on the same clock as in `timePassed`.
  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Effect] {
    if case .over = state { return [] }
    let step = step
    let effects: [Effect]
    switch event {
    case .connected(let isSecure):
      self.isSecure = isSecure
      effects = openStream()
    case .opened: effects = readHeader()
    case .element(let element):
      effects = element.isStreamError ? readStreamError(element) : read(element)
    case .tlsReady:
      guard case .tls = state else { return fail(.unexpected("TLS", step)) }
      isSecure = true
      effects = openStream()
    case .closed: effects = fail(.closed(step))
    }
    if case .over = state {
      deadline = nil
      settings.password = Secret("")
    } else if isNewStep {
      isNewStep = false
      deadline = now + settings.limit
    }
    return effects
  }

  /// Call this when the clock has reached `deadline`.
  mutating func timePassed(at now: MonotonicTime) -> [Effect] {
    guard let deadline, now >= deadline else { return [] }
    return fail(.tooSlow(step, limit: settings.limit))
  }

  // MARK: - steps

  private var isNewStep = false

  /// Begins the next step, with its own time limit.
  mutating func enter(_ state: State) {
    self.state = state
    isNewStep = true
  }

  var step: LoginStep {
    switch state {
    case .idle, .over: .connecting
    case .header, .features: .greeting
    case .proceed, .tls: .encrypting
    case .sasl: .authenticating
    case .bind, .enable: .binding
    case .form, .registration: .registering
    }
  }

  mutating func fail(_ failure: LoginFailure) -> [Effect] {
    state = .over
    deadline = nil
    settings.password = Secret("")
    return [.fail(failure)]
  }

  private mutating func unexpected(_ element: Element) -> [Effect] {
    fail(.unexpected(String(element.name.prefix(40)), step))
  }

  /// Opens a stream. Its header names the account only if nobody else can read it.
  private mutating func openStream() -> [Effect] {
    enter(.header)
    let address = settings.address
    let from =
      isSecure && settings.purpose == .logIn
      ? " from='\(Element.escaped(address.bare.description))'" : ""
    return [
      .restartStream,
      .send(
        "<?xml version='1.0'?><stream:stream xmlns='\(Namespace.client)' "
          + "xmlns:stream='\(Namespace.streams)' version='1.0' xml:lang='en'\(from) "
          + "to='\(Element.escaped(address.domain))'>"),
    ]
  }

  private mutating func readHeader() -> [Effect] {
    guard case .header = state else { return fail(.unexpected("stream", step)) }
    state = .features
    return []
  }

  private mutating func readStreamError(_ element: Element) -> [Effect] {
    let (condition, text) = element.condition(Namespace.streamErrors)
    return fail(
      condition == "host-unknown"
        ? .hostUnknown(settings.address.domain) : .streamError(condition, text: text))
  }

  private mutating func read(_ element: Element) -> [Effect] {
    switch state {
    case .features:
      guard element.name == "features", element.namespace == Namespace.streams else {
        return unexpected(element)
      }
      return choose(StreamFeatures(element))
    case .proceed:
      guard element.namespace == Namespace.tls else { return unexpected(element) }
      guard element.name == "proceed" else { return fail(.refusedTLS) }
      enter(.tls)
      return [.startTLS]
    case .sasl(let exchange): return readSASL(element, exchange) ?? unexpected(element)
    case .bind(let features): return readBinding(element, features)
    case .enable(let features): return readEnabling(element, features)
    case .form, .registration: return readRegistration(element)
    case .idle, .header, .tls, .over: return unexpected(element)
    }
  }

  private mutating func choose(_ features: StreamFeatures) -> [Effect] {
    guard isSecure else {
      guard features.offersTLS else { return fail(.noTLS) }
      enter(.proceed)
      return [.send("<starttls xmlns='\(Namespace.tls)'/>")]
    }
    if isAuthenticated {
      guard features.offersBinding else { return fail(.unexpected("no bind", .binding)) }
      enter(.bind(features))
      return [.send(binding)]
    }
    return settings.purpose == .register
      ? askForForm(features) : authenticate(features.mechanisms)
  }

  /// Begins the stream anew after a successful login (RFC 6120, 6.4.6).
  mutating func authenticated() -> [Effect] {
    isAuthenticated = true
    settings.password = Secret("")
    return openStream()
  }

  // MARK: - the session (RFC 6120, 7)

  private var binding: String {
    let resource = settings.address.resource
    let wanted = resource.isEmpty ? "" : "<resource>\(Element.escaped(resource))</resource>"
    return "<iq id='bind' type='set'><bind xmlns='\(Namespace.bind)'>\(wanted)</bind></iq>"
  }

  private mutating func readBinding(_ element: Element, _ features: StreamFeatures) -> [Effect] {
    guard isAnswer(element, to: "bind") else { return keep(element) }
    guard element["type"] == "result" else {
      let (condition, text) = element.stanzaError
      return fail(.noBinding(condition, text: text))
    }
    let written = element.first("bind", Namespace.bind)?.first("jid", Namespace.bind)?.text ?? ""
    // Our address decides whom we believe, so the server may not choose it.
    guard let address = Address(written), address.bare == settings.address.bare,
      !address.resource.isEmpty
    else { return fail(.otherAddress(String(written.prefix(100)))) }
    ours = address
    return enable(features)
  }

  private mutating func enable(_ features: StreamFeatures) -> [Effect] {
    guard features.acknowledges else { return ready(features) }
    enter(.enable(features))
    return [.send("<enable xmlns='\(Namespace.acknowledgements)'/>")]
  }

  private mutating func readEnabling(_ element: Element, _ features: StreamFeatures) -> [Effect] {
    guard element.namespace == Namespace.acknowledgements else { return keep(element) }
    switch element.name {
    case "enabled": return ready(features)
    case "failed":
      return ready(features.withoutAcknowledgements)
    default: return unexpected(element)
    }
  }

  private mutating func ready(_ features: StreamFeatures) -> [Effect] {
    state = .over
    return [.ready(ours ?? settings.address, features)] + early.map(Effect.stanza)
  }

  private mutating func keep(_ element: Element) -> [Effect] {
    // A server sends little before it has our presence.
    guard element.namespace.isEmpty, early.count < 100 else { return unexpected(element) }
    early.append(element)
    return []
  }

  func isAnswer(_ element: Element, to id: String) -> Bool {
    element.name == "iq" && element.namespace.isEmpty && element["id"] == id
      && ["result", "error"].contains(element["type"])
  }
}
