// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import ProsodyFixture
import Testing

extension EndToEnd {
  /// Rule 14.2 on IRC: connections that end in every way, and what waits meanwhile.
  @Suite("14.2: IRC that breaks")
  struct IRCBreakTests {
    private func stub(_ change: (inout IRCStub.Options) -> Void = { _ in }) throws -> IRCStub {
      var options = IRCStub.Options()
      change(&options)
      return try IRCStub(options)
    }

    @Test("a frozen connection is noticed by a PING without an answer")
    func frozen() throws {
      let server = try stub()
      let anna = try Correspondent("anna", at: server, settings: ["keep-alive": "1"])
      let tea = try anna.connect(to: "#tea")
      anna.proxy.freeze()
      let isNoticed = anna.wait(for: 60) { anna.status != .connected([]) }
      #expect(isNoticed, "\(anna.status)")
      try anna.say("later", in: tea)
      anna.proxy.thaw()
      try anna.expect("not sent") {
        try anna.hurry()
        return anna.isDone
      }
      #expect(try anna.expect("later", in: tea).state == .sent)
      #expect(try server.violations() == [])
    }

    @Test("a server that is killed and started again is found again")
    func killedServer() throws {
      let server = try stub()
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      server.kill()
      try anna.expect("still connected") {
        if case .offline = anna.status { true } else { false }
      }
      try anna.say("meanwhile", in: tea)
      try server.start()
      try anna.expect("not sent") {
        try anna.hurry()
        return anna.isDone
      }
      #expect(try anna.expect("meanwhile", in: tea).state == .sent)
      #expect(try server.accepted().map(\.text) == ["meanwhile"])
      #expect(try server.violations() == [])
    }

    @Test(
      "what waits behind the flood limit goes out by itself after a kill; what is in doubt does not"
    )
    func killedBehindTheLimit() throws {
      let server = try stub {
        $0.without = ["draft/chathistory", "draft/event-playback"]
        ($0.floodLines, $0.floodSeconds) = (4, 2)
      }
      let anna = try Correspondent("anna", at: server, settings: ["flood": "4/2"])
      let tea = try anna.connect(to: "#tea")
      // No answers come, so that some are in doubt.
      try server.hold(true)
      for number in 1...6 { try anna.say("line \(number)", in: tea) }
      try anna.expect("nothing is sent") { try server.accepted().count >= 2 }
      anna.kill()
      let before = try server.accepted().map(\.text)
      try server.hold(false)
      try anna.connect()
      let isDone = anna.wait(for: 40) { anna.isDone }
      #expect(isDone, "\(anna.status)")
      let own = try anna.messages(in: tea)
      let failed = own.filter { $0.state == .failed }
      #expect(own.count == 6 && own.allSatisfy { $0.state == .sent || $0.state == .failed })
      #expect(failed.allSatisfy { $0.failure?.text.contains("message may have arrived") == true })
      #expect(failed.count <= 4 && Set(before).isSubset(of: failed.map(\.body)))
      let accepted = try server.accepted().map(\.text)
      #expect(accepted == Array(Set(accepted)).sorted())
      #expect(
        accepted.filter { !before.contains($0) } == own.filter { $0.state == .sent }.map(\.body))
      #expect(try server.violations() == [])
    }

    @Test("a line in IRC's own words that may have arrived before a kill is not sent again")
    func killedRequest() throws {
      let server = try stub()
      let anna = try Correspondent("anna", at: server)
      _ = try anna.connect(to: "#tea")
      try server.hold(true)
      let (position, request) = try anna.store.writeDurably {
        (try $0.position, try $0.ask(.line, text: "PRIVMSG #tea :once", of: anna.account))
      }
      try anna.expect("nothing is sent") { try server.accepted().map(\.text) == ["once"] }
      anna.kill()
      try server.hold(false)
      try anna.connect()
      let answers = try anna.store.read { try $0.changes(since: position, for: anna.me) }.answers
      #expect(
        answers.filter { $0.request.id == request.id }.map(\.text) == [
          "The connection broke, and “/irc PRIVMSG …” may have arrived."
        ])
      #expect(try server.accepted().map(\.text) == ["once"])
    }
  }
}
