// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// Going from one conversation to another.
@MainActor
@Suite("13: Getting around")
struct MovesTests {
  let town: Town
  let anna: Person
  let ben: Person

  /// Both are in #lobby, #dev and #tea, joined in this order; Ben looks at #lobby, Anna at #tea.
  init() throws {
    town = try Town()
    (anna, ben) = (try town.person("anna"), try town.person("ben"))
    for room in ["dev", "tea"] { ben.say("/join \(room)") }
    ben.say("/switch lobby")
    for room in ["dev", "tea"] { anna.say("/join \(room)") }
    ben.look()
    _ = ben.news()
  }

  private var prompt: String { ben.picture[0] }

  private func startOfCommand(in text: String) -> Int? {
    ben.session.composing.startOfCommandAfterDraft(in: text, ben.session.preferences)
  }

  private func drafts(of person: Person) throws -> [String: String] {
    Dictionary(
      uniqueKeysWithValues: try town.store().read { try $0.drafts(of: person.session.me.id) }.map {
        ($0.0.name, $0.1.text)
      })
  }

  // MARK: 13.1

  @Test("13.1: next and previous follow /list, and wrap around at its ends")
  func order() {
    for (move, prompt) in [
      (Move.next, "#dev> |"), (.next, "#tea> |"), (.next, "#lobby> |"), (.previous, "#tea> |"),
      (.number(2), "#dev> |"), (.number(1), "#lobby> |"),
    ] {
      ben.tell(.move(move))
      #expect(self.prompt == prompt, "\(move)")
    }
    ben.tell(.move(.number(4)))
    #expect(prompt == "#lobby> |" && ben.bells == 1)
  }

  @Test("13.1: passing a conversation prints nothing and marks nothing read; stopping at one does")
  func passing() throws {
    anna.say("in tea")
    anna.say("/switch dev")
    anna.say("in dev")
    ben.look()
    _ = ben.news()
    ben.tell(.move(.next))
    ben.wait(299)
    ben.tell(.move(.next))
    ben.wait(299)
    #expect(ben.news().isEmpty && prompt == "#tea> |")
    ben.wait(1)
    let printed = ben.news()
    #expect(printed.contains { $0.hasSuffix("anna: in tea") })
    #expect(!printed.contains { $0.contains("in dev") })
    anna.look()
    #expect(anna.picture[1].hasSuffix("[1] ✓✓ delivered"))
    #expect(ben.picture[1].contains("#dev"))
    anna.say("/switch tea")
    #expect(anna.picture[1].hasSuffix("[1] seen"))
  }

  @Test("13.1: stepping away and back to the same conversation changes nothing")
  func roundTrip() {
    ben.type("half")
    ben.tell(.move(.next))
    ben.tell(.move(.previous))
    ben.wait(1000)
    #expect(prompt == "#lobby> half|" && ben.news().isEmpty)
  }

  @Test("13.1: what is typed or sent within 300 ms of the key belongs to the new conversation")
  func typingOn() throws {
    ben.tell(.move(.next))
    ben.type("x")
    #expect(ben.session.open.conversation?.name == "#dev")
    ben.tell(.move(.next))
    ben.text = "to tea"
    #expect(ben.tell(.entered("to tea")))
    anna.look()
    #expect(anna.printed.last?.hasSuffix("ben: to tea") == true)
  }

  /// Something is unread in #tea and, for Ben, in #dev.
  private func makeUnread() {
    anna.say("hello")
    anna.say("/switch dev")
    anna.say("hello @ben")
    ben.look()
  }

  @Test(
    "13.1: M-a visits conversations with messages for me, then the others, then returns",
    arguments: [0, 300])
  func unread(pause: Int64) {
    makeUnread()
    ben.type("half")
    for prompt in ["#dev> |", "#tea> |"] {
      ben.tell(.move(.nextUnread))
      ben.wait(pause)
      #expect(self.prompt == prompt && ben.notice == "")
    }
    ben.tell(.move(.nextUnread))
    #expect(prompt == "#lobby> half|")
    #expect(ben.notice == "Nothing else is unread; you are back where you began")
    ben.wait(pause)
    ben.tell(.move(.nextUnread))
    // What was only passed through is still unread.
    #expect(prompt == (pause == 0 ? "#dev> |" : "#lobby> half|"))
    #expect(pause == 0 || ben.notice == "Nothing is unread elsewhere")
  }

  @Test(
    "13.1: a tour with M-a begins anew after another key, a command or a message",
    arguments: ["key", "command", "said", "name"])
  func unreadAnew(way: String) {
    anna.say("/switch dev")
    anna.say("hello @ben")
    ben.look()
    ben.tell(.move(.nextUnread))
    ben.wait(300)
    switch way {
    case "key": ben.tell(.move(.next))
    case "command": ben.say("/switch tea")
    case "said": ben.say("hello anna")
    default:
      ben.tell(.move(.choose))
      ben.say("tea")
    }
    ben.wait(300)
    let here = prompt
    ben.tell(.move(.nextUnread))
    #expect(prompt == here && here != "#lobby> |" && ben.notice == "Nothing is unread elsewhere")
  }

