// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// What is said where somebody may have meant something else, or wants to know what was done.
@MainActor
@Suite("10: Hints")
struct HintTests {
  let town: Town
  let anna: Person

  /// Anna is in #lobby, #general and #dev, joined in this order, and looks at #dev.
  init() throws {
    town = try Town()
    anna = try town.person("anna")
    for room in ["general", "dev"] { anna.say("/join " + room) }
    _ = anna.news()
  }

  private var prompt: String { anna.picture[0] }

  // MARK: Where to go

  @Test("13.1: /switch takes the number in /list, unless a person or a room has that name")
  func numbers() throws {
    anna.say("/list")
    #expect(anna.news() == ["    Name", "  1 #lobby", "  2 #general", "* 3 #dev"])
    anna.say("/switch 2")
    #expect(prompt == "#general> |")
    #expect(!anna.say("/switch 9"))
    #expect(anna.printed.last == "There is no room named 9, and /list has no number 9.")
    anna.tell(.move(.number(9)))
    #expect(anna.notice == "There is no conversation 9 in /list")
    anna.text = ""
    _ = try town.person("ben", in: "1")
    anna.say("/switch 1")
    #expect(anna.session.open.conversation?.name == "#1")
    let script = try town.person("anna", outputMode: .batch)
    #expect(script.say("/switch 3") && script.session.open.conversation?.name == "#dev")
  }

  @Test("13.1: /switch -, +1 and -1 do the same as C-x C-l, C-x C-n and C-x C-p")
  func moves() throws {
    for (command, name) in [("-", "general"), ("-", "dev"), ("+1", "lobby"), ("-1", "dev")] {
      anna.say("/switch " + command)
      #expect(prompt == "#\(name)> |")
    }
    let ben = try town.person("ben")
    for command in ["-", "+1", "-1"] {
      #expect(!ben.say("/switch " + command))
      #expect(ben.printed.last == "There is no other conversation to go to.")
    }
  }

  @Test("13.6: /leave without a former conversation goes to the one with the latest message")
  func leaving() throws {
    let ben = try town.person("ben", in: "general")
    anna.say("/switch general")
    anna.say("hello")
    anna.say("/switch dev")
    let again = try town.person("anna", in: "dev")
    again.say("/leave")
    #expect(again.picture[0] == "#general> |")
    ben.say("/leave")
    #expect(ben.picture[0] == "#general (left)> |")
  }

  @Test(
    "13.4: the only name with this beginning is a near name",
    arguments: [("gen", "#gen", "#general"), ("LOB", "#LOB", "#lobby"), ("@be", "@be", "@ben")])
  func beginnings(typed: String, shown: String, meant: String) throws {
    for name in ["ben", "cem", "cat"] { _ = try town.person(name) }
    anna.say("/switch " + typed)
    #expect(anna.question?.text == "There is no \(shown). y: go to \(meant), any other key: stay")
    anna.answer("y")
    #expect(prompt == meant + "> |")
    anna.text = ""
    // Of two that begin so neither is.
    anna.say("/switch c")
    #expect(anna.question == nil && anna.printed.last == "There is no room c; /join makes it.")
    anna.text = ""
    // Who makes a room may well want this name.
    anna.say("/join gene")
    #expect(anna.question == nil && prompt == "#gene> |")
  }

  @Test("13.2: text deleted to type a command is the draft, even if the command asks a question")
  func clearedForAQuestion() throws {
    anna.type("half a thought")
    anna.type("")
    anna.say("/switch lobbi")
    anna.answer("y")
    #expect(prompt == "#lobby> |")
    anna.say("/switch dev")
    #expect(prompt == "#dev> half a thought|")
  }

  @Test(
    "13.4: of several rooms, an impossible one does not stop the others", arguments: [true, false])
  func severalOrNone(interactive: Bool) throws {
    let ben = try town.person("ben", outputMode: interactive ? .tty : .batch)
    let tooLong = String(repeating: "x", count: 65)
    #expect(!ben.say("/join new,\(tooLong)"))
    #expect(try ben.store.read { try $0.room("new") } == nil)
    #expect(ben.say("/join tea,tea"))
    #expect(ben.session.open.conversation?.name == "#tea")
  }

  @Test("13.1, 13.4: C-x b asks as /switch does, and the line stays behind as the draft")
  func switcher() throws {
    anna.type("half")
    anna.tell(.move(.choose))
    anna.say("lobbi")
    #expect(prompt == "#dev> half|")
    #expect(anna.question?.text == "There is no #lobbi. y: go to #lobby, any other key: stay")
    anna.answer("y")
    #expect(prompt == "#lobby> |")
    anna.tell(.move(.last))
    #expect(prompt == "#dev> half|")
  }

  @Test(
    "13.4: /msg names the people who may be meant, or the room",
    arguments: [
      ("benn", "There is no one named benn; did you mean /msg ben?"),
      ("@cl", "There is no one named cl; did you mean /msg cleo?"),
      ("#dev", "#dev is a room; /switch #dev goes there."),
      ("tea", "#tea is a room; /join #tea goes there."),
      ("zoe", "No one named zoe has used this store."),
    ])
  func nobody(name: String, sentence: String) throws {
    _ = try town.person("ben", in: "tea")
    _ = try town.person("cleo")
    #expect(!anna.say("/msg \(name) hi"))
    #expect(anna.printed.last == sentence && anna.text == "/msg \(name) hi")
  }

