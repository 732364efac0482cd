// SPDX-License-Identifier: GPL-3.0-or-later
import Glibc
import Platform
import StoreFixture
import Testing

@testable import Conversations
@testable import NetworkInbox

@Suite("Files that a network delivers as addresses")
final class LinkedFileTests {
  private let linked: Linked
  private let link = "https://files.example.org/a/photo.png"

  init() throws { linked = try Linked() }

  private func say(
    _ body: String, in place: ConversationAddress? = nil, by speaker: NetworkUser? = nil,
    isPast: Bool = false,
    links: [String]? = nil
  ) throws {
    try linked.hear(
      .messageReceived(
        NetworkMessage(
          name: MessageIDs(origin: body, archive: nil), speaker: speaker ?? linked.ben, body: body,
          links: links ?? [link], isPast: isPast), in: place ?? linked.direct))
  }

  private func befriend() throws {
    try linked.hear(.contact(linked.ben, isOnline: true, away: nil))
  }

  private var requests: [NetworkRequest] {
    get throws { try linked.wire.read { try $0.requests(of: linked.account) } }
  }

  /// A file as the network's process has fetched it.
  private func arrived(_ text: String = "bytes") throws -> Conversations.Attachment {
    let file = try ArrivingFile(into: linked.wire.attachmentFolder)
    try Array(text.utf8).withUnsafeBytes { try file.append($0) }
    return try file.finish(name: "photo.png")
  }

  @Test("files of a contact, and of the owner's other device, are downloaded without asking")
  func fetchesFromContacts() throws {
    try befriend()
    try say(link)
    let request = try #require(try requests.first)
    #expect(request.verb == .fetchUnasked && request.text == link)
    let message = try linked.messages(in: linked.direct)[0]
    #expect(request.target == String(message.id.rawValue))
    try say(link + "#2", by: linked.me, links: [link + "#2"])
    #expect(try requests.map(\.text) == [link, link + "#2"])
  }

  @Test("nothing else is: not from strangers, in rooms, in the past, or against the setting")
  func fetchesNothingElse() throws {
    try say("stranger")
    try befriend()
    try say("room", in: linked.tea, by: linked.zoe)
    try say("past", isPast: true)
    try say("plain", links: ["http://files.example.org/a", "file:///etc/passwd"])
    let unwanted = NetworkMessage(
      name: MessageIDs(origin: "9"), speaker: linked.ben, body: link, links: [link])
    try linked.wire.inbox.apply(
      [.messageReceived(unwanted, in: linked.direct)], of: linked.account, fetchesFiles: false)
    #expect(try requests.isEmpty)
  }

  @Test("only so many files of one contact are downloaded at once")
  func fetchesNotTooMuch() throws {
    try befriend()
    for number in 0..<60 { try say("\(number)") }
    #expect(try requests.count == 50)
  }

  @Test("a downloaded file joins its message, whose text loses the address, reported once")
  func attaches() throws {
    try befriend()
    try say("look\n" + link)
    let position = try linked.store.read { try $0.position }
    let request = try #require(try requests.first)
    let file = try arrived()
    try linked.hear(.fetched(request, file), .answered(request, ""))
    let changes = try linked.store.read { try $0.changes(since: position, for: linked.anna) }
    #expect(changes.revised.map(\.body) == ["look"])
    #expect(changes.revised.first?.attachments == [file])
    #expect(changes.revised.first?.editedAt == nil)
    #expect(changes.answers.map(\.text) == [""])
    #expect(try requests.isEmpty)
    // Asked for twice, it is there once.
    try linked.hear(.fetched(request, file))
    #expect(try linked.messages(in: linked.direct)[0].attachments.count == 1)
    let path = linked.store.attachmentFolder.path(of: file.hash)
    #expect(access(path, R_OK) == 0)
  }