  @Test("13.1: M-a does not return to a conversation left meanwhile; looking does not end the tour")
  func unreadBack() throws {
    makeUnread()
    ben.tell(.move(.nextUnread))
    ben.wait(300)
    ben.say("/who")
    ben.tell(.move(.choose))
    _ = ben.press(.cancel)
    ben.tell(.move(.nextUnread))
    ben.wait(300)
    let lobby = try #require(try town.store().read { try $0.room("lobby") })
    try town.store().writeDurablyIfNeeded { try $0.leave(ben.session.me.id, lobby.id) }
    ben.look()
    ben.tell(.move(.nextUnread))
    #expect(prompt == "#tea> |" && ben.notice == "Nothing is unread elsewhere")
  }

  @Test("13.1: C-x C-l switches between two; /leave goes to the one before")
  func last() throws {
    ben.tell(.move(.last))
    #expect(prompt == "#tea> |")
    ben.tell(.move(.last))
    #expect(prompt == "#lobby> |")
    ben.tell(.move(.last))
    ben.wait(300)
    ben.tell(.move(.last))
    ben.wait(300)
    #expect(prompt == "#lobby> |")
    ben.say("/leave")
    #expect(prompt == "#tea> |")
    // Nobody is brought back to what they left.
    ben.tell(.move(.last))
    #expect(prompt == "#dev> |")
  }

  @Test("13.6: /leave without another conversation stays, read-only")
  func leaveAlone() throws {
    let cem = try town.person("cem")
    cem.say("/leave")
    #expect(cem.picture[0] == "#lobby (left)> |")
  }

  @Test("13.1: up to five lines of context are printed, then the unread messages")
  func context() {
    for number in 1...9 { ben.say("line \(number)") }
    ben.tell(.move(.next))
    ben.wait(300)
    anna.say("/switch lobby")
    anna.say("new\nlines")
    ben.look()
    _ = ben.news()
    ben.tell(.move(.last))
    ben.wait(300)
    let printed = ben.news().filter { $0.contains("line") }
    #expect(printed.count == 6)
    #expect(printed.first?.hasSuffix("line 5") == true, "\(printed)")
    #expect(printed.last?.hasSuffix("lines") == true)
  }

  // MARK: 13.2

  @Test("13.2: each conversation keeps its line, whichever way one leaves it")
  func lines() throws {
    ben.type("half a thought")
    ben.tell(.move(.next))
    #expect(prompt == "#dev> |")
    ben.type("for dev")
    ben.tell(.move(.choose))
    ben.say("lobby")
    #expect(prompt == "#lobby> half a thought|")
    ben.tell(.move(.last))
    #expect(prompt == "#dev> for dev|")
    #expect(try drafts(of: ben) == ["#lobby": "half a thought", "#dev": "for dev"])
  }

  @Test("13.2: switching during an edit cancels the edit, and the draft is unchanged")
  func editing() throws {
    ben.say("sent")
    ben.type("half")
    ben.tell(.editLast)
    ben.type("changed")
    ben.tell(.move(.next))
    #expect(prompt == "#dev> |")
    ben.wait(300)
    ben.tell(.move(.previous))
    #expect(prompt == "#lobby> half|")
    #expect(try drafts(of: ben) == ["#lobby": "half"])
  }

  @Test("13.2: text deleted to type a command is the draft; C-c discards it")
  func clearedForACommand() throws {
    ben.type("half a thought")
    ben.type("half")
    ben.type("")
    ben.type("/switch #te")
    ben.say("/switch #tea")
    #expect(try drafts(of: ben) == ["#lobby": "half a thought"])
    ben.say("/switch lobby")
    #expect(prompt == "#lobby> half a thought|")
    ben.tell(.emptied)
    ben.type("")
    ben.say("/switch tea")
    #expect(try drafts(of: ben).isEmpty)
    // Letter by letter is a slip of the fingers.
    for text in ["éèa👩‍👩‍👧", "éèa", "éè", "è", ""] { ben.type(text) }
    ben.say("/switch lobby")
    #expect(try drafts(of: ben).isEmpty)
    // What was sent was not deleted.
    ben.say("sent")
    ben.say("/switch dev")
    #expect(try drafts(of: ben).isEmpty)
  }

