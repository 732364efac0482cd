// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import Networks
import Testing

@testable import NetworkInbox
@testable import XMPP

/// XEP-0363 and XEP-0066.
struct UploadTests {
  private static let service = "files.example.org"

  private func talk(longest: Int? = 1_000_000, _ change: (inout Talk) -> Void = { _ in }) -> Talk {
    Talk.ready {
      $0.upload = longest ?? -1
      change(&$0)
    }
  }

  private func entry(
    _ id: Int64, _ body: String = "", files: Int = 1, bytes: Int = 1_000
  ) -> OutboxEntry {
    var entry = OutboxEntry.test(id, body)
    entry.message.attachments = (0..<files).map {
      Attachment(
        hash: String(repeating: "ab", count: 32), name: "photo\($0).png", type: "image/png",
        bytes: bytes)
    }
    return entry
  }

  private func slot(
    put: String = "https://files.example.org/put", get: String = "https://files.example.org/a.png",
    headers: [(String?, String)] = []
  ) -> Element {
    var place = Element("put", namespace: Feature.upload, ["url": put])
    for (name, value) in headers {
      var header = Element("header", namespace: Feature.upload, text: value)
      header["name"] = name
      place.add(header)
    }
    return Element(
      "slot", namespace: Feature.upload,
      children: [place, Element("get", namespace: Feature.upload, ["url": get])])
  }

  @Test func aFileGetsASlotIsPutThereAndThenItsAddressIsTheMessage() throws {
    var talk = talk()
    talk.outbox([entry(1)])
    #expect(talk.messages.isEmpty)
    let ask = try #require(talk.slots.first)
    #expect(ask["to"] == Self.service)
    let request = try #require(ask.first("request", Feature.upload))
    #expect(request["filename"] == "photo0.png")
    #expect(request["size"] == "1000")
    #expect(request["content-type"] == "image/png")
    talk.answer(ask, slot())
    let upload = try #require(talk.uploads.first)
    #expect(upload.address == "https://files.example.org/put")
    #expect(upload.file.name == "photo0.png")
    #expect(talk.messages.isEmpty)
    talk.uploaded(1)
    let message = try #require(talk.messages.first)
    #expect(message["id"] == "uid1")
    #expect(message.first("body")?.text == "https://files.example.org/a.png")
    let link = message.first("x", Feature.links)?.first("url", Feature.links)?.text
    #expect(link == "https://files.example.org/a.png")
    var sent = entry(1)
    sent.links = ["https://files.example.org/a.png"]
    #expect(talk.handle(.acknowledged([1])).news == [.accepted(sent, archive: nil)])
  }

