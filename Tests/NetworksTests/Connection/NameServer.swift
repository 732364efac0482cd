// SPDX-License-Identifier: GPL-3.0-or-later
import Foundation
import Synchronization

/// A name server on loopback with answers chosen by the test, on its own thread.
final class NameServer: Sendable {
  /// A question to it.
  struct Question: Hashable, Sendable {
    static let (address4, address6, service): (UInt16, UInt16, UInt16) = (1, 28, 33)

    /// The bytes of its header, name, type and class.
    fileprivate(set) var bytes: [UInt8]
    var type: UInt16 { UInt16(bytes[bytes.count - 4]) << 8 | UInt16(bytes[bytes.count - 3]) }
  }

  private let descriptor: Int32
  private let asked = Mutex<[Question]>([])
  private let port: UInt16

  /// - Parameter answer: the data of the records of that type; nil: says nothing.
  init(_ answer: @escaping @Sendable (Question) -> [[UInt8]]?) throws {
    descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let descriptor = descriptor
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
      }
    }
    guard isBound else { throw POSIXError(.EADDRINUSE) }
    port = UInt16(bigEndian: address.sin_port)
    Thread { [weak self] in
      var bytes = [UInt8](repeating: 0, count: 512)
      while true {
        var client = sockaddr()
        var length = socklen_t(MemoryLayout<sockaddr>.size)
        let count = recvfrom(descriptor, &bytes, bytes.count, 0, &client, &length)
        guard count > 16 else { break }
        // An extension (EDNS) may follow the question.
        let end = 12 + (bytes[12...].firstIndex(of: 0) ?? 12) - 12 + 5
        let question = Question(bytes: Array(bytes[..<end]))
        self?.asked.withLock { $0.append(question) }
        guard let records = answer(question) else { continue }
        let reply = Self.reply(to: question, records)
        sendto(descriptor, reply, reply.count, 0, &client, length)
      }
      close(descriptor)
    }.start()
  }

  deinit { shutdown(descriptor, Int32(SHUT_RDWR)) }

  /// As `Resolver` takes it.
  var address: String { "127.0.0.1:\(port)" }

  var questions: [Question] { asked.withLock { $0 } }

  private static func reply(to question: Question, _ records: [[UInt8]]) -> [UInt8] {
    func two(_ number: Int) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
    var bytes = question.bytes[..<2] + [0x81, 0x80] + two(1) + two(records.count) + [0, 0, 0, 0]
    bytes += question.bytes[12...]
    for data in records {
      bytes += [0xC0, 12] + two(Int(question.type)) + two(1) + [0, 0, 0, 60] + two(data.count)
      bytes += data
    }
    return Array(bytes)
  }
}
