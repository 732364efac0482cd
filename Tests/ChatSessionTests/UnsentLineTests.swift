// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

@MainActor
@Suite("1.2: Lines that the locked store did not take")
struct UnsentLineTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
    anna.tell(.resized(rows: 24, columns: 200))
  }

  private var said: String { anna.printed.joined(separator: "\n") }

  private func release(_ lock: Lock) {
    lock.release()
    anna.wait(100)
  }

  /// Anna's stored draft in a room.
  private func draft(in room: String = "lobby") throws -> String? {
    let store = try town.store()
    let id = try #require(try store.read { try $0.room(room) }).id
    return try store.read { try $0.draft(of: anna.session.me.id, in: id) }?.text
  }

  /// The lines that anna's next shell finds in its history, the oldest first.
  private func history() throws -> [String] {
    try town.store().read { try $0.inputHistory(of: anna.session.me.id, shell: "", limit: 9) }
  }

  @Test(
    "1.2: a line returns to the conversation it was written in, and nowhere else",
    arguments: ["C-g", "/cancel"], [true, false])
  func comesBackInItsOwnConversation(taking how: String, hasDraft: Bool) throws {
    _ = try town.person("ben")
    anna.say("/msg ben")
    anna.type("my secret")
    let lock = try Lock(town.path)
    anna.say("my secret")
    if hasDraft {
      anna.type("more")
      anna.tell(.emptied)
    }
    anna.say("/switch lobby")
    if how == "C-g" { #expect(anna.press(.cancel)) } else { anna.say(how) }
    #expect(said.contains("Your line for @ben was saved as a draft there."))
    #expect(anna.picture[0] == "#lobby> |")
    release(lock)
    anna.say("public")
    anna.say("/switch @ben")
    #expect(anna.picture[0] == "@ben> my secret|")
  }

  /// Another shell of anna's leaves a draft in #tea, where this one is.
  private func draftOfAnotherShell() throws {
    let other = try town.person("anna", in: "tea")
    anna.say("/join tea")
    other.type("of another shell")
    other.wait(1000)
    #expect(try draft(in: "tea") == "of another shell")
  }

  @Test("1.2: if another draft is there, the line goes into the history with its room's name")
  func doesNotTakeTheDraftsPlace() throws {
    try draftOfAnotherShell()
    let lock = try Lock(town.path)
    anna.say("green")
    anna.say("/switch lobby")
    #expect(anna.press(.cancel))
    #expect(said.contains("Your line for #tea is in the history: press Up."))
    release(lock)
    #expect(anna.history.last == "green")
    #expect(try draft(in: "tea") == "of another shell")
    #expect(try history().contains("green"))
  }

  @Test("1.2, 8.1: if another draft is there, a line with files goes above it: no file is lost")
  func goesAboveTheDraft() throws {
    let path = try town.folder.write("one.txt", "x")
    let other = try town.person("anna", in: "tea")
    anna.say("/join tea")
    anna.say("/attach \(path)")
    other.type("of another shell")
    other.wait(1000)
    anna.say("green")
    let lock = try Lock(town.path)
    anna.copyFiles()
    anna.say("/switch lobby")
    #expect(anna.press(.cancel))
    #expect(
      said.contains(
        "Your line for #tea, with its files, was added to the draft there."))
    release(lock)
    #expect(try draft(in: "tea") == "green\nof another shell")
    anna.say("/switch tea")
    _ = anna.news()
    anna.say("/attach")
    #expect(anna.news() == ["1  one.txt  1 B"])
  }

  @Test("1.2, 10: each of several returned lines is named")
  func namesEach() throws {
    let lock = try Lock(town.path)
    for line in ["the first", "the second", "the third"] { anna.say(line) }
    #expect(anna.press(.cancel))
    #expect(said.contains("Your line is back"))
    for line in ["the second", "the third"] {
      #expect(anna.press(.cancel))
      #expect(said.contains("Your line is in the history: press Up. It begins: \(line)"))
    }
    release(lock)
  }

  @Test(
    "1.2: quitting keeps a line the store did not take, and its exit status says so",
    arguments: [
      (0, "", 1, "patience"), (129, "", 129, "patience"), (129, "next", 129, "patience\nnext"),
    ] as [(Int32, String, Int32, String)])
  func leavingKeepsTheLine(how: Int32, next: String, status: Int32, kept: String) throws {
    let lock = try Lock(town.path)
    anna.say("patience")
    anna.type(next)
    anna.tell(how == 0 ? .ended : .leave(status: how))
    anna.wait(11_000)
    #expect(anna.status == nil)
    release(lock)
    #expect(anna.status == status)
    #expect(said.contains("Your line for #lobby was saved as a draft there."))
    #expect(try draft() == kept)
  }

  @Test(
    "1.2, 8.1: a line that goes into the history leaves its files waiting, before others",
    arguments: ["with file", ""])
  func filesWaitAgain(line: String) throws {
    let paths = try ["one.txt", "two.txt"].map { try town.folder.write($0, "x") }
    anna.say("/attach \(paths[0])")
    anna.say(line)
    let lock = try Lock(town.path)
    anna.copyFiles()
    anna.say("/attach \(paths[1])")
    anna.type("next")
    #expect(anna.press(.cancel))
    #expect(
      said.contains(line.isEmpty ? "Your files are attached" : "its files are attached again"))
    release(lock)
    anna.say("next")
    anna.copyFiles()
    #expect(try anna.newest()?.attachments.map(\.name) == ["one.txt", "two.txt"])
  }

  @Test("1.12: lines waiting for the history enter it in the order of typing")
  func historyInOrder() throws {
    let lock = try Lock(town.path)
    let lines = ["/status", "/keys", "/theme", "/alias", "/set bell", "/status"]
    for line in lines { anna.say(line) }
    lock.release()
    anna.tell(.ended)
    anna.wait(100)
    #expect(anna.status == 0)
    let stored = try history()
    #expect(stored == lines)
  }

  @Test("5.1: a line that returns at once is stored as the draft nevertheless")
  func comesBackStored() throws {
    let lock = try Lock(town.path)
    anna.type("clocktest")
    anna.wait(1500)
    anna.say("clocktest")
    #expect(anna.press(.cancel) && said.contains("Your line is back"))
    anna.tell(.moved)
    lock.release()
    anna.wait(2000)
    #expect(try draft() == "clocktest")
  }

  @Test("1.2, 2.10, 8.1: a line returns with its files and mentions", arguments: [true, false])
  func comesBackWhole(isLocked: Bool) throws {
    let path = try town.folder.write("one.txt", "one")
    let ben = try #require(try town.person("ben").session).me
    anna.say("/attach \(path)")
    anna.type("@ben: look")
    anna.mentions = [.init(range: 0..<4, identity: ben.identity)]
    if isLocked {
      anna.say("@ben: look")
      let lock = try Lock(town.path)
      anna.copyFiles()
      #expect(anna.press(.cancel))
      release(lock)
    } else {
      anna.say("@ben: look")
      anna.copyFiles()
      anna.say("/cancel")
    }
    #expect(anna.text == "@ben: look" && anna.mentions.map(\.range) == [0..<4])
    anna.tell(.entered(anna.text))
    anna.copyFiles()
    let last = try #require(try anna.newest())
    #expect(
      last.attachments.map(\.name) == ["one.txt"]
        && last.mentions == [Mention(range: 0..<4, identity: "ben")])
  }

  @Test("1.2: leaving without waiting for the store needs C-d again, and shows the whole line")
  func leavingTellsTheLine() throws {
    let lock = try Lock(town.path)
    // Longer than what other sentences say of a text.
    let line = "patience" + String(repeating: " and more", count: 150)
    anna.say(line)
    anna.tell(.ended)
    #expect(anna.status == nil && anna.notice.contains("C-d again leaves without it"))
    anna.tell(.ended)
    #expect(anna.status == 1)
    #expect(said.replacing("\n", with: " ").contains("Not sent: " + line))
    lock.release()
  }
}
