// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import NetworkInbox
import Networks
import OMEMO
import Testing

@testable import XMPP

/// XEP-0454.
@Suite("14.16: files of chats that are encrypted from end to end")
struct SealedFileChatTests {
  private let anna = Village.anna
  private let ben = Village.ben
  private var both: Village {
    get throws {
      var village = try Village()
      for account in [anna, ben] { try village.connect(account) }
      return village
    }
  }

  /// The owner turns encryption on or off.
  private func set(_ isWanted: Bool, in village: inout Village) {
    village.change(anna) {
      var chat = $0.book.chats[ben] ?? KeyBook.Chat()
      chat.isWanted = isWanted
      $0.book.set(chat, with: ben)
    }
  }

  private func received(_ village: Village) -> [NetworkMessage] {
    (village.news[ben.withResource("one")] ?? []).compactMap {
      if case .messageReceived(let message, _) = $0 { message } else { nil }
    }
  }

  private func wire(_ village: Village) -> String {
    village.messages.map { $0.xml() }.joined()
  }

  @Test(
    "the server learns neither the file nor its name, and others find the link in the text",
    arguments: [nil, OMEMOVersion.legacy, .two])
  func sends(version: OMEMOVersion?) throws {
    var village = try Village()
    if let version { village.versions = [version] }
    for account in [anna, ben] { try village.connect(account) }
    village.say(1, "", from: anna, to: ben, files: ["our plan.PNG"])
    let request = try #require(village.slots.first?.first("request", Feature.upload))
    let name = try #require(request["filename"])
    #expect(name.hasSuffix(".png") && !name.contains("plan") && name.count > 8)
    #expect(request["size"] == "1016")
    #expect(request["content-type"] == "application/octet-stream")
    #expect(village.uploads.map(\.isSealed) == [true])

    let message = try #require(received(village).first)
    let link = try #require(SealedLink(message.body))
    #expect(link.address == "https://files.example.org/get/\(name)")
    #expect(message.links == [message.body] && message.encryption == .encrypted)
    for word in ["files.example.org", "aesgcm", Feature.links] {
      #expect(!wire(village).contains(word), "\(word)")
    }
  }

  @Test("no name gives away more than a usual ending")
  func names() throws {
    var village = try both
    let names = ["a.tar.GZ", ".bashrc", "notes", "to my.beloved wife", "dr.schneider", "x.", "a.ä"]
    village.say(1, "", from: anna, to: ben, files: names)
    let endings = village.slots.map {
      ($0.first("request", Feature.upload)?["filename"] ?? "").split(separator: ".").dropFirst()
        .joined(separator: "|")
    }
    #expect(endings == ["gz", "", "", "", "", "", ""])
  }

  @Test("the files of a text are behind it in one message, each with its own link")
  func behindText() throws {
    var village = try both
    village.say(1, "look", from: anna, to: ben, files: ["a.png", "b.png"])
    let message = try #require(received(village).first)
    #expect(received(village).count == 1)
    #expect(message.body.split(separator: "\n").first == "look")
    #expect(message.links.count == 2)
    #expect(message.links == SealedLink.links(in: message.body))
  }

  @Test("as long as nobody says what devices somebody has, no file is uploaded")
  func waits() throws {
    var village = try Village()
    village.areContacts = false
    for account in [anna, ben] { try village.connect(account) }
    village.ignores = { $0.xml().contains("devicelist") && $0["to"] == "ben@example.org" }
    village.say(1, "", from: anna, to: ben, files: ["a.png"])
    village.wait(Limits.answer + 1)
    #expect(village.slots.isEmpty)
    village.ignores = { _ in false }
    village.wait(Limits.keyPause + 1)
    #expect(village.uploads.map(\.isSealed) == [true])
    #expect(received(village).count == 1)
  }

