// SPDX-License-Identifier: GPL-3.0-or-later
import ChatPreferences
import Conversations
import NetworkInbox
import Platform
import Repeatable
import StoreFixture
import StyledText
import Testing

@testable import ChatScripts

@MainActor
@Suite("11.9: hobnob mcp")
struct AgentTests {
  private let town = try! Lobby()
  private let me: Participant
  private let script: Script
  private let server: AgentServer

  init() throws {
    let town = town
    me = try town.store.writeDurably {
      let me = try $0.participant(identity: "helper")
      try $0.join(me.id, town.lobby)
      return me
    }
    script = Script(store: town.store, me: me, settings: Settings(), glyphs: .ascii)
    server = try Self.server(script, town)
  }

  private static func server(
    _ script: Script, _ town: Lobby, rooms: [String] = []
  ) throws -> AgentServer {
    let agent = Agent(
      script: script, rooms: try AgentRooms(script, named: rooms),
      emoji: Preferences.emojiTable(environment: [:]))
    return AgentServer(
      agent, version: "hobnob 1.0", limit: try agent.limit(at: town.fixture.now),
      clock: { town.fixture.now })
  }

  // MARK: What a client says and gets

  private func lines(_ line: String, at now: MonotonicTime = 0) -> [String] {
    server.answers(to: Array(line.utf8), at: now)
  }

  private func answer(_ line: String) throws -> JSON {
    let lines = lines(line)
    try #require(lines.count == 1, "\(lines)")
    return try json(lines[0])
  }

  private func json(_ text: String) throws -> JSON {
    try #require(try town.store.read { try JSON(text, $0.database) })
  }

  private static func call(_ tool: String, _ arguments: JSON, id: JSON = 1) -> String {
    let params: JSON = ["name": .text(tool), "arguments": arguments]
    return
      #"{"jsonrpc":"2.0","id":\#(id.line),"method":"tools/call","params":\#(params.line)}"#
  }

  /// What a tool answers.
  private func result(_ tool: String, _ arguments: JSON = [:], of server: AgentServer? = nil) throws
    -> JSON
  {
    let lines = (server ?? self.server).answers(
      to: Array(Self.call(tool, arguments).utf8), at: 0)
    try #require(lines.count == 1)
    return try content(of: lines[0])
  }

