// SPDX-License-Identifier: GPL-3.0-or-later
import Testing

@testable import Networks

/// One where TLS begins later unless the domain says otherwise.
private let late = Service(
  name: "Chat", records: .init(inClear: "_late._tcp", direct: "_direct._tcp"), port: 100,
  directPort: 101, isDirectTLS: false, protocolName: "chat")

/// One with TLS from the first byte and without records, such as IRC.
private let direct = Service(
  name: "Relay", records: nil, port: 200, directPort: 201, isDirectTLS: true, protocolName: nil)

@Suite("where a domain's server is") struct EndpointTests {
  @Test("both kinds of records are one list; without any it is the domain itself")
  func endpoints() throws {
    func find(
      _ domain: String, _ records: [String: [ServiceRecord]]
    ) throws(ConnectionFailure) -> [Endpoint] {
      try Endpoint.find(
        late, of: domain, inClear: records["_late._tcp." + domain] ?? [],
        direct: records["_direct._tcp." + domain] ?? [])
    }
    let usual = Endpoint(host: "example.test", port: 100, isDirectTLS: false)
    #expect(try find("example.test", [:]) == [usual])
    let inClear = ServiceRecord(priority: 5, weight: 1, port: 100, target: "a.test")
    let direct = ServiceRecord(priority: 1, weight: 1, port: 443, target: "b.test")
    #expect(
      try find(
        "example.test",
        [
          "_late._tcp.example.test": [inClear],
          "_direct._tcp.example.test": [direct],
        ]) == [
          Endpoint(host: "b.test", port: 443, isDirectTLS: true),
          Endpoint(host: "a.test", port: 100, isDirectTLS: false),
        ])
    let none = ServiceRecord(priority: 0, weight: 0, port: 0, target: "")
    #expect(throws: ConnectionFailure.noService("example.test", service: "Chat")) {
      try find("example.test", ["_late._tcp.example.test": [none]])
    }
    #expect(try find("127.0.0.1", ["_late._tcp.127.0.0.1": [none]])[0].host == "127.0.0.1")
  }

  @Test("a service without records is at its own port, with immediate TLS if it says so")
  func withoutRecords() throws {
    #expect(
      try Endpoint.find(direct, of: "example.test", inClear: [], direct: [])
        == [Endpoint(host: "example.test", port: 201, isDirectTLS: true)])
  }
}
