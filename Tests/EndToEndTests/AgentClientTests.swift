// SPDX-License-Identifier: GPL-3.0-or-later
import Emulator
import Foundation
import Testing

extension EndToEnd {
  @Suite("11.9: agents")
  struct AgentClientTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    /// Where `make test-deps` puts the clients of `agents.py`.
    private static let packages = Repository.root.appendingPathComponent(".build/mcp").path

    @Test("11.9: the clients mcp and fastmcp hold a conversation with somebody at a prompt")
    func clients() throws {
      try home.say("is anybody here?", as: "ben")
      let ben = try home.shellInLobby(as: "ben")
      let script = Repository.root.appendingPathComponent("Tests/EndToEndTests/agents.py").path
      let clients = try Program(
        [
          "/usr/bin/python3", script, Home.program, "mcp", "--as", "helper", "--rooms", "lobby",
        ],
        environment: home.environment.merging(["PYTHONPATH": Self.packages]) { $1 })
      try #require(
        clients.wait(for: 20) { $0.output.contains("waiting") }, "\(clients.errors)")
      // The prompt keeps the line that somebody is typing, whatever agents do.
      ben.send("/who\r")
      try ben.expect("helper")
      try ben.expect("bot")
      try home.say("helper, are you here?", as: "carla")
      try ben.expect("carla: helper, are you here?")
      ben.send("half a li")
      try ben.expect("yes, here")
      let finished = clients.finish()
      #expect(finished.status == 0, "\(finished.errors)")
      try ben.expect("and done")
      ben.send("ne\r/info 3\r")
      try ben.expect("ben: half a line")
      try ben.expect("(helper)")
      let told = try finished.output.split(separator: "\n").map {
        try #require(
          JSONSerialization.jsonObject(with: Data($0.utf8), options: []) as? [Any])
      }
      #expect(
        told.map { $0[0] as? String } == [
          "tools", "read", "waiting", "found", "sent", "refused", "listed", "search", "refused",
        ])
      try #require(told.count == 9)
      #expect((told[0][1] as? [String])?.count == 9)
      let first = try #require((told[1][1] as? [[String: Any]])?.first)
      #expect(first["text"] as? String == "is anybody here?")
      #expect(first["from_others"] as? Bool == true && first["sender"] as? String == "ben")
      #expect((told[3][1] as? [String: Any])?["for_you"] as? Bool == true)
      #expect(told[4][1] as? Int == 3)
      #expect(told[5][1] as? String == "den is not one of your conversations: #lobby.")
      #expect((told[6][1] as? [[String: Any]])?.first?["unread"] as? Int == 1)
      #expect((told[7][1] as? [[String: Any]])?.map { $0["text"] as? String } == ["and done"])
      #expect(told[8][1] as? String == "Message 1 is not yours.")
    }

    @Test("11.9: only answers are on standard output; the end of standard input ends the server")
    func standardOutput() throws {
      let lines = [
        #"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait_for_message"}}"#,
        #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#, String(repeating: "x", count: 1_100_000),
        #"{"jsonrpc":"2.0","id":3,"method":"ping"}"#,
      ]
      // The last line has no newline.
      let finished = try home.run(["mcp", "--as", "helper"], input: lines.joined(separator: "\n"))
      #expect(finished.status == 0)
      #expect(finished.errors == "hobnob: helper is in no room; --rooms enters one.\n")
      let pong = #","result":{}}"#
      #expect(
        finished.output.split(separator: "\n").map(String.init) == [
          #"{"jsonrpc":"2.0","id":2"# + pong,
          #"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"The line has more than 1048576 bytes."}}"#,
          #"{"jsonrpc":"2.0","id":3"# + pong,
        ])
    }

    @Test("11.9: a call that waits is answered when somebody writes, and at its time")
    func waiting() throws {
      try home.say("before", as: "ben")
      let server = try home.start(["mcp", "--as", "helper", "--rooms", "lobby"], input: nil)
      func wait(_ id: Int, _ seconds: Int) {
        server.type(
          #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"wait_for_message","arguments":{"timeout":\#(seconds)}}}"#
            + "\n")
      }
      wait(1, 1)
      #expect(server.wait(for: 10) { $0.output.contains(#""id":1,"#) })
      #expect(server.output.contains(#"\"messages\":[]"#))
      wait(2, 60)
      server.type(#"{"jsonrpc":"2.0","id":3,"method":"ping"}"# + "\n")
      #expect(server.wait(for: 10) { $0.output.contains(#""id":3,"#) })
      try home.say("hello\u{9B}", as: "ben")
      #expect(server.wait(for: 10) { $0.output.contains(#""id":2,"#) })
      #expect(server.output.contains("hello") && !server.output.contains("\u{9B}"))
      server.closeInput()
      #expect(server.finish().status == 0)
    }

    @Test("11.9: an agent needs a name of its own, and rooms that exist")
    func wrongUsage() throws {
      try home.say("before", as: "ben")
      let nameless = try home.run(["mcp"])
      #expect(nameless.status == 64 && nameless.output == "")
      #expect(
        nameless.errors == "hobnob: hobnob mcp needs --as NAME: an agent has a name of its own.\n")
      #expect(try home.run(["mcp", "--as", "helper", "--rooms", ""]).status == 64)
      let roomless = try home.run(["mcp", "--as", "helper", "--rooms", "lobby,nosuch"])
      #expect(roomless.status == 1 && roomless.output == "")
      #expect(roomless.errors.contains("There is no room nosuch"))
    }

    @Test("11.9: an agent does not take the name of the person who starts it")
    func ownName() throws {
      func start(_ rest: [String], as name: String, by login: String) throws -> Program.Finished {
        try home.run(["mcp", "--as", name] + rest, environment: ["LOGNAME": login])
      }
      let refused = try start([], as: "Anna", by: "anna")
      #expect(refused.status == 1 && refused.output == "")
      #expect(
        refused.errors
          == "hobnob: Anna is your own name, and hobnob mcp would show you to the others as a program; give the agent another one, such as --as Anna-agent.\n"
      )
      #expect(!FileManager.default.fileExists(atPath: home.store))
      try home.say("hello", as: "anna")
      #expect(try start(["--rooms", "lobby"], as: "anna", by: "anna").status == 1)
      // Once it is known as a program, its user may have the name too.
      #expect(try start(["--rooms", "lobby"], as: "helper", by: "anna").status == 0)
      #expect(try start([], as: "helper", by: "helper").status == 0)
      let people = try home.run(["who", "lobby", "--json"]).output.split(separator: "\n")
      #expect(people.filter { $0.contains("bot") }.count == 1, "\(people)")
    }

    @Test("the sample of a client's settings starts the server")
    func sample() throws {
      let sample = try Repository.text(of: "share/hobnob/samples/mcp.json")
      let settings = try #require(
        JSONSerialization.jsonObject(with: Data(sample.utf8)) as? [String: [String: Any]])
      let server = try #require(settings["mcpServers"]?["hobnob"] as? [String: Any])
      #expect(server["command"] as? String == "hobnob")
      let finished = try home.run(
        try #require(server["args"] as? [String]),
        input: #"{"jsonrpc":"2.0","id":1,"method":"ping"}"# + "\n")
      #expect(finished.status == 0 && finished.output.contains(#""result":{}"#))
    }
  }
}
