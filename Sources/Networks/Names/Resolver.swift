// SPDX-License-Identifier: GPL-3.0-or-later
import CAres
import Conversations
import Glibc
import Platform
import Sentences

/// Looks names up in an event loop, with c-ares. A name server that does not answer delays neither
/// the loop nor other names.
///
/// Each look-up reads the system's settings (`/etc/resolv.conf`, `/etc/hosts`,
/// `/etc/nsswitch.conf`) again, since a laptop changes networks. A confined process may not read
/// them, and asks its ``AccountHelper``.
@MainActor
package final class Resolver: NameSource {
  private let loop: EventLoop
  private let servers: String?
  private let policy: Retry

  /// - Parameters:
  ///   - servers: name servers to ask instead of the system's, such as `127.0.0.1:5353`.
  ///   - policy: how often to ask each name server, and how long to wait the first time.
  package init(loop: EventLoop, servers: String? = nil, policy: Retry = .nameServer) {
    (self.loop, self.servers, self.policy) = (loop, servers, policy)
  }

  package func services(_ name: String, _ then: @escaping ([ServiceRecord]) -> Void) {
    LookUp(loop: loop, servers: servers, policy: policy) { finding in
      if case .services(let found) = finding { then(found) } else { then([]) }
    }.findServices(name)
  }

  package func addresses(
    of host: String, _ then: @escaping (Result<[String], UnknownHost>) -> Void
  ) {
    // Do not look addresses up: c-ares 1.18 would ask the name servers even for these.
    if let digits = SocketAddress(host, port: 0)?.digits { return then(.success([digits])) }
    LookUp(loop: loop, servers: servers, policy: policy) { finding in
      switch finding {
      case .addresses(let found): then(.success(found))
      case .failed(let reason): then(.failure(UnknownHost(Remark(reason))))
      case .services: then(.success([]))
      }
    }.findAddresses(host)
  }
}

/// One look-up, with its own c-ares channel. The loop keeps it alive until it has a result.
@MainActor
private final class LookUp {
  enum Response: Sendable {
    case services([ServiceRecord])
    case addresses([String])
    case failed(String)
  }

  private let loop: EventLoop
  private let then: (Response) -> Void
  private var channel: ares_channel?
  private var timer: TimerID?
  private var finding: Response?

  /// c-ares has to be initialised before any other call.
  private static let library = ares_library_init(ARES_LIB_INIT_ALL)

  init(
    loop: EventLoop, servers: String?, policy: Retry, _ then: @escaping (Response) -> Void
  ) {
    (self.loop, self.then) = (loop, then)
    var options = ares_options()
    options.timeout = Int32(policy.pause)
    options.tries = Int32(policy.tries ?? 1)
    options.sock_state_cb_data = Unmanaged.passUnretained(self).toOpaque()
    options.sock_state_cb = { owner, socket, reads, writes in
      MainActor.assumeIsolated { LookUp.at(owner).watch(socket, reads != 0, writes != 0) }
    }
    let given = ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_SOCK_STATE_CB
    var status = Self.library
    if status == ARES_SUCCESS { status = ares_init_options(&channel, &options, given) }
    if status == ARES_SUCCESS, let servers {
      status = ares_set_servers_ports_csv(channel, servers)
    }
    if status != ARES_SUCCESS { finding = .failed(Self.words(status)) }
  }

  isolated deinit {
    if let channel { ares_destroy(channel) }
  }

  nonisolated private static func at(_ owner: UnsafeMutableRawPointer?) -> LookUp {
    Unmanaged<LookUp>.fromOpaque(owner!).takeUnretainedValue()
  }

  nonisolated private static func words(_ status: Int32) -> String {
    String(cString: ares_strerror(status))
  }

  // MARK: - questions

  func findServices(_ name: String) {
    if finding == nil {
      let (internet, service): (Int32, Int32) = (1, 33)  // RFC 1035, 3.2.4; RFC 2782
      ares_query(
        channel, name, internet, service,
        { owner, status, _, answer, count in
          if status == ARES_EDESTRUCTION { return }
          let found =
            status == ARES_SUCCESS
            ? ServiceRecord.records(in: UnsafeBufferPointer(start: answer, count: Int(count))) : []
          MainActor.assumeIsolated { LookUp.at(owner).finding = .services(found) }
        }, Unmanaged.passUnretained(self).toOpaque())
    }
    goOn()
  }

  func findAddresses(_ host: String) {
    if finding == nil {
      var hints = ares_addrinfo_hints()
      hints.ai_family = AF_UNSPEC
      hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
      ares_getaddrinfo(
        channel, host, nil, &hints,
        { owner, status, _, list in
          defer { if let list { ares_freeaddrinfo(list) } }
          if status == ARES_EDESTRUCTION { return }
          let finding: Response =
            status == ARES_SUCCESS
            ? .addresses(LookUp.addresses(in: list?.pointee.nodes))
            : .failed(LookUp.words(status))
          MainActor.assumeIsolated { LookUp.at(owner).finding = finding }
        }, Unmanaged.passUnretained(self).toOpaque())
    }
    goOn()
  }

  nonisolated private static func addresses(
    in list: UnsafeMutablePointer<ares_addrinfo_node>?
  ) -> [String] {
    sequence(first: list, next: { $0?.pointee.ai_next }).prefix { $0 != nil }.compactMap {
      guard let node = $0?.pointee, let address = node.ai_addr else { return nil }
      let bytes = UnsafeRawBufferPointer(start: address, count: Int(node.ai_addrlen))
      return SocketAddress(family: node.ai_family, bytes: Array(bytes)).digits
    }
  }

  // MARK: - the loop

  private func watch(_ socket: Int32, _ reads: Bool, _ writes: Bool) {
    loop.unwatch(socket, for: .reading)
    loop.unwatch(socket, for: .writing)
    if reads {
      loop.watch(socket) { self.advance(reading: socket, writing: ARES_SOCKET_BAD) }
    }
    if writes {
      loop.watch(socket, for: .writing) {
        self.advance(reading: ARES_SOCKET_BAD, writing: socket)
      }
    }
  }

  private func advance(reading: Int32, writing: Int32) {
    guard let channel else { return }
    ares_process_fd(channel, reading, writing)
    goOn()
  }

  /// Waits for the next event, or reports the result. Do not call it within a call of c-ares, which
  /// must not lose its channel there.
  private func goOn() {
    loop.schedule(&timer, at: nil) {}
    if let finding {
      if let channel { ares_destroy(channel) }
      channel = nil
      return then(finding)
    }
    var limit = timeval()
    guard ares_timeout(channel, nil, &limit) != nil else {
      finding = .failed(Self.words(ARES_ECANCELLED))
      return goOn()
    }
    let milliseconds = Int64(limit.tv_sec) * 1_000 + (Int64(limit.tv_usec) + 999) / 1_000
    loop.schedule(&timer, at: loop.now + milliseconds) {
      self.advance(reading: ARES_SOCKET_BAD, writing: ARES_SOCKET_BAD)
    }
  }
}
