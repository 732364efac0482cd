// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Foundation
import StoreFixture
import Testing

@testable import NetworkInbox

extension EndToEnd {
  /// Python checks all lines at once: its start takes longer than any of the commands.
  @Suite("11.3: the schema of JSON")
  struct SchemaTests {
    private typealias Line = [String: Any]

    private let home: Home
    private let store: Store
    private let anna: ID<Participant>
    private let ben: ID<Participant>
    private let lobby: ID<Conversation>

    init() throws {
      home = try Home()
      (store, anna, ben, lobby) = try home.storeWithAnnaAndBen()
      for name in ["anna", "ben"] {
        #expect(try home.run(["lobby", "--as", name], input: "/join tea\n").status == 0)
      }
    }

    /// The commands whose help has `--json`.
    private func commands() throws -> Set<String> {
      let help = try home.run(["--help"]).output
      let list = try #require(help.components(separatedBy: "SUBCOMMANDS:\n").last)
      let names = list.matches(of: #/(?m)^  ([a-z]+) /#).map { String($0.1) }
      #expect(names.count > 15)
      return try Set(names.filter { try home.run([$0, "--help"]).output.contains("--json") })
    }

    /// Fills a room of a network: people with ranks, messages that failed or that a moderator
    /// removed, a refused reaction, and events in hobnob's own words.
    private func fillNetwork() throws {
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      let room = "tea@rooms.x.org"
      let zoe = NetworkUser(identity: "zoe", name: "Zoe")
      try store.inbox.apply(
        [
          .present(zoe, room: room, rank: "operator, bot"), .joined(room: room, nick: "anna"),
          .roomNamed(room: room, name: "Tea & Co"),
        ], of: account)
      try store.hear("hi", from: "zoe", name: "Zoe", in: .room(room), of: account, origin: "z1")
      try store.hear("psst", from: "zoe@x.org", in: .direct("zoe@x.org"), of: account)
      try store.inbox.apply(
        [
          .messageReceived(
            NetworkMessage(name: MessageIDs(archive: "a9"), speaker: zoe, body: "pills"),
            in: .room(room)),
          .removed(
            archive: "a9", room: room, Removal(moderator: "max", reason: "spam"), at: nil),
          .edited(MessageIDs(origin: "z1"), by: zoe, in: .room(room), body: "hi all", at: nil),
          .ranked(zoe, room: room, rank: "owner"),
          .moderated(
            filled(("%1 bans %2", ["Zoe", "max"])), room: room, by: zoe, isAboutOwner: true),
          .present(NetworkUser(identity: "kim"), room: room),
          .absent(NetworkUser(identity: "kim"), room: room, removal: "spam"),
        ], of: account)
      let place = "#" + room
      #expect(try home.run(["send", place, "refused", "--as", "anna"]).status == 0)
      #expect(try home.run(["react", place, "1", ":tada:", "--as", "anna"]).status == 0)
      for entry in try store.read({ try $0.outbox(of: account.network) }) {
        try store.inbox.apply(
          [.refused(entry, reason: filled(("You are not in %1.", ["tea"])))], of: account)
      }
      #expect(try home.run(["send", place, "waits", "--as", "anna"]).status == 0)
    }

    /// Prints everything that commands print, each command at least once, and each once with an
    /// error.
    private func printed() throws -> (lines: [String], commands: Set<String>) {
      var (lines, commands): ([String], Set<String>) = ([], [])
      func run(_ words: String..., as name: String = "anna", status: Int32 = 0) throws -> String {
        let finished = try home.run(words.prefix(1) + ["--json", "--as", name] + words.dropFirst())
        #expect(finished.status == status, "\(words): \(finished.errors)")
        #expect(!finished.output.isEmpty, "\(words)")
        lines += finished.output.split(separator: "\n").map(String.init)
        commands.insert(words[0])
        return finished.output
      }
      let watch = try home.start(["watch", "--json", "--as", "anna"])
      #expect(watch.wait(for: 20) { $0.output.contains("\"position\":") })
      let log = try home.start(["log", "lobby", "--follow", "--events", "--json", "--as", "anna"])
      let start = try store.read { try String($0.position) }
      try home.write("cups\n", to: "cups.txt")
      _ = try run("send", "lobby", "hello @anna", "--attach", home.path + "/cups.txt", as: "ben")
      _ = try run("wait", "--after", start)
      _ = try run("send", "lobby", "hi", "--reply", "1")
      try store.write { try $0.noteSeen(by: ben, in: lobby, upTo: 2, sendReceipt: true) }
      _ = try run("edit", "lobby", "1", "hello @Anna", as: "ben")
      for number in ["1", "2"] { _ = try run("react", "lobby", number, ":tada:", as: "ben") }
      _ = try run("react", "lobby", "2", ":tada:", "--remove", as: "ben")
      _ = try run("send", "lobby", "oops")
      _ = try run("delete", "lobby", "-1")
      _ = try run("read", "lobby")
      #expect(
        try home.run(["lobby", "--as", "ben"], input: "/topic tea\n/away lunch\n").status == 0)
      try fillNetwork()
      _ = try run("send", "@anna", "psst", as: "ben")
      for words in [["unread"], ["list"], ["who"]] { _ = try run(words[0]) }
      _ = try run("who", "#tea@rooms.x.org")
      _ = try run("search", "hello")
      _ = try run("log", "#tea@rooms.x.org", "--events")
      let end = try run("send", "lobby", "the end", as: "ben")
      let position = try #require(end.firstMatch(of: /"position":[0-9]+/)).0
      for program in [watch, log] {
        #expect(program.wait(for: 20) { $0.output.contains("\"text\":\"the end\"") })
        program.kill(SIGTERM)
        lines += program.finish().output.split(separator: "\n").map(String.init)
      }
      #expect(lines.count { $0.contains(position) } == 2)
      for command in commands {
        _ = try run(command, "--no-such-option", status: 64)
      }
      for words in [["log", "nowhere"], ["send", "nowhere", "x"], ["who", "@nobody"]] {
        _ = try run(words[0], words[1], status: 1)
      }
      _ = try run("search", "nothing-like-it", status: 1)
      _ = try run("wait", "--timeout", "0", status: 1)
      return (lines, commands)
    }

    /// Each member that only commands print occurs here; those of an export, in `ExchangeManualTests`.
    @Test("what commands print with --json is as the schema says, with every type of lines")
    func allCommands() throws {
      let (printed, used) = try printed()
      #expect(try used.union(["watch"]) == commands())
      let export = try home.run(["export", "--as", "anna"])
      #expect(export.status == 0)
      let lines = printed + export.output.split(separator: "\n").map(String.init)
      #expect(try SchemaCheck.faults(of: lines) == [])

      var members: [String: Set<String>] = [:]
      for line in lines {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Line)
        members[object["type"] as? String ?? "", default: []].formUnion(object.keys)
      }
      #expect(Set(JSONTable.types.map(\.name)).subtracting(members.keys) == ["draft", "history"])
      for type in JSONTable.types.drop(while: { $0.name != JSONTable.reaction.name }) {
        let names = Set(type.members.map(\.name.rawValue) + ["type"])
        #expect(members[type.name] == names, "\(type.name)")
      }
      for (type, names) in [
        "participant": ["online", "away", "rank"], "message": ["change", "position"],
        "conversation": ["name", "unread", "unread_mentions"], "event": ["change", "position"],
        "reader": ["change", "position"],
      ] { #expect(members[type]?.isSuperset(of: names) == true, "\(type): \(names)") }
    }
  }
}
