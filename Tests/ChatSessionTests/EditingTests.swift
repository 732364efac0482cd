// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import StyledText
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

@MainActor
@Suite("3: Editing a sent message")
struct EditingTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  /// The texts in #lobby, the oldest first.
  private func texts() throws -> [String] {
    let lobby = try #require(try anna.store.read { try $0.room("lobby") })
    return try anna.store.read { try $0.messages(in: lobby.id, limit: 9, for: anna.session.me.id) }
      .sorted { $0.number < $1.number }.map(\.body)
  }

  @Test(
    "3.4: /cancel, C-g and unchanged text leave the message as it was",
    arguments: ["/cancel", "C-g", "unchanged"])
  func leaving(how: String) throws {
    anna.say("the message")
    anna.type("my draft")
    anna.tell(.editLast)
    #expect(anna.picture[0] == "edit 1> the message|")
    switch how {
    case "/cancel": anna.say("/cancel")
    case "C-g":
      anna.type("the message changed")
      #expect(anna.press(.cancel))
    default: anna.say("the message")
    }
    #expect(anna.picture[0] == "#lobby> my draft|")
    #expect(try texts() == ["the message"])
  }

  @Test("3.4: /cancel after a change saves nothing before a second Return")
  func cancelBehindChangedText() throws {
    anna.say("old text")
    anna.say("/edit")
    #expect(!anna.say("old text new/cancel"))
    #expect(anna.printed.joined(separator: " ").contains("Return again"))
    #expect(anna.press(.cancel))
    anna.say("/edit")
    anna.say("old text /cancel")
    #expect(anna.picture[0] == "#lobby> |")
    #expect(try texts() == ["old text"])
    anna.say("/edit")
    #expect(!anna.say("old text see src/cancel") && anna.say("old text see src/cancel"))
    #expect(try texts() == ["old text see src/cancel"])
  }

  @Test(
    "3.3, 3.9: blank text is refused, other commands too; edit mode stays",
    arguments: ["  ", "/list"])
  func refusals(line: String) throws {
    anna.say("the message")
    anna.say("/edit")
    #expect(!anna.say(line))
    #expect(anna.picture[0] == "edit 1> \(line)|")
    #expect(try texts() == ["the message"])
  }

  @Test("3.1: /edit N edits that message, /edit -2 the last but one; another person's is an error")
  func numbers() throws {
    try town.person("ben").say("not yours")
    for text in ["one", "two", "three"] { anna.say(text) }
    anna.say("/edit 2")
    #expect(anna.picture[0] == "edit 2> one|")
    #expect(anna.press(.cancel))
    anna.say("/edit -2")
    #expect(anna.picture[0] == "edit 3> two|")
    #expect(anna.press(.cancel))
    #expect(!anna.say("/edit 1"))
    #expect(anna.picture[0] == "#lobby> /edit 1|")
  }

  @Test("3.5: if the message is edited elsewhere meanwhile, that is said, and the typed text stays")
  func editedElsewhere() throws {
    let second = try town.person("anna")
    anna.say("the message")
    anna.say("/edit")
    anna.type("the message and more")
    second.look()
    second.say("/edit")
    second.say("the message, changed")
    anna.look()
    #expect(
      anna.printed.joined(separator: " ").contains(
        "Message [1] was edited elsewhere meanwhile"))
    #expect(anna.picture[0] == "edit 1> the message and more|")
    anna.say(anna.text)
    #expect(try texts() == ["the message and more"])
  }

  @Test("3.5, 7.10: a mention rings below the warning that the message was edited elsewhere")
  func ringsBelowTheWarning() throws {
    let (second, ben) = (try town.person("anna"), try town.person("ben"))
    anna.say("the message")
    anna.say("/edit")
    second.look()
    second.say("/edit")
    second.say("the message, changed")
    ben.say("anna: tea?")
    let effects = anna.handle(.bellRang(anna.store.drainBell()))
    let bell = try #require(effects.firstIndex { if case .bell = $0 { true } else { false } })
    let warning = try #require(
      effects.firstIndex {
        guard case .print(let lines) = $0 else { return false }
        return lines.contains { $0.plain.string.contains("was edited elsewhere") }
      })
    #expect(warning < bell)
  }

  @Test("3.4: C-g leaves the message and brings the draft back even if the store cannot be read")
  func leavesWithoutTheStore() throws {
    anna.say("the message")
    anna.type("a draft")
    anna.tell(.editLast)
    anna.text = "the message and more"
    anna.store.close()
    #expect(anna.press(.cancel) && anna.picture[0] == "#lobby> a draft|")
  }

  @Test("3.2, 8.1: C-c in edit mode empties the text and leaves the files of the draft")
  func emptyingLeavesTheFiles() throws {
    anna.say("one")
    anna.say("/attach \(try town.folder.write("f.txt", "x"))")
    anna.type("with file")
    anna.tell(.editLast)
    anna.tell(.emptied)
    anna.type("")
    #expect(anna.press(.cancel) && anna.picture[0] == "#lobby> with file|")
    _ = anna.news()
    anna.say("/attach")
    #expect(anna.news() == ["1  f.txt  1 B"])
  }

  @Test("3.7: /cancel takes back what no one has yet, says so, and brings the text back")
  func takesBack() throws {
    anna.say("too early")
    anna.say("/cancel")
    #expect(anna.picture[0] == "#lobby> too early|")
    #expect(anna.printed.joined(separator: " ").contains("anna took [1] back"))
    #expect(!anna.say("+:tada:"))
    #expect(anna.printed.joined(separator: " ").contains("no message here to react to"))
  }

  @Test("3.7: /cancel cannot take back what someone has; /delete deletes it for them")
  func takesNothingBack() throws {
    let ben = try town.person("ben")
    anna.say("in time")
    ben.look()
    anna.look()
    #expect(!anna.say("/cancel"))
    #expect(anna.printed.joined(separator: " ").contains("/delete"))
    anna.say("/delete")
    ben.look()
    #expect(ben.printed.joined(separator: " ").contains("deleted"))
    #expect(try texts().allSatisfy { !$0.contains("in time") })
  }
}
