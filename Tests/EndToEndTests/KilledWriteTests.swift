// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Repeatable
import Testing

extension EndToEnd {
  /// Encrypted chats in which the network's process is killed at one of its system calls, which
  /// strace(1) counts. For each number, somebody new begins a chat with ben, who has a client of
  /// another project (slixmpp-omemo).
  @Suite("Killed at each write of an encrypted chat")
  final class KilledWriteTests {
    /// More than the calls of a whole conversation.
    private static let most = 500
    private let server: LocalServer

    init() throws { server = try LocalServer(["ben"] + (1...Self.most).map { "anna\($0)" }) }

    /// - Parameter version: the only one that ben's client knows.
    private func ben(_ version: String) throws -> ForeignClient {
      try ForeignClient(
        encrypting: "ben", at: server, state: server.folder + "/ben.json", versions: [version])
    }

    @Test(
      """
      14.2, 14.16: after each durable write, of the store or of the keys, and before what relies on \
      it goes out: no line is lost, unreadable or there twice
      """, arguments: ["2", "legacy"])
    func killedAfterWriting(version: String) throws {
      let ben = try ben(version)
      // Without HOBNOB_LONG, each version gets every other number.
      let first = version == "2" || LongRun.factor != nil ? 1 : 2
      for number in stride(from: first, to: Self.most, by: LongRun.factor == nil ? 2 : 1) {
        if try !converse(with: ben, version, killedAt: "fdatasync", number) {
          #expect(number > 15)
          return
        }
      }
      Issue.record("the conversation does not end")
    }

    @Test("1.2, 14.16: the same amid what is written, after the former has gone out")
    func killedAmidWriting() throws {
      var random = FixedRandom(seed: LongRun.seed)
      let ben = try ben("2")
      var number = 0
      repeat {
        number += 1 + random.below(max(1, 60 / (LongRun.factor ?? 1)))
        try #require(number < Self.most)
      } while try converse(with: ben, "2", killedAt: "pwrite64", number)
    }

    /// Begins a chat with ben, in which the process is killed at a system call.
    ///
    /// - Returns: whether there were so many calls.
    private func converse(
      with ben: ForeignClient, _ version: String, killedAt call: String, _ number: Int
    ) throws -> Bool {
      let (place, name): (Comment, String) = ("killed at \(call) \(number)", "anna\(number)")
      let anna = try Correspondent(name, at: server)
      let chat = try anna.chat(with: "ben")
      try anna.say("\(name) 1", in: chat)
      try anna.start(through: [
        "strace", "-D", "-qq", "-o", "/dev/null", "-e", "trace=\(call)", "-e",
        "inject=\(call):signal=SIGKILL:when=\(number)",
      ])
      var wasKilled = false
      /// Waits, with a process that is started again after its end.
      func wait(_ what: String, until condition: () throws -> Bool) throws {
        let isMet = try anna.wait(for: 30) {
          if anna.process?.hasEnded == true {
            wasKilled = true
            try anna.start()
          }
          return try condition()
        }
        let messages = try anna.messages(in: chat).map(\.body)
        try #require(
          isMet, "\(place): no \(what); “\(anna.status)”, \(messages), \(ben.messages.suffix(5))")
      }
      for turn in 1...2 {
        try wait("“\(name) \(turn)” at ben") {
          anna.isDone && ben.messages.contains { $0.text == "\(name) \(turn)" }
        }
        let answer = "ben to \(name) \(turn)"
        try ben.carryOut("seal", "\(name)@\(LocalServer.domain)", version, answer, answer)
        try wait("“\(answer)” at \(name)") {
          try anna.messages(in: chat).contains { $0.body == answer }
        }
        if turn < 2 { try anna.say("\(name) \(turn + 1)", in: chat) }
      }
      let texts = (1...2).flatMap { ["\(name) \($0)", "ben to \(name) \($0)"] }
      let messages = try anna.messages(in: chat)
      #expect(messages.map(\.body) == texts, place)
      #expect(messages.allSatisfy { $0.encryption == .encrypted && $0.state >= .sent }, place)
      let read = ben.messages.filter { $0.from?.hasPrefix("\(name)@") == true && !$0.empty }
      #expect(read.map(\.text) == (1...2).map { "\(name) \($0)" }, place)
      #expect(read.allSatisfy { $0.version == version }, place)
      return wasKilled
    }
  }
}
