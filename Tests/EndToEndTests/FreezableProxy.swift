// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation

/// A proxy between a program and a server on this machine that treats their connections as networks
/// do: cuts them, or silently stops forwarding.
final class FreezableProxy: @unchecked Sendable {
  enum Freezing {
    case nothing
    /// What comes from the server.
    case answers
    case all
  }

  private struct Pair {
    var client: Int32
    var server: Int32
  }

  /// Where to connect to.
  let port: Int
  private let target: Int
  private let listener: Int32
  /// Wakes the thread for a command.
  private let orders: [Int32]
  private let lock = NSLock()
  private var freezing = Freezing.nothing
  private var hasToCut = false
  private var isOver = false
  private var pairs: [Pair] = []
  private var taken = 0

  /// How many connections it has accepted.
  var count: Int { lock.withLock { taken } }

  var isFrozen: Bool { lock.withLock { freezing != .nothing } }

  /// - Parameter target: the server's port.
  init(to target: Int) throws {
    self.target = target
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    self.listener = listener
    var address = Self.loopback(0)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && getsockname(listener, $0, &size) == 0
      }
    }
    guard isBound, listen(listener, 64) == 0 else { throw POSIXError(.EADDRINUSE) }
    port = Int(UInt16(bigEndian: address.sin_port))
    var ends: [Int32] = [-1, -1]
    guard pipe(&ends) == 0 else { throw POSIXError(.EMFILE) }
    orders = ends
    for descriptor in ends + [listener] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    Thread.detachNewThread { [self] in run() }
  }

  /// Ends its thread, which keeps it until then.
  func close() { order { isOver = true } }

  /// Forwards nothing and accepts no connection until `thaw`; all connections stay open. With
  /// `.answers` the server still receives what is sent to it.
  func freeze(_ freezing: Freezing = .all) { order { self.freezing = freezing } }

  /// Continues: what was on its way arrives now.
  func thaw() { order { freezing = .nothing } }

  /// Breaks all connections. What was not forwarded is lost.
  func cut() { order { hasToCut = true } }

  private func order(_ body: () -> Void) {
    lock.withLock(body)
    write(orders[1], "x", 1)
  }

  private func run() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let (freezing, hasToCut, isOver) = lock.withLock {
        defer { self.hasToCut = false }
        return (self.freezing, self.hasToCut, self.isOver)
      }
      if hasToCut || isOver {
        for pair in pairs { end(pair) }
        pairs = []
      }
      if isOver {
        for descriptor in orders + [listener] { Glibc.close(descriptor) }
        return
      }
      var watched = [orders[0]]
      if freezing != .all {
        // poll skips a negative descriptor.
        let isFrozen = freezing == .answers
        watched += [listener] + pairs.flatMap { [$0.client, isFrozen ? -1 : $0.server] }
      }
      var polls = watched.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
      guard poll(&polls, nfds_t(polls.count), -1) > 0 else { continue }
      if polls[0].revents != 0 {
        read(orders[0], &buffer, buffer.count)
        continue
      }
      if freezing == .all { continue }
      for place in pairs.indices.reversed() {
        let (client, server) = (polls[2 + 2 * place], polls[3 + 2 * place])
        let pair = pairs[place]
        let isGone =
          client.revents != 0 && !pass(pair.client, to: pair.server, &buffer)
          || server.revents != 0 && !pass(pair.server, to: pair.client, &buffer)
        if isGone {
          end(pair)
          pairs.remove(at: place)
        }
      }
      if polls[1].revents != 0 { accept() }
    }
  }

  private func accept() {
    let client = Glibc.accept(listener, nil, nil)
    guard client >= 0 else { return }
    let server = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    for descriptor in [client, server] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
    var address = Self.loopback(target)
    let isThere = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
      }
    }
    if isThere {
      pairs.append(Pair(client: client, server: server))
      lock.withLock { taken += 1 }
    } else {
      end(Pair(client: client, server: server))
    }
  }

  /// - Returns: whether the connection continues.
  private func pass(_ from: Int32, to other: Int32, _ buffer: inout [UInt8]) -> Bool {
    let count = recv(from, &buffer, buffer.count, 0)
    guard count > 0 else { return false }
    var sent = 0
    while sent < count {
      let step = buffer.withUnsafeBytes {
        send(other, $0.baseAddress! + sent, count - sent, Int32(MSG_NOSIGNAL))
      }
      if step <= 0 { return false }
      sent += step
    }
    return true
  }

  private func end(_ pair: Pair) {
    for descriptor in [pair.client, pair.server] {
      // A program started in the meantime may have inherited it.
      shutdown(descriptor, Int32(SHUT_RDWR))
      Glibc.close(descriptor)
    }
  }

  private static func loopback(_ port: Int) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return address
  }
}