  @Test func theFilesOfATextStandBehindItInOneMessage() throws {
    var talk = talk()
    talk.outbox([entry(1, "look", files: 2)])
    talk.answer(try #require(talk.slots.last), slot(get: "https://f.example/1"))
    talk.uploaded(1)
    #expect(talk.messages.isEmpty)
    #expect(talk.slots.count == 2)
    talk.answer(try #require(talk.slots.last), slot(get: "https://f.example/2"))
    talk.uploaded(1)
    let message = try #require(talk.messages.first)
    #expect(message.first("body")?.text == "look\nhttps://f.example/1\nhttps://f.example/2")
    #expect(MessageText(message).links == ["https://f.example/1", "https://f.example/2"])
    #expect(talk.messages.count == 1)
  }

  @Test func whatIsWrittenMeanwhileDoesNotWaitForAFile() throws {
    var talk = talk()
    talk.outbox([entry(1), .test(2, "hello"), entry(3)])
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
    // One at a time.
    #expect(talk.slots.count == 1)
    talk.answer(try #require(talk.slots.last), slot())
    talk.uploaded(1)
    #expect(talk.messages.map { $0["id"] } == ["uid2", "uid1"])
    #expect(talk.slots.count == 2)
  }

  @Test func aServerWithoutFilesRefusesTheMessageOnceThatIsKnown() {
    var talk = Talk(marks: ["": "m0"])
    // It says what it has only later.
    talk.ignores = { $0.first("query", Feature.items) != nil }
    talk.logIn()
    talk.outbox([entry(1), .test(2, "hello")])
    #expect(talk.news.refusals == [])
    #expect(talk.messages.map { $0["id"] } == ["uid2"])
    talk.wait(Limits.answer)
    #expect(talk.news.refusals == ["The server accepts no files."])
  }

  @Test func aFileThatIsTooLargeIsRefusedWithTheLimit() throws {
    var talk = talk(longest: 2_000)
    talk.outbox([entry(1, bytes: 2_001), entry(2, bytes: 2_000)])
    #expect(
      talk.news.refusals == [
        "photo0.png is too large for the server: it has 2.0 kB, and 2.0 kB are allowed."
      ])
    #expect(talk.slots.count == 1)
    // And where only the answer tells.
    talk.hear(
      "<iq type='error' from='\(Self.service)' id='\(try #require(talk.slots.last?["id"]))'>"
        + "<error type='modify'><not-acceptable xmlns='\(Namespace.stanzaErrors)'/>"
        + "<file-too-large xmlns='\(Feature.upload)'><max-file-size>500</max-file-size>"
        + "</file-too-large></error></iq>")
    #expect(talk.news.refusals.last?.hasSuffix("and 500 B are allowed.") == true)
    #expect(talk.messages.isEmpty)
  }

  @Test func aRefusedSlotRefusesTheMessage() throws {
    var talk = talk()
    talk.outbox([entry(1)])
    talk.error(try #require(talk.slots.last), "not-allowed")
    #expect(talk.news.refusals == ["The server does not let you write to files.example.org."])
  }

  @Test(arguments: [
    ("http://files.example.org/put", "https://files.example.org/a"),
    ("https://files.example.org/put", "http://files.example.org/a"),
    ("file:///etc/passwd", "https://files.example.org/a"),
    ("https://files.example.org/put", "https://files.example.org/a\nbcc"),
    ("https://files.example.org/put", "https://files.example.org/a b"),
    ("https://files.example.org/put", "https://" + String(repeating: "a", count: 5_000)),
  ])
  func aSlotThatIsNotSafeRefusesTheMessageAndNothingIsSent(put: String, get: String) throws {
    var talk = talk()
    talk.outbox([entry(1)])
    talk.answer(try #require(talk.slots.last), slot(put: put, get: get))
    #expect(talk.uploads.isEmpty)
    #expect(talk.messages.isEmpty)
    #expect(talk.news.refusals.first?.contains("no safe link for the upload") == true)
  }

  @Test func onlyTheHeadersGoThatMayAndEachOnItsLine() throws {
    var talk = talk()
    talk.outbox([entry(1)])
    talk.answer(
      try #require(talk.slots.last),
      slot(
        headers: [
          ("Authorization", "Basic a\r\nHost: evil"), ("cookie", "b=c"), ("Host", "evil"),
          ("Expires\nHost", "x"), (nil, "y"),
        ]))
    #expect(talk.uploads.first?.headers == ["Authorization: Basic aHost: evil", "cookie: b=c"])
  }

  @Test func aSlotOfSomebodyElseIsNone() throws {
    var talk = talk()
    talk.outbox([entry(1)])
    let id = try #require(talk.slots.last?["id"])
    talk.hear("<iq type='result' from='eve@example.org' id='\(id)'>\(slot().xml())</iq>")
    #expect(talk.uploads.isEmpty)
  }

  @Test func aBreakOfTheUploadBeginsItAgainUntilItHasBeenTriedOftenEnough() throws {
    var talk = talk()
    talk.outbox([entry(1)])
    for turn in 1..<(try #require(Retry.upload.tries)) {
      talk.answer(try #require(talk.slots.last), slot())
      talk.uploaded(1, UploadFailure("the connection broke", isTemporary: true))
      #expect(talk.news.refusals == [])
      #expect(talk.slots.count == turn)
      talk.wait(Retry.upload.pause(after: turn))
      #expect(talk.slots.count == turn + 1)
    }
    talk.answer(try #require(talk.slots.last), slot())
    talk.uploaded(1, UploadFailure("the connection broke", isTemporary: true))
    #expect(talk.news.refusals == ["photo0.png could not be sent: the connection broke."])
    #expect(talk.messages.isEmpty)
  }

  @Test func anUploadThatIsRefusedRefusesTheMessageAtOnce() throws {
    var talk = talk()
    talk.outbox([entry(1), entry(2)])
    talk.answer(try #require(talk.slots.last), slot())
    talk.uploaded(1, UploadFailure("the web server answered 403"))
    #expect(talk.news.refusals == ["photo0.png could not be sent: the web server answered 403."])
    // The next one has its turn.
    #expect(talk.slots.count == 2)
  }

  @Test func aConnectionThatBreaksLosesNeitherTheFileNorTheMessage() throws {
    // Before the slot came.
    var talk = talk()
    talk.outbox([entry(1)])
    talk.handle(.down)
    talk.logIn()
    talk.outbox([entry(1)])
    #expect(talk.slots.count == 2)
    // While the file is under way, which has a connection of its own.
    talk.answer(try #require(talk.slots.last), slot())
    talk.handle(.down)
    talk.uploaded(1)
    #expect(talk.messages.isEmpty)
    talk.logIn()
    talk.outbox([entry(1)])
    #expect(talk.slots.count == 2)
    #expect(talk.messages.count == 1)
    // When the message was sent: the file is there, and the same message goes again.
    talk.handle(.down)
    talk.logIn()
    talk.outbox([entry(1)])
    #expect(talk.slots.count == 2)
    #expect(talk.messages.map { $0["id"] } == ["uid1", "uid1"])
    #expect(talk.messages.first?.first("body") == talk.messages.last?.first("body"))
  }

  @Test func aMessageThatIsTakenBackEndsItsUploadAndTheNextOneGoes() throws {
    var talk = talk()
    talk.outbox([entry(1), entry(2)])
    talk.answer(try #require(talk.slots.last), slot())
    let effects = talk.outbox([entry(2)])
    #expect(effects.contains(.cancelUpload(1)))
    #expect(talk.slots.count == 2)
    talk.uploaded(1)
    #expect(talk.messages.isEmpty)
  }

  @Test func anEditKeepsTheAddressesOfTheFiles() throws {
    var talk = talk()
    var edit = OutboxEntry.test(5, "look here", operation: .edit, uid: "u")
    edit.message.attachments = entry(1).message.attachments
    edit.links = ["https://f.example/1"]
    talk.outbox([edit])
    #expect(talk.messages.first?.first("body")?.text == "look here\nhttps://f.example/1")
    #expect(talk.slots.isEmpty)
  }

  @Test func whatTheServerTakesIsTold() {
    #expect(talk().client.serverAbilities.text.contains("takes files of up to 1.0 MB,"))
    #expect(talk(longest: nil).client.serverAbilities.text.contains("takes no files"))
  }
}

extension Talk {
  /// Questions for a place to put a file.
  fileprivate var slots: [Element] {
    sent.filter { $0.first("request", Feature.upload) != nil }
  }

  fileprivate mutating func answer(_ ask: Element, _ slot: Element) {
    var answer = Element("iq", ["type": "result"], children: [slot])
    answer["id"] = ask["id"]
    answer["from"] = ask["to"]
    handle(.stanza(answer))
  }

  /// The upload of an entry's file ends.
  fileprivate mutating func uploaded(_ id: OutboxEntry.ID, _ failure: UploadFailure? = nil) {
    let link = uploads.last { $0.entry == id }?.link ?? ""
    handle(.uploaded(id, failure.map { .failure($0) } ?? .success(link)))
  }

  fileprivate var uploads: [FileUpload] {
    effects.compactMap { if case .upload(let upload) = $0 { upload } else { nil } }
  }
}
