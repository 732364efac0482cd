// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import Testing

@testable import ChatSession

/// Accounts on networks as their owner has them; what a network says is put into the store here.
@MainActor
@Suite("Accounts on networks")
struct AccountTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  private func account() throws -> Account {
    try #require(try anna.store.accounts(of: anna.session.me.id).first)
  }

  private func added() throws -> Account {
    anna.say("/account add anna@x.org --host h.x.org")
    return try account()
  }

  @Test("without one, /account says in three lines how to get one")
  func saysHow() {
    let before = anna.printed.count
    anna.say("/account")
    #expect(anna.printed.count == before + 3)
    #expect(anna.printed.last?.contains("hobnob account register") == true)
  }

  @Test("adding one keeps what it was told, asks for the password, and tells nobody else")
  func adds() throws {
    let account = try added()
    #expect(account.network == "xmpp:anna@x.org")
    #expect(account.settings == ["host": "h.x.org"])
    #expect(anna.connected.map(\.network) == ["xmpp:anna@x.org"])
    #expect(anna.connected.map(\.asks) == [true])
    let ben = try town.person("ben")
    ben.say("/account list")
    #expect(ben.printed.last == "You have no account.")
    ben.say("/account add anna@x.org")
    #expect(ben.printed.last?.contains("anna@x.org") == true)
    #expect(ben.connected.isEmpty)
  }

  @Test("with a command for the password nobody is asked")
  func asksNobody() {
    anna.say("/account add anna@x.org --password-command 'pass show x'")
    #expect(anna.connected.map(\.asks) == [false])
  }

  @Test(
    "what cannot be an account is refused with a sentence, and the line stays",
    arguments: [
      ("/account add anna", "is not an address"), ("/account add a@b@c", "is not an address"),
      ("/account add anna@x.org --shoe 4", "An account has no shoe"),
      ("/account add anna@x.org --port 0", "A port is a number"),
      ("/account remove ben@x.org", "You have no account yet"), ("/account sing", "Usage"),
    ])
  func refuses(line: String, sentence: String) throws {
    #expect(!anna.say(line))
    #expect(anna.printed.last?.contains(sentence) == true, "\(anna.printed.last ?? "")")
    #expect(try anna.store.accounts(of: anna.session.me.id).isEmpty)
    #expect(anna.connected.isEmpty)
  }

  @Test("what its process is at stands in the status line, and nothing once all is well")
  func showsTheStatus() throws {
    let account = try added()
    let process = try town.store()
    try process.setStatus(of: account, "catching up 1,204")
    anna.look()
    #expect(anna.status().contains("xmpp: catching up 1,204"))
    try process.setStatus(of: account, "uploading a.png 45 %")
    anna.look()
    #expect(anna.status().contains("xmpp: uploading a.png ████░░░░░░ 45 %"))
    try process.setStatus(of: account, "at 700 %")
    anna.look()
    #expect(anna.status().contains("xmpp: at 700 %"))
    try process.setStatus(of: account, "")
    anna.look()
    #expect(!anna.status().contains("xmpp"))
  }

  @Test("a shell starts what is wanted; what ended with a reason is started by a new one only")
  func startsTheProcess() throws {
    let account = try added()
    let process = try town.store()
    try #require(try process.takeLease(of: account))
    anna.wait(20_000)
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 1)
    #expect(try town.person("anna").connected.isEmpty)
    // It was killed: its file is not locked any more.
    process.close()
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 2)
    #expect(anna.connected.last?.asks == false)
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 2)
    // One that dies at once is started again, but not without a pause.
    anna.wait(20_000)
    #expect(anna.connected.count == 3)
    let other = try town.store()
    try other.setStatus(of: account, "needs its password; /connect asks for it")
    anna.wait(20_000)
    anna.tell(.rang(.somebodyDied))
    #expect(anna.connected.count == 3)
    #expect(try town.person("anna").connected.count == 1)
  }

  @Test("8: /join and /msg take addresses, and short names where the open conversation is there")
  func namesOfANetwork() throws {
    let account = try added()
    try anna.store.set(account, settings: ["rooms": "rooms.x.org"])
    anna.say("/join tea@rooms.x.org")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org"))
    anna.say("/join ops")
    anna.say("/msg ben")
    #expect(anna.picture[0].hasPrefix("@ben"))
    anna.say("hello")
    let wanted = try anna.store.requests(of: account)
    #expect(wanted.map(\.verb) == [.join, .join])
    #expect(wanted.map(\.target) == ["tea@rooms.x.org", "ops@rooms.x.org"])
    let outbox = try anna.store.outbox(of: account.network)
    #expect(outbox.map(\.place) == [.direct("ben@x.org")])
    // From a conversation of this machine a bare name stays one of this machine.
    anna.say("/switch #lobby")
    anna.say("/join cake")
    #expect(try anna.store.requests(of: account).count == 2)
  }

  @Test("what is called alike is told apart by its address")
  func namesThatAreAlike() throws {
    let account = try added()
    _ = try town.person("ben", in: "tea")
    anna.say("/join tea@rooms.x.org")
    anna.say("/msg ben@x.org")
    #expect(anna.picture[0].hasPrefix("@ben@x.org>"))
    try town.store().take(
      [
        .called(room: "tea@rooms.x.org", name: "tea"),
        .contact(Speaker(identity: "ben@x.org", name: "ben"), isOnline: true, away: nil),
        .contact(Speaker(identity: "cem@x.org", name: "cem"), isOnline: false, away: nil),
      ], of: account)
    anna.look()
    #expect(anna.picture[0].hasPrefix("@ben@x.org>"))
    anna.say("/list")
    #expect(anna.printed.contains { $0.contains("#tea@rooms.x.org") })
    anna.say("/switch #lobby")
    anna.say("/msg cem@x.org")
    #expect(anna.picture[0].hasPrefix("@cem>"))
    let people = anna.session.candidates(behind: .person).map(\.text)
    #expect(people.filter { $0.hasPrefix("ben") } == ["ben", "ben@x.org"])
    // Joined from here as well, and asked of the network.
    anna.say("/switch #lobby")
    let before = try anna.store.requests(of: account).count
    anna.say("/join #tea@rooms.x.org")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org>"))
    #expect(try anna.store.requests(of: account).count == before + 1)
    anna.say("/contact")
    #expect(anna.printed.suffix(2) == ["  ben (ben@x.org)  here", "  cem (cem@x.org)  not here"])
  }

  @Test("an address needs an account, and where there are two, one of them")
  func addressesNeedAnAccount() throws {
    for line in ["/join tea@x.org", "/join cake,tea@x.org", "/msg ben@x.org", "/contact"] {
      #expect(!anna.say(line))
      #expect(anna.printed.last?.contains("You have no account yet") == true, "\(line)")
    }
    #expect(try anna.store.rooms(for: anna.session.me.id).map(\.name) == ["#lobby"])
    _ = try added()
    anna.say("/contact")
    #expect(anna.printed.last?.contains("no contact yet") == true)
    anna.say("/account add anna@y.org")
    #expect(!anna.say("/join tea@rooms.x.org"))
    #expect(anna.printed.last?.contains("Which account?") == true)
    // One room by two accounts is two, and the list says which is whose.
    let network = try town.store()
    for account in try anna.store.accounts(of: anna.session.me.id) {
      try network.take([.joined(room: "tea@rooms.x.org", nick: "anna")], of: account)
    }
    anna.look()
    anna.say("/list")
    for name in ["x", "y"] {
      #expect(anna.printed.contains { $0.hasSuffix("#tea@rooms.x.org  xmpp:anna@\(name).org") })
    }
    anna.say("/switch 3")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org>"))
    anna.say("/switch #lobby")
    anna.say("/account remove anna@y.org")
    anna.say("/join cake@rooms.x.org,tea@rooms.x.org")
    #expect(
      try anna.store.requests(of: account()).map(\.target) == [
        "cake@rooms.x.org", "tea@rooms.x.org",
      ])
  }

  @Test("what was learned of the server is no setting, and a file too large for it is not attached")
  func knowsTheServer() throws {
    let account = try added()
    var learned = account.settings
    learned["rooms"] = "rooms.x.org"
    learned["upload"] = "3"
    try anna.store.set(account, settings: learned)
    anna.look()
    anna.say("/account list")
    #expect(anna.printed.suffix(1) == ["    host h.x.org"])
    let path = town.folder.path + "/a.txt"
    try Data("four".utf8).write(to: URL(filePath: path))
    #expect(anna.say("/attach " + path))
    #expect(anna.say("/detach all"))
    anna.say("/msg ben@x.org")
    #expect(!anna.say("/attach " + path))
    #expect(anna.printed.last?.contains("too large for the server: it has 4 B") == true)
  }

  @Test("whom a room does not let in has not joined it")
  func refusedAtTheDoor() throws {
    let account = try added()
    anna.say("/join tea@rooms.x.org")
    try town.store().take(
      [.left(room: "tea@rooms.x.org", reason: "you are banned")], of: account)
    anna.look()
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org (not joined)>"))
  }

  @Test("1.12: a line with a password is carried out, and enters no history")
  func keepsPasswordsOutOfTheHistory() throws {
    let account = try added()
    let before = anna.history
    anna.say("/join tea@rooms.x.org --password sesame")
    #expect(anna.picture[0].hasPrefix("#tea@rooms.x.org"))
    #expect(try anna.store.requests(of: account).map(\.secret) == ["sesame"])
    #expect(!anna.say("/account add anna@y.org --password sesame"))
    #expect(!anna.say("/account set anna@x.org password sesame"))
    #expect(!anna.say("/join cake --password sesame"))
    #expect(anna.printed.last?.contains("have no password") == true)
    #expect(anna.history == before)
    let lines = try anna.store.history(
      of: anna.session.me.id, shell: try #require(anna.session.shellID), limit: 10)
    #expect(!lines.joined().contains("sesame"))
    // Once it is answered the store has it no more.
    try town.store().take(
      [.answered(try #require(try anna.store.requests(of: account).first), "")], of: account)
    let database = try Database(path: town.path, patience: 0)
    #expect(try !database.exists("SELECT 1 FROM request WHERE secret <> ''"))
  }

  @Test("in a network's room /nick changes the nickname there, and /who says who is away")
  func nicknames() throws {
    let account = try added()
    anna.say("/join tea@rooms.x.org")
    try town.store().take(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(Speaker(identity: "id-7", name: "zoe"), room: "tea@rooms.x.org", away: "lunch"),
        .present(Speaker(identity: "id-8", name: "kim"), room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    anna.say("/who")
    #expect(anna.printed.contains("  zoe  away: lunch"))
    #expect(anna.printed.contains("  kim  here"))
    anna.say("/nick annie")
    let asked = try #require(try anna.store.requests(of: account).last)
    #expect(asked.verb == .join && asked.text == "annie")
    #expect(anna.session.me.name == "anna")
  }

  @Test("/history goes on into the network's archive, before the oldest that is here")
  func historyGoesOn() throws {
    let account = try added()
    anna.say("/join tea@rooms.x.org")
    let zoe = Speaker(identity: "id-7", name: "zoe")
    let place = NetworkPlace.room("tea@rooms.x.org")
    let said = (1...25).map { number in
      NetworkNews.said(
        NetworkMessage(
          name: MessageName(archive: "a\(number)"), speaker: zoe, body: "\(number)",
          time: Int64(number) * 1000, isPast: true), in: place)
    }
    let network = try town.store()
    let joined = NetworkNews.joined(room: "tea@rooms.x.org", nick: "anna")
    try network.take([joined] + said.reversed(), of: account)
    anna.look()
    let before = try anna.store.requests(of: account).count
    anna.say("/history")
    #expect(try anna.store.requests(of: account).count == before)
    anna.say("/history 50")
    let asked = try #require(try anna.store.requests(of: account).last)
    #expect(asked.verb == .history && asked.target == "tea@rooms.x.org" && asked.text == "a1")
    #expect(anna.notice.contains("Older messages are being fetched"))
    try network.take([.answered(asked, "There is nothing older.")], of: account)
    anna.look()
    #expect(anna.notice.isEmpty && anna.printed.last == "There is nothing older.")
  }

  @Test("who is invited into a network's room is told how to enter it")
  func invited() throws {
    let account = try added()
    let ben = Speaker(identity: "tea@rooms.x.org/ben", name: "ben", isVerified: false)
    try town.store().take([.invited(room: "tea@rooms.x.org", by: ben)], of: account)
    anna.look()
    #expect(
      anna.printed.last?.contains(
        "ben invited you to #tea@rooms.x.org; /join #tea@rooms.x.org enters it.") == true)
    anna.say("/join #tea@rooms.x.org")
    #expect(try anna.store.requests(of: account).map(\.target) == ["tea@rooms.x.org"])
    // Who is in the room is no stranger who looks like a contact.
    try town.store().take(
      [
        .contact(Speaker(identity: "ben@x.org", name: "ben"), isOnline: true, away: nil),
        .invited(
          room: "cake@rooms.x.org",
          by: Speaker(identity: "cake@rooms.x.org/ben", name: "ben", isVerified: false)),
        .answeredContact(Speaker(identity: "cem@x.org"), isYes: true),
      ], of: account)
    anna.look()
    #expect(anna.printed.contains { $0.contains(" ben invited you to #cake@rooms.x.org") })
    #expect(anna.printed.contains("cem@x.org lets you see when they are there."))
  }

  @Test("being away is told to the networks that are wanted")
  func awayOnNetworks() throws {
    let account = try added()
    anna.say("/away lunch")
    anna.say("/back")
    anna.say("/disconnect")
    anna.say("/away tea")
    let asked = try anna.store.requests(of: account)
    #expect(asked.map(\.verb) == [.presence, .presence])
    #expect(asked.map(\.target) == ["away", ""])
    #expect(asked.map(\.text) == ["lunch", ""])
  }

  @Test("a room of a network says how many are there once that is known")
  func countsThoseThere() throws {
    let account = try added()
    anna.say("/join tea@rooms.x.org")
    let entrance = try #require(anna.printed.last { $0.contains("#tea@rooms.x.org") })
    #expect(!entrance.contains("here"))
    try town.store().take(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(Speaker(identity: "id-8", name: "kim"), room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    anna.say("/switch #lobby")
    anna.say("/switch #tea@rooms.x.org")
    #expect(anna.printed.last { $0.contains("#tea@rooms.x.org") }?.contains("1 other here") == true)
  }

  @Test("who was asked for is welcomed once connected, with where to go")
  func welcomes() throws {
    let account = try added()
    let process = try town.store()
    try #require(try process.takeLease(of: account))
    anna.look()
    #expect(anna.status().contains("xmpp: connecting"))
    try process.set(account, settings: ["rooms": "rooms.x.org"])
    try process.setStatus(of: account, "")
    anna.look()
    #expect(anna.printed.last?.contains("/join room@rooms.x.org enters a room") == true)
    let told = anna.printed.count
    try process.setStatus(of: account, "offline, next try in 1 s")
    try process.setStatus(of: account, "")
    anna.look()
    #expect(anna.printed.count == told)
    anna.say("/join tea@rooms.x.org")
    anna.say("/connect")
    #expect(anna.status().contains("xmpp: connecting"))
    try process.setStatus(of: account, "")
    anna.look()
    #expect(anna.printed.last == "anna@x.org is connected; /list shows what is there.")
  }

  @Test("an answer of the network is told in every shell of its owner, and to nobody else")
  func tellsAnswers() throws {
    let account = try added()
    let (second, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("/join tea@rooms.x.org")
    let asked = try #require(try anna.store.requests(of: account).first)
    try town.store().take([.answered(asked, "You are banned from tea.")], of: account)
    for shell in [anna, second, ben] { shell.look() }
    #expect(anna.printed.contains("You are banned from tea."))
    #expect(second.printed.contains("You are banned from tea."))
    #expect(!ben.printed.contains("You are banned from tea."))
  }

  /// A message of ben's that is the address of a file.
  private func getsAddress(_ body: String) throws -> Account {
    let account = try added()
    anna.say("/msg ben@x.org")
    let ben = Speaker(identity: "ben@x.org")
    try town.store().take(
      [
        .said(
          NetworkMessage(name: MessageName(origin: "1"), speaker: ben, body: body, links: [body]),
          in: .direct("ben@x.org"))
      ], of: account)
    anna.look()
    return account
  }

  /// The network's process has fetched what was asked for.
  private func fetches(_ request: NetworkRequest, _ account: Account) throws {
    let store = try town.store()
    let file = try ArrivingFile(into: store.attachmentFolder)
    try Array("x".utf8).withUnsafeBytes { try file.append($0) }
    try store.take(
      [.fetched(request, try file.finish(name: "a.txt")), .answered(request, "")], of: account)
    anna.look()
  }

  @Test("a file that is only an address is fetched by /save, and saved when it is there")
  func savesWhatHasToBeFetched() throws {
    let account = try getsAddress("https://files.x.org/a.txt")
    #expect(anna.printed.contains { $0.contains("ben: https://files.x.org/a.txt") })
    let path = town.folder.path + "/saved"
    #expect(anna.say("/save 1 " + path))
    #expect(!FileManager.default.fileExists(atPath: path))
    let request = try #require(try anna.store.requests(of: account).first)
    #expect(request.verb == .fetch && request.text == "https://files.x.org/a.txt")
    try fetches(request, account)
    #expect(anna.printed.contains { $0.contains("→ [1] ben: [file 1: a.txt, text/plain, 1 B]") })
    #expect(anna.printed.contains("Saved as " + path))
    #expect(FileManager.default.contents(atPath: path) == Data("x".utf8))
    // Other shells of hers do not save it again, and it is not fetched again.
    #expect(anna.say("/save 1 " + path))
    #expect(try anna.store.requests(of: account).isEmpty)
  }

  @Test("a file that cannot be fetched is told, and its address stays")
  func saysWhyNothingIsSaved() throws {
    let account = try getsAddress("https://files.x.org/a.txt")
    anna.say("/save 1 /tmp/never")
    let request = try #require(try anna.store.requests(of: account).first)
    try town.store().take(
      [.answered(request, "a.txt could not be fetched: gone.")], of: account)
    anna.look()
    #expect(anna.printed.contains("a.txt could not be fetched: gone."))
    #expect(!anna.printed.contains { $0.contains("Saved") })
    // What is no address of HTTPS is none.
    try town.store().take(
      [
        .said(
          NetworkMessage(
            name: MessageName(origin: "2"), speaker: Speaker(identity: "ben@x.org"),
            body: "http://x.org/a"), in: .direct("ben@x.org"))
      ], of: account)
    anna.look()
    #expect(!anna.say("/save 2"))
  }

  @Test("how much is fetched by itself is a number of megabytes", arguments: ["-1", "101", "x"])
  func refusesLimits(value: String) throws {
    _ = try added()
    #expect(!anna.say("/account set anna@x.org fetch " + value))
    #expect(anna.say("/account set anna@x.org fetch 0"))
    #expect(try account().fetchLimit == 0)
  }

  @Test("who is known from a room alone is not written to in private, nor is somebody of that name")
  func writesToNoOccupant() throws {
    let account = try added()
    anna.say("/join tea@rooms.x.org")
    let zoe = Speaker(identity: "id-7", name: "zoe")
    try town.store().take(
      [
        .joined(room: "tea@rooms.x.org", nick: "anna"),
        .present(zoe, room: "tea@rooms.x.org"),
      ], of: account)
    anna.look()
    #expect(!anna.say("/msg zoe hello"))
    #expect(anna.printed.last?.contains("zoe is known from a room alone") == true)
    #expect(try anna.store.outbox(of: account.network).isEmpty)
    anna.say("/who")
    #expect(!anna.printed.joined().contains("id-7"))
  }
}
