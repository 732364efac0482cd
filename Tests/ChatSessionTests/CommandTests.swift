// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession
@testable import NetworkInbox

@MainActor
@Suite("10: Commands and settings files")
struct CommandTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    anna.tell(.resized(rows: 24, columns: 200))
  }

  private var said: String { anna.printed.joined(separator: "\n") }

  @Test("1.11: an unknown command is refused as one, however many lines it has")
  func unknownWithNewlines() {
    #expect(!anna.say("/m one\ntwo"))
    #expect(said.contains("/m is not a command") && !said.contains("must fit on one line"))
    #expect(!anna.say("/CANCEL") && said.contains("Did you mean /cancel?"))
  }

  @Test("1.7, 1.1: a text over the limit is neither sent nor cut; trailing spaces do not count")
  func limit() throws {
    anna.say("/set message-limit 5")
    #expect(!anna.say("abcdefgh") && anna.text == "abcdefgh" && anna.bells == 1)
    #expect(said.contains("8 characters; at most 5 are allowed"))
    #expect(try anna.newest() == nil)
    #expect(anna.say("abcde  "))
    #expect(try anna.newest()?.number == 1)
  }

  @Test("3.7: /cancel takes the newest that no one else has, even behind one that others have")
  func cancelFindsTheUnsent() throws {
    let account = try anna.added()
    anna.say("/join tea@rooms.x.org")
    anna.say("still on its way")
    anna.say("all have this")
    let newer = try #require(try anna.newest())
    let entry = try #require(
      try anna.store.read { try $0.outbox(of: account.network) }
        .first { $0.message.id == newer.id })
    try anna.store.writeDurably { try $0.finish(entry, as: .sent) }
    anna.look()
    anna.say("/cancel")
    #expect(anna.text == "still on its way" && said.contains("anna took [1] back"))
  }

  @Test("10: an alias loop ends with a sentence, and a command's name cannot be an alias")
  func aliasLoops() {
    for line in ["/alias one /two", "/alias two /one", "/alias me2 /me2 again"] { anna.say(line) }
    for line in ["/one", "/two", "/me2"] {
      _ = anna.news()
      #expect(!anna.say(line) && said.contains("is not a command"), "\(line)")
    }
    #expect(!anna.say("/alias quit /who") && said.contains("/quit is already a command."))
    anna.say("/alias wave /me waves at")
    anna.say("/wave ben")
    #expect(anna.printed.last?.hasSuffix("waves at ben") == true)
  }

  @Test(
    "10: /set keep with anything but an age is refused with the values it takes",
    arguments: [
      "0d", "2", "y", "-1d", "1.5y", "2h", "3m", "1001y", "99999999999999999999d", "²d", "2y x",
    ])
  func keepRefusals(value: String) {
    #expect(!anna.say("/set keep \(value)"))
    #expect(said.contains("; use off") && said.contains("3mo"))
    _ = anna.news()
    anna.say("/set keep")
    #expect(anna.printed.last?.hasPrefix("keep off  ") == true)
  }

  @Test(
    "10: a settings file cannot set how long a conversation keeps its messages",
    arguments: ["/set keep 2y", "set keep"])
  func keepInAFile(line: String) throws {
    let path = try town.folder.write("rc", line + "\n")
    anna.say("/source \(path)")
    #expect(said.contains("line 1") && said.contains("/set keep 2y"))
    _ = anna.news()
    anna.say("/set keep")
    #expect(anna.printed.last?.hasPrefix("keep off  ") == true)
  }

  @Test("10: /source of a missing file is refused, and the line stays")
  func sourceRefusals() {
    for (line, reason) in [
      ("/source /no/such/file", "/no/such/file cannot be read: No such file or directory."),
      ("/source \(town.folder.path)", "hobnob cannot read settings from \(town.folder.path)."),
      ("/source /dev/zero", "hobnob cannot read settings from /dev/zero."),
      ("/source", "Usage: /source FILE"),
    ] {
      #expect(!anna.say(line) && anna.text == line)
      #expect(said.contains(reason), "\(said)")
    }
  }

  @Test("10: /source of a file that includes itself says so, and the rest applies")
  func sourceOfItself() throws {
    let path = try town.folder.write(
      "self", "/set bell off\n/source ~/self\n/nonsense\nset prompt-style bracket\n")
    anna.say("/source \(path)")
    #expect(said.contains("self, line 2: ") && said.contains("sources itself"))
    #expect(said.contains("self, line 3: /nonsense does not work in an rc file"))
    #expect(anna.picture[0] == "[#lobby] |")
    anna.say("/set bell")
    #expect(anna.printed.last?.hasPrefix("bell off") == true)
  }

  @Test(
    "10: /theme with an unknown name lists the themes",
    arguments: ["nosuch", "../x", "/etc/passwd"])
  func unknownThemes(name: String) throws {
    town.environment["HOBNOB_SHARE"] = EmojiTableTests.share
    let ben = try town.person("ben")
    ben.tell(.resized(rows: 24, columns: 200))
    #expect(!ben.say("/theme \(name)"))
    #expect(
      ben.printed.last
        == "There is no theme \(name); the themes are contrast, default, imessage, messenger, plain, slack."
    )
  }

  @Test("10: a theme's mistakes are reported by line, and the rest of it applies")
  func themeWithErrors() throws {
    _ = try town.folder.write(
      "share/themes/mine.theme",
      "# mine\n/set prompt-style bracket\n/set nosuch on\n/set accent red\n/set counter big\n")
    town.environment["HOBNOB_SHARE"] = town.folder.path + "/share"
    let ben = try town.person("ben")
    ben.tell(.resized(rows: 24, columns: 200))
    ben.say("/theme mine")
    let said = ben.printed.joined(separator: "\n")
    #expect(said.contains("mine.theme, line 3: nosuch is not a setting; /set lists them."))
    #expect(said.contains("mine.theme, line 5: “big” is not a valid value for counter"))
    #expect(ben.picture[0] == "[#lobby] |")
  }
}

