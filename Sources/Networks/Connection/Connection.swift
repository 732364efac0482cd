// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Platform

/// One connection to a server in an event loop: bytes out, bytes in, and TLS between. It never
/// blocks, and cannot be reused.
@MainActor package final class Connection {
  package enum Event: Sendable {
    /// Connected; `isSecure`: with TLS, and the certificate is good.
    case connected(isSecure: Bool)
    /// TLS works after `startTLS`, and the certificate is good.
    case secured
    case received([UInt8])
    /// The connection is over; nil if the other side ended it without an error.
    case ended(ConnectionFailure?)
  }

  /// Milliseconds to connect, including the handshake of direct TLS.
  private let limit: Milliseconds
  /// How many bytes may wait to be sent.
  private static let mostWaiting = 8 << 20
  private let loop: EventLoop
  private let domain: String
  private let service: Service
  private let settings: ServerSettings
  private let names: any NameSource
  private let handler: @MainActor (Event) -> Void

  private var attempts: [(endpoint: Endpoint, address: SocketAddress)] = []
  private var endpoints: [Endpoint] = []
  private var lastFailure: ConnectionFailure?
  private var deadline: MonotonicTime = 0
  private var timer: TimerID?
  private var descriptor: Int32 = -1
  private var tls: TLSSession?
  private var isDirectTLS = false
  private var isConnected = false
  private var isOver = false
  /// The bytes that wait to be sent, and how many of them are already sent.
  private var output: [UInt8] = []
  private var written = 0
  /// Whether the network has not accepted all of the output.
  private var isWaiting = false
  /// When it last accepted some of the bytes that had to wait.
  package private(set) var lastProgress: MonotonicTime = 0
  private var buffer = [UInt8](repeating: 0, count: 65_536)

  /// - Parameters:
  ///   - domain: the domain that the server must belong to.
  ///   - settings: what the owner has set.
  ///   - limit: milliseconds to connect.
  package init(
    _ service: Service, of domain: String, _ settings: ServerSettings, loop: EventLoop,
    names: any NameSource,
    limit: Milliseconds = 30_000,
    handler: @escaping @MainActor (Event) -> Void
  ) {
    (self.service, self.domain, self.settings) = (service, domain, settings)
    (self.loop, self.names, self.limit, self.handler) = (loop, names, limit, handler)
  }

  /// Bytes that wait to be sent.
  private var waiting: Int { output.count - written }

  /// SHA-256 of the public key of the server's certificate, in hexadecimal digits; empty before the
  /// certificate is checked.
  package var peerKey: String { tls?.peerKey ?? "" }

  /// The address of the other side in digits, while connected.
  package var server: String? {
    guard isConnected, !isOver else { return nil }
    return SocketAddress(peerOf: descriptor)?.digits
  }

  /// Whether it reads from the network; while it does not, the other side has to wait.
  package var isReading = true {
    didSet {
      if isReading == oldValue || !isConnected || isOver { return }
      if isReading { watchInput() } else { loop.unwatch(descriptor) }
    }
  }

  // MARK: - connecting

  /// Begins to connect; the handler is called later, in the loop.
  package func connect() {
    timer = loop.after(milliseconds: 0) { [weak self] in self?.findServer() }
  }

  private func findServer() {
    if let endpoint = settings.endpoint(of: service, domain: domain) {
      return begin(with: [endpoint])
    }
    guard let records = service.records else { return begin(inClear: [], direct: []) }
    names.services(records.inClear + "." + domain) { [weak self] inClear in
      guard let self, !isOver else { return }
      names.services(records.direct + "." + domain) { [weak self] direct in
        guard let self, !isOver else { return }
        begin(inClear: inClear, direct: direct)
      }
    }
  }

  private func begin(inClear: [ServiceRecord], direct: [ServiceRecord]) {
    do throws(ConnectionFailure) {
      begin(with: try Endpoint.find(service, of: domain, inClear: inClear, direct: direct))
    } catch {
      end(error)
    }
  }

  private func begin(with found: [Endpoint]) {
    endpoints = found
    // The time limit begins after the look-up of names, which has its own limit.
    deadline = loop.now + limit
    tryNext()
  }

  private func findAddresses(of endpoint: Endpoint) {
    names.addresses(of: endpoint.host) { [weak self] result in
      guard let self, !isOver else { return }
      switch result {
      case .success(let found):
        attempts = found.compactMap { SocketAddress($0, port: endpoint.port) }
          .map { (endpoint, $0) }
      case .failure(let unknown):
        lastFailure = .noHost(endpoint.host, reason: unknown.reason)
      }
      tryNext()
    }
  }

  /// Tries the next address of all hosts.
  private func tryNext() {
    loop.schedule(&timer, at: nil) {}
    closeDescriptor()
    if attempts.isEmpty, !endpoints.isEmpty, loop.now < deadline {
      let endpoint = endpoints.removeFirst()
      guard let known = SocketAddress(endpoint.host, port: endpoint.port) else {
        return findAddresses(of: endpoint)
      }
      attempts = [(endpoint, known)]
    }
    guard !attempts.isEmpty, loop.now < deadline else {
      return end(lastFailure ?? .tooSlow(host: settings.host ?? domain, limit: limit))
    }
    let (endpoint, address) = attempts.removeFirst()
    descriptor = address.connect()
    guard descriptor >= 0 else { return couldNotReach(endpoint, errno) }
    loop.watch(descriptor, for: .writing) { [weak self] in self?.finishConnecting(endpoint) }
    // An address that does not answer must not use up the time of the others.
    let isLast = attempts.isEmpty && endpoints.isEmpty
    let patience = isLast ? deadline : min(deadline, loop.now + max(1, limit / 6))
    loop.schedule(&timer, at: patience) { [weak self] in
      guard let self else { return }
      lastFailure = .tooSlow(host: endpoint.host, limit: limit)
      tryNext()
    }
  }

  private func finishConnecting(_ endpoint: Endpoint) {
    var code: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size)
    guard code == 0 else { return couldNotReach(endpoint, code) }
    loop.unwatch(descriptor, for: .writing)
    isConnected = true
    attempts = []
    endpoints = []
    watchInput()
    guard endpoint.isDirectTLS else {
      loop.schedule(&timer, at: nil) {}
      return handler(.connected(isSecure: false))
    }
    loop.schedule(&timer, at: deadline) { [weak self] in
      guard let self else { return }
      end(.noHandshake(host: endpoint.host, port: endpoint.port, limit: limit))
    }
    beginTLS(isDirect: true)
  }

  private func couldNotReach(_ endpoint: Endpoint, _ code: Int32) {
    lastFailure = .unreachable(
      host: endpoint.host, port: endpoint.port, reason: SystemFailure(code: code).reason)
    tryNext()
  }

  // MARK: - TLS

  /// Encrypts from now on. TLS does not get bytes that arrived before.
  package func startTLS() { beginTLS(isDirect: false) }

  private func beginTLS(isDirect: Bool) {
    isDirectTLS = isDirect
    do throws(ConnectionFailure) {
      let session = try TLSSession(
        domain: domain, authorities: settings.authorities, pin: settings.pin,
        identity: settings.identity, protocolName: isDirect ? service.protocolName : nil)
      tls = session
      try advance(session, with: [])
    } catch {
      end(error)
    }
  }

  private func advance(_ session: TLSSession, with bytes: [UInt8]) throws(ConnectionFailure) {
    let wasReady = session.isReady
    let plain: [UInt8]
    do throws(ConnectionFailure) {
      plain = try session.receive(bytes)
    } catch {
      // Send the alert that tells the other side what went wrong.
      output += session.takeOutput()
      flush()
      throw error
    }
    output += session.takeOutput()
    flush()
    if !wasReady, session.isReady, !isOver {
      loop.schedule(&timer, at: nil) {}
      handler(isDirectTLS ? .connected(isSecure: true) : .secured)
    }
    if !plain.isEmpty, !isOver { handler(.received(plain)) }
    if session.isEnded { end(nil) }
  }

  // MARK: - bytes

  /// Sends bytes, or keeps them until the network accepts them.
  package func send(_ bytes: [UInt8]) {
    if isOver || !isConnected { return }
    if let tls {
      do throws(ConnectionFailure) {
        try tls.send(bytes)
      } catch {
        return end(error)
      }
      output += tls.takeOutput()
    } else {
      output += bytes
    }
    flush()
    if waiting > Self.mostWaiting { end(.tooMuchWaiting(waiting)) }
  }

  private func flush() {
    while written < output.count {
      let count = transmit()
      if count < 0 {
        // Reading reports the error, after the bytes that have arrived.
        if errno != EAGAIN { (output, written) = ([], 0) }
        break
      }
      written += count
      if isWaiting { lastProgress = loop.now }
    }
    let isDone = written == output.count
    if isDone {
      (output, written) = ([], 0)
    } else if written > 1 << 20 {
      output.removeFirst(written)
      written = 0
    }
    if isDone == !isWaiting { return }
    isWaiting = !isDone
    if isWaiting {
      loop.watch(descriptor, for: .writing) { [weak self] in self?.flush() }
    } else {
      loop.unwatch(descriptor, for: .writing)
    }
  }

  /// - Returns: how many bytes the kernel took; -1 with the reason in `errno`.
  private func transmit() -> Int {
    while true {
      let count = output.withUnsafeBytes {
        Glibc.send(
          descriptor, $0.baseAddress.map { $0 + written }, $0.count - written,
          Int32(MSG_NOSIGNAL))
      }
      if count >= 0 || errno != EINTR { return count }
    }
  }

  private func watchInput() {
    if !isReading { return }
    loop.watch(descriptor) { [weak self] in self?.read() }
  }

  private func read() {
    let count = recv(descriptor, &buffer, buffer.count, 0)
    if count < 0 {
      if errno != EINTR, errno != EAGAIN { end(.lost(SystemFailure().reason)) }
      return
    }
    if count == 0 {
      // During the handshake, some servers refuse by closing, and so does anyone who cuts the line.
      let isInHandshake = tls.map { !$0.isReady } ?? false
      return end(isInHandshake ? .closed : nil)
    }
    let bytes = Array(buffer[..<count])
    guard let tls else { return handler(.received(bytes)) }
    do throws(ConnectionFailure) {
      try advance(tls, with: bytes)
    } catch {
      end(error)
    }
  }

  // MARK: - the end

  /// Closes the connection, without an event.
  package func close() {
    if isOver { return }
    isOver = true
    if let tls, tls.isReady {
      tls.end()
      output += tls.takeOutput()
    }
    // Send what the network accepts now; nobody waits for the rest.
    if descriptor >= 0, written < output.count { _ = transmit() }
    loop.schedule(&timer, at: nil) {}
    closeDescriptor()
    (output, written) = ([], 0)
  }

  /// Closes a connection that is silent, or that has bytes on their way, without a goodbye. Bytes
  /// that the kernel still holds must not arrive later, since they will have been sent again by
  /// then.
  package func abandon() {
    if isOver { return }
    var none = linger(l_onoff: 1, l_linger: 0)
    if descriptor >= 0 {
      setsockopt(
        descriptor, SOL_SOCKET, SO_LINGER, &none, socklen_t(MemoryLayout<linger>.size))
    }
    tls = nil
    (output, written) = ([], 0)
    close()
  }

  private func end(_ failure: ConnectionFailure?) {
    if isOver { return }
    close()
    handler(.ended(failure))
  }

  private func closeDescriptor() {
    if descriptor < 0 { return }
    loop.unwatch(descriptor)
    loop.unwatch(descriptor, for: .writing)
    Glibc.close(descriptor)
    descriptor = -1
  }
}
