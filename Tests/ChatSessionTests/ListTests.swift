// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// Lists that fit, and what is offered.
@MainActor
@Suite("10: Lists")
struct ListTests {
  @Test(
    "10: a list longer than the screen goes to the pager, divided into its parts",
    arguments: [
      ("/help", "Conversations", "  /join ROOM"), ("/set", "The line", "  confirm-clear"),
    ])
  func paged(command: String, heading: String, line: String) throws {
    let anna = try Town().person("anna")
    anna.say(command)
    #expect(anna.pages == 1)
    let lines = anna.news()
    let place = try #require(lines.firstIndex(of: heading))
    #expect(lines[place + 1].hasPrefix(line), "\(lines)")
    anna.tell(.resized(rows: 200, columns: 80))
    anna.say(command)
    #expect(anna.pages == 1 && anna.news().contains(heading))
    anna.tell(.resized(rows: 24, columns: 80))
    anna.say("/set pager off")
    anna.say(command)
    #expect(anna.pages == 1)
  }

  @Test("10: names and their descriptions are in two columns", arguments: [80, 120])
  func columns(width: Int) throws {
    let anna = try Town().person("anna")
    anna.tell(.resized(rows: 24, columns: width))
    _ = anna.rows()
    anna.say("/help")
    let rows = anna.rows()
    // Where a row goes on, or the help of a long name begins.
    let starts = rows.map { $0.prefix { $0 == " " }.count }.filter { $0 > 2 }
    let start = try #require(starts.first)
    #expect(Set(starts) == [start] && start <= width / 3, "\(rows.joined(separator: "\n"))")
    for row in rows where row.hasPrefix("  ") && !row.hasPrefix("   ") {
      #expect(row.count <= width)
      // Behind a short name the help begins in the same column.
      guard let gap = row.dropFirst(2).firstRange(of: "  ") else { continue }
      let help = row[gap.lowerBound...].prefix { $0 == " " }.endIndex
      #expect(row.distance(from: row.startIndex, to: help) == start, "\(row)")
    }
  }

  @Test("10: /set is a table of names, values and descriptions, and blocks where it is narrow")
  func settings() throws {
    let anna = try Town().person("anna")
    anna.say("/set notify-command /usr/local/bin/somebody-calls --with options")
    anna.tell(.resized(rows: 24, columns: 100))
    _ = anna.rows()
    anna.say("/set")
    let rows = anna.rows()
    func column(of text: String, in name: String) throws -> Int {
      let row = try #require(rows.first { $0.hasPrefix("  " + name + " ") })
      let place = try #require(row.firstRange(of: text)).lowerBound
      return row.distance(from: row.startIndex, to: place)
    }
    for name in ["typing", "bell", "close-by-double-space"] {
      #expect(try column(of: " on ", in: name) == column(of: " on ", in: "receipts"))
    }
    let help = try column(of: "tell others that", in: "typing")
    #expect(try column(of: "ring the bell", in: "bell") == help)
    // A long value has a row of its own.
    let place = try #require(rows.firstIndex { $0.hasSuffix("somebody-calls --with options") })
    #expect(rows[place + 1].hasPrefix(String(repeating: " ", count: help) + "program to run"))
    #expect(rows.allSatisfy { $0.count <= 100 })
    anna.tell(.resized(rows: 24, columns: 40))
    anna.say("/set")
    let blocks = anna.rows()
    let bell = try #require(blocks.firstIndex { $0 == "  bell  on" })
    #expect(blocks[bell + 1].hasPrefix("      ring the bell when"))
    #expect(blocks[bell + 2].hasPrefix("      ") && blocks.allSatisfy { $0.count <= 40 })
  }

  @Test("10: /list stays a table if names are long")
  func longNames() throws {
    let anna = try Town().person("anna")
    for network in ["stub:anna9@127.0.0.1", "stub:a-person-with-a-long-name@127.0.0.1"] {
      let account = try anna.added(network)
      try anna.provide(
        AddressRules(roomSigns: "#", folding: .rfc1459, identityScope: .network), for: account)
      try anna.store.inbox.apply([.joined(room: "#tea", nick: "anna")], of: account)
      anna.look()
    }
    for columns in [80, 60] {
      anna.tell(.resized(rows: 24, columns: columns))
      anna.say("/join lobby")
      _ = anna.rows()
      anna.say("/list")
      let rows = anna.rows()
      #expect(rows.count == 4 && rows.allSatisfy { $0.count <= columns }, "\(rows)")
      #expect(rows.filter { $0.contains(" #stub://a") }.count == 2, "\(rows)")
    }
  }

