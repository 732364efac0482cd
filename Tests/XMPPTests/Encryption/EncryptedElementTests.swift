// SPDX-License-Identifier: GPL-3.0-or-later
import OMEMO
import Testing

@testable import XMPP

@Suite("OMEMO: the elements of a message") struct EncryptedElementTests {
  let anna = Address("anna@example.org")!
  let ben = Address("ben@example.org")!

  @Test(arguments: OMEMOVersion.allCases) func isReadAgain(version: OMEMOVersion) throws {
    let account = version == .two ? ben : nil
    let own = EncryptedElement.Recipient(account: account, device: 22)
    let other = EncryptedElement.Recipient(
      account: version == .two ? anna : nil, device: version == .two ? 22 : 33)
    let payload = SealedPayload(Array("hello".utf8), version)
    let sent = EncryptedElement(
      version: version, sender: 11,
      keys: [
        own: KeyElement(bytes: [1, 2, 3], beginsSession: true),
        other: KeyElement(bytes: [4, 5, 6], beginsSession: false),
      ], payload: payload)
    var message = Element("message", ["to": ben.description])
    message.add(sent.element)
    let read = try #require(EncryptedElement(message, version, for: own))
    #expect(read.sender == 11)
    #expect(read.keys == [own: KeyElement(bytes: [1, 2, 3], beginsSession: true)])
    #expect(read.payload == payload.bytes && read.iv == payload.iv)
    let parsed = try #require(Element.whole(Array(message.xml().utf8)))
    #expect(EncryptedElement(parsed, version, for: own) == read)
    let nobody = EncryptedElement.Recipient(account: account, device: 99)
    #expect(EncryptedElement(message, version, for: nobody)?.keys.isEmpty == true)
  }

  @Test func aMessageWithKeysOnlyHasNoPayload() throws {
    let own = EncryptedElement.Recipient(account: ben, device: 22)
    let sent = EncryptedElement(
      version: .two, sender: 11, keys: [own: KeyElement(bytes: [1], beginsSession: true)],
      payload: nil)
    let message = Element("message", children: [sent.element])
    #expect(EncryptedElement(message, .two, for: own)?.payload == nil)
    #expect(EncryptedElement(message, .two, for: own)?.keys.count == 1)
  }

  @Test(
    arguments: [
      "<header><iv>AAAA</iv></header>", "<header sid='0'><iv>AAAA</iv></header>",
      "<header sid='4294967295'><iv>AAAA</iv></header>", "<header sid='7'/>",
      "<header sid='7'><iv>!</iv></header>",
      "<header sid='7'><key rid='22'>?</key><iv>AAAA</iv></header>",
      "<header sid='7'><iv>AAAA</iv></header><payload>%</payload>", "",
    ])
  func isRefused(content: String) throws {
    let xml =
      "<message><encrypted xmlns='\(OMEMOVersion.legacy.rawValue)'>\(content)</encrypted></message>"
    let message = try #require(Element.whole(Array(xml.utf8)))
    #expect(EncryptedElement(message, .legacy, for: .init(account: nil, device: 22)) == nil)
  }

  @Test(arguments: OMEMOVersion.allCases) func bundlesAndLists(version: OMEMOVersion) throws {
    let library = try OMEMOLibrary.loaded.get()
    let bundle = try OwnDevice(library, time: 1).bundle(version, library)
    let item = Element("item", namespace: Feature.publishing, children: [bundle.element])
    let read = try #require(Element.whole(Array(item.xml().utf8)))
    #expect(Bundle(read, version) == bundle)
    #expect(Bundle(read, version == .two ? .legacy : .two) == nil)
    let list = Element("item", children: [version.list([3, 1, 2])])
    #expect(version.devices(in: list) == [1, 2, 3])
    let endless = Element("item", children: [version.list(1...10_000)])
    #expect(version.devices(in: endless)?.count == Limits.keyDevices)
  }

  @Test func envelopes() throws {
    let envelope = Envelope(
      content: [Element("body", text: "a < b & c"), Element("reply", namespace: Feature.replies)],
      from: anna, to: nil)
    let bytes = Array(envelope.element(padding: "xyz").xml().utf8)
    let read = try #require(Envelope(bytes))
    #expect(read.content == envelope.content)
    #expect(read.from == anna && read.to == nil)
    #expect(Envelope(Array("<envelope xmlns='urn:xmpp:sce:1'/>".utf8)) == nil)
    #expect(Envelope(Array("text".utf8)) == nil)
    #expect(Envelope(bytes + bytes) == nil)
    #expect(Envelope(bytes + Array("</stream:stream>".utf8)) == nil)
  }
}
