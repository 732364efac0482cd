// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Platform
import Testing

@testable import Networks

private let quick = Retry(pause: 50, tries: 2)

@MainActor
@Suite("looking names up") struct ResolverTests {
  private let loop = EventLoop()

  /// Runs the loop until an answer has come; not for ever.
  private func wait<Answer>(_ ask: (@escaping (Answer) -> Void) -> Void) throws -> Answer {
    var answer: Answer?
    ask {
      answer = $0
      loop.stop()
    }
    let timer = loop.after(milliseconds: 20_000) { loop.stop() }
    if answer == nil { loop.run() }
    loop.cancel(timer)
    return try #require(answer)
  }

  @Test("a service's records come from the name server; without any the list is empty")
  func services() throws {
    let target: [UInt8] = [3] + Array("one".utf8) + [4] + Array("test".utf8) + [0]
    let server = try NameServer {
      $0.bytes[12...].contains(0x6E) ? [] : [[0, 5, 0, 10, 0x14, 0x66] + target]
    }
    let names = Resolver(loop: loop, servers: server.address)
    #expect(
      try wait { names.services("_x._tcp.a.test", $0) }
        == [ServiceRecord(priority: 5, weight: 10, port: 5222, target: "one.test")])
    #expect(try wait { names.services("_x._tcp.none.test", $0) } == [])
  }

  @Test("a host has addresses of both kinds")
  func addresses() throws {
    let server = try NameServer {
      switch $0.type {
      case NameServer.Question.address4: [[192, 0, 2, 1]]
      case NameServer.Question.address6:
        [[0x20, 1, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]]
      default: []
      }
    }
    let names = Resolver(loop: loop, servers: server.address)
    let found = try wait { names.addresses(of: "host.test", $0) }.get()
    #expect(Set(found) == ["192.0.2.1", "2001:db8::1"])
  }

  @Test("a host in /etc/hosts and an address in digits need no name server")
  func files() throws {
    let server = try NameServer { _ in nil }
    let names = Resolver(loop: loop, servers: server.address)
    let found = try wait { names.addresses(of: "localhost", $0) }.get()
    #expect(!found.isEmpty && found.allSatisfy { ["127.0.0.1", "::1"].contains($0) })
    #expect(try wait { names.addresses(of: "192.0.2.7", $0) } == .success(["192.0.2.7"]))
    #expect(try wait { names.addresses(of: "2001:db8::7", $0) } == .success(["2001:db8::7"]))
    #expect(server.questions.isEmpty)
  }

  @Test("a silent name server blocks nothing, and is given up after its tries")
  func silentServer() throws {
    let server = try NameServer { _ in nil }
    let names = Resolver(loop: loop, servers: server.address, policy: quick)
    var ticks = 0
    func tick() {
      ticks += 1
      loop.after(milliseconds: 5) { tick() }
    }
    tick()
    let result = try wait { names.addresses(of: "host.test.", $0) }
    guard case .failure(let unknown) = result else {
      Issue.record("\(result)")
      return
    }
    #expect(unknown.reason.text.contains("Timeout"))
    #expect(ticks > 10)
    #expect(server.questions.count { $0.type == NameServer.Question.address4 } == quick.tries)
    #expect(try wait { names.services("_x._tcp.a.test", $0) } == [])
  }

  @Test("any number of names is looked up at the same time")
  func atOneTime() throws {
    let server = try NameServer { _ in nil }
    let names = Resolver(loop: loop, servers: server.address, policy: quick)
    var left = 50
    let start = loop.now
    let took: Int64 = try wait { done in
      for _ in 0..<50 {
        names.services("_x._tcp.a.test") { _ in
          left -= 1
          if left == 0 { done(loop.now - start) }
        }
      }
    }
    #expect(left == 0 && took < 50 * 150)
  }
}