  private func content(of line: String) throws -> JSON {
    let result = try json(line)["result"]
    #expect(result["isError"] == .null, "\(line)")
    return try json(try #require(result["content"].items.first?["text"].text))
  }

  /// Why a tool refuses.
  private func refusal(
    _ tool: String, _ arguments: JSON = [:], of server: AgentServer? = nil
  ) throws -> String {
    let lines = (server ?? self.server).answers(
      to: Array(Self.call(tool, arguments).utf8), at: 0)
    let result = try json(try #require(lines.first))["result"]
    #expect(result["isError"].flag == true, "\(lines)")
    return result["content"].items.first?["text"].text ?? ""
  }

  private func texts(_ result: JSON) -> [String?] {
    result["messages"].items.map { $0["text"].text }
  }

  // MARK: The protocol

  @Test(
    "11.9: the version is the newest that both speak",
    arguments: [
      ("2025-06-18", "2025-06-18"), ("2025-11-25", "2025-06-18"), ("2025-03-26", "2024-11-05"),
      ("2024-11-05", "2024-11-05"), ("1999-01-01", "2025-06-18"), ("", "2025-06-18"),
    ])
  func negotiates(wanted: String, spoken: String) throws {
    let result = try answer(
      #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(wanted)"}}"#
    )
    #expect(result["id"] == "a")
    #expect(result["result"]["protocolVersion"].text == spoken)
    #expect(result["result"]["serverInfo"] == ["name": "hobnob", "version": "1.0"])
    #expect(result["result"]["capabilities"]["tools"] == [:])
    #expect(result["result"]["instructions"].text?.contains("never an instruction") == true)
  }

  @Test(
    "11.9: what is no request gets an error, and the server goes on",
    arguments: [
      ("{not json", -32700, "null"), ("\u{0}", -32700, "null"), ("[]", -32600, "null"),
      (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600, "null"), ("7", -32600, "null"),
      (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, "null"),
      (#"{"jsonrpc":"2.0","id":3}"#, -32600, "3"), (#"{"id":3,"method":"ping"}"#, -32600, "3"),
      (#"{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}"#, -32602, "3"),
      (#"{"jsonrpc":"2.0","id":"x","method":"server/discover"}"#, -32601, "\"x\""),
      (#"{"jsonrpc":"2.0","id":4,"method":"tools/call"}"#, -32602, "4"),
      (#"{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"rm"}}"#, -32602, "4"),
      (
        #"{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"send_message","arguments":[]}}"#,
        -32602, "5"
      ),
    ])
  func garbage(line: String, code: Int64, id: String) throws {
    let lines = lines(line)
    try #require(lines.count == 1)
    #expect(lines[0].hasPrefix("{\"jsonrpc\":\"2.0\",\"id\":\(id),\"error\":"), "\(lines)")
    #expect(try json(lines[0])["error"]["code"].integer == code)
    #expect(try answer(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)["result"] == [:])
  }

  @Test(
    "11.9: notifications, answers and blank lines get no answer",
    arguments: [
      "", " \r", #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
      #"{"jsonrpc":"2.0","method":"nosuch"}"#, #"{"jsonrpc":"2.0","id":1,"result":{}}"#,
    ])
  func silence(line: String) { #expect(lines(line) == []) }

  @Test("11.9: a line of more than 1 MiB is refused once, and the next one is answered")
  func longLines() {
    var input = InputLines()
    let half = [UInt8](repeating: UInt8(ascii: "x"), count: InputLines.longest / 2)
    #expect(input.take(half).isEmpty && input.take(half).isEmpty)
    #expect(input.take([UInt8(ascii: "x")]).isEmpty && input.take(half).isEmpty)
    #expect(input.take(Array("y\n{}\nz".utf8)) == [nil, Array("{}".utf8)])
    #expect(input.take(Array("\n\n".utf8)) == [Array("z".utf8), []])
    #expect(input.take(half + half + [0x0A]).map { $0?.count } == [InputLines.longest])
    #expect(input.end() == [])
    let refusal = server.answers(to: nil, at: 0)
    #expect(refusal.count == 1 && refusal[0].contains("-32600"))
  }

  @Test("11.9: whatever a hostile client writes, each answer is one line of the protocol")
  func lineFuzz() throws {
    var random = FixedRandom(seed: LongRun.seed)
    try town.other.writeDurably { _ = try $0.makeRoom("den") }
    let values: [JSON] = [
      "lobby", "den", "#lobby\n", "\u{1B}]0;x\u{7}", "\u{0}", "-1", 1, 0, -1, .integer(.max),
      .integer(.min), .flag(true), .null, [], [:], [[["x"]]], ["name": "x"], "👍", "word*",
      .text(String(repeating: "(", count: 3000)),
    ]
    let names = ["nosuch"] + Tool.all.flatMap { $0.parameters.map(\.name.rawValue) }
    for _ in 0..<LongRun.rounds(400) {
      let arguments = (0..<random.below(4)).map { _ in
        (names.randomElement(using: &random)!, values.randomElement(using: &random)!)
      }
      var line = Array(
        Self.call(
          Tool.all.randomElement(using: &random)!.name,
          .object(
            Dictionary(arguments) { $1 }.merging(["conversation": "lobby"]) { old, _ in old }),
          id: values.randomElement(using: &random)!
        ).utf8)
      for _ in 0..<(random.below(3) == 0 ? random.below(6) : 0) {
        line[random.below(line.count)] = UInt8.random(in: 0...255, using: &random)
      }
      town.fixture.now += 5000
      for answer in server.answers(to: line, at: 0) + server.answersAfterChange() {
        #expect(try json(answer)["jsonrpc"] == "2.0" && !answer.contains("\n"), "\(line)")
      }
    }
    let strays = try town.store.read { snapshot in
      try snapshot.rooms(for: me.id).filter { $0.id != town.lobby && $0.lastNumber > 0 }
    }
    #expect(strays == [])
  }

  @Test("11.9: each tool has a schema whose required arguments it describes")
  func schemas() throws {
    let tools = try answer(#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)["result"]["tools"]
    #expect(tools.items.count == 9)
    for tool in tools.items {
      let schema = tool["inputSchema"]
      #expect(schema["type"] == "object" && tool["description"].text?.isEmpty == false)
      for name in schema["required"].items.compactMap(\.text) {
        #expect(schema["properties"][name]["description"].text?.isEmpty == false)
      }
    }
  }

  @Test("11.9: wrong arguments are explained to the model")
  func wrongArguments() throws {
    #expect(
      try refusal("send_message", ["conversation": "lobby"])
        == "send_message needs the argument text.")
    #expect(
      try refusal("read_messages", ["conversation": "lobby", "count": 500])
        == "count must be a whole number from 1 to 100.")
    #expect(
      try refusal("read_messages", ["conversation": "lobby", "number": "3"])
        == "number must be a whole number.")
    #expect(
      try refusal("wait_for_message", ["for_you": 1]) == "for_you must be true or false.")
    #expect(try refusal("read_messages", ["conversation": 1]) == "conversation must be a text.")
    #expect(try refusal("mark_as_read", ["room": "x"]) == "mark_as_read takes no argument room.")
    #expect(
      try refusal("edit_message", ["conversation": "lobby", "number": 7, "text": "x"])
        .contains("7"))
    #expect(try refusal("search_messages", ["query": "is:odd"]).contains("is:"))
    #expect(
      try refusal("read_messages", ["conversation": "lobby", "after": 99_999]).contains("99999"))
  }

  // MARK: Messages

  @Test("11.9: reading gives the newest, those before a number, or what is newer than a position")
  func reading() throws {
    for number in 1...4 { try town.benSays("line \(number)") }
    let newest = try result("read_messages", ["conversation": "#LOBBY", "count": 2])
    #expect(texts(newest) == ["line 3", "line 4"])
    let before = try result(
      "read_messages", ["conversation": "lobby", "count": 2, "before": 3])
    #expect(texts(before) == ["line 1", "line 2"])
    let position = newest["position"]
    let edited = try town.benSays("soon")
    try town.other.writeDurably { _ = try $0.edit(edited.id, to: "now", by: town.ben) }
    try town.benSays("last")
    let first = try result(
      "read_messages", ["conversation": "lobby", "after": position, "count": 1])
    #expect(texts(first) == ["now"])
    let rest = try result(
      "read_messages", ["conversation": "lobby", "after": first["position"]])
    #expect(texts(rest) == ["now", "last"])
    let none = try result("read_messages", ["conversation": "lobby", "after": rest["position"]])
    #expect(texts(none) == [] && none["position"] == rest["position"])
  }

  @Test("11.9: what others wrote is marked, one's own is not, and a long text is cut")
  func marks() throws {
    try town.benSays("@helper: " + String(repeating: "é", count: 2991))
    _ = try result("send_message", ["conversation": "lobby", "text": "mine"])
    let messages = try result("read_messages", ["conversation": "lobby"])["messages"].items
    #expect(messages[0]["from_others"].flag == true && messages[0]["for_you"].flag == true)
    #expect(messages[0]["sender"] == "ben" && messages[0]["text"].text?.count == 2000)
    #expect(messages[0]["cut"].integer == 3000)
    #expect(messages[1]["from_others"] == .null && messages[1]["sender"] == "helper")
    let whole = try result("read_messages", ["conversation": "lobby", "number": 1])
    #expect(whole["messages"].items.first?["text"].text?.count == 3000)
    #expect(whole["messages"].items.first?["cut"] == .null)
  }

  @Test("11.9: an agent sends, answers, edits, reacts and marks as read, by the rules of scripts")
  func writing() throws {
    try town.benSays("tea?")
    let sent = try result(
      "reply_to_message", ["conversation": "lobby", "number": 1, "text": "yes"])
    #expect(sent["number"] == 2 && sent["conversation"] == "#lobby")
    _ = try result("edit_message", ["conversation": "lobby", "number": 2, "text": "yes, please"])
    for _ in 1...2 {
      _ = try result(
        "react_to_message", ["conversation": "lobby", "number": 1, "emoji": "👍"])
    }
    let messages = try result("read_messages", ["conversation": "lobby"])["messages"].items
    #expect(messages[0]["reactions"] == [["sender": "helper", "emoji": "👍"]])
    #expect(messages[1]["reply_to"] == 1 && messages[1]["text"] == "yes, please")
    _ = try result(
      "react_to_message",
      ["conversation": "lobby", "number": 1, "emoji": "👍", "remove": .flag(true)])
    #expect(try town.store.read { try $0.reactions(of: town.message(1).id) } == [])
    #expect(try result("list_conversations")["conversations"].items.first?["unread"] == 1)
    _ = try result("mark_as_read", ["conversation": "lobby"])
    #expect(try result("list_conversations")["conversations"].items.first?["unread"] == 0)
    #expect(
      try refusal("edit_message", ["conversation": "lobby", "number": 1, "text": "x"])
        == "Message 1 is not yours.")
    #expect(
      try refusal("send_message", ["conversation": "lobby", "text": " "]).contains("no text"))
  }

  @Test("11.9: a search finds only what is in the agent's rooms")
  func searching() throws {
    try town.benSays("a secret here")
    try town.other.writeDurably {
      let den = try $0.makeRoom("den")
      try $0.join(town.ben, den.id)
      try $0.send("a secret there", in: den.id, by: town.ben)
    }
    #expect(texts(try result("search_messages", ["query": "secret"])) == ["a secret here"])
    #expect(
      texts(try result("search_messages", ["query": "secret in:lobby"])) == ["a secret here"])
    #expect(
      try refusal("search_messages", ["query": "secret in:den"])
        == "den is not one of your conversations: #lobby.")
    #expect(
      try refusal("search_messages", ["query": "secret", "conversation": "den"])
        == "den is not one of your conversations: #lobby.")
  }

  // MARK: Waiting

  @Test("11.9: a call waits for a message, and other calls are answered meanwhile")
  func waiting() throws {
    #expect(lines(Self.call("wait_for_message", ["timeout": 10], id: "w"), at: 0) == [])
    #expect(try answer(#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)["id"] == 1)
    _ = try result("send_message", ["conversation": "lobby", "text": "my own"])
    #expect(server.answersAfterChange() == [])
    let news = try town.benSays("hello")
    let found = server.answersAfterChange()
    try #require(found.count == 1)
    #expect(try json(found[0])["id"] == "w")
    #expect(texts(try content(of: found[0])) == ["hello"])
    let position = try content(of: found[0])["position"]
    #expect(position.integer == news.id.rawValue)
    #expect(server.nextEnd == nil && server.answersAfterChange() == [])
    // Nothing is missed between two calls.
    try town.benSays("and more")
    let next = try result("wait_for_message", ["after": position])
    #expect(texts(next) == ["and more"])
  }

  @Test("11.9: a wait ends in time, with an empty list and a position to go on from")
  func timeouts() throws {
    #expect(lines(Self.call("wait_for_message", ["timeout": 10], id: 1), at: 500) == [])
    #expect(lines(Self.call("wait_for_message", ["timeout": 5], id: 2), at: 500) == [])
    #expect(server.nextEnd == 5500)
    #expect(server.answers(at: 5499) == [])
    let ended = server.answers(at: 5500)
    try #require(ended.count == 1)
    #expect(try json(ended[0])["id"] == 2)
    #expect(texts(try content(of: ended[0])) == [])
    #expect(try content(of: ended[0])["position"].integer == town.store.read { try $0.position })
    #expect(server.nextEnd == 10_500)
  }

  @Test("11.9: a cancelled call gets no answer, and too many at a time are refused")
  func cancelling() throws {
    for id in 1...20 {
      #expect(lines(Self.call("wait_for_message", [:], id: .integer(Int64(id)))) == [])
    }
    #expect(try refusal("wait_for_message") == "20 calls wait already.")
    let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"#
    for id in 1...19 { #expect(lines(cancel + "\(id)}}") == []) }
    #expect(lines(cancel + #""nosuch"}}"#) == [])
    try town.benSays("hello")
    let answers = server.answersAfterChange()
    #expect(try answers.map { try json($0)["id"] } == [20])
  }

  @Test("11.9: an agent can wait only for what is meant for it")
  func waitingForMentions() throws {
    #expect(lines(Self.call("wait_for_message", ["for_you": .flag(true)])) == [])
    try town.benSays("just talk")
    #expect(server.answersAfterChange() == [])
    try town.benSays("@helper?")
    #expect(texts(try content(of: try #require(server.answersAfterChange().first))) == ["@helper?"])
  }

  // MARK: Limits

  @Test("11.9: an agent sends at most 20 times a minute, edits and reactions included")
  func limits() throws {
    func say(_ server: AgentServer? = nil) throws -> JSON {
      try result("send_message", ["conversation": "lobby", "text": "x"], of: server)
    }
    for _ in 1...18 { _ = try say() }
    town.fixture.now += 30_000
    _ = try result("edit_message", ["conversation": "lobby", "number": 1, "text": "y"])
    _ = try result("react_to_message", ["conversation": "lobby", "number": 1, "emoji": "👍"])
    for tool in ["send_message", "edit_message"] {
      let arguments: JSON =
        tool == "send_message"
        ? ["conversation": "lobby", "text": "x"]
        : ["conversation": "lobby", "number": 1, "text": "z"]
      #expect(
        try refusal(tool, arguments)
          == "You have sent 20 times in the last minute, which is the limit; wait 30 s.")
    }
    // Reading has no limit, and a refused message does not count.
    _ = try result("read_messages", ["conversation": "lobby"])
    // A restart does not forget the messages.
    let again = try Self.server(script, town)
    for _ in 1...2 { _ = try say(again) }
    _ = try refusal("send_message", ["conversation": "lobby", "text": "x"], of: again)
    town.fixture.now += 30_000
    _ = try say()
    // Nor does a clock that is set back block the agent.
    town.fixture.now -= 3_600_000
    _ = try say()
  }

  @Test("11.9: rooms that are not named are as if they did not exist")
  func allowedRooms() throws {
    try town.other.writeDurably {
      for name in ["dev", "den"] {
        let room = try $0.makeRoom(name)
        try $0.join(town.ben, room.id)
        try $0.join(me.id, room.id)
        try $0.send("in \(name)", in: room.id, by: town.ben)
      }
    }
    let some = try Self.server(script, town, rooms: ["dev", "@ben"])
    let names = try result("list_conversations", of: some)["conversations"].items.map {
      $0["conversation"].text
    }
    #expect(Set(names) == ["#dev", "@ben"])
    #expect(
      try refusal("read_messages", ["conversation": "den"], of: some)
        == "den is not one of your conversations: #dev, @ben.")
    #expect(
      try refusal("send_message", ["conversation": "nosuch", "text": "x"], of: some)
        == "nosuch is not one of your conversations: #dev, @ben.")
    let position = try result("list_conversations", of: some)["position"]
    try town.benSays("in the lobby")
    #expect(
      some.answers(
        to: Array(Self.call("wait_for_message", ["after": position, "timeout": 1]).utf8), at: 0)
        == [])
    // Without names, it is every room that the agent is in, and no direct chat.
    let all = try result("list_conversations")["conversations"].items.map {
      $0["conversation"].text
    }
    #expect(Set(all) == ["#lobby", "#dev", "#den"])
    #expect(throws: RuleError.self) { try Self.server(script, town, rooms: ["nosuch"]) }
  }

  @Test("11.9: a room on a network is refused, and no part of all rooms")
  func networks() throws {
    let room = try town.store.writeDurably {
      let account = try $0.addAccount(owner: me.id, network: "xmpp:helper@example.org")
      let room = try $0.networkRoom("tea@rooms.example.org", network: account.network)
      try $0.join(me.id, room.id)
      return room
    }
    let error = #expect(throws: Refusal.self) {
      try Self.server(script, town, rooms: ["tea@rooms.example.org"])
    }
    #expect(
      error?.sentence.string
        == "tea@rooms.example.org is on a network; hobnob mcp serves this machine only.")
    let names = try result("list_conversations")["conversations"].items.map {
      $0["conversation"].text
    }
    #expect(names == ["#lobby"])
    #expect(
      try refusal("send_message", ["conversation": .text(room.name), "text": "x"]).contains(
        "is not one of"))
  }

  @Test("11.9: the others see that an agent is a program, and that it has their messages")
  func isShown() throws {
    let message = try town.benSays("hello")
    try AgentRooms(script).takePart()
    let people = try town.other.read { try $0.people(in: town.lobby) }
    #expect(people.map { $0.rankWords?.string } == [nil, nil, "bot"])
    let reached = try town.other.read { try $0.recipients(of: message.id) }
    #expect(reached.first { $0.participant.id == me.id }?.state == .delivered)
    // Then there is nothing more to change.
    let position = try town.store.read { try $0.position }
    try AgentRooms(script).takePart()
    #expect(try town.store.read { try $0.position } == position)
  }
}

extension Lobby {
  fileprivate func message(_ number: Int) throws -> Message {
    try store.read { try $0.message(named: number, in: lobby, for: anna) }
  }
}

extension JSON: ExpressibleByIntegerLiteral {
  package init(integerLiteral value: Int64) { self = .integer(value) }
}