  @Test("1.11: a command typed right behind a restored draft is not sent with it")
  func commandBehindADraft() throws {
    ben.type("h")
    ben.tell(.move(.next))
    ben.tell(.move(.previous))
    #expect(prompt == "#lobby> h|")
    ben.say("h/switch #dev")
    #expect(
      ben.printed.last?.contains(
        "Your draft came back in front of the command /switch;")
        == true)
    #expect(prompt == "#lobby> h/switch #dev|")
    #expect(startOfCommand(in: ben.text) == 1)
    // Whoever types the next command behind that one has not sent either.
    #expect(!ben.say("h/switch/list"))
    #expect(startOfCommand(in: ben.text) == 1)
    #expect(startOfCommand(in: "h /switch #dev") == nil)
    ben.say("h /switch #dev")
    #expect(try ben.newest()?.body == "h /switch #dev")
    // Nothing came back into this one.
    ben.say("h/switch #dev")
    #expect(try ben.newest()?.body == "h/switch #dev")
  }

  // MARK: 13.3

  @Test("13.3: M-q stashes the line; it returns after the next message, the newest stash first")
  func setAside() throws {
    ben.type("a long one")
    ben.tell(.setAside)
    #expect(prompt == "#lobby> |")
    ben.type("another")
    ben.tell(.setAside)
    ben.say("quick")
    #expect(prompt == "#lobby> another|")
    #expect(try drafts(of: ben) == ["#lobby": "a long one\nanother"])
    ben.say("another")
    #expect(prompt == "#lobby> a long one|")
    ben.type("")
    ben.say("/who")
    #expect(prompt == "#lobby> |")
    ben.tell(.setAside)
    #expect(ben.bells == 1)
  }

  @Test("13.3, 1.2: a sent stash leaves the draft in one transaction with its message")
  func sentTextLeavesTheDraft() throws {
    ben.type("away")
    ben.tell(.setAside)
    ben.type("quick")
    ben.wait(1000)
    #expect(try drafts(of: ben) == ["#lobby": "away\nquick"])
    // The program ends here, before the next line begins.
    #expect(ben.tell(.entered("quick")))
    #expect(try drafts(of: ben) == ["#lobby": "away"])
  }

  @Test("13.3, 1.2: so it does after a locked store, and the line returns below the other stashes")
  func setAsideWhileLocked() throws {
    let lock = try Lock(town.path)
    ben.type("away")
    ben.tell(.setAside)
    ben.type("quick")
    ben.wait(1000)
    #expect(ben.tell(.entered("quick")))
    lock.release()
    ben.tell(.tick)
    ben.wait(100)
    #expect(try ben.newest()?.body == "quick")
    #expect(try drafts(of: ben) == ["#lobby": "away"])
  }

  @Test("5.1, 13.3: a line that is put away, and one that C-c empties, is stored at once")
  func storedAtOnce() throws {
    ben.type("one")
    ben.tell(.setAside)
    #expect(try drafts(of: ben) == ["#lobby": "one"])
    ben.type("two")
    ben.tell(.setAside)
    #expect(try drafts(of: ben) == ["#lobby": "one\ntwo"])
    ben.type("three")
    ben.tell(.emptied)
    #expect(try drafts(of: ben) == ["#lobby": "one\ntwo\nthree"])
    ben.type("")
    ben.wait(1000)
    #expect(try drafts(of: ben) == ["#lobby": "one\ntwo"])
    ben.say("quick")
    #expect(prompt == "#lobby> two|")
  }

  @Test("13.3: a notice about a stashed line ends when the line comes back")
  func asideNotice() {
    ben.type("away")
    ben.tell(.setAside)
    #expect(ben.notice == "Line set aside; it comes back after you send the next one")
    ben.tell(.setAside)
    #expect(prompt == "#lobby> away|" && ben.notice == "")
  }

  @Test("13.3: a refused line brings no stash back; an empty one brings the last")
  func notYet() {
    ben.type("away")
    ben.tell(.setAside)
    #expect(!ben.say("/nonsense"))
    #expect(ben.text == "/nonsense")
    ben.type("")
    ben.tell(.setAside)
    #expect(prompt == "#lobby> away|")
  }

  @Test("13.3: stashed lines belong to their conversation and are part of its draft")
  func asideElsewhere() throws {
    ben.type("away")
    ben.tell(.setAside)
    ben.type("below")
    ben.tell(.move(.next))
    #expect(try drafts(of: ben) == ["#lobby": "away\nbelow"])
    ben.say("in dev")
    #expect(prompt == "#dev> |")
    ben.tell(.move(.previous))
    #expect(prompt == "#lobby> below|")
    ben.say("below")
    #expect(prompt == "#lobby> away|")
    #expect(try drafts(of: ben) == ["#lobby": "away"])
  }

  @Test("13.3: a command that switches was run here: the stash is on the line on return")
  func asideAndSwitch() throws {
    ben.type("away")
    ben.tell(.setAside)
    ben.say("/switch tea")
    #expect(prompt == "#tea> |")
    ben.say("/switch lobby")
    #expect(prompt == "#lobby> away|")
    ben.type("")
    ben.say("/who")
    #expect(prompt == "#lobby> |")
  }

  @Test("13.3, 3.6: quitting keeps all stashed lines in the draft")
  func asideSurvives() throws {
    ben.type("one")
    ben.tell(.setAside)
    ben.type("two")
    ben.tell(.setAside)
    ben.type("three")
    ben.tell(.leave(status: 129))
    #expect(try town.person("ben").text == "one\ntwo\nthree")
  }

  @Test("13.3, 8.1: files go away with their line, and come back with it")
  func asideWithFiles() throws {
    ben.say("/attach \(try town.folder.write("cups.txt", "two cups"))")
    ben.type("with cups")
    ben.tell(.setAside)
    ben.say("quick")
    anna.say("/switch lobby")
    #expect(anna.printed.last?.hasSuffix("ben: quick") == true)
    #expect(prompt == "#lobby> with cups|" && ben.session.composing.files.waiting.count == 1)
  }
}
