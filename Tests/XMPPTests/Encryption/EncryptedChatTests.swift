// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import OMEMO
import Platform
import Testing

@testable import NetworkInbox
@testable import XMPP

@Suite("14.16: chats that are encrypted from end to end (OMEMO)")
struct EncryptedChatTests {
  private let anna = Village.anna
  private let ben = Village.ben
  private var both: Village {
    get throws {
      var village = try Village()
      for account in [anna, ben] { try village.connect(account) }
      return village
    }
  }

  @Test(
    "the first line to somebody is sealed, and so is the answer; no text is outside",
    arguments: [nil, OMEMOVersion.legacy, .two])
  func firstContact(version: OMEMOVersion?) throws {
    var village = try Village()
    if let version { village.versions = [version] }
    for account in [anna, ben] { try village.connect(account) }
    village.say(1, "tea is ready", from: anna, to: ben)
    village.say(2, "coming <b>& soon</b>", from: ben, to: anna)
    village.say(3, "good to hear", from: anna, to: ben)
    #expect(village.read(ben) == ["tea is ready", "good to hear"])
    #expect(village.read(anna) == ["coming <b>& soon</b>"])
    let wire = village.messages.map { $0.xml() }.joined()
    // Base64 can have any word in it, but no blank.
    for words in ["is ready", "soon</b>", "soon&lt;", "to hear"] { #expect(!wire.contains(words)) }
    #expect(wire.contains(OMEMOVersion.legacy.rawValue) == (version == .legacy))
    #expect(village.unkept == 0)
    // Both know which device it came from.
    let devices = try [anna, ben].map {
      let own = try #require(village.encryption(of: $0)?.book.own)
      return SealingDevice(number: Int64(own.id), key: Array(own.publicKey.dropFirst()))
    }
    #expect(village.received(ben).map(\.device) == [devices[0], devices[0]])
    #expect(village.received(anna).map(\.device) == [devices[1]])
    let accepted = village.news[anna.withResource("one")]?.compactMap {
      if case .accepted(_, _, let device) = $0 { device } else { nil }
    }
    #expect(accepted == [devices[0], devices[0]])
  }

  @Test("a person without devices gets the line in the clear")
  func without() throws {
    var village = try Village()
    try village.connect(anna)
    try village.connect(ben, encrypts: false)
    village.say(1, "hello", from: anna, to: ben)
    #expect(village.read(ben) == ["hello (plain)"])
  }

  @Test("shells learn that lines to people may wait for keys before anything is known of them")
  func asksForKeys() throws {
    var village = try Village()
    try village.connect(anna)
    try village.connect(ben, encrypts: false)
    let told = [anna, ben].map { account in
      village.news[account.withResource("one")]?.compactMap {
        if case .abilities(let abilities) = $0 { abilities.direct.encryption } else { nil }
      }
    }
    #expect(told == [[.asking], [.never]])
  }

  @Test("the owner's other devices read what goes out and what comes in")
  func otherDevices() throws {
    var village = try both
    try village.connect(anna, as: "two")
    village.say(1, "from one", from: anna, to: ben)
    village.say(2, "to both", from: ben, to: anna)
    village.say(3, "from two", from: anna, to: ben, as: "two")
    #expect(village.read(anna) == ["to both", "from two"])
    #expect(village.read(anna, as: "two") == ["from one", "to both"])
    #expect(village.read(ben) == ["from one", "from two"])
  }

  @Test("as long as nobody says what devices somebody has, lines wait, and none goes in the clear")
  func waits() throws {
    var village = try Village()
    village.areContacts = false
    for account in [anna, ben] { try village.connect(account) }
    village.ignores = { $0.xml().contains("devicelist") && $0["to"] == "ben@example.org" }
    village.say(1, "secret", from: anna, to: ben)
    #expect(village.messages.isEmpty)
    village.wait(Limits.answer + 1)
    #expect(village.messages.isEmpty)
    village.ignores = { _ in false }
    village.wait(Limits.keyPause + 1)
    #expect(village.read(ben) == ["secret"])
  }

  @Test("a chat that was encrypted never goes plain by itself")
  func neverPlain() throws {
    var village = try both
    village.say(1, "sealed", from: anna, to: ben)
    _ = village.kill(ben)
    for version in OMEMOVersion.allCases {
      village.nodes[ben]?[version.listNode] = [("current", version.list([]))]
      village.announce(version.listNode, of: ben)
    }
    let count = village.messages.count
    village.say(2, "secret", from: anna, to: ben)
    village.disconnect(anna)
    try village.connect(anna, village.kept[anna.withResource("one")])
    village.say(2, "secret", from: anna, to: ben)
    #expect(village.messages.count == count)
    village.change(anna) { encryption in
      encryption.book.set(KeyBook.Chat(isWanted: false, wasEncrypted: true), with: Village.ben)
    }
    #expect(village.messages.last?.first("body")?.text == "secret")
  }

  @Test("a device that another program has dropped from the list puts itself back")
  func putsItselfBack() throws {
    var village = try both
    let own = try #require(village.encryption(of: anna)?.book.own.id)
    for version in OMEMOVersion.allCases {
      village.nodes[anna]?[version.listNode] = [("current", version.list([77]))]
      village.announce(version.listNode, of: anna)
      let item = try #require(village.nodes[anna]?[version.listNode]?.last)
      let read = version.devices(
        in: Element("item", namespace: Feature.publishing, children: [item.payload]))
      #expect(read == [77, own])
    }
  }

  @Test("a message that comes twice is read once, and a changed one never")
  func repeated() throws {
    var village = try both
    village.say(1, "once", from: anna, to: ben)
    let sealed = try #require(village.messages.last { $0.xml().contains("payload") })
    village.deliver(sealed, to: ben)
    #expect(village.read(ben) == ["once"])
    village.say(2, "twice", from: anna, to: ben)
    var changed = try #require(village.messages.last { $0.xml().contains("payload") })
    changed["from"] = "eve@example.org/one"
    village.deliver(changed, to: ben)
    #expect(!village.read(ben).contains("twice (plain)"))
    #expect(village.read(ben).filter { $0 == "twice" }.count == 1)
  }

  @Test("after a crash at any moment, the next lines are readable, both ways")
  func crashes() throws {
    var village = try both
    var sent: Int64 = 0
    for round in 0..<6 {
      sent += 2
      village.say(sent, "a\(round)", from: anna, to: ben)
      village.say(sent + 1, "b\(round)", from: ben, to: anna)
      let device = round.isMultiple(of: 2) ? anna : ben
      let book = village.kill(device)
      try village.connect(device, book)
    }
    #expect(village.read(ben) == (0..<6).map { "a\($0)" })
    #expect(village.read(anna) == (0..<6).map { "b\($0)" })
  }

  @Test("a session that one side has lost is mended by itself")
  func mends() throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    village.say(2, "two", from: ben, to: anna)
    village.change(ben) { encryption in
      for name in encryption.book.sessions.keys { encryption.book.set(nil, name) }
    }
    village.say(3, "lost", from: anna, to: ben)
    #expect(village.read(ben) == ["one", "?"])
    village.say(4, "found", from: anna, to: ben)
    #expect(village.read(ben) == ["one", "?", "found"])
    village.say(5, "back", from: ben, to: anna)
    #expect(village.read(anna) == ["two", "back"])
  }

