// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc

/// Two descriptors that travel through a Unix socket beside some bytes (unix(7), `SCM_RIGHTS`; the
/// form of the control data is that of cmsg(3), whose macros Swift does not see).
package enum PassedDescriptors {
  /// The header: the size of it all, the level and the type.
  private static let header = 16
  private static let size = header + 2 * MemoryLayout<Int32>.size

  /// - Returns: how many bytes were written; -1 with the reason in `errno`.
  package static func send(
    _ first: Int32, _ second: Int32, with bytes: [UInt8], to socket: Int32
  ) -> Int {
    exchange(bytes.count) { data, control in
      data.copyBytes(from: bytes)
      control.storeBytes(of: size, as: Int.self)
      control.storeBytes(of: SOL_SOCKET, toByteOffset: 8, as: Int32.self)
      control.storeBytes(of: Int32(SCM_RIGHTS), toByteOffset: 12, as: Int32.self)
      control.storeBytes(of: first, toByteOffset: header, as: Int32.self)
      control.storeBytes(of: second, toByteOffset: header + 4, as: Int32.self)
    } then: { message, _, _ in
      sendmsg(socket, &message, Int32(MSG_NOSIGNAL))
    }
  }

  /// Reads without waiting.
  ///
  /// - Returns: the bytes, none at the end, nil with the reason in `errno`; and the descriptors, if
  ///   some came.
  package static func receive(
    from socket: Int32, atMost size: Int
  ) -> (bytes: [UInt8], descriptors: (Int32, Int32)?)? {
    var result: (bytes: [UInt8], descriptors: (Int32, Int32)?)?
    _ = exchange(size) { _, _ in
    } then: { message, data, control in
      let count = recvmsg(
        socket, &message, Int32(MSG_DONTWAIT | MSG_CMSG_CLOEXEC))
      guard count >= 0 else { return count }
      let isWhole =
        message.msg_controllen >= Self.size
        && control.load(fromByteOffset: 8, as: Int32.self) == SOL_SOCKET
        && control.load(fromByteOffset: 12, as: Int32.self) == Int32(SCM_RIGHTS)
      result = (
        Array(data[..<count]),
        isWhole
          ? (
            control.load(fromByteOffset: header, as: Int32.self),
            control.load(fromByteOffset: header + 4, as: Int32.self)
          ) : nil
      )
      return count
    }
    return result
  }

  private static func exchange(
    _ count: Int, _ prepare: (UnsafeMutableRawBufferPointer, UnsafeMutableRawBufferPointer) -> Void,
    then: (inout msghdr, UnsafeMutableRawBufferPointer, UnsafeMutableRawBufferPointer) -> Int
  ) -> Int {
    let data = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    let control = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)
    defer {
      data.deallocate()
      control.deallocate()
    }
    prepare(data, control)
    var piece = iovec(iov_base: data.baseAddress, iov_len: count)
    return withUnsafeMutablePointer(to: &piece) { piece in
      var message = msghdr()
      (message.msg_iov, message.msg_iovlen) = (piece, 1)
      (message.msg_control, message.msg_controllen) = (control.baseAddress, size)
      return then(&message, data, control)
    }
  }
}