  @Test("a file is uploaded as its message goes out, also if that changes meanwhile")
  func wayChanges() throws {
    for isSealed in [true, false] {
      var village = try both
      village.say(1, "hello", from: anna, to: ben)
      set(isSealed, in: &village)
      village.holdsUploads = true
      village.say(2, "", from: anna, to: ben, files: ["a.png"])
      let first = try #require(village.uploads.last)
      set(!isSealed, in: &village)
      village.finish(first, of: anna)
      #expect(village.uploads.map(\.isSealed) == [isSealed, !isSealed])
      #expect(received(village).count == 1)
      village.finish(try #require(village.uploads.dropFirst().first), of: anna)

      let message = try #require(received(village).last)
      #expect(received(village).count == 2)
      #expect((SealedLink(message.body) != nil) == !isSealed)
      #expect((message.encryption == .none) == isSealed)
      #expect(!wire(village).contains("aesgcm"))
      #expect(wire(village).contains("https://files.example.org") == isSealed)
    }
  }

  @Test("each of two files keeps its own link, if that changes for a moment during the second")
  func wayChangesTwice() throws {
    var village = try both
    village.say(1, "hello", from: anna, to: ben)
    village.holdsUploads = true
    village.say(2, "", from: anna, to: ben, files: ["a.png", "b.png"])
    village.finish(try #require(village.uploads.first), of: anna)
    for isSealed in [false, true] {
      set(isSealed, in: &village)
      village.wait(1)
    }
    village.finish(try #require(village.uploads.dropFirst().first), of: anna)
    #expect(village.uploads.map(\.file.name) == ["a.png", "b.png"])
    let places = try #require(received(village).last).links.compactMap { SealedLink($0)?.address }
    #expect(places == village.uploads.map(\.link))
  }

  @Test("also while the server is asked where to upload the second")
  func wayChangesBeforeSlot() throws {
    var village = try both
    village.say(1, "hello", from: anna, to: ben)
    village.holdsUploads = true
    village.say(2, "", from: anna, to: ben, files: ["a.png", "b.png"])
    village.ignores = { $0.first("request", Feature.upload) != nil }
    village.finish(try #require(village.uploads.first), of: anna)
    for isSealed in [false, true] { set(isSealed, in: &village) }
    village.ignores = { _ in false }
    village.deliver(Village.slot(for: try #require(village.slots.last)), to: anna)
    #expect(village.uploads.map(\.file.name) == ["a.png", "b.png"])
  }

  @Test("a place for an encrypted file is not used for the file itself, nor the other way round")
  func slotOfOtherWay() throws {
    for isSealed in [true, false] {
      var village = try both
      village.say(1, "hello", from: anna, to: ben)
      set(isSealed, in: &village)
      village.ignores = { $0.first("request", Feature.upload) != nil }
      village.say(2, "", from: anna, to: ben, files: ["a.png"])
      let request = try #require(village.slots.last)
      set(!isSealed, in: &village)
      village.ignores = { _ in false }
      village.deliver(Village.slot(for: request), to: anna)
      #expect(village.uploads.map(\.isSealed) == [!isSealed])
      #expect(
        village.slots.map { $0.first("request", Feature.upload)?["size"] }
          == (isSealed ? ["1016", "1000"] : ["1000", "1016"]))
      #expect(received(village).count == 2)
    }
  }

  @Test("after a crash the file is uploaded again, encrypted")
  func crash() throws {
    var village = try both
    village.say(1, "hello", from: anna, to: ben)
    village.holdsUploads = true
    village.say(2, "", from: anna, to: ben, files: ["a.png"])
    let book = village.kill(anna)
    try village.connect(anna, book)
    // The next process reads the outbox.
    village.change(anna) { _ in }
    #expect(village.uploads.map(\.isSealed) == [true, true])
    village.finish(try #require(village.uploads.last), of: anna)
    #expect(received(village).count == 2)
    #expect(received(village).last.map { SealedLink($0.body) != nil } == true)
  }

  @Test("an edit has the links, with their keys, only where it is encrypted")
  func edits() throws {
    var village = try both
    let link = try #require(FileCipher.newLink(to: "https://files.example.org/a.png")?.text)
    village.say(1, "hello", from: anna, to: ben)
    village.say(2, "better", from: anna, to: ben, operation: .edit, uid: "uid1", files: ["a.png"]) {
      $0.links = [link]
    }
    let edits = (village.news[ben.withResource("one")] ?? []).compactMap { event in
      if case .edited(_, _, _, let body, _, _, _, _) = event { body } else { nil }
    }
    #expect(edits == ["better\n" + link])
    let count = village.messages.count
    set(false, in: &village)
    village.say(3, "best", from: anna, to: ben, operation: .edit, uid: "uid1", files: ["a.png"]) {
      $0.links = [link]
    }
    #expect(village.messages.count == count)
    #expect(
      village.news[anna.withResource("one")]?.refusals
        == [
          "It has the key of an encrypted file, so only an encrypted message can have it. Save the file and send that."
        ])
  }

  @Test("an answer quotes a link without its key")
  func quotes() throws {
    var village = try both
    let link = try #require(FileCipher.newLink(to: "https://files.example.org/a.png"))
    set(false, in: &village)
    village.say(1, "nice", from: anna, to: ben) {
      $0.answers = NetworkQuote(
        name: MessageIDs(origin: "x"), speaker: NetworkUser(identity: "ben@example.org"),
        text: link.text)
    }
    #expect(wire(village).contains("&gt; aesgcm://files.example.org/a.png\n"))
    #expect(!wire(village).contains(link.text.suffix(88)))
  }

  @Test("a link in a message that is not encrypted is only a text, and hobnob sends none")
  func plainLinks() throws {
    var village = try Village()
    for account in [anna, ben] { try village.connect(account, encrypts: account == ben) }
    let link = try #require(FileCipher.newLink(to: "https://files.example.org/a.png")?.text)
    let carl = Address("carl@example.org")!
    village.say(1, "look (\(link))", from: ben, to: carl)
    #expect(!village.messages.contains { $0.xml().contains("aesgcm") })
    village.deliver(
      Element(
        "message", ["from": "\(anna)/one", "to": "\(ben)/one", "type": "chat", "id": "m1"],
        children: [Element("body", text: link)]), to: ben)
    #expect(received(village).map(\.body) == [link])
    #expect(received(village).map(\.links) == [[]])
  }
}
