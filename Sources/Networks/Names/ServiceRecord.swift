// SPDX-License-Identifier: GPL-3.0-or-later
import CResolver

/// Where a domain's service is, as the domain name system has it (SRV, RFC 2782).
package struct ServiceRecord: Hashable, Sendable {
  /// Lower ones come first.
  package var priority: UInt16
  /// Of those of one priority, how often this one is to come first.
  package var weight: UInt16
  package var port: UInt16
  /// Empty: there is no such service.
  package var target: String

  package init(priority: UInt16, weight: UInt16, port: UInt16, target: String) {
    self.priority = priority
    self.weight = weight
    self.port = port
    self.target = target
  }

  /// Asks for the records of a name such as `_xmpp-client._tcp.example.org`, and waits for the
  /// answer; empty where there are none, and where nobody can tell.
  ///
  /// - Parameter port: of a resolver on this machine, to ask it instead of the machine's own.
  package static func lookUp(_ name: String, at port: UInt16 = 0) -> [ServiceRecord] {
    var answer = [UInt8](repeating: 0, count: 65_536)
    let length = cresolver_services(name, port, &answer, Int32(answer.count))
    return length > 0 ? records(in: Array(answer[..<min(Int(length), answer.count)])) : []
  }

  /// In the order in which they are to be tried (RFC 2782, "Usage rules").
  package static func ordered(
    _ records: [ServiceRecord], using dice: inout some RandomNumberGenerator
  ) -> [ServiceRecord] {
    var result: [ServiceRecord] = []
    for priority in Set(records.map(\.priority)).sorted() {
      // Those without weight first, so that they have their small chance.
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

  // MARK: - the answer's bytes (RFC 1035, 4)

  /// The SRV records of an answer, whoever wrote it; what is broken is left out.
  package static func records(in answer: [UInt8]) -> [ServiceRecord] {
    var reader = Answer(bytes: answer)
    guard answer.count >= 12 else { return [] }
    let (questions, answers) = (reader.number(at: 4), reader.number(at: 6))
    reader.place = 12
    for _ in 0..<questions {
      guard reader.skipName() else { return [] }
      reader.place += 4
    }
    var records: [ServiceRecord] = []
    for _ in 0..<answers {
      guard reader.skipName(), reader.place + 10 <= answer.count else { break }
      let (type, length) = (reader.number(at: reader.place), reader.number(at: reader.place + 8))
      let data = reader.place + 10
      reader.place = data + length
      guard reader.place <= answer.count else { break }
      guard type == 33, length >= 7, let target = reader.name(at: data + 6) else { continue }
      records.append(
        ServiceRecord(
          priority: UInt16(reader.number(at: data)), weight: UInt16(reader.number(at: data + 2)),
          port: UInt16(reader.number(at: data + 4)), target: target))
    }
    return records
  }

  private struct Answer {
    let bytes: [UInt8]
    var place = 0

    func number(at place: Int) -> Int { Int(bytes[place]) << 8 | Int(bytes[place + 1]) }

    /// Goes behind the name that begins here; false when it does not end.
    mutating func skipName() -> Bool {
      while place < bytes.count {
        let length = Int(bytes[place])
        if length >= 0xC0 {
          place += 2
          return place <= bytes.count
        }
        place += 1 + length
        if length == 0 { return true }
      }
      return false
    }

    /// The name that begins there; nil for one that no host has.
    func name(at start: Int) -> String? {
      var place = start
      var labels: [String] = []
      var jumps = 0
      while place < bytes.count {
        let length = Int(bytes[place])
        if length == 0 {
          let name = labels.joined(separator: ".")
          return name.utf8.count <= 253 ? name : nil
        }
        if length >= 0xC0 {
          jumps += 1
          guard place + 1 < bytes.count, jumps < 20 else { return nil }
          place = number(at: place) & 0x3FFF
          continue
        }
        guard length < 64, place + 1 + length <= bytes.count, labels.count < 128 else { return nil }
        let label = bytes[place + 1..<place + 1 + length]
        guard
          label.allSatisfy({
            (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
              || $0 == 0x2D || $0 == 0x5F
          })
        else { return nil }
        labels.append(String(decoding: label, as: UTF8.self))
        place += 1 + length
      }
      return nil
    }
  }
}