  @Test("10: /join takes several rooms, enters the last, and asks about no near names")
  func several() throws {
    anna.say("/join #one,two,#three,")
    #expect(prompt == "#three> |")
    #expect(anna.news().contains("You are also in #one (new room), #two (new room)."))
    #expect(
      try anna.store.read { try $0.listing(for: anna.session.me.id) }.map(\.conversation.name)
        .sorted()
        == ["#dev", "#general", "#lobby", "#one", "#three", "#two"])
    #expect(!anna.say("/join four,lobbi"))
    #expect(
      anna.printed.last
        == "There is no room #lobbi. Did you mean #lobby? To create #lobbi, name it alone: /join #lobbi"
    )
    #expect(!anna.say("/join ,"))
    #expect(try anna.store.read { try $0.rooms() }.count == 6)
    _ = try anna.store.writeDurablyIfNeeded { try $0.makeRoom("a,b") }
    anna.say("/join a,b")
    #expect(prompt == "#a,b> |")
  }

  // MARK: What was found

  @Test("10: /search begins with what it searched for and how many hits there are")
  func searches() throws {
    for number in 1...22 { anna.say("the build \(number)") }
    anna.say("kettle")
    _ = anna.news()
    anna.say("/search  kettle in:dev")
    #expect(anna.news().first == "Search for kettle in:dev: 1 found.")
    anna.say("/search build")
    #expect(
      anna.news().first
        == "Search for build: the newest 20; /search with no words shows older matches.")
    anna.say("/search")
    #expect(anna.news().first == "Search for build: 2 older.")
  }

  @Test(
    "10: if nothing is found, longer words that would match are named",
    arguments: [
      (
        "buil",
        "No messages match. To also find longer words that begin like these, search for buil*."
      ),
      (
        "\"the buil\"",
        "No messages match. To also find longer words that begin like these, search for \"the buil\"*."
      ),
      (
        "from:anna buil",
        "No messages match. To also find longer words that begin like these, search for buil*."
      ),
      ("tea", "No messages match."), ("tea*", "No messages match."),
    ])
  func longerWords(query: String, sentence: String) {
    anna.say("the build is red")
    // The question was answered: the line goes.
    #expect(anna.say("/search " + query))
    #expect(anna.printed.last == sentence)
  }

  @Test("7.7: /unread names the first message that mentions me")
  func firstMention() throws {
    let ben = try town.person("ben", in: "general")
    for text in ["one", "@anna two", "three", "anna: four"] { ben.say(text) }
    anna.look()
    anna.say("/unread")
    #expect(anna.printed.last == "  #general  4 unread  2 mentions [2]")
  }

  // MARK: What was done

  @Test("10: /set and /alias show the current value, and how long it lasts")
  func preferences() {
    anna.say("/set timestamps off")
    #expect(anna.notice == "timestamps is off until you quit; to keep it, put it in hobnobrc")
    anna.say("/alias j join")
    #expect(anna.notice == "/j is /join until you quit; to keep it, put it in hobnobrc")
    anna.say("/alias j")
    #expect(anna.notice == "/j is no longer an alias")
  }

  @Test("7.8: /react takes a shortcode without colons, and names the number that was typed")
  func reactions() throws {
    town.environment["HOBNOB_SHARE"] = EmojiTableTests.share
    let ben = try town.person("ben", in: "dev")
    ben.say("hello")
    _ = ben.news()
    ben.say("/react 1 heart")
    #expect(ben.news().last?.hasSuffix("    ❤️ ben") == true)
    #expect(!ben.say("/react 1 hearty"))
    #expect(ben.printed.last == "hearty is not an emoji; /react 1 :tada: reacts with one.")
  }

  @Test(
    "7.8: without an emoji table the refusal says so, and does not blame the emoji",
    arguments: [
      "/react 1 :tada:", "+:tada:",
    ])
  func noTable(line: String) throws {
    _ = try town.folder.write("emoji.tsv")
    town.environment["HOBNOB_SHARE"] = town.folder.path
    let ben = try town.person("ben", in: "dev")
    ben.say("hello")
    #expect(!ben.say(line))
    #expect(
      ben.printed.last
        == "hobnob found no list of emoji, so it sent no reaction; the list belongs in share/hobnob/emoji.tsv beside the program."
    )
  }

  @Test("10: mistakes in settings files are reported in the order of the lines")
  func orderOfComplaints() throws {
    let other = try town.folder.write("other", "/bind five\n/nonsense\n/bind six\n")
    let path = try town.folder.write(
      "rc", "/bind two\n/set nosuch on\n/source \(other)\n/bind fine\n/bind seven\n/set x\n")
    var rc = RcFile()
    var complaints: [SafeText] = []
    try rc.read(path) { complaints.append($0) }
    let all = KeyBinding.complaints(of: rc.bindings, among: complaints) {
      $0 == "fine" ? [] : ["no key"]
    }
    let places = all.map {
      $0.string.matches(of: /(rc|other), line (\d)/).map { "\($0.1) \($0.2)" }
    }
    #expect(
      places == [
        ["rc 1"], ["rc 2"], ["other 1"], ["rc 3", "other 2"], ["other 3"], ["rc 5"], ["rc 6"],
      ])
  }
}
