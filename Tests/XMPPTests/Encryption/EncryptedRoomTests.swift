// SPDX-License-Identifier: GPL-3.0-or-later
import Conversations
import OMEMO
import Testing

@testable import NetworkInbox
@testable import XMPP

@Suite("14.16: rooms that are encrypted from end to end")
struct EncryptedRoomTests {
  private let anna = Village.anna
  private let ben = Village.ben
  private let carl = Address("carl@example.org")!
  private let room = VillageRoom.address

  /// Anna, Ben and Carl are members of the room, and Anna and Ben are in it.
  private func village(
    areContacts: Bool = true, _ change: (inout VillageRoom) -> Void = { _ in }
  ) throws -> Village {
    var village = try Village()
    village.areContacts = areContacts
    var tea = VillageRoom()
    tea.affiliations = [anna: "owner", ben: "member", carl: "admin"]
    change(&tea)
    village.room = tea
    try village.connect(carl)
    village.room?.occupants = []
    for account in [anna, ben] { try village.connect(account) }
    return village
  }

  @Test("a line is plain until the owner turns encryption on, and then sealed for all members")
  func begins() throws {
    var village = try village()
    village.say(1, "plain", from: anna, to: room)
    #expect(village.read(ben) == ["plain (plain)"])
    #expect(
      village.ask(.encrypt, room.description, "on", of: anna)
        == "What you send to \(room) is encrypted from now on.")
    village.say(2, "sealed", from: anna, to: room)
    #expect(village.read(ben) == ["plain (plain)", "sealed"])
    let last = try #require(village.messages.last { $0["type"] == "groupchat" })
    #expect(!last.xml().contains("sealed<"))
    // Carl is away, and reads it later.
    let carls = village.encryption(of: carl)?.book.own.id
    #expect(last.xml().contains("\(carls ?? 0)"))
    // Whoever reads an encrypted line answers with one.
    village.say(3, "answer", from: ben, to: room)
    #expect(village.read(anna).last == "answer")
    #expect(village.unkept == 0)
    village.open([.room(room.description)], of: anna)
    #expect(village.state(anna, with: room) == .on)
  }

  @Test("the owner's other devices read what goes out; those of people who are no members do not")
  func audience() throws {
    var village = try village { $0.affiliations[carl] = "outcast" }
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    try village.connect(anna, as: "two")
    village.say(1, "for members", from: anna, to: room)
    #expect(village.read(anna, as: "two") == ["for members"])
    #expect(village.read(ben) == ["for members"])
    let carls = village.encryption(of: carl)?.book.own.id
    #expect(
      village.messages.last { $0["type"] == "groupchat" }?.xml().contains("\(carls ?? 0)") == false)
  }

  @Test(
    "where it cannot work, the answer says why, and lines stay plain",
    arguments: [
      ([], "Anybody can enter"), (["muc_membersonly"], "hides its members' addresses"),
    ])
  func cannot(features: [String], words: String) throws {
    var village = try village { $0.features = features }
    let answer = village.ask(.encrypt, room.description, "on", of: anna)
    #expect(answer?.contains(words) == true)
    village.say(1, "plain", from: anna, to: room)
    #expect(village.read(ben) == ["plain (plain)"])
  }

  @Test("a room that was encrypted never goes plain by itself, even if it opens to everybody")
  func neverPlain() throws {
    var village = try village()
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "sealed", from: anna, to: room)
    village.room?.features = ["muc_nonanonymous"]
    village.announceChange()
    let count = village.messages.count
    village.say(2, "secret", from: anna, to: room)
    #expect(village.messages.count == count)
    #expect(village.told(anna).last?.hasPrefix("Anybody can enter \(room)") == true)
    _ = village.ask(.encrypt, room.description, "off", of: anna)
    #expect(village.read(ben).last == "secret (plain)")
  }

  @Test(
    "the owner is told of a new member, and whether they can read along", arguments: [true, false])
  func newMember(encrypts: Bool) throws {
    var village = try village { $0.affiliations[carl] = "none" }
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "before", from: anna, to: room)
    if !encrypts { village.nodes[carl] = [:] }
    village.room?.affiliations[carl] = "member"
    let x = try #require(village.room?.user(carl))
    village.announce(
      inRoom: Element("message", ["from": room.description], children: [x]))
    #expect(
      village.told(anna).last
        == (encrypts
          ? "\(carl) is a member now, and can read what is written from now on"
          : "\(carl) is a member now, but has no program that can encrypt, and reads nothing"))
    village.say(2, "after", from: anna, to: room)
    let carls = village.encryption(of: carl)?.book.own.id
    #expect(
      village.messages.last { $0["type"] == "groupchat" }?.xml().contains("\(carls ?? 0)")
        == encrypts)
  }

  @Test("also of one who became a member while no process ran, once")
  func newMeanwhile() throws {
    var village = try village { $0.affiliations[carl] = "none" }
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "before", from: anna, to: room)
    for expected in [1, 0] {
      let kept = village.kill(anna)
      village.room?.affiliations[carl] = "member"
      village.room?.occupants = [ben.withResource("one")]
      let count = village.told(anna).count
      try village.connect(anna, kept)
      let news = village.told(anna).dropFirst(count)
      #expect(news.count { $0.hasPrefix("\(carl) is a member now") } == expected)
    }
  }

  @Test("at the beginning the owner is told once which members cannot read along")
  func without() throws {
    var village = try village()
    village.nodes[carl] = [:]
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    let words = "One member has no program that can encrypt, and reads nothing: \(carl)"
    #expect(village.told(anna).last == words)
    village.say(1, "for Ben", from: anna, to: room)
    let kept = village.kill(anna)
    village.room?.occupants = [ben.withResource("one")]
    try village.connect(anna, kept)
    #expect(village.told(anna).count { $0 == words } == 1)
    #expect(village.read(ben) == ["for Ben"])
  }

  @Test("the owner is told whose server does not say whether they can read along")
  func silentServer() throws {
    for isNew in [false, true] {
      var village = try village(areContacts: false) {
        if isNew { $0.affiliations[carl] = "none" }
      }
      village.ignores = { $0["to"] == carl.description }
      _ = village.ask(.encrypt, room.description, "on", of: anna)
      if isNew {
        village.room?.affiliations[carl] = "member"
        let x = try #require(village.room?.user(carl))
        village.announce(inRoom: Element("message", ["from": room.description], children: [x]))
      }
      village.wait(Limits.answer + 1)
      #expect(
        village.told(anna).last
          == (isNew
            ? "\(carl) is a member now; hobnob does not know whether they can read along, since their server does not answer"
            : "hobnob does not know whether one member can read along, since their server does not answer: \(carl)")
      )
    }
  }

  @Test("whoever is banned reads nothing from then on")
  func banned() throws {
    var village = try village()
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "before", from: anna, to: room)
    let carls = String(village.encryption(of: carl)?.book.own.id ?? 0)
    func line() throws -> String {
      try #require(village.messages.last { $0["type"] == "groupchat" }).xml()
    }
    #expect(try line().contains(carls))
    village.room?.affiliations[carl] = "outcast"
    let x = try #require(village.room?.user(carl))
    village.announce(inRoom: Element("message", ["from": room.description], children: [x]))
    village.say(2, "after", from: anna, to: room)
    #expect(try !line().contains(carls))
    // Nor once the lists are asked for again, or after a reconnect.
    village.announceChange()
    village.say(3, "later", from: anna, to: room)
    #expect(try !line().contains(carls))
    #expect(!village.told(anna).contains { $0.hasPrefix("\(carl) is a member") })
  }

  @Test("whoever was removed while anna was away reads nothing from then on")
  func removedMeanwhile() throws {
    var village = try village()
    try village.connect(carl, as: "two")
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "before", from: anna, to: room)
    let carls = String(village.encryption(of: carl)?.book.own.id ?? 0)
    #expect(try #require(village.messages.last { $0["type"] == "groupchat" }).xml().contains(carls))
    village.disconnect(anna)
    village.room?.affiliations[carl] = "none"
    village.room?.occupants = []
    village.reconnect(anna)
    village.say(2, "after", from: anna, to: room)
    let line = try #require(village.messages.last { $0["type"] == "groupchat" })
    #expect(!line.xml().contains(carls))
  }

  @Test("nobody in a room can pass for somebody else's account")
  func forgedAuthor() throws {
    var village = try village()
    village.say(1, "hello", from: ben, to: anna)
    let before = village.encryption(of: anna)?.book.sessions
    // Carl sends what he has sealed, and claims to be Ben.
    try village.connect(carl, as: "two")
    village.say(2, "I am ben", from: carl, to: anna, as: "two")
    var message = try #require(village.messages.last)
    message["from"] = village.room?.place(carl).description
    message["type"] = "groupchat"
    let item = Element(
      "item", namespace: Feature.roomUser, ["affiliation": "member", "jid": ben.description])
    message.add(Element("x", namespace: Feature.roomUser, children: [item]))
    village.deliver(message, to: anna)
    let bens = village.encryption(of: anna)?.book.sessions.filter { $0.key.device.account == ben }
    #expect(bens == before?.filter { $0.key.device.account == ben })
  }

  @Test("a room that does not say what it can do is not encrypted, and the owner hears why")
  func silentRoom() throws {
    var village = try village()
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "sealed", from: anna, to: room)
    village.disconnect(anna)
    village.refuses = { iq in
      iq["to"] == "tea@rooms.example.org" && iq.first("query", Feature.info) != nil
        ? "forbidden" : nil
    }
    village.room?.occupants = [ben.withResource("one")]
    village.reconnect(anna)
    let count = village.messages.count
    village.say(2, "secret", from: anna, to: room)
    #expect(village.messages.count == count)
    #expect(village.told(anna).last?.hasPrefix("\(room) does not say who can enter it") == true)
  }

  @Test("the owner's own other device is not enough to encrypt a room")
  func alone() throws {
    var village = try village { $0.affiliations = [anna: "owner", carl: "outcast"] }
    try village.connect(anna, as: "two")
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "for nobody", from: anna, to: room)
    #expect(!village.messages.contains { $0["type"] == "groupchat" })
    #expect(village.told(anna).last?.hasPrefix("Nobody else in \(room)") == true)
  }

  @Test("a person's address that was joined as a room stays a person's")
  func personAsRoom() throws {
    var village = try village()
    _ = village.ask(.join, ben.description, of: anna)
    village.say(1, "between us", from: anna, to: ben)
    #expect(!village.messages.contains { $0.first("body")?.text == "between us" })
  }

  @Test("a room that does not list its members is encrypted for those who are there")
  func withoutLists() throws {
    var village = try village { $0.hidesLists = true }
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "for those here", from: anna, to: room)
    village.announceChange()
    village.say(2, "still for them", from: anna, to: room)
    #expect(village.read(ben) == ["for those here", "still for them"])
  }

  @Test("a text of version 2 that was sealed for a direct chat does not pass for one in a room")
  func replayed() throws {
    var village = try village()
    village.versions = [.two]
    village.say(1, "hello", from: ben, to: anna)
    // Anna does not get this one in the chat.
    village.disconnect(anna)
    village.say(2, "between us", from: ben, to: anna)
    var message = try #require(village.messages.last)
    #expect(Encryption.isSealed(message))
    village.room?.occupants = [ben.withResource("one")]
    try village.connect(anna, village.kill(anna))
    message["from"] = village.room?.place(ben).description
    message["type"] = "groupchat"
    village.deliver(message, to: anna)
    #expect(village.read(anna).last == "?")
  }

  @Test("a member's new device, of which nobody tells anna, reads what she writes a minute later")
  func newDevice() throws {
    var village = try village()
    village.areContacts = false
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "first", from: anna, to: room)
    try village.connect(ben, as: "two")
    village.say(2, "second", from: anna, to: room)
    #expect(village.read(ben, as: "two").last == "?")
    village.wait(Limits.listsStay)
    village.say(3, "third", from: anna, to: room)
    #expect(village.read(ben, as: "two").last == "third")
    #expect(village.read(ben) == ["first", "second", "third"])
  }

  @Test("fifty members with three devices each read a line")
  func large() throws {
    let others = (1...47).map { Address("member\($0)@example.org")! }
    var village = try village { room in
      for other in others { room.affiliations[other] = "member" }
    }
    // Making keys takes longest, so the devices share theirs.
    let keys = try OwnDevice(village.library, time: 1_000)
    func device(_ member: Int, _ number: Int) -> OwnDevice {
      OwnDevice(
        id: UInt32(member * 10 + number), publicKey: keys.publicKey, privateKey: keys.privateKey,
        signedPreKeys: keys.signedPreKeys, signedPreKey: keys.signedPreKey, preKeys: keys.preKeys,
        nextPreKey: keys.nextPreKey)
    }
    for (member, other) in others.enumerated() {
      for version in OMEMOVersion.allCases {
        village.nodes[other, default: [:]][version.listNode] = [
          ("current", version.list((1...3).map { UInt32((member + 1) * 10 + $0) }))
        ]
        for number in 1...3 {
          let own = device(member + 1, number)
          let (node, item) = version.bundlePlace(of: own.id)
          let bundle = try own.bundle(version, village.library).element
          village.nodes[other]?[node, default: []].append((item, bundle))
        }
      }
    }
    _ = village.ask(.encrypt, room.description, "on", of: anna)
    village.say(1, "to all of you", from: anna, to: room)
    let line = try #require(village.messages.last { $0["type"] == "groupchat" })
    #expect(line.xml().ranges(of: "<key ").count == 47 * 3 + 2)
    // Two of them read it, having been away.
    for (member, number) in [(1, 1), (47, 3)] {
      let other = others[member - 1]
      try village.connect(other, KeyBook(own: device(member, number)))
      village.deliver(village.reflected(line, from: anna), to: other)
      #expect(village.read(other) == ["to all of you"])
    }
  }
}
