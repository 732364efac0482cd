// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Emulator
import Foundation
import Testing

@testable import NetworkInbox

extension EndToEnd {
  @Suite("11.3: hobnob log")
  struct LogScriptTests {
    private let home: Home

    init() throws {
      home = try Home()
    }

    private func log(_ arguments: String...) throws -> Program.Finished {
      try home.run(["log", "lobby", "--as", "anna"] + arguments)
    }

    /// The numbers that a log shows.
    private func numbers(_ arguments: [String]) throws -> [Int] {
      let finished = try home.run(["log", "lobby", "--as", "anna"] + arguments)
      #expect(finished.status == 0, "\(finished.errors)")
      return finished.output.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /^\S.*? \[(\d+)\]/).flatMap { Int($0.1) }
      }
    }

    /// A lobby with messages at these times, numbered from 1.
    private func fill(_ times: [String]) throws {
      let clock = Clock()
      let store = try Store(path: home.store, clock: { clock.now })
      defer { store.close() }
      let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
      let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
      for (index, time) in times.enumerated() {
        let date = try Date(time, strategy: .iso8601)
        clock.now = Int64(date.timeIntervalSince1970 * 1000)
        try store.writeDurably {
          try $0.send("message \(index + 1)", in: lobby, by: ben, requireMembership: false)
        }
      }
    }

    private final class Clock {
      var now: Milliseconds = 0
    }

    @Test("7.1: a late message of a network is placed and counted by time")
    func late() throws {
      let store = try Store(path: home.store)
      defer { store.close() }
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      let room = "tea@rooms.x.org"
      let zoe = NetworkUser(identity: "id-7", name: "zoe")
      func say(_ minute: Int64, isPast: Bool = false) -> NetworkEvent {
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a\(minute)"), speaker: zoe, body: "at \(minute)",
            time: 1_700_000_000_000 + minute * 60_000, isPast: isPast), in: .room(room))
      }
      try store.inbox.apply(
        [.joined(room: room, nick: "anna"), say(2), say(5), say(9)], of: account)
      try store.inbox.apply([say(4), say(3), say(1, isPast: true)], of: account)
      func bodies(_ options: String...) throws -> [String] {
        let finished = try home.run(["log", "#" + room, "--as", "anna"] + options)
        #expect(finished.status == 0, "\(finished.errors)")
        return finished.output.matches(of: /zoe: at (\d)/).map { String($0.1) }
      }
      #expect(try bodies() == ["1", "2", "3", "4", "5", "9"])
      #expect(try bodies("--lines", "2") == ["5", "9"])
      #expect(try bodies("--from", "-5") == ["2", "3", "4", "5", "9"])
      #expect(try bodies("--lines", "6") == ["1", "2", "3", "4", "5", "9"])
      // 22:16 is the third minute.
      #expect(
        try bodies("--since", "2023-11-14T22:16:00Z", "--until", "2023-11-14T22:18:00Z")
          == ["3", "4"])
      // Numbers select, and say nothing of the order.
      #expect(try bodies("--from", "3", "--to", "5") == ["3", "4", "9"])
    }

    @Test("14.7: --follow prints what was missed under a heading with its span of time")
    func missed() throws {
      let store = try Store(path: home.store)
      defer { store.close() }
      let anna = try store.writeDurablyIfNeeded { try $0.participant(identity: "anna") }.id
      let account = try store.writeDurably {
        try $0.addAccount(owner: anna, network: "xmpp:anna@x.org")
      }
      let room = "tea@rooms.x.org"
      func say(_ minute: Int64) -> NetworkEvent {
        .messageReceived(
          NetworkMessage(
            name: MessageIDs(archive: "a\(minute)"),
            speaker: NetworkUser(identity: "id-7", name: "zoe"), body: "at \(minute)",
            time: 1_700_000_000_000 + minute * 60_000), in: .room(room))
      }
      try store.inbox.apply([.joined(room: room, nick: "anna"), say(9)], of: account)
      let log = try home.start(
        ["log", "#" + room, "--as", "anna", "--follow"], environment: ["TZ": "UTC"])
      #expect(log.wait(for: 10) { $0.output.contains("at 9") })
      try store.inbox.apply([say(4), say(5), say(10)], of: account)
      #expect(log.wait(for: 10) { $0.output.contains("at 10") })
      let lines = log.output.split(separator: "\n").map { $0.suffix(25) }
      #expect(lines.count == 5 && lines[1].hasSuffix("  missed 22:17 to 22:18"), "\(lines)")
      #expect(
        lines[2...].map { $0.hasSuffix("zoe: at 4") || $0.hasSuffix("zoe: at 5") } == [
          true, true, false,
        ])
      log.kill(15)
      _ = log.finish()
    }

    @Test("13.5: --events prints joins and leaves, between the messages, also with --follow")
    func events() throws {
      let clock = Clock()
      let store = try Store(path: home.store, clock: { clock.now })
      defer { store.close() }
      let people = try ["ben", "carl", "dora"].map { each in
        try store.writeDurablyIfNeeded { try $0.participant(identity: each) }.id
      }
      let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
      func at(_ time: String) throws {
        clock.now =
          Int64(try Date("2026-11-21T\(time)Z", strategy: .iso8601).timeIntervalSince1970) * 1000
      }
      try at("10:00:00")
      try store.writeDurablyIfNeeded { try $0.join(people[0], lobby, isTold: true) }
      try at("10:01:00")
      try store.writeDurably { try $0.send("one", in: lobby, by: people[0]) }
      try at("10:02:00")
      try store.writeDurablyIfNeeded { try $0.join(people[1], lobby, isTold: true) }
      try at("10:02:04")
      try store.writeDurablyIfNeeded { try $0.join(people[2], lobby, isTold: true) }
      try at("10:02:30")
      _ = try store.writeDurably { try $0.rename(people[2], to: "dorothea") }
      try store.writeDurably { try $0.setTopic("tea at noon", of: lobby, by: people[0]) }
      try at("10:03:00")
      try store.writeDurably { try $0.send("two", in: lobby, by: people[0]) }
      try at("10:04:00")
      try store.writeDurablyIfNeeded { try $0.leave(people[1], lobby) }
      let comings = [
        "2026-11-21 10:01 [1] ben: one", "2026-11-21 10:02 -> carl and dorothea joined",
        "2026-11-21 10:02 dora is now dorothea",
        "2026-11-21 10:02 - ben changed the topic: tea at noon", "2026-11-21 10:03 [2] ben: two",
        "2026-11-21 10:04 <- carl left",
      ]
      func lines(_ options: String...) throws -> [String] {
        let all = ["log", "lobby", "--as", "anna", "--events"] + options
        return try home.run(all, environment: ["LANG": "C"]).output.split(separator: "\n")
          .map(String.init)
      }
      #expect(try lines() == comings)
      #expect(try lines("--lines", "1") == Array(comings.suffix(2)))
      #expect(try lines("--lines", "0") == [])
      #expect(try lines("--to", "1") == [comings[0]])
      #expect(try lines("--since", "2026-11-21") == ["2026-11-21 10:00 -> ben joined"] + comings)
      #expect(try lines("--since", "2026-11-21T10:04Z") == [comings[5]])
      #expect(try !log().output.contains("joined"))
      let json = try lines("--json").map { try JSONSerialization.jsonObject(with: Data($0.utf8)) }
        .compactMap { $0 as? [String: Any] }
      #expect(
        json.map { ($0["kind"] as? String) ?? "" } == [
          "text", "joined", "joined", "renamed", "topic", "text", "left",
        ])
      let log = try home.start(
        ["log", "lobby", "--as", "anna", "--events", "--follow"], environment: ["LANG": "C"])
      #expect(log.wait(for: 10) { $0.output.contains("<- carl left") })
      try at("10:05:00")
      try store.writeDurablyIfNeeded { try $0.join(people[1], lobby, isTold: true) }
      #expect(log.wait(for: 10) { $0.output.hasSuffix("\n2026-11-21 10:05 -> carl joined\n") })
      log.kill(15)
      _ = log.finish()
    }

    @Test(
      "prints ranges by number and by time, and the newest of them",
      arguments: [
        ("--from 3", [3, 4, 5]), ("--to 2", [1, 2]), ("--from 2 --to 4", [2, 3, 4]),
        ("--from -2", [4, 5]), ("--from -99 --to -4", [1, 2]), ("--from 4 --to 2", []),
        ("--from 6", []), ("--lines 2", [4, 5]), ("--lines 0", []),
        ("--lines 99", [1, 2, 3, 4, 5]),
        ("--to 4 --lines 2", [3, 4]), ("--from 9223372036854775807", []),
        ("--since 2026-11-21", [3, 5]), ("--since 2026-11-21 --lines 1", [5]),
        // A day, a minute and a second are taken in as a whole.
        ("--until 2026-11-20", [1, 2, 4]), ("--since 2026-11-20 --until 2026-11-20", [2, 4]),
        ("--until 2026-11-20T12:00", [1, 2]), ("--until 2026-11-20T11:59:59Z", [1]),
        ("--since 2026-11-21T10:30+02:00", [3, 5]), ("--since 2026-11-21T08:31Z", [5]),
        ("--since 2026-11-21T08:30:00.000Z --until 2026-11-21T03:30-05:00", [3]),
        ("--since 2026-11-20 --to 3", [2, 3]), ("--since 9999-12-31", []),
        ("--until 9999-12-31T23:59:59Z", [1, 2, 3, 4, 5]), ("--until 0001-01-01", []),
      ])
    func ranges(arguments: String, expected: [Int]) throws {
      // The fourth was brought late.
      try fill([
        "2026-11-19T12:00:00Z", "2026-11-20T12:00:00Z", "2026-11-21T08:30:00Z",
        "2026-11-20T18:00:00Z", "2026-11-21T09:00:00Z",
      ])
      #expect(try numbers(arguments.split(separator: " ").map(String.init)) == expected)
    }

    @Test("twenty without a range; more than a page with one, in order and each once")
    func pages() throws {
      try fill((0..<450).map { "2026-11-21T10:\(10 + $0 % 50):00Z" })
      #expect(try numbers([]) == Array(431...450))
      #expect(try numbers(["--from", "1"]) == Array(1...450))
      #expect(try numbers(["--lines", "405"]) == Array(46...450))
      #expect(try numbers(["--from", "-401", "--to", "-201"]) == Array(50...250))
      // Every 50th was in that minute.
      #expect(
        try numbers([
          "--since", "2026-11-21T10:12Z", "--until", "2026-11-21T10:12Z", "--lines", "3",
        ])
          == [303, 353, 403])
    }

    @Test(
      "11.4: a wrong time, or options that exclude each other, are 64 and a sentence",
      arguments: [
        "--since 2026-02-30", "--since 2026-13-01", "--since=-1", "--since=-0001-01-01",
        "--since 10000-01-01", "--since tomorrow", "--until 2026-11-21T25:00",
        "--until 2026-11-21T10:30+99:00", "--since 99999999d", "--from 0", "--to many",
        "--lines -1", "--follow --to 3", "--follow --until 2026-11-21",
      ])
    func wrongUsage(arguments: String) throws {
      try fill(["2026-11-19T12:00:00Z"])
      let finished = try home.run(
        ["log", "lobby"] + arguments.split(separator: " ").map(String.init))
      #expect(finished.status == 64)
      #expect(finished.errors.hasPrefix("hobnob: "), "\(finished.errors)")
      #expect(finished.output == "")
    }

    @Test("a message with an impossible time is printed nevertheless")
    func oddTimes() throws {
      let clock = Clock()
      let store = try Store(path: home.store, clock: { clock.now })
      let ben = try store.writeDurablyIfNeeded { try $0.participant(identity: "ben") }.id
      let lobby = try store.writeDurablyIfNeeded { try $0.makeRoom("lobby") }.id
      // Year -1, the end of 9999, and as far as numbers go.
      let times: [Milliseconds] = [-62_198_755_200_001, 253_402_300_799_999, .max, .min]
      for time in times {
        clock.now = time
        try store.writeDurably { try $0.send("then", in: lobby, by: ben, requireMembership: false) }
      }
      store.close()
      #expect(try numbers([]).count == times.count)
      #expect(try log("--json").output.split(separator: "\n").count == times.count)
      #expect(try home.run(["search", "then", "--as", "anna"]).status == 0)
      #expect(try numbers(["--until", "0001-01-01"]) == [1, 4])
      #expect(try numbers(["--since", "9999-12-31"]) == [2, 3])
    }

    @Test("shows replies, files, reactions, edits and deletions")
    func everything() throws {
      try home.write("cups", to: "cups.txt")
      try home.say("frist", as: "ben")
      #expect(
        try home.run([
          "send", "lobby", "see", "--reply", "1", "--attach", home.path + "/cups.txt", "--as",
          "ben",
        ]).status == 0)
      try home.say("oops", as: "ben")
      let ben = "/edit 1\nfirst\n/delete 3\n/me waves\n/react 2 :tada:\n"
      #expect(try home.run(["--as", "ben", "lobby"], input: ben).errors == "")
      #expect(try home.run(["--as", "cy", "lobby"], input: "/react 2 :tada:\n").errors == "")
      let lines = try log().output.split(separator: "\n").map {
        String($0).replacing(#/^[-0-9]+ [0-9:]+ /#, with: "")
      }
      #expect(
        lines == [
          "[1] ben: first (edited)", "  > [1] ben: first", "[2] ben: see",
          "    [file 1: cups.txt, text/plain, 4 B]", "    🎉 ben, cy",
          "[3] ben deleted this message",
          "[4] * ben waves",
        ])
    }

    @Test("--json prints an object a line, with times in UTC, and nothing for a terminal to obey")
    func json() throws {
      try home.say("a\u{1B}[31m\u{9B}\u{202E}b\"\\\nü", as: "ben")
      try home.say("two", as: "ben")
      let finished = try log("--json")
      let lines = finished.output.split(separator: "\n")
      try #require(lines.count == 2)
      let first = try object(lines[0])
      #expect(first["text"] as? String == "a\u{1B}[31m\u{9B}\u{202E}b\"\\\nü")
      #expect(first["number"] as? Int == 1 && first["sender"] as? String == "ben")
      #expect((first["time"] as? String)?.hasSuffix("Z") == true)
      #expect(
        !finished.output.unicodeScalars.contains {
          "\u{1B}\u{9B}\u{202E}".unicodeScalars.contains($0)
        }
      )
      #expect(try log("--json", "--from", "2").output == lines[1] + "\n")
    }

    private func object(_ line: Substring) throws -> [String: Any] {
      try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test("7.3: --follow --json goes on, and marks nothing as seen or delivered")
    func follows() throws {
      try home.say("first", as: "cy")
      let anna = try home.shellInLobby(as: "anna")
      let before = try home.run(["unread", "--as", "ben", "--count"]).output
      let log = try home.start(["log", "lobby", "--follow", "--json", "--as", "ben"])
      #expect(log.wait(for: 10) { $0.output.contains("first") })
      try anna.type("second\r", seeing: "[2]")
      #expect(log.wait(for: 10) { $0.output.contains("second") })
      // A burst comes whole.
      let burst = (1...30).map { "burst \($0)." }
      #expect(
        try home.run(["lobby", "--as", "dan"], input: burst.joined(separator: "\n")).status == 0)
      #expect(log.wait(for: 10) { $0.output.contains("burst 30.") })
      for text in burst { #expect(count(of: text, in: log.output) == 1) }
      #expect(try home.run(["unread", "--as", "ben", "--count"]).output == before)
      log.kill(15)
      _ = log.finish()
      try anna.expectNever("seen")
    }

    @Test("--follow goes on past an import, and prints nothing of it")
    func followsPastAnImport() throws {
      try home.say("first", as: "ben")
      let log = try home.start(["log", "lobby", "--follow", "--as", "anna"])
      #expect(log.wait(for: 10) { $0.output.contains("first") })
      try home.write(Home.export(5), to: "old.jsonl")
      #expect(try home.run(["import", home.path + "/old.jsonl"]).status == 0)
      try home.say("last", as: "ben")
      #expect(log.wait(for: 10) { $0.output.contains("[7] ben: last") })
      #expect(!log.output.contains("imported"), "\(log.output)")
      log.kill(15)
      _ = log.finish()
      // It is history all the same.
      #expect(try numbers(["--from", "1"]).sorted() == Array(1...7))
    }

    @Test("12.3: a name that looks like another's is marked, as the shell marks it")
    func lookAlikes() throws {
      try home.say("I am anna", as: "anna")
      try home.say("so am I", as: "\u{430}nna")
      #expect(
        try home.run(["--as", "\u{430}nna", "lobby"], input: "/react 1 :tada:\n").status == 0)
      func lines(_ arguments: [String], _ changes: [String: String?] = [:]) throws -> [String] {
        try home.run(arguments + ["--as", "ben"], environment: changes).output
          .split(separator: "\n")
          .map { String($0).replacing(#/^[-0-9]+ [0-9:]+ /#, with: "") }
      }
      #expect(
        try lines(["log", "lobby"]) == [
          "[1] anna: I am anna", "    🎉 ≈\u{430}nna", "[2] ≈\u{430}nna: so am I",
        ])
      #expect(
        try lines(["search", "am"]) == [
          "#lobby [2] ≈\u{430}nna: so am I", "#lobby [1] anna: I am anna",
        ])
      #expect(
        try lines(["log", "lobby", "--from", "2"], ["LANG": "C"]) == ["[2] ~\u{430}nna: so am I"])
      #expect(try !lines(["log", "lobby", "--json"]).joined().contains("≈"))
      let log = try home.start(["log", "lobby", "--follow", "--as", "ben"])
      #expect(log.wait(for: 10) { $0.output.contains("so am I") })
      #expect(
        try home.run(["--as", "\u{430}nna", "lobby"], input: "/react 2 :tada:\n").status == 0)
      #expect(log.wait(for: 10) { $0.output.contains("🎉 ≈\u{430}nna [2]") })
      log.kill(15)
      _ = log.finish()
      // For oneself nobody else is the first.
      #expect(
        try home.run(["log", "lobby", "--as", "\u{430}nna"]).output.contains("[1] ≈anna:"))
    }

    @Test("12.5: a long text is folded on a terminal and whole in a pipe and as JSON")
    func foldsOnATerminal() throws {
      try home.say("begin " + String(repeating: "tea ", count: 262_144) + "\nthe end", as: "ben")
      try home.say((1...60).map { "line \($0)" }.joined(separator: "\n"), as: "ben")
      func shown(_ arguments: [String]) throws -> [String] {
        let terminal = try home.shell(as: "anna", arguments, columns: 120)
        #expect(terminal.waitForExit(seconds: 20) == 0)
        return terminal.emulator.history
      }
      var rows = try shown(["log", "lobby"])
      #expect(rows.count < 40)
      #expect(!rows.contains { $0.contains("the end") || $0.contains("line 11") })
      for (number, size) in [(1, "1.0 MB"), (2, "60 lines")] {
        #expect(
          rows.contains {
            $0.contains("(\(size), folded; to read all: hobnob log CONVERSATION --from \(number)")
          }, "\(rows)")
      }
      rows = try shown(["search", "tea"])
      #expect(rows.count < 8 && rows[0].contains("begin tea"), "\(rows)")
      for arguments in [["log", "lobby"], ["log", "lobby", "--json"], ["search", "tea"]] {
        let output = try home.run(arguments + ["--as", "anna"]).output
        #expect(output.utf8.count > 1_048_576 && !output.contains("folded"))
      }
      let json = try home.shell(as: "anna", ["log", "lobby", "--json"], columns: 120)
      #expect(json.waitForExit(seconds: 20) == 0 && json.bytesReceived > 1_048_576)
      try home.write("set fold-lines 0\n", to: "whole")
      #expect(try shown(["log", "lobby", "--rc", home.path + "/whole"]).contains("    line 60"))
    }

    @Test("--follow ends when its reader goes")
    func followEndsWithItsReader() throws {
      try home.say("first", as: "ben")
      let pipeline = "set -o pipefail; \"$0\" log lobby --follow --as anna | head -n 1; echo $?"
      let finished = try Program(
        ["bash", "-c", pipeline, Home.program], environment: home.environment
      ).finish(within: 10)
      #expect(finished.output.hasSuffix("ben: first\n0\n") && finished.errors == "")
    }
  }
}