  @Test("at most once a day, also if the process ends in between")
  func mendsOnceADay() throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    village.say(2, "two", from: ben, to: anna)
    func lose() {
      village.change(ben) { encryption in
        for name in encryption.book.sessions.keys { encryption.book.set(nil, name) }
      }
    }
    lose()
    village.say(3, "lost", from: anna, to: ben)
    try village.connect(ben, village.kill(ben))
    village.say(4, "back", from: ben, to: anna)
    #expect(village.read(anna) == ["two", "back"])
    lose()
    for id in [5, 6] as [Int64] { village.say(id, "lost again", from: anna, to: ben) }
    #expect(village.read(ben) == ["one", "?", "?", "?"])
    village.wait(86_400_000)
    village.say(7, "the last", from: anna, to: ben)
    village.say(8, "found", from: anna, to: ben)
    #expect(village.read(ben).suffix(2) == ["?", "found"])
  }

  @Test("a session that could not be mended before a break is mended after it")
  func mendsLater() throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    village.say(10, "two", from: ben, to: anna)
    village.change(ben) { encryption in
      for name in encryption.book.sessions.keys { encryption.book.set(nil, name) }
    }
    village.ignores = { $0.xml().contains("bundles") && $0["to"] == "anna@example.org" }
    village.say(2, "lost", from: anna, to: ben)
    village.say(3, "lost, too", from: anna, to: ben)
    village.disconnect(ben)
    village.ignores = { _ in false }
    village.reconnect(ben)
    village.say(4, "lost again", from: anna, to: ben)
    village.say(5, "found", from: anna, to: ben)
    #expect(village.read(ben) == ["one", "?", "?", "?", "found"])
  }

  @Test("a clock that once was years ahead does not keep a session from being mended")
  func mendsAfterWrongClock() throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    village.say(10, "two", from: ben, to: anna)
    let later = village.now + 1_000_000_000_000
    village.change(ben) { encryption in
      for name in encryption.book.sessions.keys {
        encryption.book.noteHealed(name.device, at: later)
        encryption.book.set(nil, name)
      }
    }
    village.say(2, "lost", from: anna, to: ben)
    village.say(3, "found", from: anna, to: ben)
    #expect(village.read(ben) == ["one", "?", "found"])
  }

  @Test("a signed pre key is renewed after a month; messages that rely on the former can be read")
  func signedPreKey() throws {
    var village = try both
    func number() -> UInt32? { village.encryption(of: ben)?.book.own.signedPreKey }
    // Anna has Ben's bundle, and he does not get her line yet.
    village.disconnect(ben)
    village.say(1, "one", from: anna, to: ben)
    let (message, first) = (try #require(village.messages.last), number())
    village.reconnect(ben)
    #expect(number() == first)
    village.disconnect(ben)
    village.wait(31 * 86_400_000)
    village.reconnect(ben)
    #expect(number() != first)
    village.deliver(message, to: ben)
    #expect(village.read(ben) == ["one"])
  }

  @Test("used pre keys are replaced, so that there are always 100")
  func preKeys() throws {
    var village = try both
    let former = try #require(village.encryption(of: ben)?.book.own.preKeys)
    village.say(1, "one", from: anna, to: ben)
    village.say(2, "two", from: ben, to: anna)
    village.wait(Limits.keyPause + 1)
    let book = try #require(village.encryption(of: ben)?.book)
    #expect(book.usedPreKeys.isEmpty)
    #expect(Set(former.keys).subtracting(book.own.preKeys.keys).count == 1)
    for account in [anna, ben] {
      let own = try #require(village.encryption(of: account)?.book.own)
      #expect(own.preKeys.count == OwnDevice.preKeyCount)
      let place = OMEMOVersion.two.bundlePlace(of: own.id)
      let published = village.nodes[account]?[place.node]?.last { $0.id == place.item }
      let item = Element(
        "item", namespace: Feature.publishing, children: [try #require(published).payload])
      #expect(Bundle(item, .two)?.preKeys.keys.sorted() == own.preKeys.keys.sorted())
    }
  }

  @Test(
    "where the server refuses to change who may read the keys, hobnob asks for that first",
    arguments: ["conflict", "precondition-not-met", "bad-request"])
  func opensNodes(condition: String) throws {
    var village = try Village()
    village.refuses = { $0.xml().contains("publish-options") ? condition : nil }
    for account in [anna, ben] { try village.connect(account) }
    let opened = village.questions.filter {
      $0.xml().contains("<configure") && $0.xml().contains("<value>open</value>")
    }
    // Two lists and two bundles of each.
    #expect(opened.count == 8)
    village.say(1, "hello", from: anna, to: ben)
    #expect(village.read(ben) == ["hello"])
  }

  @Test("an edit is sealed with what it replaces; in the legacy version, that is outside")
  func edits() throws {
    for version in OMEMOVersion.allCases {
      var village = try Village()
      village.versions = [version]
      for account in [anna, ben] { try village.connect(account) }
      village.say(1, "teh", from: anna, to: ben, uid: "m1")
      village.say(2, "the", from: anna, to: ben, operation: .edit, uid: "m1")
      let edit = try #require(village.messages.last)
      #expect(edit.has("replace", Feature.correction) == (version == .legacy))
      let edited = (village.news[ben.withResource("one")] ?? []).contains {
        if case .edited(let ids, _, _, let body, _, _, _, _) = $0 {
          ids.origin == "m1" && body == "the"
        } else {
          false
        }
      }
      #expect(edited, "\(version)")
    }
  }

  @Test("where a deletion is not encrypted, the owner is told once, also after a restart")
  func deletes() throws {
    for version in OMEMOVersion.allCases {
      var village = try Village()
      village.versions = [version]
      for account in [anna, ben] { try village.connect(account) }
      for number: Int64 in [1, 2] {
        let uid = "m\(number)"
        village.say(number * 2, "oops", from: anna, to: ben, uid: uid)
        village.say(number * 2 + 1, "", from: anna, to: ben, operation: .delete, uid: uid)
        let isSealed = try Encryption.isSealed(#require(village.messages.last))
        #expect(isSealed == (version == .two))
        try village.connect(anna, village.kill(anna))
      }
      let told = village.told(anna).count { $0.hasPrefix("Reactions and deletions are not") }
      #expect(told == (version == .legacy ? 1 : 0))
      #expect(village.told(anna).count { $0.hasPrefix("hobnob encrypts for people") } == 1)
    }
  }

  @Test("a device that the owner has removed is left out when the list is published")
  func leavesOut() throws {
    var village = try Village()
    try village.connect(anna, as: "two")
    try village.connect(anna)
    let former = try #require(village.encryption(of: anna, as: "two")?.book.own.id)
    let kept = village.kill(anna)
    var book = try #require(kept)
    _ = village.kill(anna, as: "two")
    let device = KeyBook.Device(account: anna, number: former)
    _ = book.meet(device, [5, 1], at: 0)
    book.trust(device, .refused)
    // Another program has dropped this one, so it puts itself back.
    for version in OMEMOVersion.allCases {
      village.nodes[anna]?[version.listNode] = [("current", version.list([former]))]
    }
    try village.connect(anna, book)
    for version in OMEMOVersion.allCases {
      let item = try #require(village.nodes[anna]?[version.listNode]?.last)
      let listed = Element("item", children: [item.payload])
      #expect(version.devices(in: listed) == [book.own.id])
    }
  }

  /// A book whose sessions cannot be used.
  private func spoiled(_ book: KeyBook) -> KeyBook {
    var book = book
    for (name, session) in book.sessions {
      book.set(
        Session(version: session.version, record: [1, 2, 3], identity: session.identity), name)
    }
    return book
  }

  @Test("a line that cannot be sealed waits, and nothing behind it goes out in the clear")
  func unusableSession() throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    village.change(anna) { $0.book = spoiled($0.book) }
    village.say(2, "two", from: anna, to: ben)
    village.say(3, "three", from: anna, to: ben)
    // Both lines wait, and are ready at the same moment.
    village.disconnect(anna)
    village.say(4, "four", from: anna, to: ben)
    village.say(5, "five", from: anna, to: ben)
    let book = try #require(village.encryption(of: anna)?.book)
    try village.connect(anna, spoiled(book))
    for (number, text) in [(4, "four"), (5, "five")] {
      village.say(Int64(number), text, from: anna, to: ben)
    }
    let wire = village.messages.map { $0.xml() }.joined()
    for text in ["two", "three", "four", "five"] { #expect(!wire.contains(text)) }
    #expect(village.read(ben).suffix(4) == ["two", "three", "four", "five"])
  }

  @Test("14.2: a sealed line that may have arrived waits for the archive, but not for any devices")
  func sealedWaitsForTheArchive() throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    village.losesMessages = true
    village.say(2, "two", from: anna, to: ben)
    village.disconnect(anna)
    village.losesMessages = false
    village.ignores = { _ in true }
    let count = village.messages.count
    village.reconnect(anna)
    village.say(3, "three", from: anna, to: ben)
    #expect(village.messages.count == count)
    village.disconnect(anna)
    village.ignores = { $0.xml().contains(Feature.publishing) }
    village.reconnect(anna)
    #expect(village.messages.dropFirst(count) == village.messages[count - 1..<count])
    #expect(village.read(ben) == ["one", "two"])
    village.disconnect(anna)
    village.ignores = { _ in false }
    village.reconnect(anna)
    #expect(village.read(ben) == ["one", "two", "three"])
  }

  @Test("a line that was sealed before a session began anew is readable when it arrives later")
  func lateInAFormerSession() throws {
    for version in OMEMOVersion.allCases {
      var village = try Village()
      village.versions = [version]
      for account in [anna, ben] { try village.connect(account) }
      village.say(1, "one", from: anna, to: ben)
      village.say(2, "two", from: ben, to: anna)
      let keys = village.kill(anna)
      village.say(3, "late", from: ben, to: anna)
      let late = try #require(village.messages.last)
      village.say(4, "spoiled", from: ben, to: anna)
      let spoiled = try withSpoiledKeys(#require(village.messages.last))
      try village.connect(anna, keys)
      village.say(5, "three", from: anna, to: ben)
      let former = village.encryption(of: anna)?.book.sessions
      village.deliver(spoiled, to: anna)
      #expect(village.encryption(of: anna)?.book.sessions != former)
      village.deliver(late, to: anna)
      village.say(6, "four", from: ben, to: anna)
      #expect(village.read(anna) == ["two", "?", "late", "four"])
      #expect(village.read(ben) == ["one", "three"])
    }
  }

  /// The message with another last byte in each key, which devices notice.
  private func withSpoiledKeys(_ message: Element) throws -> Element {
    func spoiled(_ element: Element) throws -> Element {
      var element = element
      if element.name == "key" {
        var bytes = try #require(Base64.decoded(element.text))
        bytes[bytes.count - 1] ^= 1
        element.nodes = [.text(Base64.letters(for: bytes))]
      }
      element.nodes = try element.nodes.map { node in
        if case .element(let child) = node { try .element(spoiled(child)) } else { node }
      }
      return element
    }
    return try spoiled(message)
  }

  @Test("an answer that says nothing of the devices changes nothing", arguments: [true, false])
  func strangeAnswers(isEvent: Bool) throws {
    var village = try both
    village.say(1, "one", from: anna, to: ben)
    let node = OMEMOVersion.two.listNode
    let known = village.encryption(of: anna)?.book.lists[ben]
    if isEvent {
      village.nodes[ben]?[node] = [("current", Element("nonsense"))]
      village.announce(node, of: ben)
    } else {
      village.refuses = { $0["to"] == "ben@example.org" ? "remote-server-not-found" : nil }
      village.disconnect(anna)
      try village.connect(anna, village.kept[anna.withResource("one")])
    }
    village.say(2, "two", from: anna, to: ben)
    #expect(village.encryption(of: anna)?.book.lists[ben] == known)
    #expect(village.read(ben) == ["one", "two"])
  }

  @Test("what somebody encrypted is answered encrypted, or not at all")
  func answersSealed() throws {
    var village = try both
    village.say(1, "sealed", from: ben, to: anna)
    _ = village.kill(ben)
    for version in OMEMOVersion.allCases {
      village.nodes[ben]?[version.listNode] = [("current", version.list([]))]
      village.announce(version.listNode, of: ben)
    }
    let count = village.messages.count
    village.say(2, "an answer", from: anna, to: ben)
    #expect(village.messages.count == count)
  }

  @Test("two programs that fight over the list of devices end")
  func fights() throws {
    var village = try both
    for _ in 0..<20 {
      village.nodes[anna]?[OMEMOVersion.two.listNode] = [("current", OMEMOVersion.two.list([77]))]
      village.announce(OMEMOVersion.two.listNode, of: anna)
    }
    let item = try #require(village.nodes[anna]?[OMEMOVersion.two.listNode]?.last)
    let read = OMEMOVersion.two.devices(
      in: Element("item", namespace: Feature.publishing, children: [item.payload]))
    #expect(read == [77])
  }

  @Test("strangers get no answer, and cannot fill the memory with devices")
  func strangers() throws {
    var village = try both
    for number in 0..<12 {
      let eve = Address("eve@example.org")!
      try village.connect(eve, as: "eve\(number)")
      village.say(Int64(number), "hi \(number)", from: eve, to: anna, as: "eve\(number)")
    }
    let sessions = village.encryption(of: anna)?.book.sessions.keys.count {
      $0.device.account.local == "eve"
    }
    #expect(sessions == Limits.strangersSessions)
    #expect(!village.messages.contains { $0["from"]?.hasPrefix("anna") == true })
  }
}
