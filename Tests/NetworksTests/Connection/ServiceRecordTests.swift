// SPDX-License-Identifier: GPL-3.0-or-later
import Repeatable
import Testing

@testable import Networks

/// An answer to a question for `_x.example.test`, with names that point back to it.
private func answer(_ records: [(numbers: [UInt16], target: [UInt8])]) -> [UInt8] {
  func two(_ number: UInt16) -> [UInt8] { [UInt8(number >> 8), UInt8(number & 0xFF)] }
  let name = [2] + Array("_x".utf8) + [7] + Array("example".utf8) + [4] + Array("test".utf8) + [0]
  var bytes = [0x12, 0x34, 0x81, 0x80] + two(1) + two(UInt16(records.count)) + [0, 0, 0, 0]
  bytes += name + two(33) + two(1)
  for (numbers, target) in records {
    bytes += [0xC0, 12] + two(33) + two(1) + [0, 0, 0, 60] + two(UInt16(6 + target.count))
    bytes += numbers.flatMap(two) + target
  }
  return bytes
}

private func records(in answer: [UInt8]) -> [ServiceRecord] {
  answer.withUnsafeBufferPointer { ServiceRecord.records(in: $0) }
}

private let host: [UInt8] = [3] + Array("one".utf8) + [0xC0, 15]

@Suite("the records of a service (RFC 2782)") struct ServiceRecordTests {
  @Test("records are read from an answer, including compressed names")
  func read() {
    let found = records(in: answer([([5, 10, 5222], host), ([1, 0, 443], [0])]))
    #expect(
      found == [
        ServiceRecord(priority: 5, weight: 10, port: 5222, target: "one.example.test"),
        ServiceRecord(priority: 1, weight: 0, port: 443, target: ""),
      ])
  }

  @Test("names in circles, outside the answer or with odd bytes are rejected")
  func brokenNames() {
    let good = ([1, 1, 1] as [UInt16], host)
    for target in [[0xC0, 51], [63, 65], [0xC0, 0xFF], [3, 0x2F, 0x0A, 0x41, 0]] as [[UInt8]] {
      let found = records(in: answer([([1, 1, 1], target), good]))
      #expect(found.allSatisfy { $0.target == "one.example.test" }, "\(target)")
    }
    #expect(records(in: []) == [])
  }

  @Test("changed answers crash nothing")
  func fuzz() {
    var dice = FixedRandom(seed: LongRun.seed)
    let whole = answer([([5, 10, 5222], host), ([1, 0, 443], [0]), ([9, 9, 9], host)])
    for _ in 0..<LongRun.rounds(5_000) {
      var bytes = whole
      for _ in 0...dice.below(4) { bytes[dice.below(bytes.count)] = UInt8(dice.below(256)) }
      let found = records(in: Array(bytes.prefix(dice.below(bytes.count + 1))))
      #expect(found.allSatisfy { $0.target.utf8.count <= 253 })
    }
  }

  @Test("lower priorities come first, and within one priority the weights decide")
  func order() {
    var dice = FixedRandom(seed: 4)
    func record(_ priority: UInt16, _ weight: UInt16) -> ServiceRecord {
      ServiceRecord(priority: priority, weight: weight, port: weight, target: "x")
    }
    let records = [record(20, 1), record(10, 0), record(10, 30), record(10, 70)]
    var first: [UInt16: Int] = [:]
    for _ in 0..<2_000 {
      let ordered = ServiceRecord.ordered(records, using: &dice)
      #expect(ordered.map(\.priority) == [10, 10, 10, 20])
      #expect(Set(ordered) == Set(records))
      first[ordered[0].weight, default: 0] += 1
    }
    #expect((1_250...1_500).contains(first[70] ?? 0))
    #expect((480...700).contains(first[30] ?? 0))
    #expect((1...100).contains(first[0] ?? 0))
  }
}
