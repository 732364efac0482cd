// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("11.3: hobnob edit, delete, react, read, list, who")
  struct ChangingScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
      #expect(try home.run(["send", "lobby", "--join", "one", "--as", "anna"]).status == 0)
      #expect(try home.run(["send", "lobby", "--join", "two", "--as", "ben"]).status == 0)
    }

    private func log() throws -> String {
      try home.run(["log", "lobby", "--as", "anna"]).output
    }

    private func refused(_ arguments: String..., because part: String) throws {
      let finished = try home.run(arguments)
      #expect(finished.status == 1 && finished.output == "")
      #expect(finished.errors.contains(part), "\(finished.errors)")
    }

    private func lines(_ arguments: String...) throws -> [[String: Any]] {
      let finished = try home.run(arguments + ["--json"])
      #expect(finished.status == 0, "\(finished.errors)")
      return try finished.output.split(separator: "\n").map {
        try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
      }
    }

    @Test("3.3, 7.5: edit changes a message of one's own, by number or from the newest")
    func edit() throws {
      #expect(try home.run(["edit", "lobby", "1", "first", "try", "--as", "anna"]).status == 0)
      #expect(try log().contains("[1] anna: first try (edited)"))
      #expect(
        try home.run(["edit", "lobby", "-1", "--as", "ben"], input: "a\nb\n").status == 0)
      #expect(try log().contains("[2] ben: a\n    b (edited)"))
      try refused("edit", "lobby", "1", "x", "--as", "ben", because: "Message 1 is not yours")
      try refused("edit", "lobby", "9", "x", "--as", "ben", because: "o message 9")
      try refused("edit", "lobby", "1", "--as", "anna", because: "There is no text")
      #expect(try home.run(["edit", "lobby", "0", "x"]).status == 64)
      #expect(try home.run(["edit", "lobby", "tea", "x"]).status == 64)
    }

    @Test("delete deletes a message of one's own")
    func delete() throws {
      try refused("delete", "lobby", "2", "--as", "anna", because: "Message 2 is not yours")
      #expect(try home.run(["unread", "--as", "ben"]).status == 0)
      #expect(try home.run(["read", "lobby", "--as", "ben"]).status == 0)
      #expect(try home.run(["delete", "lobby", "-1", "--as", "anna"]).status == 0)
      #expect(try log().contains("[1] anna deleted this message"))
      try refused("delete", "lobby", "1", "--as", "anna", because: "Message 1 was deleted")
      #expect(try home.run(["delete", "lobby"]).status == 64)
    }

    @Test("7.8: react adds a reaction once, and --remove takes it away")
    func react() throws {
      for _ in 0..<2 {
        #expect(try home.run(["react", "lobby", "2", ":tada:", "--as", "anna"]).status == 0)
        #expect(try log().contains("🎉 anna"))
      }
      for _ in 0..<2 {
        #expect(
          try home.run(["react", "lobby", "-1", "🎉", "--remove", "--as", "anna"]).status == 0)
        #expect(!(try log().contains("🎉")))
      }
      #expect(try home.run(["react", "lobby", "2", "tada", "--as", "anna"]).status == 0)
      #expect(try log().contains("🎉 anna"))
      try refused(
        "react", "lobby", "2", "tea time", "--as", "anna", because: "“tea time” is not an emoji")
      try refused("react", "lobby", "2", "🎉", "--as", "cem", because: "You are not in #lobby")
    }

    @Test("7.3, 7.7: read marks as read up to a message; receipts off tells nobody")
    func read() throws {
      try home.say("three", as: "ben")
      func unread() throws -> Int? {
        try lines("list", "--as", "anna").first?["unread"] as? Int
      }
      #expect(try unread() == 2)
      #expect(try home.run(["read", "lobby", "--until", "2", "--as", "anna"]).status == 0)
      #expect(try unread() == 1)
      #expect(try home.run(["read", "lobby", "--until", "1", "--as", "anna"]).status == 0)
      #expect(try unread() == 1)
      try home.write("/set receipts off\n", to: ".config/hobnob/hobnobrc")
      #expect(try home.run(["read", "lobby", "--as", "anna"]).status == 0)
      #expect(try unread() == 0)
      let store = try Store(path: home.store)
      let (anna, lobby) = try store.read {
        (
          try #require(try $0.participant(ifKnown: "anna")),
          try #require(try $0.room("lobby", for: nil)).id
        )
      }
      let ben = try store.read { try #require(try $0.participant(ifKnown: "ben")) }
      let states = try store.read {
        try $0.messages(in: lobby, limit: 5, for: ben.id).filter { $0.sender == ben.id }.map(
          \.state)
      }
      #expect(states == [.seen, .sent], "\(anna)")
      try refused("read", "lobby", "--as", "cem", because: "You are not in #lobby")
    }

    @Test("send --join makes the sender a member; --json prints the message with its position")
    func sends() throws {
      try home.say("guest", as: "cem")
      #expect(try lines("list", "--as", "cem").isEmpty)
      let sent = try lines("send", "lobby", "--join", "member", "--as", "cem")
      #expect(sent.count == 1 && sent[0]["text"] as? String == "member")
      let events = try home.run(["log", "lobby", "--events", "--as", "ben"]).output
      #expect(events.contains("cem joined"), "\(events)")
      let position = try #require(sent[0]["position"] as? Int)
      try home.say("answer", as: "ben")
      let answer = try lines("wait", "lobby", "--as", "cem", "--after", String(position))
      #expect(answer.map { $0["text"] as? String } == ["answer"])
      #expect(try home.run(["unread", "--count", "--as", "cem"]).output == "1\n")
      let error = try home.run(["send", "nowhere", "--json", "hi", "--as", "cem"])
      #expect(error.status == 1 && error.output.hasPrefix(#"{"type":"error","text":"There is no"#))
    }

    @Test("edit, react and delete print with --json what watch prints, and their position is its")
    func printsChanges() throws {
      let start = try lines("read", "lobby", "--as", "anna")
      #expect(start.map { $0["type"] as? String } == ["position"])
      let position = try #require(start[0]["position"] as? Int)
      var printed: [String] = []
      for words in [
        ["edit", "lobby", "1", "first try"], ["react", "lobby", "2", "🎉"],
        ["react", "lobby", "2", "🎉"], ["react", "lobby", "2", "🎉", "--remove"],
        ["delete", "lobby", "1"],
      ] {
        let finished = try home.run(words + ["--json", "--as", "anna"])
        #expect(finished.status == 0, "\(words): \(finished.errors)")
        let end = try #require(printed.last.map(position(in:)) ?? position)
        if printed.count == 2, words.last == "🎉" {
          #expect(finished.output == #"{"type":"position","position":\#(end)}"# + "\n")
        } else {
          printed.append(finished.output)
          #expect(try #require(self.position(in: finished.output)) > end)
        }
      }
      // Of a row that changes twice, watch prints the last change.
      let watch = try home.start(
        ["watch", "lobby", "--after", String(position), "--json", "--as", "anna"])
      #expect(watch.wait(for: 20) { $0.output.contains(printed[3]) })
      watch.kill(SIGTERM)
      #expect(watch.finish().output == printed[2] + printed[3])
    }

    private func position(in line: String) -> Int? {
      line.firstMatch(of: #/"position":(\d+)/#).flatMap { Int($0.1) }
    }

    @Test("list prints one's conversations, who the people of one or of all")
    func lists() throws {
      try home.say("anna: look", as: "ben")
      try home.say("hey anna: tea?", as: "ben", in: "@anna")
      #expect(
        try home.run(["list", "--as", "anna"]).output
          == "@ben: 1 unread\n#lobby: 2 unread, 1 mention\n")
      let listed = try lines("list", "--as", "anna")
      #expect(listed.map { $0["name"] as? String } == ["@ben", "#lobby"])
      #expect(listed.map { $0["type"] as? String } == ["conversation", "conversation"])
      #expect(listed[1]["conversation"] as? String == "#lobby")
      #expect(listed.map { $0["unread_mentions"] as? Int } == [0, 1])
      #expect(try home.run(["list", "--as", "nobody"]).output == "")
      #expect(
        try home.run(["who", "lobby", "--as", "anna"]).output == "anna: not here\nben: not here\n")
      for place in [["lobby"], []] {
        let finished = try home.run(["who", "--as", "anna", "--json"] + place)
        #expect(
          finished.output == """
            {"type":"participant","identity":"anna","name":"anna","online":false}
            {"type":"participant","identity":"ben","name":"ben","online":false}

            """)
      }
    }

    @Test("14.4: on a network a change waits for it, and --wait for what it says")
    func networks() throws {
      let store = try Store(path: home.store)
      let (account, room) = try store.writeDurably {
        let anna = try $0.participant(identity: "anna").id
        let account = try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
        return (account, "tea@rooms.x.org")
      }
      try store.inbox.apply(
        [
          .joined(room: room, nick: "anna"),
          .present(NetworkUser(identity: "z", name: "zoe"), room: room, rank: "operator"),
        ], of: account)
      try store.writeDurably { _ = try $0.networkChat(with: "zoe@x.org", of: account) }
      try store.inbox.apply(
        [
          .messageReceived(
            NetworkMessage(
              name: MessageIDs(archive: "a1"), speaker: NetworkUser(identity: "z", name: "zoe"),
              body: "hi", time: 1_700_000_000_000), in: .room(room))
        ], of: account)
      let react = try home.start(
        ["react", "#" + room, "1", "👍", "--wait", "--as", "anna"])
      #expect(react.wait(for: 10) { $0.errors.contains("The message waits") })
      let entry = try #require(try store.read { try $0.outbox(of: account.network) }.first)
      try store.inbox.apply([.refused(entry, reason: "no thumbs here")], of: account)
      let finished = react.finish()
      #expect(
        finished.status == 1
          && finished.errors.contains("The network refused it: no thumbs here"),
        "\(finished.errors)")
      let who = try lines("who", "#" + room, "--as", "anna")
      #expect(who.map { $0["rank"] as? String } == [nil, "operator"])
      #expect(try lines("who", "--as", "anna").allSatisfy { $0["rank"] == nil })
      let chat = try lines("who", "@zoe@x.org", "--as", "anna")
      #expect(chat.map { $0["online"] as? Bool } == [false, nil], "\(chat)")
      let late = try home.run(
        ["react", "#" + room, "1", "👍", "--wait", "--timeout", "0", "--as", "anna"])
      #expect(late.status == 1 && late.errors.contains("has not carried it out within 0 s."))
    }

    @Test("14.4: what a network's room does not take is refused, also where one was removed")
    func refusals() throws {
      let store = try Store(path: home.store)
      let account = try store.writeDurably {
        let anna = try $0.participant(identity: "anna").id
        return try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      let (room, place) = ("tea@rooms.x.org", "#tea@rooms.x.org")
      var abilities = Abilities()
      abilities.replies = false
      try store.inbox.apply(
        [.joined(room: room, nick: "anna"), .abilities(NetworkAbilities(rooms: abilities))],
        of: account)
      #expect(try home.run(["send", place, "hi", "--as", "anna"]).status == 0)
      try refused(
        "send", place, "--reply", "1", "hi", "--as", "anna",
        because: "cannot show which message you answer")
      try store.inbox.apply([.left(room: room, reason: "spam")], of: account)
      let asked = try store.read { try $0.requests(of: account) }
      for words in [
        ["send", place, "hi"], ["send", place, "--join", "hi"], ["edit", place, "1", "hi"],
        ["delete", place, "1"], ["react", place, "1", "👍"],
      ] {
        let finished = try home.run(words.prefix(2) + ["--as", "anna"] + words.dropFirst(2))
        #expect(finished.status == 1, "\(words)")
        #expect(
          finished.errors.contains("You are no longer in \(place) (spam)"), "\(finished.errors)")
      }
      #expect(try store.read { try $0.requests(of: account) } == asked)
    }
  }
}
