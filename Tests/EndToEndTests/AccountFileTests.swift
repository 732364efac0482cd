// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

extension EndToEnd {
  /// Two people with hobnob and stores of their own, and a real server (Prosody) between them.
  @Suite("Files over an account", .serialized)
  final class AccountFileTests {
    private let server: LocalServer
    private let homes: (anna: Home, ben: Home)

    init() throws {
      server = try LocalServer()
      homes = (try Home(), try Home())
    }

    /// A file in anna's home, of bytes that compress to nothing and repeat nowhere.
    private func file(_ name: String, bytes: Int) throws -> Data {
      let data = try #require(
        try FileHandle(forReadingAtPath: "/dev/urandom")?.read(upToCount: bytes))
      try data.write(to: URL(fileURLWithPath: homes.anna.path + "/" + name))
      return data
    }

    private func saved(_ name: String) -> Data? {
      FileManager.default.contents(atPath: homes.ben.path + "/" + name)
    }

    @Test("a contact's file is downloaded by itself, byte for byte, and saved")
    func comesByItself() throws {
      let anna = try homes.anna.shell(as: "anna", at: server)
      let ben = try homes.ben.shell(as: "ben", at: server)
      ben.send("/msg anna@\(LocalServer.domain)\r")
      try ben.expect("@anna")
      ben.send("/contact add anna@\(LocalServer.domain)\r")
      anna.send("/msg ben@\(LocalServer.domain)\r")
      try anna.expect("@ben")
      try anna.expect("wants to be a contact", for: 20)
      let data = try file("plan b.bin", bytes: 400_000)
      anna.send("/attach \(homes.anna.path)/plan\\ b.bin\r")
      try anna.expect("will be sent with your next message")
      anna.send("for you\r")
      try anna.expect("[1] ✓", for: 30)
      // The chat is encrypted, so the server did not get the name.
      try ben.expect(".bin, application/octet-stream", for: 20)
      ben.send("/save 1 \(homes.ben.path)/got\r")
      try ben.expect("Saved as")
      #expect(saved("got") == data)
      // What anna has is a file, and not its address.
      anna.send("/history\r")
      #expect(anna.wait(for: 10) { $0.history.count { $0.contains("[file 1: plan b.bin") } == 2 })
      #expect(!anna.emulator.history.joined().contains("://"))
    }

