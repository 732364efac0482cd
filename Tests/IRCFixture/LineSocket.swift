// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import ProsodyFixture

/// A connection to loopback that sends and reads lines, and waits while it does.
public final class LineSocket: @unchecked Sendable {
  private let descriptor: Int32
  private var bytes: [UInt8] = []
  /// Where the next line starts.
  private var start = 0

  public init(_ port: UInt16) throws {
    guard let descriptor = LoopbackServer.connect(to: port) else {
      throw ServerFailure("nobody listens on port \(port)")
    }
    self.descriptor = descriptor
  }

  deinit { close(descriptor) }

  /// Sends a line, without its end.
  public func send(_ line: String) { send(bytes: Array((line + "\r\n").utf8)) }

  public func send(bytes: [UInt8]) {
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return }
      sent += count
    }
  }

  /// Ends the connection without a word.
  public func disconnect() { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// The next line, without its end.
  ///
  /// - Throws: ``ServerFailure`` if none is there in time, or the connection has ended.
  public func line(within seconds: Double = 20) throws -> String {
    let limit = Date(timeIntervalSinceNow: seconds)
    while true {
      if let end = bytes[start...].firstIndex(of: 10) {
        let line = bytes[start..<end]
        start = end + 1
        return String(decoding: line.last == 13 ? line.dropLast() : line, as: UTF8.self)
      }
      bytes.removeFirst(start)
      start = 0
      var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let left = Int32(max(0, limit.timeIntervalSinceNow * 1000).rounded(.up))
      guard Glibc.poll(&poll, 1, left) > 0 else {
        throw ServerFailure("no line within \(seconds) s")
      }
      var buffer = [UInt8](repeating: 0, count: 65_536)
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { throw ServerFailure("the connection has ended") }
      bytes += buffer[..<count]
    }
  }
}
