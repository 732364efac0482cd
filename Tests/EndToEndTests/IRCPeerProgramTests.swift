// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import IRCFixture
import Testing

extension EndToEnd {
  /// Other people's programs on the other side, on InspIRCd.
  @Suite(
    "14: IRC with other programs",
    .enabled(if: IRCPackage.inspircd.isOffered, "Debian has no inspircd"))
  struct IRCPeerProgramTests {
    private func server() throws -> InspIRCd {
      var options = InspIRCd.Options()
      options.hasServices = false
      return try InspIRCd(options)
    }

    /// Prints what it gets, as `WHERE WHO TEXT`; carries out what it reads, as `message #tea TEXT`.
    private static let pydle = """
      import asyncio, sys, pydle

      class Peer(pydle.Client):
          async def on_connect(self):
              await super().on_connect()
              await self.join("#tea")

          async def on_join(self, channel, user):
              await super().on_join(channel, user)
              print("joined", user, flush=True)

          async def on_message(self, target, by, message):
              print(target, by, message, flush=True)

          async def on_ctcp_version_reply(self, by, target, response):
              print("version", by, response, flush=True)

      async def main():
          client = Peer("ben", realname="ben", eventloop=asyncio.get_running_loop())
          await client.connect("127.0.0.1", int(sys.argv[1]), tls=False)
          while line := await asyncio.to_thread(sys.stdin.readline):
              what, target, text = line.rstrip("\\n").split(" ", 2)
              await getattr(client, what)(target, text)

      asyncio.run(main())
      """

    @Test(
      "pydle: lines and long texts each way, and the names of both programs",
      .enabled(if: IRCPackage.python.isOffered, "PyPI has no pydle"))
    func pydle() throws {
      let server = try server()
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      let ben = try Program(
        ["/usr/bin/python3", "-c", Self.pydle, String(server.port)], input: nil,
        environment: ["PYTHONPATH": IRCPackage.python.folder, "PATH": "/usr/bin:/bin"])
      func expect(_ text: String, _ condition: (String) -> Bool) throws {
        let isThere = ben.wait(for: 20) { condition($0.output) }
        try #require(isThere, "no \(text) in \((ben.output + ben.errors).debugDescription)")
      }
      try anna.expect("ben does not come") { try anna.people(in: tea) == ["ben"] }
      let long = (1...325).map { "t\($0 % 10)🍵 " }.joined() + "end"
      try #require(long.count > 1_300)
      // Their library cuts anywhere, and hobnob at words.
      func whole(_ texts: some Sequence<String>) -> String { texts.joined().filter { $0 != " " } }

      try anna.say("tea, ben?", in: tea)
      try expect("line") { $0.contains("#tea anna tea, ben?\n") }
      try anna.say(long, in: tea)
      try anna.expect(long, in: tea) { $0.state == .sent }
      try expect("long text") { output in
        whole(
          output.split(separator: "\n").filter { $0.hasPrefix("#tea anna ") }.dropFirst()
            .map { String($0.dropFirst("#tea anna ".count)) }) == whole([long])
      }
      ben.type("message #tea gladly\n")
      try anna.expect("gladly", in: tea)
      let count = try anna.messages(in: tea).count
      let words = String(repeating: "tea and milk ", count: 100)
      ben.type("message anna \(words)\n")
      let chat = try anna.ircChat(with: "ben")
      try anna.expect("not the whole long text") {
        whole(try anna.bodies(in: chat)) == whole([words])
      }
      #expect(try anna.messages(in: tea).count == count)

      #expect(try anna.ask(.ctcp, target: "ben", text: "version").hasPrefix("ben: VERSION pydle v"))
      // Their own function for it fails without an argument.
      ben.type("message anna \u{01}VERSION\u{01}\n")
      try expect("answer") { $0.contains("version anna hobnob") }
      // The question was none of the conversation.
      #expect(try anna.messages(in: chat).allSatisfy { !$0.body.contains("VERSION") })
    }

    @Test("irssi: a line each way, and an action")
    func irssi() throws {
      let server = try server()
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      let home = try Home()
      let pane = try Tmux(home: home).open(
        [
          "irssi", "--home=\(home.path)/irssi", "-n", "ben", "-c", "127.0.0.1", "-p",
          String(server.port),
        ])
      try pane.expect { $0.contains { $0.contains("Current global users") } }
      try pane.type("/join #tea\n")
      try anna.expect("ben does not come") { try anna.people(in: tea) == ["ben"] }
      try anna.say("tea, ben? 🍵", in: tea)
      try pane.expect { $0.contains { $0.contains("anna> tea, ben? 🍵") } }
      try pane.type("gladly\n/me waves\n")
      try anna.expect("gladly", in: tea)
      #expect(try anna.expect("waves", in: tea).kind == .action)
    }

    @Test("WeeChat: a line each way, and a reply")
    func weechat() throws {
      let server = try server()
      let anna = try Correspondent("anna", at: server)
      let tea = try anna.connect(to: "#tea")
      let home = try Home()
      let commands = [
        "/set logger.file.flush_delay 0", "/set irc.server_default.tls off",
        "/set irc.server_default.ssl off",
        "/server add t 127.0.0.1/\(server.port) -nicks=ben -autojoin=#tea", "/connect t",
      ]
      let folder = home.path + "/weechat"
      let weechat = try Program(
        ["weechat-headless", "-d", folder] + commands.flatMap { ["-r", $0] }, input: nil,
        environment: home.environment)
      try anna.expect("ben does not come") { try anna.people(in: tea) == ["ben"] }
      try anna.say("tea, ben? 🍵", in: tea)
      let isThere = anna.wait(for: 20) {
        let log = try? String(
          contentsOfFile: folder + "/logs/irc.t.#tea.weechatlog", encoding: .utf8)
        return log?.contains("anna\ttea, ben? 🍵") ?? false
      }
      try #require(isThere, "\(weechat.output)\(weechat.errors)")
      let pipe = try #require(
        FileManager.default.contentsOfDirectory(atPath: folder).first { $0.contains("fifo_") })
      let input = try #require(FileHandle(forWritingAtPath: folder + "/" + pipe))
      try input.write(contentsOf: Data("irc.t.#tea *gladly\n".utf8))
      try anna.expect("gladly", in: tea)
    }
  }
}