  @Test("10: /list, /who and /unread are tables with headings, and blocks where it is narrow")
  func tables() throws {
    let town = try Town()
    let (ben, anna) = (
      try town.person("benjamin-the-second", in: "coffee"), try town.person("anna")
    )
    ben.say("/join lobby")
    anna.say("/join coffee")
    anna.say("/switch lobby")
    ben.say("/switch coffee")
    ben.say("@anna hello")
    anna.look()
    _ = anna.rows()
    func rows(_ command: String, _ columns: Int) -> [String] {
      anna.tell(.resized(rows: 24, columns: columns))
      _ = anna.rows()
      anna.say(command)
      return anna.rows().map { $0.replacing(/\d{4}-\d\d-\d\d \d\d:\d\d/, with: "TIME") }
    }
    #expect(
      rows("/list", 80) == [
        "    Name     Unread  Last message", "* 1 #lobby", "  2 #coffee  1!      TIME",
      ])
    #expect(
      rows("/list", 30) == [
        "    Name  Unread", "    Last message", "* 1 #lobby", "  2 #coffee  1!", "    TIME",
      ])
    #expect(rows("/unread", 80) == ["  #coffee  1 unread  1 mention [1]"])
    #expect(rows("/unread", 24) == ["  #coffee  1 unread", "    1 mention [1]"])
    #expect(
      rows("/who", 80) == [
        "  Name                 State", "  anna                 here",
        "  benjamin-the-second  here, not looking at this conversation",
      ])
    #expect(
      rows("/who", 30) == [
        "  Name", "    State", "  anna", "    here", "  benjamin-the-second",
        "    here, not looking at this", "    conversation",
      ])
  }

  @Test("10: /keys names keys as people do, and finds a function by its name or its key")
  func keys() throws {
    let anna = try Town().person("anna")
    anna.bindings = [
      ("accept-line", "\\C-j \\C-m"), ("forward-char", "\\C-f \\eOC \\e[C"),
      ("kill-word", "\\ed"), ("next-unread", "\\ea"), ("self-insert", "a b"),
      ("digit-argument", "\\e1 \\e2"), ("do-lowercase-version", "\\eA \\eD"),
      ("conversation-1", ""), ("conversation-2", ""),
    ]
    _ = anna.news()
    anna.say("/keys")
    #expect(
      anna.news() == [
        "hobnob", "  next-unread   M-a", "Moving", "  forward-char  C-f, Right",
        "Deleting and putting back", "  kill-word     M-d", "Others",
        "  accept-line   C-j, Return",
      ])
    anna.say("/keys m-D")
    #expect(anna.news() == ["kill-word  M-d"])
    anna.say("/keys char")
    #expect(anna.news() == ["forward-char  C-f, Right"])
    anna.say("/keys M-2")
    #expect(anna.news() == ["digit-argument  M-2"])
    anna.say("/keys conversation-2")
    #expect(
      anna.news() == [
        #"No key is bound to conversation-2. To bind C-x k, for example: /bind "\C-xk": conversation-2"#
      ])
    anna.say("/keys conversation")
    #expect(anna.news()[0].hasPrefix("No key is bound to conversation-1, conversation-2. To bind"))
    #expect(!anna.say("/keys nothing"))
  }

  @Test(
    "10: keys by their names",
    arguments: [
      ("\\e\\C-m", "M-Return"), ("\\C-x\\C-e", "C-x C-e"), ("\\C-x*", "C-x *"),
      ("\\e[A \\eOA", "Up"), ("\\e[1;5D \\e[5D", "C-Left"), ("\\e[1;3C", "M-Right"),
      ("\\e[3~", "Delete"), ("\\e[5;2~", "S-PageUp"), ("\\e[Z", "S-TAB"), ("\\C-?", "Backspace"),
      ("\\e\\C-?", "M-Backspace"), ("\\C-i", "TAB"), ("\\e ", "M-Space"), ("\\e", "Esc"),
      ("\\C-@ \\e  \\C-x", "C-@, M-Space, C-x"), ("\\e\\e", "M-Esc"),
      ("\\C-_ \\C-x\\C-u", "C-_, C-x C-u"), ("\\e\\\\", "M-\\"), ("\\C-x\\\"", "C-x \""),
      ("\\e[200~", "(a paste)"), ("\\e[9;9u", "M-[ 9 ; 9 u"), ("\\M-a", "M-a"),
      ("\\C-x\\e[B", "C-x Down"),
    ])
  func keyNames(sequences: String, names: String) {
    #expect(KeyNames.list(sequences) == names)
  }

  @Test("2.1: recently and often used emoji come first, by every name they have")
  func emojiInUse() throws {
    let town = try Town()
    town.environment["HOBNOB_SHARE"] = EmojiTableTests.share
    let anna = try town.person("anna")
    func first(_ count: Int) -> [String] {
      let all = anna.session.candidates(after: .emoji)
      return all.filter { $0.recency > 0 }.sorted { $0.recency > $1.recency }.map(\.text)
        .prefix(count).sorted()
    }
    #expect(first(9) == [])
    for line in ["tea 🎉", "cups 🎉", "+:boar:", ":boar: again", "no 🐗"] { anna.say(line) }
    #expect(first(1) == ["boar"])
    #expect(first(3) == ["boar", "party_popper", "tada"])
  }

  @Test(
    "2.8: what /search, /open and /save offer",
    arguments: [
      ("/search from:", ["from:anna", "from:ben"]), ("/search fr", ["from:"]),
      (
        "/search since:",
        ["since:today", "since:yesterday", "since:7d", "since:1mo", "since:1y"]
      ),
      ("/search in:", ["in:#lobby"]), ("/open ", ["3"]), ("/save ", []),
      ("/info ", ["3", "2", "1"]),
    ])
  func offered(line: String, candidates: [String]) throws {
    let town = try Town()
    let (anna, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("nothing to open")
    anna.say("nor here")
    ben.say("see https://example.org/")
    let found = anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates
    #expect(found?.map(\.text) == candidates)
  }

  @Test("1.1: trailing newlines are not stored, and mentions before them stay")
  func newlinesAtTheEnd() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.mentions = [Span(range: 3..<7, identity: "ben")]
    anna.say("hi @ben\n  \n\n")
    #expect(try anna.newest()?.body == "hi @ben\n  " && anna.history.last == "hi @ben\n  ")
    #expect(try anna.newest()?.mentions.isEmpty == false)
    anna.mentions = []
    anna.say("/me waves\n")
    #expect(try anna.newest()?.body == "waves")
    anna.say("/edit")
    anna.say("waves\n")
    #expect(anna.notice == "Message [2] is unchanged")
  }

  @Test(
    "1.9: a text sent as a file is one file, beside those that wait, and stays in the history")
  func textAsFile() throws {
    let town = try Town()
    let anna = try town.person("anna")
    anna.say("/attach " + (try town.folder.write("cups.txt", "two cups")))
    let path = try town.folder.write("pasted", "one\ntwo\n")
    anna.type("one\ntwo")
    #expect(anna.tell(.enteredAsFile("one\ntwo", path: path)))
    // The file that waited may be large: another process copies it.
    #expect(try anna.newest() == nil)
    anna.copyFiles()
    let message = try #require(try anna.newest())
    #expect(message.body.isEmpty && message.attachments.map(\.name) == ["cups.txt", "text.txt"])
    #expect(message.attachments.last?.bytes == 8 && message.attachments.last?.type == "text/plain")
    #expect(anna.history.last == "one\ntwo" && anna.session.composing.files.waiting.isEmpty)
  }

  @Test("10: what readline rejects in a file is reported with the file and the line")
  func bindingsOfFiles() throws {
    let folder = try TemporaryFolder()
    let keys = try folder.write("keys", "/bind garbage\n")
    let path = try folder.write("rc", "# mine\n/source \(keys)\n\n/bind other garbage\n")
    var rc = RcFile()
    try rc.read(path) { Issue.record("\($0)") }
    #expect(rc.bindings.map(\.line) == ["garbage", "other garbage"])
    #expect(
      rc.bindings.map { $0.complaint("no key").string }
        == ["\(keys), line 1: no key", "\(path), line 4: no key"])
    #expect(KeyBinding("typed").complaint("no key").string == "no key")
  }
}
