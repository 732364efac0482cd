// SPDX-License-Identifier: GPL-3.0-or-later c-ares includes <sys/socket.h>, so its module owns
// those declarations.
import CAres
import Glibc

/// A socket address in the kernel's form.
struct SocketAddress: Hashable, Sendable {
  var family: Int32
  /// Bytes of its `sockaddr`.
  var bytes: [UInt8]

  init(family: Int32, bytes: [UInt8]) {
    (self.family, self.bytes) = (family, bytes)
  }

  /// - Parameter digits: an address such as `192.0.2.1` or `2001:db8::1`. The result is nil for a
  ///   name, which is not looked up.
  init?(_ digits: String, port: UInt16) {
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    hints.ai_flags = AI_NUMERICSERV | AI_NUMERICHOST
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(digits, String(port), &hints, &list) == 0 else { return nil }
    defer { freeaddrinfo(list) }
    guard let entry = list?.pointee, let address = entry.ai_addr else { return nil }
    family = entry.ai_family
    bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
  }

  /// The address in digits, as in `192.0.2.1`.
  var digits: String? {
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let result = bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) {
        getnameinfo(
          $0.baseAddress, socklen_t(raw.count), &text, socklen_t(text.count), nil, 0,
          NI_NUMERICHOST)
      }
    }
    guard result == 0 else { return nil }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Makes a non-blocking socket and begins to connect it.
  ///
  /// - Returns: -1 with the reason in `errno`.
  func connect() -> Int32 {
    let kind = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
    let descriptor = socket(family, Int32(kind), 0)
    guard descriptor >= 0 else { return -1 }
    // Small packets, such as typing indicators, should not wait for earlier ones.
    var yes: Int32 = 1
    setsockopt(
      descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    let result = bytes.withUnsafeBytes { raw in
      raw.withMemoryRebound(to: sockaddr.self) {
        Glibc.connect(descriptor, $0.baseAddress, socklen_t(raw.count))
      }
    }
    if result == 0 || errno == EINPROGRESS { return descriptor }
    let reason = errno
    close(descriptor)
    errno = reason
    return -1
  }
}

extension SocketAddress {
  /// The address that a socket is connected to; nil if it no longer is.
  init?(peerOf descriptor: Int32) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(descriptor, $0, &size) }
    }
    guard result == 0 else { return nil }
    family = Int32(storage.ss_family)
    bytes = withUnsafeBytes(of: &storage) { Array($0.prefix(Int(size))) }
  }
}