@MainActor
@Suite("5: Drafts of several shells")
struct SeveralDraftsTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  private func draft() throws -> String? {
    let lobby = try #require(try anna.store.read { try $0.room("lobby") })
    return try anna.store.read { try $0.draft(of: anna.session.me.id, in: lobby.id) }?.text
  }

  /// Types a text that becomes the stored draft.
  private func begin(_ text: String, _ person: Person) throws {
    person.type(text)
    person.wait(1000)
    #expect(try draft() == text)
  }

  @Test("5.1, 5.3: a message sent by another shell of the same person takes no draft away")
  func anotherSender() throws {
    try begin("half typed", anna)
    try town.person("anna", outputMode: .batch).say("from cron")
    anna.look()
    #expect(try draft() == "half typed")
    let other = try town.person("anna")
    #expect(other.text == "half typed")
    // That one had it in its line, and emptied it.
    other.type("")
    other.say("hi")
    anna.look()
    anna.tell(.leave(status: 129))
    #expect(try draft() == "half typed")
  }

  @Test(
    "1.2, 5.3: a hang-up stores the line on the screen, whatever other shells did to the draft",
    arguments: ["/drafts clear", "hi", "C-c", "another"])
  func hangUp(what: String) throws {
    let second = try town.person("anna")
    try begin("of the first", anna)
    switch what {
    case "C-c":
      try begin("of the second", second)
      second.tell(.emptied)
      second.type("")
      second.wait(1000)
      #expect(try draft() == nil)
    case "another":
      second.say("typed")
      try begin("of the second", second)
    default: second.say(what)
    }
    anna.look()
    anna.tell(.leave(status: 129))
    #expect(anna.status == 129)
    #expect(try draft() == "of the first")
  }

  @Test("5.1, 5.3: a line that is set aside is stored, whatever another shell did to the draft")
  func setAside() throws {
    let second = try town.person("anna")
    try begin("of the first", anna)
    second.say("/drafts clear")
    try begin("of the second", second)
    anna.tell(.setAside)
    #expect(try draft() == "of the first")
  }

  @Test("5.1, 13.3: the line begun before a line of the history is set aside is stored, too")
  func setAsideFromTheHistory() throws {
    anna.say("first")
    anna.type("precious")
    anna.isLive = false
    anna.type("firstX")
    anna.tell(.setAside)
    #expect(anna.history.last == "precious")
    let stored = try anna.store.read {
      try $0.inputHistory(of: anna.session.me.id, shell: "", limit: 9)
    }
    #expect(stored.contains("precious"))
    #expect(try draft() == "firstX")
  }

  @Test("5.3: emptying a line keeps the draft that another shell of this person stored")
  func emptying() throws {
    let second = try town.person("anna")
    try begin("of the second", second)
    try begin("of the first", anna)
    second.type("")
    second.tell(.leave(status: 0))
    #expect(try draft() == "of the first")
    // Its own it takes away.
    anna.type("")
    anna.tell(.leave(status: 0))
    #expect(try draft() == nil)
  }

  @Test(
    "5.1: a sent line removes the draft it was; /drafts lists those of each conversation")
  func ofEach() throws {
    try begin("half", anna)
    anna.say("half and whole")
    #expect(try draft() == nil)
    for (room, text) in [("tea", "green or black"), ("dev", "hello all")] {
      anna.say("/join \(room)")
      anna.type(text)
      anna.wait(1000)
      anna.type("")
    }
    anna.say("/switch lobby")
    let other = try town.person("anna")
    other.say("/drafts")
    let listed = other.printed.joined(separator: "\n")
    #expect(listed.contains("green or black") && listed.contains("hello all"), "\(listed)")
  }
}
