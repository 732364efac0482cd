// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StoreFixture
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

/// The commands that a network's server carries out or answers, on a network as IRC.
@MainActor
@Suite("10: Commands for a network's server")
struct ServerCommandTests {
  private let town: Town
  private let anna: Person
  private let account: Account

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    account = try anna.addedOnIRC(roomSigns: "#&")
    try anna.provide(NetworkAbilities(rooms: .ofIRC), for: account)
    anna.say("/join ##tea")
    try anna.store.inbox.apply(
      [
        .joined(room: "##tea", nick: "anna"),
        .present(NetworkUser(identity: "benny", name: "Ben"), room: "##tea"),
      ], of: account)
    anna.look()
  }

  /// The requests since the last time, as `VERB TARGET [PERSON] TEXT`.
  private func asked() throws -> [String] {
    let requests = try anna.store.read { try $0.requests(of: account) }
    try anna.store.inbox.apply(requests.map { .answered($0, "") }, of: account)
    return requests.map { request in
      let person = request.person.isEmpty ? "" : "[\(request.person)]"
      return "\(request.verb.rawValue) \(request.target) "
        + [person, request.text].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }

  @Test(
    "3.5: if a message is sent while it is edited, the new text is the next line",
    arguments: ["", "my draft"])
  func sentMeanwhile(draft: String) throws {
    anna.say("/switch ##tea")
    anna.say("first text")
    anna.type(draft)
    anna.tell(.editLast)
    #expect(anna.picture[0] == "edit 1> first text|")
    let entry = try #require(try outbox.first)
    try anna.store.inbox.apply([.accepted(entry, archive: nil)], of: account)
    anna.look()
    _ = anna.news()
    #expect(anna.say("first text, corrected"))
    let said = anna.news().joined(separator: " ")
    #expect(said.hasPrefix("Message [1] was sent while you edited it. The network of ##tea"))
    if draft.isEmpty {
      #expect(said.hasSuffix("Your line is back."))
      #expect(anna.picture[0] == "##tea> first text, corrected|")
      #expect(anna.say(anna.text))
      #expect(try outbox.count == 1)
    } else {
      #expect(said.contains("Your line is in the history: press Up."))
      #expect(anna.picture[0] == "##tea> my draft|")
      #expect(anna.history.last == "first text, corrected")
    }
    #expect(!anna.session.mode.isEditing)
  }

  @Test("/quote and a line of the server names /irc, where the network takes such lines")
  func quotedLines() throws {
    anna.say("/switch ##tea")
    #expect(!anna.say("/quote LUSERS 1"))
    #expect(anna.printed.last?.hasSuffix("to the server, type /irc LUSERS 1") == true)
    anna.say("/switch #lobby")
    #expect(!anna.say("/quote LUSERS"))
    #expect(anna.printed.last?.contains("“LUSERS” is not a message number") == true)
  }

  @Test("13.5: the answer to a command comes below what happened before it")
  func answersComeInOrder() throws {
    anna.say("/switch ##tea")
    _ = try asked()
    anna.say("/kick Ben")
    anna.say("/ban Ben")
    anna.look()
    _ = anna.news()
    let requests = try anna.store.read { try $0.requests(of: account) }
    try anna.store.inbox.apply(
      [
        .absent(
          NetworkUser(identity: "benny", name: "Ben"), room: "##tea", removal: "removed by anna"),
        .answered(requests[0], ""), .answered(requests[1], "Ben can no longer enter ##tea."),
      ], of: account)
    anna.look()
    let printed = anna.news()
    #expect(printed.count == 2 && printed[0].contains("removed by anna"), "\(printed)")
    #expect(printed.last == "Ben can no longer enter ##tea.")
  }

  private var outbox: [OutboxEntry] {
    get throws { try anna.store.read { try $0.outbox(of: account.network) } }
  }

  @Test("people are named as others see them, and the network gets their identity")
  func people() throws {
    _ = try asked()
    let lines = [
      "/whois Ben", "/whois nobody", "/whois ben@irc.x.org", "/kick ben", "/kick Ben too loud",
      "/ban ben", "/ban *!*@irc.x.org", "/unban nobody", "/op ben", "/deop ben",
      "/ctcp ben VERSION", "/invite ben", "/contact add ben", "/whois anna",
    ]
    for line in lines { #expect(anna.say(line), "\(line)") }
    #expect(
      try asked() == [
        "whois benny ", "whois nobody ", "whois benny ", "kick ##tea [benny]",
        "kick ##tea [benny] too loud", "ban ##tea [benny]", "ban ##tea [*!*@irc.x.org]",
        "unban ##tea [nobody]", "op ##tea [benny]", "deop ##tea [benny]", "ctcp benny VERSION",
        "invite ##tea [benny]", "subscribe benny ", "whois anna ",
      ])
    for line in ["/kick", "/ban", "/op a b", "/whois", "/whois a b", "/ctcp ben", "/irc"] {
      #expect(!anna.say(line), "\(line)")
      #expect(anna.printed.last?.hasPrefix("Usage: ") == true, "\(line)")
    }
  }

  @Test("/msg finds somebody by the present name, also when another has it on this machine")
  func findsByName() throws {
    _ = try town.person("ben", in: "kitchen")
    anna.say("/msg ben hello")
    #expect(try outbox.map(\.conversation) == [.direct("benny")])
    try anna.store.inbox.apply(
      [.renamed(NetworkUser(identity: "benny", name: "Bernd"), room: nil, former: "Ben")],
      of: account)
    anna.look()
    anna.say("/msg bernd@irc.x.org again")
    #expect(try outbox.map(\.conversation) == [.direct("benny"), .direct("benny")])
    anna.say("/switch #lobby")
    anna.say("/msg bernd more")
    #expect(try outbox.map(\.conversation).count { $0 == .direct("benny") } == 3)
  }

  @Test("of two people by a name, it is the one who is here; else hobnob asks which")
  func twoByAName() throws {
    let other = NetworkUser(identity: "ben/oftc", name: "Ben")
    anna.say("/join &here")
    try anna.store.inbox.apply(
      [.joined(room: "&here", nick: "anna"), .present(other, room: "&here")], of: account)
    anna.say("/switch ##tea")
    anna.look()
    _ = try asked()
    anna.say("/whois ben")
    #expect(try asked() == ["whois benny "])
    anna.say("/switch #lobby")
    anna.say("/whois ben")
    #expect(anna.question?.text.contains("2: ben/oftc@irc.x.org") == true)
    anna.answer("2")
    anna.say("/whois ben/oftc@irc.x.org")
    #expect(try asked() == ["whois ben/oftc ", "whois ben/oftc "])
  }

  @Test("/mode is about the open room, another room, or in a direct chat about oneself")
  func modes() throws {
    anna.say("/join #tea")
    anna.say("/switch ##tea")
    _ = try asked()
    for line in ["/mode", "/mode +o ben", "/mode #tea +m"] { anna.say(line) }
    anna.say("/msg ben")
    anna.say("/mode +i")
    #expect(try asked() == ["mode ##tea ", "mode ##tea +o ben", "mode #tea +m", "mode  +i"])
  }

  @Test("1.12: a line in the network's own language leaves no trace once it is answered")
  func ownLanguage() throws {
    _ = try asked()
    anna.say("/alias raw /irc")
    anna.say("/irc PRIVMSG NickServ :IDENTIFY sesame")
    anna.say("/raw LIST sesame")
    #expect(
      try asked() == ["line ##tea PRIVMSG NickServ :IDENTIFY sesame", "line ##tea LIST sesame"])
    for line in [
      "/query NickServ IDENTIFY sesame", "IDENTIFY sesame", "/msg NickServ GHOST anna sesame",
      "/notice nickserv id sesame",
      "/msg Q@irc.x.org AUTH anna sesame",
    ] {
      #expect(anna.say(line), "\(line)")
    }
    anna.say("/msg ben sesame")
    let stored = try #require(anna.session.shellID)
    let history = try anna.store.read {
      try $0.inputHistory(of: anna.session.me.id, shell: stored, limit: 100)
    }
    for lines in [history, anna.history] {
      #expect(Set(lines.filter { $0.contains("sesame") }) == ["/msg ben sesame"])
      #expect(lines.contains("/alias raw /irc"))
    }
    let left = try anna.store.read { snapshot in
      try snapshot.database.rows("SELECT text FROM request WHERE text LIKE '%sesame%'") {
        $0.text()
      }
    }
    #expect(left == [])
  }

  @Test("an answer of several lines is printed as lines, each of them harmless")
  func answers() throws {
    anna.say("/whois ben")
    let request = try #require(try anna.store.read { try $0.requests(of: account) }.last)
    try anna.store.inbox.apply(
      [.answered(request, "Ben (b@x.org): Ben\nin #tea\u{1B}[31m\naway: out")], of: account)
    _ = anna.news()
    anna.look()
    #expect(anna.news() == ["Ben (b@x.org): Ben", "in #tea^[[31m", "away: out"])
  }

  @Test("/notice sends a notice to a person or a room, and stays where it is typed")
  func notices() throws {
    anna.say("/switch lobby")
    anna.say("/notice ben two\nlines")
    #expect(anna.printed.last == "To @Ben: two lines")
    anna.say("/notice ##tea news")
    #expect(anna.printed.last == "To ##tea: news")
    #expect(anna.picture[0].hasPrefix("#lobby>"))
    anna.say("/switch ##tea")
    #expect(
      try outbox.map { "\($0.conversation) \($0.message.kind) \($0.message.body)" } == [
        "direct(\"benny\") notice two\nlines", "room(\"##tea\") notice news",
      ])
    #expect(anna.history.contains("/notice ##tea news"))
    anna.say("/cancel")
    #expect(anna.text == "/notice ##tea news")
    anna.type("")
    #expect(!anna.say("/notice ben"))
    #expect(!anna.say("/notice #nowhere hi"))
    anna.say("/notice #lobby here too")
    anna.say("/switch lobby")
    #expect(try anna.newest()?.kind == .notice)
  }

  @Test("on this machine a sentence says why not, and completion leaves them out")
  func onThisMachine() throws {
    func offered() -> Set<String> {
      Set(anna.session.candidates(after: .command).map(\.text))
    }
    let all: Set = ["whois", "kick", "ban", "unban", "op", "deop", "mode", "ctcp", "irc"]
    #expect(offered().isSuperset(of: all))
    anna.say("/msg ben")
    #expect(offered().intersection(all) == ["whois", "mode", "ctcp", "irc"])
    _ = try town.person("cleo", in: "kitchen")
    anna.say("/switch #lobby")
    #expect(offered().isDisjoint(with: all))
    _ = try asked()
    #expect(!anna.say("/kick cleo"))
    #expect(
      anna.printed.last == "/kick works only in a room on a network, and #lobby is not one.")
    #expect(!anna.say("/mode +m"))
    #expect(
      anna.printed.last == "#lobby is on this machine, where conversations have no modes.")
    #expect(!anna.say("/whois cleo"))
    #expect(
      anna.printed.last
        == "cleo is on this machine; for somebody on irc.x.org, type /whois cleo@irc.x.org.")
    anna.say("/whois stranger")
    anna.say("/irc VERSION")
    #expect(try asked() == ["whois stranger ", "line  VERSION"])
    // An account whose network answers nothing does not make it ambiguous.
    var abilities = Abilities()
    abilities.serverCommands = false
    try anna.provide(NetworkAbilities(rooms: abilities), for: anna.added("xmpp:anna@x.org"))
    #expect(anna.say("/whois stranger"))
    #expect(try asked() == ["whois stranger "])
    let loner = try Town().person("dora")
    #expect(!loner.say("/irc VERSION"))
    #expect(loner.printed.last?.hasPrefix("You have no account yet") == true)
  }

  @Test("names complete where somebody is named")
  func completion() throws {
    for command in ["whois", "kick", "ban", "op", "ctcp", "notice"] {
      let line = "/\(command) Be"
      let offered = anna.session.commandArgument(in: line, caret: line.utf8.count)?.candidates
      #expect(offered?.contains { $0.text == "Ben" } == true, "\(line)")
    }
    anna.say("/names")
    #expect(anna.printed.contains { $0.hasPrefix("  Ben ") })
  }
}
