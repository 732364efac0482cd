// SPDX-License-Identifier: GPL-3.0-or-later
import Composer
import Conversations
import Foundation
import StoreFixture
import Testing

@testable import ChatParts
@testable import ChatPreferences
@testable import ChatRendering
@testable import ChatSession

/// Which file goes with a line: the one that this user attached.
@MainActor
@Suite("12.7: Files that wait")
struct WaitingFileTests {
  private let town: Town
  private let anna: Person

  init() throws {
    town = try Town()
    anna = try town.person("anna")
  }

  private func sent() throws -> [[String]] {
    let place = try #require(anna.session.open.conversation)
    return try anna.store.read {
      try $0.messages(in: place.id, limit: 100, for: anna.session.me.id)
    }.map {
      $0.attachments.map(\.name)
    }
  }

  @Test(
    "12.7: a file that changed before Return is not sent, and the line and the files stay",
    arguments: ["link", "replaced", "longer"])
  func anotherFile(how: String) throws {
    let (path, secret) = (
      try town.folder.write("notes", "mine"), try town.folder.write("id", "key!")
    )
    anna.say("/attach " + path)
    if how == "longer" {
      try "mine and more".write(toFile: path, atomically: false, encoding: .utf8)
    } else {
      try FileManager.default.removeItem(atPath: path)
      if how == "link" {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: secret)
      } else {
        // A number of a file that is gone may be given to the next one.
        _ = try town.folder.write("another", "1234")
        try FileManager.default.moveItem(atPath: secret, toPath: path)
      }
    }
    anna.say("look")
    anna.copyFiles()
    #expect(try sent().isEmpty)
    #expect(anna.printed.contains { $0.contains("no longer the file you attached") })
    #expect(anna.text == "look" && anna.session.composing.files.waiting.count == 1)
    // It is asked for again, and takes the place of the other.
    anna.say("/attach " + path)
    #expect(anna.session.composing.files.waiting.count == 1)
    anna.say("look")
    anna.copyFiles()
    #expect(try sent() == [["notes"]])
  }

  @Test("12.7: a path that someone else wrote into my draft is neither opened nor sent")
  func foreignPath() throws {
    let secret = try town.folder.write("id", "key!")
    let here = try #require(anna.session.open.conversation)
    let store = try town.store()
    for files in [
      [DraftFile(path: secret)], [DraftFile(path: secret), DraftFile(path: "/dev/zero")],
    ] {
      try store.writeDurablyIfNeeded {
        try $0.setDraft(
          Draft(text: "hello", caret: 5, files: files), of: anna.session.me.id, in: here.id)
      }
      let again = try town.person("anna")
      #expect(again.session.composing.files.waiting.isEmpty)
      #expect(again.printed.contains { $0.contains(secret + ", but you did not attach it") })
      again.say("hello")
      again.copyFiles()
    }
    #expect(try sent() == [[], []])
  }

  @Test("12.7: what I attached waits in my next shell, in this conversation only, and once")
  func ownPath() throws {
    let path = try town.folder.write("notes", "mine")
    let here = try #require(anna.session.open.conversation)
    anna.say("/attach " + path)
    let again = try town.person("anna")
    #expect(again.session.composing.files.waiting.files.map(\.path) == [path])
    // The row in another conversation's draft was not written by me.
    let tea = try anna.store.writeDurablyIfNeeded { try $0.makeRoom("tea") }
    let draft = Draft(text: "", caret: 0, files: [DraftFile(path: path)])
    try anna.store.writeDurablyIfNeeded {
      try $0.setDraft(draft, of: anna.session.me.id, in: tea.id)
    }
    #expect(try town.person("anna", in: "tea").session.composing.files.waiting.isEmpty)
    again.say("look")
    again.copyFiles()
    #expect(try sent() == [["notes"]])
    // Nor is a row that came back after it was sent.
    try anna.store.writeDurablyIfNeeded {
      try $0.setDraft(draft, of: anna.session.me.id, in: here.id)
    }
    #expect(try town.person("anna").session.composing.files.waiting.isEmpty)
  }

  @Test("12.7: attached files still wait after a room or a person was renamed")
  func renamedPlace() throws {
    let path = try town.folder.write("notes", "mine")
    let ben = try town.person("ben")
    anna.say("/join tea")
    anna.say("/attach " + path)
    anna.say("/room rename coffee")
    anna.say("/msg ben")
    anna.say("/attach " + path)
    ben.say("/nick benjamin")
    let again = try town.person("anna", in: "coffee")
    #expect(again.session.composing.files.waiting.files.map(\.path) == [path])
    again.say("/msg benjamin")
    #expect(again.session.composing.files.waiting.files.map(\.path) == [path])
    #expect(!again.printed.contains { $0.contains("did not attach") })
  }

  @Test("12.7, 13.3: files of a stashed line are remembered when it is sent with another")
  func setAside() throws {
    let path = try town.folder.write("notes", "mine")
    anna.say("/attach " + path)
    for text in ["first", "second"] {
      anna.type(text)
      anna.tell(.setAside)
    }
    anna.tell(.answered(.attach(path: path)))
    anna.say("third")
    anna.copyFiles()
    #expect(anna.text == "second" && anna.session.composing.files.waiting.isEmpty)
    anna.say("second")
    #expect(anna.text == "first" && anna.session.composing.files.waiting.count == 1)
    anna.say("first")
    anna.copyFiles()
    #expect(try sent() == [["notes"], [], ["notes"]])
  }

  @Test("12.7: another file at the same path is not attached with the draft")
  func changedMeanwhile() throws {
    let path = try town.folder.write("notes", "mine")
    anna.say("/attach " + path)
    try "mine, but longer".write(toFile: path, atomically: false, encoding: .utf8)
    let again = try town.person("anna")
    #expect(again.session.composing.files.waiting.isEmpty)
    #expect(again.printed.contains { $0.contains("no longer the file you attached") })
  }

  @Test("12.7: a record that others could have written is not trusted")
  func foreignRecord() throws {
    let path = try town.folder.write("notes", "mine")
    anna.say("/attach " + path)
    chmod(town.folder.path + "/.local/state/hobnob/attached", 0o666)
    #expect(try town.person("anna").session.composing.files.waiting.isEmpty)
  }

  @Test("10: /export says how many messages are too long for an import")
  func tooLongToImport() throws {
    let anna = try town.person("anna")
    let path = town.folder.path + "/out.jsonl"
    try town.store().writeDurably {
      try $0.send(
        String(repeating: "x", count: 16_000_000),
        in: try #require(anna.session.open.conversation).id, by: anna.session.me.id)
    }
    anna.say("/export " + path)
    anna.writeFiles()
    #expect(
      anna.news().suffix(2) == [
        "Wrote 1 messages to " + path,
        "hobnob import will skip 1 of the messages: each is larger than 16 MB, counting its edits and reactions.",
      ])
  }

  @Test("8.2: /save and /export write in the background, and refuse impossible ones at once")
  func writesBeside() throws {
    let path = try town.folder.write("notes", "mine")
    anna.say("/attach " + path)
    anna.say("look")
    anna.copyFiles()
    for (command, new) in [("/save 1 ", "/copy"), ("/export ", "/out.jsonl")] {
      _ = anna.news()
      #expect(!anna.say(command + town.folder.path + "/nowhere" + new))
      #expect(anna.say(command + town.folder.path + new))
      #expect(!FileManager.default.fileExists(atPath: town.folder.path + new))
      anna.writeFiles()
      #expect(FileManager.default.fileExists(atPath: town.folder.path + new))
      #expect(anna.news().contains { $0.hasSuffix(town.folder.path + new) })
    }
    #expect(!anna.say("/export " + town.folder.path + "/out.jsonl"))
  }
}