    @Test("in a room a file is an address until someone asks for it")
    func waitsInARoom() throws {
      let anna = try homes.anna.shell(as: "anna", at: server)
      let ben = try homes.ben.shell(as: "ben", at: server)
      let room = "tea@rooms.\(LocalServer.domain)"
      for shell in [anna, ben] {
        shell.send("/join \(room)\r")
        try shell.expect("#tea")
      }
      for shell in [anna, ben] { try shell.expect("with 1 other here", for: 20) }
      anna.send("hello\r")
      try ben.expect("anna: hello")
      let data = try file("cups.bin", bytes: 100_000)
      anna.send("/attach \(homes.anna.path)/cups.bin\r")
      try anna.expect("will be sent with your next message")
      anna.send("\r")
      // Ben's program may have told that he has seen it already.
      #expect(
        anna.wait(for: 30) { $0.picture.contains("[2] ✓") || $0.picture.contains("[2] seen") },
        "\(anna.emulator.picture)")
      try ben.expect("https://127.0.0.1:\(server.port + 2)/", for: 20)
      ben.send("/save 2 \(homes.ben.path)/got\r")
      try ben.expect("Saved as \(homes.ben.path)/got", for: 20)
      #expect(saved("got") == data)
      try ben.expect("[file 1: cups.bin")
    }

    @Test("a file that the server refuses is reported as too large, with the limit")
    func refusesTooLarge() throws {
      let anna = try homes.anna.shell(as: "anna", at: server)
      anna.send("/msg ben@\(LocalServer.domain)\r")
      try anna.expect("@ben")
      _ = try file("large.bin", bytes: 11_000_000)
      let store = try Store(path: homes.anna.store)
      try #require(
        anna.wait(for: 20) { _ in
          guard
            let account = try? store.read({
              try $0.account(network: "xmpp:anna@\(LocalServer.domain)")
            })
          else {
            return false
          }
          let largest = try? store.read { snapshot in
            try snapshot.listing(for: account.owner).first { $0.conversation.kind == .direct }
              .flatMap { try snapshot.knownAbilities(of: $0.conversation.id).largestFile }
          }
          return largest.flatMap { $0 } != nil
        })
      anna.send("/attach \(homes.anna.path)/large.bin\r")
      try anna.expect("larger than 10.5 MB")
      // So does a script, before it stores anything.
      let finished = try homes.anna.run([
        "send", "ben@\(LocalServer.domain)", "--attach", "\(homes.anna.path)/large.bin", "--as",
        "anna",
      ])
      #expect(finished.status == 1)
      #expect(finished.errors.contains("takes files of up to 10.5 MB"), "\(finished.errors)")
    }

    @Test("kill -9 of the process during a download: its successor downloads the file")
    func survivesAKillWhileFetching() throws {
      let files = try FreezableProxy(to: server.port + 2)
      defer { files.close() }
      try server.restart {
        $0.replacing("127.0.0.1:\(server.port + 2)/", with: "127.0.0.1:\(files.port)/")
      }
      let ben = try Correspondent("ben", at: server)
      try ben.connect()
      let chat = try ben.chat(with: "anna")
      let anna = try homes.anna.shell(as: "anna", at: server)
      anna.send("/msg ben@\(LocalServer.domain)\r")
      try anna.expect("@ben")
      let data = try file("plan.bin", bytes: 300_000)
      anna.send("/attach \(homes.anna.path)/plan.bin\r")
      try anna.expect("will be sent with your next message")
      anna.send("\r")
      try anna.expect("[1] ✓", for: 30)
      _ = try ben.wait { try ben.messages(in: chat).count == 1 }
      let message = try #require(try ben.messages(in: chat).first)

      // The fetching begins, and nothing comes.
      files.freeze(.answers)
      let before = files.count
      try ben.store.writeDurably {
        try $0.ask(
          .fetch, target: "\(message.id.rawValue)", text: message.body, of: ben.account)
      }
      #expect(ben.wait { files.count > before })
      ben.kill()
      files.thaw()
      try ben.start()
      let isThere = try ben.wait {
        try ben.store.read { try $0.message(message.id, for: ben.me) }?.attachments.isEmpty == false
      }
      #expect(isThere, "\(ben.status)")
      let fetched = try #require(
        try ben.store.read { try $0.message(message.id, for: ben.me) }?.attachments)
      #expect(fetched.map(\.bytes) == [data.count])
      let path = try #require(fetched.first.map { ben.store.attachmentFolder.path(of: $0.hash) })
      #expect(FileManager.default.contents(atPath: path) == data)
    }

    @Test("a server that goes away during an upload gets the file on its return, once")
    func survivesABreak() throws {
      let anna = try homes.anna.shell(as: "anna", at: server)
      anna.send("/msg ben@\(LocalServer.domain)\r")
      try anna.expect("@ben")
      try anna.type("first\r", seeing: "[1] ✓")
      _ = try file("late.bin", bytes: 3_000_000)
      server.stop(SIGKILL)
      try anna.expect("offline", for: 20)
      anna.send("/attach \(homes.anna.path)/late.bin\r")
      try anna.expect("will be sent with your next message")
      anna.send("\r")
      try anna.expect("[2] … sending", for: 20)
      try server.start()
      anna.send("/connect\r")
      try anna.expect("[2] ✓", for: 60)
      let ben = try ForeignClient("ben", at: server)
      try ben.expect("late.bin")
      #expect(ben.lines.count { $0.hasPrefix("[\"said\"") && $0.contains("late.bin") } == 1)
    }
  }
}