  @Test("a file of a deleted message, or of another account, belongs to no one")
  func attachesToNothingElse() throws {
    try befriend()
    try say(link)
    let request = try #require(try requests.first)
    let lobby = try linked.store.writeDurablyIfNeeded { try $0.makeRoom("lobby", for: linked.anna) }
    try linked.store.writeDurablyIfNeeded { try $0.join(linked.anna, lobby.id) }
    let local = try linked.store.writeDurably {
      try $0.send("local", in: lobby.id, by: linked.anna)
    }
    let file = try arrived()
    try linked.hear(
      .fetched(
        NetworkRequest(id: 1, verb: .fetch, target: String(local.id.rawValue), text: link), file),
      .fetched(NetworkRequest(id: 1, verb: .fetch, target: "x", text: link), file),
      .retracted(MessageIDs(origin: link), by: linked.ben, in: linked.direct, at: nil),
      .fetched(request, file))
    #expect(try linked.messages(in: linked.direct)[0].attachments.isEmpty)
    #expect(
      try linked.store.read { try $0.message(local.id, for: linked.anna) }?.attachments.isEmpty
        == true)
  }

  @Test("an edit of a text with files does not restore the address")
  func edits() throws {
    try befriend()
    try say("look\n" + link)
    try linked.hear(.fetched(try #require(try requests.first), try arrived()))
    try linked.hear(
      .edited(
        MessageIDs(origin: "look\n" + link), by: linked.ben, in: linked.direct,
        body: "look here\n" + link, at: nil))
    #expect(try linked.bodies(in: linked.direct) == ["look here"])
  }

  @Test("edits of the owner's message keep the addresses of its files")
  func keepsTheAddressesOfTheOwners() throws {
    try linked.join()
    let file = try arrived()
    let message = try linked.store.writeDurably {
      try $0.send(
        "look", in: try linked.conversation(), by: linked.anna, attachments: [file])
    }
    var entry = try #require(try linked.outbox().last)
    #expect(entry.links.isEmpty)
    entry.links = [link]
    try linked.hear(.accepted(entry, archive: "a1"))
    try linked.store.writeDurably { try $0.edit(message.id, to: "look here", by: linked.anna) }
    let edit = try #require(try linked.outbox().last)
    #expect(edit.operation == .edit && edit.links == [link])
    // It comes back with them, which is no other text.
    try linked.hear(
      .edited(
        MessageIDs(origin: message.uid), by: linked.me, in: linked.tea,
        body: "look here\n" + link, at: nil))
    #expect(try linked.outbox().isEmpty)
    #expect(try linked.messages()[0].body == "look here")
  }

  @Test("a received file has the same hash and place as an attached one")
  func arrives() throws {
    let file = try arrived("%PDF-1.4")
    #expect(file.type == "application/pdf" && file.bytes == 8)
    let kept = try linked.store.attachmentFolder.keep(
      fileAt: linked.store.attachmentFolder.path(of: file.hash), limit: 0)
    #expect(kept.hash == file.hash)
    // Let go, it leaves nothing.
    let folder = linked.store.attachmentFolder
    let before = try folder.open().names().sorted()
    var other: ArrivingFile? = try ArrivingFile(into: folder)
    try other?.append(UnsafeRawBufferPointer(start: nil, count: 0))
    #expect(try folder.open().names().count == before.count + 1)
    other = nil
    #expect(try folder.open().names().sorted() == before)
  }

  @Test("a file that cannot be moved between folders is copied")
  func arrivesByACopy() throws {
    let folder = linked.store.attachmentFolder
    let root = try folder.made()
    let made = try folder.temporary(in: root)
    try Array("bytes".utf8).withUnsafeBytes { try OpenFile(made.file).write($0) }
    try folder.copy(made.name, in: root, to: root, as: "copied")
    #expect(try root.names() == ["copied"])
  }

  @Test(
    "the bytes of a file decide its type, whatever its name",
    arguments: [
      ("GIF89a", "image/gif"), ("hällo\n", "text/plain"), ("", FileType.unknown),
      ("\u{1}\u{2}", FileType.unknown), ("\u{89}PNG", "text/plain"),
    ])
  func types(text: String, type: String) {
    #expect(FileType.type(ofBytes: Array(text.utf8)) == type)
  }

  @Test("a text cut inside its last character is text; broken bytes are not")
  func typesOfBytes() {
    #expect(FileType.type(ofBytes: Array("hä".utf8.dropLast())) == "text/plain")
    #expect(FileType.type(ofBytes: [0xC3, 0x28, 0x41, 0x41, 0x41]) == FileType.unknown)
    #expect(
      FileType.type(ofBytes: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0]) == "image/png")
  }
}
