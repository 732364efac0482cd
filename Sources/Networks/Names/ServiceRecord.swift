// SPDX-License-Identifier: GPL-3.0-or-later
import CAres

/// A domain's record that says where its service is (SRV, RFC 2782).
package struct ServiceRecord: Hashable, Sendable {
  /// Lower ones come first.
  var priority: UInt16
  /// How often this one should come first among those of the same priority.
  var weight: UInt16
  var port: UInt16
  /// The host; empty if there is no such service.
  var target: String

  /// The records in the order in which to try them (RFC 2782, "Usage rules").
  static func ordered(
    _ records: [ServiceRecord], using dice: inout some RandomNumberGenerator
  ) -> [ServiceRecord] {
    var result: [ServiceRecord] = []
    for priority in Set(records.map(\.priority)).sorted() {
      // Put those without weight first, so that they get a small chance.
      var left = records.filter { $0.priority == priority }.sorted { $0.weight < $1.weight }
      while !left.isEmpty {
        let sum = left.reduce(0) { $0 + Int($1.weight) }
        var chosen = Int.random(in: 0...sum, using: &dice)
        let index = left.firstIndex {
          chosen -= Int($0.weight)
          return chosen <= 0
        }
        result.append(left.remove(at: index ?? 0))
      }
    }
    return result
  }

  /// The SRV records in a name server's answer, which anybody may have written. Leaves out targets
  /// that cannot be the name of a host.
  static func records(in answer: UnsafeBufferPointer<UInt8>) -> [ServiceRecord] {
    var list: UnsafeMutablePointer<ares_srv_reply>?
    guard ares_parse_srv_reply(answer.baseAddress, Int32(answer.count), &list) == ARES_SUCCESS
    else { return [] }
    defer { ares_free_data(list) }
    var records: [ServiceRecord] = []
    var next = list
    while let record = next?.pointee {
      next = record.next
      let target = String(cString: record.host)
      guard isHost(target) else { continue }
      records.append(
        ServiceRecord(
          priority: record.priority, weight: record.weight, port: record.port, target: target))
    }
    return records
  }

  /// Whether a name has only characters that host names have; true for the empty name.
  private static func isHost(_ name: String) -> Bool {
    name.utf8.count <= 253
      && name.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F
      }
  }
}
