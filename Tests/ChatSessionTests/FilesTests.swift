// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Glibc
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

@MainActor
@Suite("8.1: Files at the prompt")
struct FilesTests {
  private let town: Town
  private let anna: Person
  private let one: String
  private let two: String

  init() throws {
    town = try Town()
    one = try town.folder.write("one.txt", "first")
    two = try town.folder.write("number two.txt", "the second")
    anna = try town.person("anna")
  }

  /// What `/attach` lists.
  private var listed: [String] {
    _ = anna.news()
    anna.say("/attach")
    return anna.news()
  }

  /// The messages in #lobby, the oldest first.
  private func messages() throws -> [Message] {
    let lobby = try #require(try anna.store.read { try $0.room("lobby") })
    return try anna.store.read { try $0.messages(in: lobby.id, limit: 9, for: anna.session.me.id) }
      .inOrder()
  }

  @Test("8.1: /attach adds and lists, /detach removes one or all")
  func attachAndDetach() {
    anna.say("/attach ~/one.txt")
    #expect(anna.notice == "one.txt will be sent with your next message; /detach 1 removes it.")
    anna.say("/attach \(two)")
    #expect(listed == ["1  one.txt         5 B", "2  number two.txt  10 B"])
    anna.say("/detach 1")
    #expect(anna.news() == ["1 file is attached."])
    #expect(listed == ["1  number two.txt  10 B"])
    anna.say("/detach all")
    #expect(listed == ["No files are attached."])
  }

  @Test(
    "8.1: what cannot be attached or detached is refused at once, and the rest stays",
    arguments: [
      ("/attach ~/none.txt", "There is no file"), ("/attach ~/", "not a regular file"),
      ("/attach /dev/null", "not a regular file"),
      ("/detach 7", "7 is not the number of an attached file"),
      ("/detach x", "x is not the number of an attached file"),
    ])
  func refusals(line: String, reason: String) {
    anna.say("/attach ~/one.txt")
    #expect(!anna.say(line) && anna.text == line)
    let said = anna.news().joined(separator: " ").split(separator: " ").joined(separator: " ")
    #expect(said.contains(reason))
    #expect(listed == ["1  one.txt  5 B"])
  }

  @Test("8.1: text and files are one message, with the files in order; files need no text")
  func sending() throws {
    anna.say("/attach \(two)")
    anna.say("/attach \(one)")
    anna.say("look at these")
    anna.copyFiles()
    anna.say("/attach \(one)")
    anna.say("")
    anna.copyFiles()
    anna.say("and none")
    let sent = try messages()
    #expect(sent.map(\.body) == ["look at these", "", "and none"])
    #expect(
      sent.map { $0.attachments.map(\.name) } == [["number two.txt", "one.txt"], ["one.txt"], []])
    #expect(sent[0].attachments.map(\.bytes) == [10, 5])
    #expect(listed == ["No files are attached."])
  }

  @Test("5.1: files without a text are a draft, too")
  func filesAloneAreADraft() throws {
    anna.say("/attach \(one)")
    let next = try town.person("anna")
    next.say("/attach")
    #expect(next.news().last == "1  one.txt  5 B")
  }

  @Test(
    "1.6, 8.1: C-c removes the files with the text, and C-_ brings both back",
    arguments: [false, true])
  func clearingText(bringsBack: Bool) {
    anna.say("/attach \(one)")
    anna.type("with a text")
    anna.tell(.emptied)
    anna.type("")
    if bringsBack { anna.type("with a text") }
    #expect(listed == [bringsBack ? "1  one.txt  5 B" : "No files are attached."])
  }

  @Test("1.6, 8.1: a text deleted in another way keeps its files")
  func deletingText() {
    anna.say("/attach \(one)")
    anna.type("with a text")
    anna.type("")
    #expect(listed == ["1  one.txt  5 B"])
  }

  @Test("1.6, 8.1: C-c on an empty line removes the files and says so; C-_ brings them back")
  func clearingFilesAlone() throws {
    anna.say("/attach \(one)")
    anna.say("/attach \(two)")
    anna.tell(.interrupted)
    #expect(anna.notice == "The attached files are removed; C-_ restores them")
    #expect(anna.press(.undo) && !anna.press(.undo))
    anna.say("both")
    anna.copyFiles()
    #expect(try messages().map { $0.attachments.map(\.name) } == [["one.txt", "number two.txt"]])
  }

  @Test("1.6, 8.1: files removed by C-c stay away once something else was typed")
  func doNotComeBackLater() {
    anna.say("/attach \(one)")
    anna.tell(.interrupted)
    anna.type("x")
    anna.type("")
    #expect(!anna.press(.undo))
    #expect(listed == ["No files are attached."])
  }

  @Test("8.1: if a file is gone at Return, nothing is sent, and text and files stay")
  func goneBeforeSending() throws {
    anna.say("/attach \(one)")
    #expect(unlink(one) == 0)
    anna.say("look at this")
    anna.copyFiles()
    #expect(anna.text == "look at this" && anna.printed.joined().contains("There is no file"))
    #expect(try messages().isEmpty)
    #expect(listed == ["1  one.txt  5 B"])
  }

  @Test("8.2: received files are listed with name, type and size, and can be saved")
  func receivedFiles() throws {
    let ben = try town.person("ben")
    ben.say("/attach \(one)")
    ben.say("look")
    ben.copyFiles()
    anna.look()
    #expect(anna.printed.contains { $0.hasSuffix("[file 1: one.txt, text/plain, 5 B]") })
    let copy = town.folder.path + "/copy.txt"
    anna.say("/save 1 \(copy)")
    anna.writeFiles()
    #expect(anna.printed.joined(separator: "").replacing(" ", with: "").hasSuffix("Savedas\(copy)"))
    #expect(access(copy, R_OK) == 0)
  }

  @Test("1.13: /attach is refused in a room that one has left")
  func attachOutside() {
    anna.say("/leave")
    #expect(!anna.say("/attach \(one)"))
    #expect(anna.printed.joined(separator: " ").contains("You are not in #lobby"))
  }
}
